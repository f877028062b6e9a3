"""From a checked configuration to players: searchers, engines, budgets in seconds, and budgets that follow."""

import functools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from experiments.config.schema import Checked, PlayerConfig
from experiments.players.contract import keys_under
from experiments.players.external_engines import build, version
from experiments.players.matched_budget import bound_iterations
from experiments.players.registry import kind_of
from experiments.players.run_engine import engine_of
from gpumcts.errors import BadInput
from gpumcts.kernels.engines import playout_engine, resolve
from gpumcts.match.batches import SECONDS_A_BATCH
from gpumcts.players.construction import PlayerContext, tree_search
from gpumcts.players.contract import AnyPlayer, Player
from gpumcts.players.external_engine import ExternalEnginePlayer
from gpumcts.players.time_budget import RATES, Rate, TimedPlayer, bound_rates, calibrate_all, check_rate
from gpumcts.tree.checks import min_iterations
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.position_searcher import PositionSearcher

SIDES = ("player", "opponent")
PREFIXES = {"player": "", "opponent": "opponent."}  # of a side's keys
MAX_TREES_MEASURED = 256  # trees that a rate is measured on together; more change nothing


def searcher(config: Checked, player: PlayerConfig) -> PositionSearcher:
    """The compiled search of a configured player."""
    return tree_search(context_of(config), player.policy, player.rule, player.operator, player.settings)


def context_of(
    config: Checked, name: str = "player", on_progress: Callable[[float], None] | None = None, **other: Any
) -> PlayerContext:
    """The context of a player of a run: its game, and the engine, threads and memory that the run may use."""
    context = PlayerContext(config.game, name, engine_of(config), config.threads, config.memory_limit, **other)
    return context if on_progress is None else context._replace(on_progress=on_progress)


@dataclass(frozen=True)
class MatchPlayers:
    """Both players and what is known of them.

    iterations : a move, by side, or what the player counts in their place (leaves, nodes); 0 for players that do not
        search, and for a budget of plies
    bound : what a time budget came to, to go into the identity of the match
    engine : the engine that plays, ``auto`` resolved
    at_once : searches that go on at the same time (see ``play_match``)
    max_in_flight : games that may be in flight together; None for any number
    programs : names and versions of external engines, by side
    """

    players: tuple[AnyPlayer, AnyPlayer]
    iterations: dict[str, int]
    bound: dict[str, Any]
    engine: str
    at_once: int
    max_in_flight: int | None
    programs: dict[str, str]

    @property
    def by_side(self) -> dict[str, AnyPlayer]:
        """The players as ``player`` and ``opponent``."""
        return dict(zip(SIDES, self.players, strict=True))

    def close(self) -> None:
        """End the external engines."""
        for player in self.players:
            if isinstance(player, ExternalEnginePlayer):
                player.close()


class _Done:
    """A player of a match whose games are all over: compiles nothing, and is asked for no move."""

    trusted = concurrent = True
    remembers = False
    iterations = playouts = 0
    seconds = core_seconds = 0.0

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> np.ndarray:
        """Raises RuntimeError: a game that goes on has another player."""
        raise RuntimeError(f"a move of {self.name} is missing in a match that was taken to be over")

    def forget(self, games: np.ndarray) -> None:
        """Nothing is kept."""


def build_players(
    config: Checked,
    folder: Path,
    on_progress: Callable[[float], None],
    over: bool = False,
    stop: threading.Event | None = None,
) -> MatchPlayers:
    """Both players of a match; ``on_progress`` is told the moves that were found, fractions of a move included.

    A time budget is measured once and bound in ``folder``, so that a match that goes on is the same match. Where it is
    ``over``, no search is made ready. Raises KeyboardInterrupt where ``stop`` is set while budgets are measured.
    """
    assert config.player is not None and config.opponent is not None
    configured: dict[str, PlayerConfig] = dict(zip(SIDES, (config.player, config.opponent), strict=True))
    timed = {side: player for side, player in configured.items() if player.budget.seconds}
    measured = _measured(config, timed, folder, stop) if timed else {}
    matched = _matched(config, configured, measured, folder, stop)
    counted = measured | matched
    iterations = {side: counted.get(side) or player.iterations for side, player in configured.items()}
    workers = ThreadPool(config.threads)
    external = {side: player.program for side, player in configured.items() if player.program is not None}
    processes = {side: keys.processes or config.threads for side, keys in external.items()}
    players: list[AnyPlayer] = []
    for side, player in configured.items():
        if side in external:
            players.append(build(config.game, external[side], side, processes[side], folder, on_progress))
        elif over:
            players.append(_Done(side))
        else:
            context = context_of(config, side, on_progress, workers=workers)
            with keys_under(PREFIXES[side]), _told_by_its_budget(player):
                players.append(kind_of(player.name).build(player, context, iterations[side]))
    bound = {"iterations_of_seconds": measured} if measured else {}
    bound |= {"iterations_matched": matched} if matched else {}
    engine = resolve(engine_of(config))
    at_once = 2 if engine == "cpu" else 0  # a device is one thread's
    # Each game has a process, and keeps one core busy, whoever moves in it.
    max_in_flight = min(processes.values(), default=None)
    programs = {side: version(config.game, keys, PREFIXES[side]) for side, keys in external.items()}
    return MatchPlayers((players[0], players[1]), iterations, bound, engine, at_once, max_in_flight, programs)


