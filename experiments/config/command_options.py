"""The plain keys of commands and players, those that are no option of a group: names, ranges, defaults of ``conf/``."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

Seed = Annotated[int, Interval(ge=0, le=2**64 - 1)]
MAX_THREADS = 4096
Threads = Annotated[int, Interval(ge=1, le=MAX_THREADS)] | None
Memory = Annotated[float, Interval(ge=1e-9)] | None  # GiB: a byte, since a limit of 0 would read as none


class MatchKeys(NamedTuple):
    """The plain keys of experiments.match."""

    games: Annotated[int, Interval(ge=1, le=10_000_000)] = 100
    sprt: list[float] | None = None
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


class ReportKeys(NamedTuple):
    """The plain keys of experiments.report."""

    runs: str | list[str] = "multirun/**"
    title: str = "gpumcts report"


class SgfKeys(NamedTuple):
    """The plain keys of experiments.sgf and experiments.pgn."""

    run: str | None = None
    number: Annotated[int, Interval(ge=0)] | None = None
