"""Two batches of a tree in flight: the next is selected while the last is played (``Settings.batches_in_flight``).

Batch n + 1 is selected in a tree where the leaves of batch n are in flight along their paths, then batch n is backed
up, with nothing in flight. Blocks of children move as the tree grows, so a path in flight is kept as places in blocks,
which do not move.

Between calls the last batch stays selected, played, and not counted: a search that is cut goes on as one that is not.
``land`` counts it in the end.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from gpumcts.jit import entry, inlined
from gpumcts.kernels.engines import playout_engine
from gpumcts.kernels.playout_loop import tally_columns
from gpumcts.tree.advance import gather, has_room
from gpumcts.tree.batch import NO_LEAF, PATH_BEYOND_PLIES, Batch
from gpumcts.tree.device_playouts import SECONDS_A_REPORT, Half, device_clocked, trees_together
from gpumcts.tree.forest import ROOT, Forest, add_in_flight
from gpumcts.tree.rows import prepare_rows
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.time_split import BACKUP, GROWTH, PLAYOUTS, SELECTION, Stopwatch, lap, look_at_clock, no_ticks

Block = tuple[int, int]


# ------------------------------------------------------------------------------------------------------- compiled


@inlined
def to_places(forest, rows, batch):
    """Make of the nodes in the paths of ``rows`` rows their places in the blocks of their parents' children."""
    for row in range(rows):
        tree, path = np.int64(batch.trees[row]), batch.paths[row]
        for k in range(batch.depths[row], 0, -1):
            path[k] -= forest.first_child[tree, path[k - 1]]


@inlined
def to_nodes(forest, rows, batch):
    """Make nodes of those places, wherever their blocks are by now."""
    for row in range(rows):
        tree, path = np.int64(batch.trees[row]), batch.paths[row]
        for k in range(1, batch.depths[row] + 1):
            path[k] += forest.first_child[tree, path[k - 1]]


@inlined
def count_paths(forest, rows, batch, playouts):
    """Count so many playouts as in flight at every node of the paths, which are places; fewer than 0 take them back."""
    for row in range(rows):
        depth = batch.depths[row]
        if depth == NO_LEAF:
            continue
        tree, node = np.int64(batch.trees[row]), np.int64(ROOT)
        add_in_flight(forest, tree, node, playouts)
        for k in range(1, depth + 1):
            node = np.int64(forest.first_child[tree, node]) + np.int64(batch.paths[row, k])
            add_in_flight(forest, tree, node, playouts)


@entry
def gather_beside(steps, method, forest, roots, keys, block, number, leaves, room, flying, rows, batch, ticks):
    """``gather`` with ``rows`` rows of batch ``flying`` in flight; False, and nothing done, where a tree lacks room.

    ticks : int64[PARTS]
    """
    if not has_room(forest, block, room):
        return False
    clock, playouts = look_at_clock(ticks, True), method.switches.playouts
    count_paths(forest, rows, flying, playouts)
    lap(ticks, SELECTION, clock, True)
    prepare_rows(method.switches, keys, block, batch)
    clock = gather(steps, method, forest, roots, block, number, leaves, batch, ticks, True)
    to_places(forest, (block[1] - block[0]) * leaves, batch)
    count_paths(forest, rows, flying, -playouts)
    lap(ticks, SELECTION, clock, True)
    return True


@entry
def back_up_beside(back_up, rule, operator, forest, switches, rows, batch, ticks):
    """Back up so many rows, whose paths are places; ticks : int64[PARTS]."""
    clock = look_at_clock(ticks, True)
    to_nodes(forest, rows, batch)
    back_up(learner(rule), operator, forest, switches, 0, rows, batch)
    lap(ticks, BACKUP, clock, True)


# ------------------------------------------------------------------------------------------------------ on the host