@contextmanager
def _told_by_its_budget(player: PlayerConfig) -> Iterator[None]:
    """Trees that do not fit are told by the key that was given where that is no number of iterations."""
    try:
        yield
    except BadInput as error:
        budget = player.budget
        key, _, why = str(error).partition(": ")
        if budget.iterations is not None or not key.startswith("budget.iterations="):
            raise
        given = "budget=matched" if budget.seconds is None else f"budget.seconds={budget.seconds}"
        less = "" if budget.seconds is None else "fewer seconds, or "
        made = f"comes to {key.partition('=')[2]} iterations a move here"
        raise BadInput(f"{given} {made}: {why.partition(';')[0]}; {less}more memory_gb") from None


def _measured(
    config: Checked, timed: dict[str, PlayerConfig], folder: Path, stop: threading.Event | None
) -> dict[str, int]:
    """Iterations that seconds come to, by side: two sides are measured in their games, equal ones as one player."""

    def measure() -> dict[str, Rate]:
        first: dict[str, str] = {}
        same = {side: first.setdefault(repr(player.identity), side) for side, player in timed.items()}
        players = {side: _timed(config, PREFIXES[side], timed[side], stop) for side in first.values()}
        measured = calibrate_all(config.game, list(players.values()))
        rates = dict(zip(players, measured, strict=True))
        for side, rate in rates.items():
            fewest = min_iterations(timed[side].settings) if timed[side].plays_out else 1
            with keys_under(PREFIXES[side]):
                check_rate(rate, fewest, kind_of(timed[side].name).counted)
        return {side: rates[same[side]] for side in timed}

    rates = bound_rates(folder, measure)
    if rates.keys() != timed.keys():
        raise BadInput(f"{folder / RATES} is damaged; start in another folder")
    return {side: rate.iterations for side, rate in rates.items()}


def _matched(
    config: Checked,
    configured: dict[str, PlayerConfig],
    measured: dict[str, int],
    folder: Path,
    stop: threading.Event | None,
) -> dict[str, int]:
    """Iterations of the side that follows the other one's nodes, by side; nothing where none does."""
    both = list(configured.items())
    for (side, player), (theirs, other) in (both, both[::-1]):
        if player.budget.matched is not None:
            iterations = measured.get(theirs) or other.iterations
            context = context_of(config, theirs, workers=ThreadPool(config.threads))
            make = cast(Callable[[], Player], functools.partial(kind_of(other.name).build, other, context, iterations))
            with keys_under(PREFIXES[theirs]):
                return bound_iterations(folder, side, config.game, player.budget.matched, make, stop)
    return {}


def counts_cores(config: Checked, player: PlayerConfig) -> bool:
    """Whether a budget in seconds is one of core seconds; a device's do not show in processor time."""
    return not player.plays_out or resolve(engine_of(config)) == "cpu"


def _together(config: Checked, full: int | None, seconds: float, on_cpu: bool) -> int:
    """Positions that a thread of a player has at once in a match (``gpumcts.match.batches``), of whom a move takes so
    many ``seconds``: the other side moves in as many games, and two batches that go on at once take twice the time.

    full : ``full_batch`` of the player on one thread; 1 where there are no games
    """
    games = min(getattr(config.keys, "games", 1), getattr(config.keys, "games_in_flight", 1))
    own = max(1, games // 2 // (config.threads if on_cpu else 1))
    a_batch = int(min(SECONDS_A_BATCH / (2 * seconds), MAX_TREES_MEASURED))
    most = MAX_TREES_MEASURED if full is None else max(full, a_batch)
    return min(own, most, MAX_TREES_MEASURED)


def _timed(config: Checked, prefix: str, player: PlayerConfig, stop: threading.Event | None) -> TimedPlayer:
    """A player to measure; what it refuses names its keys under ``prefix``."""
    assert player.budget.seconds is not None
    on_cpu = counts_cores(config, player)
    rated, context = kind_of(player.name).rated, context_of(config)
    assert rated is not None
    with keys_under(prefix):
        rated_player = rated(player, context._replace(threads=1) if on_cpu else context)

    def make(iterations: int) -> Player:
        with keys_under(prefix):
            return rated_player(iterations)

    together = _together(config, getattr(make(1), "full_batch", None), player.budget.seconds, on_cpu)
    clock = time.process_time if on_cpu else time.perf_counter
    return TimedPlayer(make, player.budget.seconds, clock, together, stop)


def playout_engine_of(config: Checked) -> Any:
    """The engine that plays playouts alone: something with ``tally`` and ``name``."""
    return playout_engine(config.engine, config.game, config.policy, config.threads)
