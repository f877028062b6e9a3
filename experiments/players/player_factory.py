"""From a checked configuration to players at a board: searchers, engines, budgets in seconds, and those that follow."""

import functools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from experiments.config.schema import Checked, PlayerConfig
from experiments.players.contract import keys_under
from experiments.players.external_engines import seated, version
from experiments.players.matched_budget import bound_iterations
from experiments.players.registry import kind_of
from gpumcts.kernels.engines import playout_engine, resolve
from gpumcts.players.construction import Place, tree_search
from gpumcts.players.contract import Anyone, Player
from gpumcts.players.external_engine import OutsidePlayer
from gpumcts.players.time_budget import Rate, bound_rates, calibrate
from gpumcts.tree.search import Searcher
from gpumcts.tree.table_search import TableSearcher
from gpumcts.tree.thread_pool import ThreadPool

SIDES = ("player", "opponent")
PREFIXES = {"player": "", "opponent": "opponent."}  # of a side's keys
MAX_TREES_MEASURED = 256  # trees that a rate is measured on together; more change nothing


def searcher(config: Checked, player: PlayerConfig) -> Searcher | TableSearcher:
    """The compiled search of a configured player."""
    return tree_search(place_of(config), player.policy, player.rule, player.operator, player.settings)


def place_of(
    config: Checked, name: str = "player", on_progress: Callable[[float], None] | None = None, **other: Any
) -> Place:
    """Where a player of a run sits: its game, and the engine, threads and memory that the run may use."""
    place = Place(config.game, name, config.engine, config.threads, config.memory_limit, **other)
    return place if on_progress is None else place._replace(on_progress=on_progress)


@dataclass(frozen=True)
class Seats:
    """Both players and what is known of them.

    iterations : a move, by side, or what the player counts in their place (leaves, nodes); 0 for players that do not
        search, and for a budget of plies
    bound : what a time budget came to, to go into the identity of the match
    engine : the engine that plays, ``auto`` resolved
    at_once : searches that go on at the same time (see ``play_match``)
    most_in_flight : games that may be in flight together; None for any number
    programs : names and versions of programs outside, by side
    """

    players: tuple[Anyone, Anyone]
    iterations: dict[str, int]
    bound: dict[str, Any]
    engine: str
    at_once: int
    most_in_flight: int | None
    programs: dict[str, str]

    @property
    def by_side(self) -> dict[str, Anyone]:
        """The players as ``player`` and ``opponent``."""
        return dict(zip(SIDES, self.players, strict=True))

    def close(self) -> None:
        """End the programs outside."""
        for player in self.players:
            if isinstance(player, OutsidePlayer):
                player.close()


class _Done:
    """Who sits at a board where every game is over: compiles nothing, and is asked for no move."""

    trusted = concurrent = True
    remembers = False
    iterations = playouts = 0
    seconds = 0.0

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> np.ndarray:
        """Raises RuntimeError: a game that goes on has another player."""
        raise RuntimeError(f"a move of {self.name} is missing in a match that was taken to be over")

    def forget(self, games: np.ndarray) -> None:
        """Nothing is kept."""


def seat(config: Checked, folder: Path, on_progress: Callable[[float], None], over: bool = False) -> Seats:
    """Both players of a match; ``on_progress`` is told the moves that were found, fractions of a move included.

    A time budget is measured once and bound in ``folder``, so that a match that goes on is the same match. Where it is
    ``over``, no search is made ready.
    """
    assert config.player is not None and config.opponent is not None
    configured: dict[str, PlayerConfig] = dict(zip(SIDES, (config.player, config.opponent), strict=True))
    timed = {side: player for side, player in configured.items() if player.budget.seconds}
    measured = _measured(config, timed, folder) if timed else {}
    matched = _matched(config, configured, measured, folder)
    counted = measured | matched
    iterations = {side: counted.get(side) or player.iterations for side, player in configured.items()}
    workers = ThreadPool(config.threads)
    outside = {side: player.program for side, player in configured.items() if player.program is not None}
    processes = {side: keys.processes or config.threads for side, keys in outside.items()}
    players: list[Anyone] = []
    for side, player in configured.items():
        if side in outside:
            players.append(seated(config.game, outside[side], side, processes[side], folder, on_progress))
        elif over:
            players.append(_Done(side))
        else:
            place = place_of(config, side, on_progress, workers=workers)
            with keys_under(PREFIXES[side]):
                players.append(kind_of(player.name).seated(player, place, iterations[side]))
    bound = {"iterations_of_seconds": measured} if measured else {}
    bound |= {"iterations_matched": matched} if matched else {}
    engine = resolve(config.engine)
    at_once = 2 if engine == "cpu" else 0  # a device is one thread's
    # Each game has a process, and keeps one core busy, whoever moves in it.
    most = min(processes.values(), default=None)
    programs = {side: version(config.game, keys) for side, keys in outside.items()}
    return Seats((players[0], players[1]), iterations, bound, engine, at_once, most, programs)


def _measured(config: Checked, timed: dict[str, PlayerConfig], folder: Path) -> dict[str, int]:
    def measure() -> dict[str, Rate]:
        rates = {}
        for side, player in timed.items():
            with keys_under(PREFIXES[side]):
                rates[side] = _rate(config, player)
        return rates

    return {side: rate.iterations for side, rate in bound_rates(folder, measure).items()}


def _matched(
    config: Checked, configured: dict[str, PlayerConfig], measured: dict[str, int], folder: Path
) -> dict[str, int]:
    """Iterations of the side that follows the other one's nodes, by side; nothing where none does."""
    both = list(configured.items())
    for (side, player), (theirs, other) in (both, both[::-1]):
        if player.budget.matched is not None:
            iterations = measured.get(theirs) or other.iterations
            place = place_of(config, theirs, workers=ThreadPool(config.threads))
            make = cast(Callable[[], Player], functools.partial(kind_of(other.name).seated, other, place, iterations))
            with keys_under(PREFIXES[theirs]):
                return bound_iterations(folder, side, config.game, player.budget.matched, make)
    return {}


def _rate(config: Checked, player: PlayerConfig) -> Rate:
    assert player.budget.seconds is not None
    on_cpu = not player.plays_out or resolve(config.engine) == "cpu"
    clock = time.process_time if on_cpu else time.perf_counter  # a device's cores do not show in processor time
    together = min(getattr(config.keys, "games", 1), getattr(config.keys, "games_in_flight", 1), MAX_TREES_MEASURED)
    rated, place = kind_of(player.name).rated, place_of(config)
    assert rated is not None
    make = rated(player, place._replace(threads=1) if on_cpu else place)
    return calibrate(config.game, make, player.budget.seconds, trees=together, clock=clock)


def iterations_of(config: Checked, folder: Path) -> int:
    """Iterations of one search: those asked for, or what its seconds come to."""
    assert config.player is not None
    if config.player.budget.seconds:
        return _measured(config, {"player": config.player}, folder)["player"]
    return config.player.iterations


def playout_engine_of(config: Checked) -> Any:
    """The engine that plays playouts alone: something with ``tally`` and ``name``."""
    return playout_engine(config.engine, config.game, config.policy, config.threads)
