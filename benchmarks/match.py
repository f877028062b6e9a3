"""Matches of UCT players: games a second, and what share of the time is not spent in compiled code.

What is not compiled code is Python's share: reading and writing positions, the journal with its waits for the disk,
memory for the trees, and numba's own work on the arguments of a compiled call.
"""

import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.busy import Busy
from benchmarks.measure import KERNELS, Bench, Row, row_of
from benchmarks.ours import searcher, uct
from gpumcts.match.runner import play_match
from gpumcts.players.uct import UctPlayer
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings

SHAPES = ((1000, 64), (1000, 200), (100, 200), (20, 400))  # iterations a move, games, all of them in flight
ON_A_DEVICE = (
    (50, 4096, 64),
    (20, 16_384, 16),
)  # and playouts a leaf: 131,072 and more in a batch of half of the games
WARM_UP = (20, 4)
EMPTY_CALLS = 20


@dataclass
class CompiledTime:
    """Seconds that compiled iterations took.

    Numba's work on the arguments of a call is not among them: what a call without iterations takes is taken off each.

    measuring : of the empty calls that were timed, which are no part of a match
    """

    compiled: float = 0.0
    measuring: float = 0.0
    empty_call: float | None = None


@dataclass(frozen=True)
class TimedPlan(SearchPlan):
    """A search on one thread of the CPU whose compiled iterations are timed."""

    spent: CompiledTime = field(default_factory=CompiledTime)

    def advance(self, forest: Any, states: Any, keys: Any, block: Any, numbers: Any, *more: Any) -> int:
        """Iterations ``numbers`` of a block, timed."""
        told = self.spent
        if told.empty_call is None:
            times = [time.perf_counter()]
            for _ in range(EMPTY_CALLS):
                super().advance(forest, states, keys, block, (0, 0), *more)
                times.append(time.perf_counter())
            told.empty_call, told.measuring = float(np.diff(times).min()), times[-1] - times[0]
        begin = time.perf_counter()
        reached = super().advance(forest, states, keys, block, numbers, *more)
        told.compiled += time.perf_counter() - begin - told.empty_call
        return reached


class Timed(Searcher):
    """A searcher with such a plan."""

    plan_type = TimedPlan

    @property
    def spent(self) -> CompiledTime:
        """What its plan measured."""
        assert isinstance(self.plan, TimedPlan)
        return self.plan.spent


class Played(NamedTuple):
    """One match: games a second, and shares of its time in per cent.

    The shares are those outside compiled iterations, outside ``choose``, and with kernels busy on a device.
    """

    rate: float
    outside_compiled: float | None
    outside_choose: float | None
    busy: float | None = None


def suite(bench: Bench) -> list[Row]:
    """Games a second of UCT against itself on the bench's engine; on the CPU with one thread also Python's share."""
    kind = Timed if bench.on_cpu and bench.threads == 1 else Searcher
    shapes = [(*shape, 1) for shape in SHAPES] if bench.on_cpu else ON_A_DEVICE
    found: dict[tuple[int, int, int], list[Played]] = {shape: [] for shape in shapes}
    play(bench, kind, *WARM_UP)
    for _ in range(bench.repeats):
        for shape, turns in found.items():
            turns.append(play(bench, kind, *shape))
    return [row for shape, turns in found.items() for row in _rows(shape, turns)]


def _rows(shape: tuple[int, int, int], turns: list[Played]) -> list[Row]:
    at: dict[str, Any] = dict(zip(("iterations", "games", "playouts"), shape, strict=True))
    name = f"{shape[1]} games of {shape[0]} iterations a move"
    name += f", {shape[2]} playouts a leaf" if shape[2] > 1 else ""
    rows = [row_of("match", name, "games/s", [turn.rate for turn in turns], at=at)]
    outside = [turn.outside_compiled for turn in turns if turn.outside_compiled is not None]
    if outside:
        rows.append(row_of("match", f"{name}: not in compiled code", "%", outside, at=at))
    if outside := [turn.outside_choose for turn in turns if turn.outside_choose is not None]:
        rows.append(row_of("match", f"{name}: not in a search", "%", outside, at=at))
    if busy := [turn.busy for turn in turns if turn.busy is not None]:
        rows.append(row_of("match", f"{name}: kernels busy", "%", busy, at=at | KERNELS))
    return rows


def play(bench: Bench, kind: type, iterations: int, games: int, playouts: int = 1) -> Played:
    """One match of so many games in flight, its journal in a folder within the bench's that is removed again."""
    settings = Settings(playouts_per_leaf=playouts)
    workers = ThreadPool(bench.threads)
    searchers = [searcher(bench, kind, engine=bench.engine, settings=settings, workers=workers) for _ in range(2)]
    players = tuple(UctPlayer(s, iterations, name) for s, name in zip(searchers, ("a", "b"), strict=True))
    kernels = Busy([s.engine for s in searchers])
    with tempfile.TemporaryDirectory(dir=bench.folder, prefix="match-") as folder:
        begin = time.perf_counter()
        at_once = 2 if bench.on_cpu else 0  # as the command for matches has it
        play_match(
            bench.game,
            players,  # type: ignore[arg-type]
            games=games,
            seed=1,
            folder=Path(folder),
            identity={},
            games_in_flight=games,
            at_once=at_once,
        )
        wall = time.perf_counter() - begin
    chosen = sum(player.seconds for player in players)
    if kind is not Timed:
        ran = kernels.seconds()
        outside_choose = None if bench.on_cpu else 100 * (1 - chosen / wall)  # two at once take more than there is
        return Played(games / wall, None, outside_choose, None if ran is None else 100 * ran / wall)
    wall -= sum(s.spent.measuring for s in searchers)
    compiled = sum(s.spent.compiled for s in searchers)
    return Played(games / wall, 100 * (1 - compiled / wall), None)


def games_a_turn(bench: Bench, iterations: int, games: int, threads: int) -> Any:
    """What a contender runs: matches of UCT on the CPU with so many threads; n is games, at most ``games`` of them."""
    both: dict[str, Any] = {"engine": "cpu", "threads": threads, "workers": ThreadPool(threads)}
    players: Any = tuple(UctPlayer(uct(bench, **both), iterations, name) for name in ("a", "b"))

    def run(n: int) -> None:
        with tempfile.TemporaryDirectory(dir=bench.folder, prefix="match-") as folder:
            play_match(
                bench.game,
                players,
                games=min(n, games),
                seed=1,
                folder=Path(folder),
                identity={},
                games_in_flight=games,
                at_once=2,
            )

    return run
