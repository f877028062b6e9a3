"""Searches whose playouts are played elsewhere: the forest on the CPU's threads, its leaves on the device.

Two halves of the forest are under way at a time. While the device plays the leaves of one, the threads back up and
select in the other. Each tree does what ``advance_block`` does, in the same order, so the trees are the same.
"""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from gpumcts.tree.batch import PATH_BEYOND_PLIES, Batch, empty_batch
from gpumcts.tree.time_split import GROWTH, PLAYOUTS, Stopwatch, no_ticks
from gpumcts.tree.wave import Wave

MAX_LEAVES = 1 << 16  # of a half: enough to fill a device
MAX_BYTES = 1 << 28  # of a half's paths

Block = tuple[int, int]


def trees_together(searcher: Any, leaves: int) -> int:
    """Trees of ``leaves`` leaves a batch at most, by what fills a device and by the memory of their paths."""
    rows = min(MAX_LEAVES, MAX_BYTES // (5 * (searcher.game.MAX_PLIES + PATH_BEYOND_PLIES) + 8 * searcher.kept_columns))
    return max(1, rows // leaves)


@contextlib.contextmanager
def device_clocked(engine: Any, clock: Stopwatch) -> Iterator[None]:
    """Tell a stopwatch how long an engine's device is at work meanwhile; nothing of an engine that does not know."""
    before = getattr(engine, "device_seconds", None)
    yield
    if before is not None:
        clock.add_device(engine.device_seconds - before)


def on_threads(work: Callable, parts: list, pool: ThreadPoolExecutor) -> list:
    """``work`` on every part, on the threads of ``pool`` where there are several."""
    return [work(part) for part in parts] if len(parts) == 1 else list(pool.map(work, parts))


class HalfForest:
    """Trees [begin, end) of the forest and the batch that their leaves travel in; ``number`` is the next iteration."""

    def __init__(self, block: Block, threads: int, in_flight: Any, depth: int, leaves: int, playouts: int) -> None:
        self.begin, self.end = block
        self.in_flight = in_flight
        self.number, self.leaves, self._playouts = 0, 0, playouts
        size = -(-(self.end - self.begin) // threads)
        self._blocks = [(b, min(b + size, self.end)) for b in range(self.begin, self.end, size)]
        rows = (self.end - self.begin) * leaves
        self._batch = empty_batch(rows, 0, depth, 0)  # states, keys and tally are those of ``in_flight``
        self._parts: dict[int, list[tuple[Block, Batch]]] = {}

    def parts(self, leaves: int) -> list[tuple[Block, Batch]]:
        """The blocks of trees of each thread, with the rows of the batch that are theirs at so many leaves a tree.

        A block is [begin, end) of the forest; its Batch has a row a leaf, tree by tree: words uint64[R, W], keys
        uint64[R] and tally int64[R, K] are views of the arrays of ``in_flight``.
        """
        if leaves not in self._parts:
            rows = (self.end - self.begin) * leaves
            states, keys, tally = self.in_flight.arrays(rows, self._playouts)
            batch = self._batch._replace(words=states, keys=keys, tally=tally)
            spans = [slice((a - self.begin) * leaves, (b - self.begin) * leaves) for a, b in self._blocks]
            batches = [Batch(*(array[span] for array in batch)) for span in spans]
            self._parts[leaves] = list(zip(self._blocks, batches, strict=True))
        return self._parts[leaves]


class DevicePlayouts:
    """Iterations ``span`` of the trees of a wave, their playouts on ``searcher.engine``."""

    def __init__(self, searcher: Any, wave: Wave, span: Block) -> None:
        self._searcher, self._wave, self._clock = searcher, wave, wave.clock
        self._begin, self._iterations = span
        self._leaves = min(searcher.settings.leaves_per_tree, self._iterations - self._begin)
        self._playouts = searcher.settings.playouts_per_leaf
        self._depth = searcher.game.MAX_PLIES + PATH_BEYOND_PLIES

    def run(self) -> None:
        """Do all iterations. Raises KeyboardInterrupt where the wave is told to stop."""
        with ThreadPoolExecutor(self._searcher.threads) as pool, device_clocked(self._searcher.engine, self._clock):
            for blocks in self._pairs():
                rows = (blocks[0][1] - blocks[0][0]) * self._leaves
                batches = self._searcher.engine.in_flight_batches(rows, self._playouts)
                more = (self._depth, self._leaves, self._playouts)
                halves = [
                    HalfForest(block, self._searcher.threads, in_flight, *more)
                    for block, in_flight in zip(blocks, batches, strict=False)
                ]
                for half in halves:
                    half.number = self._begin
                try:
                    self._take_turns(halves, pool)
                finally:
                    for half in halves:
                        half.in_flight.finish()
        self._wave.report(0, last=True)

    def _pairs(self) -> Iterator[list[Block]]:
        """The trees in pairs of halves of at most MAX_LEAVES leaves, the first half never smaller than the second."""
        trees = self._wave.trees
        half = min(trees_together(self._searcher, self._leaves), -(-trees // 2))
        for begin in range(0, trees, 2 * half):
            bounds = [min(begin + k * half, trees) for k in range(3)]
            yield [(a, b) for a, b in zip(bounds, bounds[1:], strict=False) if a < b]

    def _take_turns(self, halves: list[HalfForest], pool: ThreadPoolExecutor) -> None:
        """Take turns until all iterations are done: what is back is backed up, the next leaves go off."""
        for half in halves:
            self._gather(half, pool)
        while any(half.leaves for half in halves):
            for half in halves:
                if half.leaves:
                    with self._clock.on_device():
                        half.in_flight.finish()
                    self._wave.check_stop()
                    self._back_up(half, pool)
                    self._gather(half, pool)

    def _gather(self, half: HalfForest, pool: ThreadPoolExecutor) -> None:
        """Select the next leaves of a half and send them off; nothing where its iterations are done."""
        half.leaves = leaves = min(self._leaves, self._iterations - half.number)
        if not leaves:
            return
        wave = self._wave

        def gather(part: tuple[Block, Batch]) -> bool:
            (block, batch), ticks = part, no_ticks()
            found = self._searcher.gather(wave.forest, wave.states, wave.keys, block, half.number, leaves, batch, ticks)
            self._clock.add_ticks(ticks)
            return found

        parts = half.parts(leaves)
        with self._clock.on_all_threads():
            while parts:
                fits = on_threads(gather, parts, pool)
                parts = [part for part, fit in zip(parts, fits, strict=True) if not fit]
                if parts:
                    with self._clock.part(GROWTH):
                        self._searcher.widen(wave)
            with self._clock.part(PLAYOUTS):
                half.in_flight.start((half.end - half.begin) * leaves, self._playouts, wave.stop)

    def _back_up(self, half: HalfForest, pool: ThreadPoolExecutor) -> None:
        """Back up the leaves of a half that have come back."""
        leaves = half.leaves

        def back_up(part: tuple[Block, Batch]) -> None:
            (block, batch), ticks = part, no_ticks()
            self._searcher.back_up(self._wave.forest, (block[1] - block[0]) * leaves, batch, ticks)
            self._clock.add_ticks(ticks)

        with self._clock.on_all_threads():
            on_threads(back_up, half.parts(leaves), pool)
        half.number += leaves
        self._wave.report((half.end - half.begin) * leaves)