class HostInFlightBatch:
    """A batch that the CPU plays at once: as ``kernels.in_flight_batch.InFlightBatch``.

    spent : seconds of threads that the last one took
    """

    def __init__(self, engine: Any, leaves: int, playouts: int) -> None:
        self._engine, self.spent = engine, 0.0
        columns = tally_columns(engine.game, playouts)
        self._arrays = (
            np.zeros((leaves, engine.game.WORDS), np.uint64),
            np.zeros(leaves, np.uint64),
            np.zeros((leaves, columns), np.int64),
        )

    def arrays(self, leaves: int, playouts: int) -> tuple[np.ndarray, ...]:
        """States, keys and tallies of so many leaves."""
        return tuple(array[:leaves] for array in self._arrays)

    def start(self, leaves: int, playouts: int, stop: threading.Event | None = None) -> None:
        """Play them."""
        states, keys, tally = self.arrays(leaves, playouts)
        took: list[float] = []
        tally[:] = self._engine.columns(states, keys, playouts, stop, took.append)
        self.spent = sum(took)

    def finish(self) -> None:
        """They are back."""


class Aloft(NamedTuple):
    """A batch of some trees that is selected and not counted: the rows of each thread, and leaves a tree."""

    parts: list[tuple[Block, Batch]]
    leaves: int
    flight: Any = None  # None where it has been played

    def landed(self) -> "Aloft":
        """The same in memory of its own, once its playouts are back."""
        self.flight.finish()
        return Aloft([(block, Batch(*(a.copy() for a in batch))) for block, batch in self.parts], self.leaves)


