"""From a checked configuration to players at a board: engines, searchers, time budgets, and whether they fit."""

import functools
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from experiments.matching import bound_iterations
from experiments.programs import seated, version
from experiments.schema import PLAYER_GROUPS, Checked, PlayerConfig
from gpumcts.deepening.batch import Deepening
from gpumcts.deepening.minimax import Minimax
from gpumcts.deepening.table import entries_in
from gpumcts.errors import BadInput
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.engines import playout_engine, resolve
from gpumcts.players.alpha_beta import AlphaBetaPlayer
from gpumcts.players.chance import refuse_chance
from gpumcts.players.contract import Anyone, Player
from gpumcts.players.minimax import MinimaxPlayer
from gpumcts.players.outside import OutsidePlayer
from gpumcts.players.pvs import PvsPlayer
from gpumcts.players.random import RandomPlayer
from gpumcts.players.rates import Rate, bound_rates, calibrate
from gpumcts.players.uct import UctPlayer
from gpumcts.tree.search import SHARE_OF_MEMORY, Searcher
from gpumcts.tree.table_search import TableSearcher
from gpumcts.tree.workers import Workers

SIDES = ("player", "opponent")
MOST_TREES_MEASURED = 256  # trees that a rate is measured on together; more change nothing


class _Sizes(Searcher):
    """A searcher that is asked for its memory alone, and so compiles nothing."""

    def _compile(self) -> None:
        return None


def sides(config: Checked) -> list[tuple[str, PlayerConfig]]:
    """The configured players, each with the prefix of its keys."""
    return [(prefix, p) for prefix, p in (("", config.player), ("opponent.", config.opponent)) if p is not None]


def check_memory(config: Checked) -> None:
    """Raise BadInput, with the arithmetic, where a search of a configured player cannot fit, or cannot be made at all."""
    _check_tables(config)
    for _, player in sides(config):
        if player.plays_out:
            parts = (config.game, player.policy, player.rule, player.operator, player.settings)
            if player.settings.table is not None:
                sizes: Any = _TableSizes(
                    *parts, *_table_of(player), engine=config.engine, memory_limit=config.memory_limit
                )
            else:
                sizes = _Sizes(*parts, memory_limit=config.memory_limit)
            if player.budget.iterations is not None:
                sizes.wave(1, player.budget.iterations)
                continue
            try:
                sizes.wave(1, _fewest(player))
            except BadInput as error:
                if player.settings.table is not None:
                    raise
                why = str(error).partition(": ")[2]  # without the iterations, which nobody gave
                raise BadInput(f"memory_gb={config.keys.memory_gb}: too little for any search: {why}") from None


def _fewest(player: PlayerConfig) -> int:
    """Iterations that try a move for certain."""
    return player.settings.threshold + 1


def _check_tables(config: Checked) -> None:
    """Refuse hash tables, one a thread on each side, that do not fit into the memory there is or may be used."""
    having = [(prefix, p) for prefix, p in sides(config) if p.name in ("pvs", "minimax") and p.leaf == "evaluation"]
    tables = {f"{prefix}player.table_mb": p.table_mb for prefix, p in having}
    needed = config.threads * sum(tables.values())
    limit = config.memory_limit or int(2 * SHARE_OF_MEMORY * psutil.virtual_memory().available)
    if needed * 2**20 > limit:
        keys = " and ".join(f"{key}={value}" for key, value in tables.items())
        raise BadInput(
            f"{keys}: tables of {config.threads} threads, {needed:,} MiB, do not fit into {limit >> 20:,} MiB "
            f"({'memory_gb' if config.memory_limit else 'of what is free'}); lower them, or threads"
        )


def check_chance(config: Checked) -> None:
    """Raise BadInput where chance moves in the game of a player that takes none."""
    for prefix, player in sides(config):
        if player.name in ("alpha_beta", "pvs", "minimax") or player.program is not None:
            refuse_chance(config.game, f"{prefix}player={player.name}")


class _TableSizes(TableSearcher):
    """The same for searches in tables."""

    def _compile(self) -> None:
        return None


def _table_of(player: PlayerConfig) -> tuple[int, str, float]:
    """Entries of the table of a configured search, how it keeps them, and what it prefers."""
    assert player.settings.table is not None
    return player.settings.table, player.settings.replacement, player.settings.stored_above


def check_programs(config: Checked) -> None:
    """Raise BadInput where a program of player=gtp or player=uci is missing, or does not start."""
    for prefix, player in sides(config):
        if player.program is not None:
            version(config.game, player.program, prefix)


def searcher(
    config: Checked, player: PlayerConfig, threads: int | None = None, workers: Workers | None = None
) -> Searcher | TableSearcher:
    """The search of a configured player, compiled in whole, so that no one waits for it while seconds are counted."""
    parts = (config.game, player.policy, player.rule, player.operator, player.settings)
    limits = {"engine": config.engine, "threads": threads or config.threads, "memory_limit": config.memory_limit}
    in_table = player.settings.table is not None
    if in_table:
        made: Any = TableSearcher(*parts, *_table_of(player), **limits)
    else:
        made = Searcher(*parts, **limits, workers=workers)
    made.search(made.rules.starts(1), np.zeros(1, np.uint64), _fewest(player)).decide()
    return made


