"""The plain keys of commands and players, those that are no option of a group: names, ranges, and defaults as ``conf/`` has."""

from typing import Annotated, Literal, NamedTuple

from annotated_types import Interval

Seed = Annotated[int, Interval(ge=0, le=2**64 - 1)]
Threads = Annotated[int, Interval(ge=1, le=4096)] | None
Memory = Annotated[float, Interval(gt=0)] | None


class MatchKeys(NamedTuple):
    """The plain keys of experiments.match."""

    games: Annotated[int, Interval(ge=1, le=10_000_000)] = 100
    seed: Seed = 1
    threads: Threads = None
    games_in_flight: Annotated[int, Interval(ge=1, le=10_000_000)] = 1000
    memory_gb: Memory = None


class PlayoutsKeys(NamedTuple):
    """The plain keys of experiments.playouts."""

    count: Annotated[int, Interval(ge=1, le=10**12)] = 100_000
    position: str | None = None
    seed: Seed = 1
    threads: Threads = None


class PerftKeys(NamedTuple):
    """The plain keys of experiments.perft."""

    depth: Annotated[int, Interval(ge=0, le=64)] = 6
    position: str | None = None


class SearchKeys(NamedTuple):
    """The plain keys of experiments.search."""

    position: str | None = None
    moves: str = ""
    seed: Seed = 1
    threads: Threads = None
    memory_gb: Memory = None


class SenseiKeys(NamedTuple):
    """The keys of player=sensei."""

    name: str = "sensei"
    uctk: Annotated[float, Interval(ge=0, le=1e6)] = 1.0
    best: Literal["win_rate", "visits"] = "win_rate"
    solve: bool = True


class GtpKeys(NamedTuple):
    """The plain keys of experiments.gtp."""

    resign: Annotated[float, Interval(gt=0, lt=1)] | None = None
    seed: Seed = 1
    threads: Threads = None
    memory_gb: Memory = None


class UciKeys(NamedTuple):
    """The plain keys of experiments.uci."""

    seed: Seed = 1
    threads: Threads = None
    memory_gb: Memory = None


class AlphaBetaKeys(NamedTuple):
    """The keys of player=alpha_beta."""

    name: str = "alpha_beta"
    best_so_far: bool = False


class ReportKeys(NamedTuple):
    """The plain keys of experiments.report."""

    runs: str = "multirun/**"
    title: str = "gpumcts report"


class SgfKeys(NamedTuple):
    """The plain keys of experiments.sgf and experiments.pgn."""

    run: str | None = None
    number: Annotated[int, Interval(ge=0)] | None = None


class PvsKeys(NamedTuple):
    """The keys of player=pvs."""

    name: str = "pvs"
    table_mb: Annotated[int, Interval(ge=1, le=1_048_576)] = 16


class MinimaxKeys(NamedTuple):
    """The keys of player=minimax."""

    name: str = "minimax"
    leaf: Literal["evaluation", "playout"] = "evaluation"
    quiescence: bool = False
    ties: Literal["random", "first", "noisy", "noisiest"] = "random"
    table_mb: Annotated[int, Interval(ge=1, le=1_048_576)] = 16