class InFlight:
    """The batches of one forest of a searcher, on its engine; the CPU plays them where it is that."""

    def __init__(self, searcher: Any) -> None:
        self._searcher, self._aloft = searcher, dict[Block, Aloft]()
        self._settings = searcher.settings
        self._host: Any = None
        self._clock = Stopwatch(searcher.threads)  # until there is one of a search
        self._unreported, self._reported = 0, time.perf_counter()

    @property
    def leaves(self) -> int:
        """Iterations of a tree that are selected and not counted."""
        return max((aloft.leaves for aloft in self._aloft.values()), default=0)

    def grow(
        self,
        held: list[Forest],
        states: np.ndarray,
        keys: np.ndarray,
        span: Block,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
        land: bool = False,
        clock: Stopwatch | None = None,
    ) -> None:
        """Select iterations ``span`` of the forest that is ``held``, which may be another after it.

        The last batch is left aloft, or with ``land`` counted too. Raises KeyboardInterrupt where ``stop`` is set.
        """
        size = trees_together(self._searcher, self._settings.leaves_per_tree)
        self._clock = clock or Stopwatch(self._searcher.threads)
        with ThreadPoolExecutor(self._searcher.threads) as pool, device_clocked(self._searcher.engine, self._clock):
            for begin in range(0, len(states), size):
                chunk = (begin, min(begin + size, len(states)))
                self._fly(held, states, keys, chunk, span, stop, on_progress, pool)
        if land:
            with self._clock.on_all_threads():
                self.land(held)
        self._report(0, on_progress, last=True)

    def land(self, held: list[Forest]) -> None:
        """Count what is aloft: the forest is that of a search of so many iterations."""
        for aloft in self._aloft.values():
            for part in aloft.parts:
                self._back_up(held, aloft, part)
        self._aloft.clear()

    def _fly(self, held, states, keys, chunk, span, stop, on_progress, pool) -> None:
        """Iterations ``span`` of the trees of a chunk: the next batch is selected and sent off, the last is counted."""
        number, until = span
        most, playouts = self._settings.leaves_per_tree, self._settings.playouts_per_leaf
        batches = self._batches((chunk[1] - chunk[0]) * most, playouts)
        depth = self._searcher.game.MAX_PLIES + PATH_BEYOND_PLIES
        halves = [Half(chunk, self._searcher.threads, flight, depth, most, playouts) for flight in batches]
        aloft = self._aloft.pop(chunk, None)
        try:
            while number < until:
                leaves = min(most, until - number)
                half = halves[0]
                with self._clock.on_all_threads():
                    self._gather(held, states, keys, half.parts(leaves), aloft, number, leaves, pool)
                    self._send(half.flight, (chunk[1] - chunk[0]) * leaves, playouts, stop)
                if aloft is not None:
                    self._await(aloft.flight)
                    with self._clock.on_all_threads():
                        self._each(lambda part, aloft=aloft: self._back_up(held, aloft, part), aloft.parts, pool)
                if stop is not None and stop.is_set():
                    raise KeyboardInterrupt
                aloft = Aloft(half.parts(leaves), leaves, half.flight)
                number += leaves
                halves.reverse()
                self._report((chunk[1] - chunk[0]) * leaves, on_progress)
        finally:
            for flight in batches:
                flight.finish()
        if aloft is not None:
            self._aloft[chunk] = aloft if aloft.flight is None else aloft.landed()

    def _send(self, flight: Any, leaves: int, playouts: int, stop: threading.Event | None) -> None:
        """Send a batch off; what the CPU spends on its playouts is theirs, and so is sending them to a device."""
        begin = time.perf_counter()
        flight.start(leaves, playouts, stop)
        on_host = isinstance(flight, HostInFlightBatch)
        self._clock.add(PLAYOUTS, flight.spent if on_host else time.perf_counter() - begin)

    def _await(self, flight: Any) -> None:
        """Wait until the batch of a flight is back, where it is not yet."""
        if isinstance(flight, HostInFlightBatch) or flight is None:
            return
        with self._clock.on_device():
            flight.finish()

    def _batches(self, leaves: int, playouts: int) -> list[Any]:
        searcher = self._searcher
        if searcher.engine is not None:
            return searcher.engine.in_flight_batches(leaves, playouts)
        if self._host is None:
            self._host = playout_engine("cpu", searcher.played_game, searcher.policy, searcher.threads)
        return [HostInFlightBatch(self._host, leaves, playouts) for _ in range(2)]

    def _each(self, work: Callable, parts: list, pool: ThreadPoolExecutor) -> list:
        """``work`` on every part, on the threads where there are several."""
        return [work(part) for part in parts] if len(parts) == 1 else list(pool.map(work, parts))

    def _gather(self, held, states, keys, parts, aloft, number, leaves, pool) -> None:
        """Select the next batch beside the one that is aloft; the forest that is held grows where it lacks room."""
        s, beside = self._searcher, dict(aloft.parts) if aloft is not None else {}

        def gather_part(part: tuple[Block, Batch]) -> bool:
            (block, batch), ticks = part, no_ticks()
            rows = (block[1] - block[0]) * aloft.leaves if aloft is not None else 0
            found = gather_beside(
                *s.without_playouts, held[0], states, keys, block, number, leaves, s.room, beside.get(block, batch),
                rows, batch, ticks,
            )  # fmt: skip
            self._clock.add_ticks(ticks)
            return found

        while parts:
            fits = self._each(gather_part, parts, pool)
            parts = [part for part, fit in zip(parts, fits, strict=True) if not fit]
            if parts:
                with self._clock.part(GROWTH):
                    self._searcher.widen(held)

    def _back_up(self, held: list[Forest], aloft: Aloft, part: tuple[Block, Batch]) -> None:
        s, (block, batch), ticks = self._searcher, part, no_ticks()
        rows = (block[1] - block[0]) * aloft.leaves
        back_up_beside(s.steps.back_up, s.rule, s.operator, held[0], s.switches, rows, batch, ticks)
        self._clock.add_ticks(ticks)

    def _report(self, iterations: int, on_progress: Callable[[int], None] | None, last: bool = False) -> None:
        """Tell of progress, now and then."""
        self._unreported += iterations
        now = time.perf_counter()
        if on_progress is not None and self._unreported and (last or now - self._reported > SECONDS_A_REPORT):
            on_progress(self._unreported)
            self._unreported, self._reported = 0, now