def _deepening(config: Checked, player: PlayerConfig, threads: int) -> Deepening:
    """The search of player=pvs, compiled likewise."""
    made = Deepening(config.game, entries_in(player.table_mb), threads)
    start = Rules(made.game).starts(1)
    if (Rules(made.game).movers(start) != CHANCE).all():
        made.search(start, np.zeros(1, np.uint64), nodes=1)
    return made


def _minimax(config: Checked, player: PlayerConfig) -> Minimax:
    """The search of player=minimax, compiled likewise."""
    entries = entries_in(player.table_mb)
    made = Minimax(config.game, player.leaf, player.quiescence, entries, config.threads, player.ties)
    made.search(Rules(made.game).starts(1), np.zeros(1, np.uint64), 1)
    return made


@dataclass(frozen=True)
class Seats:
    """Both players and what is known of them.

    iterations : a move, by side, or what the player counts in their place (leaves, nodes); 0 for players that do not search, and
        for a budget of plies
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

    A time budget is measured once and bound in ``folder``, so that a match that goes on is the same match. Where it is ``over``,
    no search is made ready.
    """
    assert config.player is not None and config.opponent is not None
    configured: dict[str, PlayerConfig] = dict(zip(SIDES, (config.player, config.opponent), strict=True))
    timed = {
        side: player
        for side, player in configured.items()
        if "budget" in PLAYER_GROUPS[player.name] and player.budget.seconds
    }
    measured = _measured(config, timed, folder) if timed else {}
    matched = _matched(config, configured, measured, folder)
    counted = measured | matched
    iterations = {side: counted.get(side) or player.iterations for side, player in configured.items()}
    workers = Workers(config.threads)
    outside = {side: player.program for side, player in configured.items() if player.program is not None}
    processes = {side: keys.processes or config.threads for side, keys in outside.items()}
    players: list[Anyone] = [
        seated(config.game, outside[side], side, processes[side], folder, on_progress)
        if side in outside
        else (_Done(side) if over else _player(config, player, side, iterations[side], on_progress, workers))
        for side, player in configured.items()
    ]
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
        return {side: _rate(config, player) for side, player in timed.items()}

    return {side: rate.iterations for side, rate in bound_rates(folder, measure).items()}


def _matched(
    config: Checked, configured: dict[str, PlayerConfig], measured: dict[str, int], folder: Path
) -> dict[str, int]:
    """Iterations of the side that follows the other one's nodes, by side; nothing where none does."""
    both = list(configured.items())
    for (side, player), (theirs, other) in (both, both[::-1]):
        if player.budget.matched is not None:
            iterations = measured.get(theirs) or other.iterations
            make = functools.partial(
                _player, config, other, theirs, iterations, lambda done: None, Workers(config.threads)
            )
            return bound_iterations(folder, side, config.game, player.budget.matched, make)
    return {}


def _rate(config: Checked, player: PlayerConfig) -> Rate:
    assert player.budget.seconds is not None
    on_cpu = not player.plays_out or resolve(config.engine) == "cpu"
    clock = time.process_time if on_cpu else time.perf_counter  # a device's cores do not show in processor time
    together = min(getattr(config.keys, "games", 1), getattr(config.keys, "games_in_flight", 1), MOST_TREES_MEASURED)
    make = _maker(config, player, threads=1 if on_cpu else None)
    return calibrate(config.game, make, player.budget.seconds, trees=together, clock=clock)


def _maker(config: Checked, player: PlayerConfig, threads: int | None) -> Callable[[int], Player]:
    """Gives the player with a budget of so many iterations, leaves or nodes."""
    if player.name == "alpha_beta":
        return lambda leaves: AlphaBetaPlayer(config.game, leaves, player.best_so_far, threads=threads or 1)
    if player.name == "pvs":
        searches = _deepening(config, player, threads or 1)
        return lambda nodes: PvsPlayer(searches, nodes=nodes)
    measured = searcher(config, player, threads)
    fewest = player.settings.threshold + 1  # below that no move is tried, and the player refuses
    return lambda iterations: UctPlayer(measured, max(iterations, fewest))


def _player(
    config: Checked,
    player: PlayerConfig,
    side: str,
    iterations: int,
    on_progress: Callable[[float], None],
    workers: Workers,
) -> Player:
    if player.name == "random":
        return RandomPlayer(config.game, name=side)
    if player.name == "alpha_beta":
        limits: dict[str, Any] = {"threads": config.threads, "on_progress": lambda done: on_progress(done / iterations)}
        return AlphaBetaPlayer(config.game, iterations, player.best_so_far, side, **limits)
    if player.name == "pvs":
        searches = _deepening(config, player, config.threads)
        return PvsPlayer(searches, iterations or None, player.budget.depth, side, on_progress)
    if player.name == "minimax":
        assert player.budget.depth is not None
        return MinimaxPlayer(_minimax(config, player), player.budget.depth, side, on_progress)
    search = searcher(config, player, workers=workers)
    return UctPlayer(search, iterations, side, lambda done: on_progress(done / iterations))


def iterations_of(config: Checked, folder: Path) -> int:
    """Iterations of one search: those asked for, or what its seconds come to."""
    assert config.player is not None
    if config.player.budget.seconds:
        return _measured(config, {"player": config.player}, folder)["player"]
    return config.player.iterations


def check_engine(name: str) -> None:
    """Raise BadInput where the engine cannot be had on this machine."""
    resolve(name)


def playout_engine_of(config: Checked) -> Any:
    """The engine that plays playouts alone: something with ``tally`` and ``name``."""
    return playout_engine(config.engine, config.game, config.policy, config.threads)
