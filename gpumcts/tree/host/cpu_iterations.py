"""Iterations on the CPU's threads: blocks of trees side by side, or all threads in one tree where trees are few."""

import threading
import time

import numpy as np

from gpumcts.call_size import SECONDS_A_CALL
from gpumcts.kernels.playout_loop import LANE_COUNT
from gpumcts.tree.forest import Forest
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.host.shared_tree import FIRST_PACE, SharedTrees
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.iteration.batch import Batch
from gpumcts.tree.solve import unproven
from gpumcts.tree.time_split import GROWTH, no_ticks

TREES_IN_A_BLOCK = 64  # leaves that share the lanes at most
MIN_PER_BLOCK = 4  # trees that share the cost of a step's call, where there are no playouts to fill lanes with
# Blocks fit one core's cache, but hold at least four trees while four fit the shared cache: a block of 64 trees of
# 10,000 iterations of a P-game takes 2.4 times as long as blocks of four.
CACHED = 1 << 20
SHARED_CACHE = 1 << 25
BATCH_BYTES = 1 << 23  # of a block at most, if it has several trees: traces of many playouts a leaf make long rows

Block = tuple[int, int]


class CpuIterations:
    """Iterations of a search whose playouts the CPU plays, on the forest of a wave."""

    def __init__(self, plan: SearchPlan, workers: ThreadPool) -> None:
        self._plan, self._parts, self._settings, self._workers = plan, plan.parts, plan.parts.settings, workers
        self._pace = FIRST_PACE * self._settings.playouts_per_leaf
        self._shared = SharedTrees(plan, workers)
        self._kept: tuple[np.ndarray, Batch] | None = None  # of a forest that is one block

    def iterate(self, wave: Wave, span: Block) -> None:
        """Iterations ``span`` of the trees of a wave: those of each that are made before it, and after it.

        Raises KeyboardInterrupt where the wave is told to stop.
        """
        if self._shared.fit(wave):
            self._shared.iterate(wave, span)
        else:
            self._iterate_blocks(wave, span)

    def _iterate_blocks(self, wave: Wave, span: Block) -> None:
        """Every block goes on until it is done or lacks room; then the forest grows and they go on."""
        iterations = span[1]
        blocks = self._blocks(wave.trees, iterations)
        numbers = dict.fromkeys(blocks, span[0])
        while True:
            pending = [block for block in blocks if numbers[block] < iterations]
            if not pending:
                return
            with wave.clock.on_all_threads():
                self._run_blocks(wave, iterations, pending, numbers)
            wave.check_stop()
            if any(numbers[block] < iterations for block in pending):
                self._widen(wave)

    def _widen(self, wave: Wave) -> None:
        with wave.clock.on_all_threads(), wave.clock.part(GROWTH):
            self._plan.widen(wave)

    def _blocks(self, trees: int, iterations: int) -> list[Block]:
        """Trees that advance together: enough for the lanes, and otherwise as many as the cache holds."""
        parts = self._parts
        tree_bytes = parts.tree_bytes(iterations)
        if parts.game.LANES and not parts.stores_whole_paths:
            size = max(2 * CACHED // tree_bytes, LANE_COUNT)
        else:
            size = max(CACHED // tree_bytes, MIN_PER_BLOCK if MIN_PER_BLOCK * tree_bytes < SHARED_CACHE else 2)
        leaves = self._settings.leaves_per_tree
        size = max(1, min(size, TREES_IN_A_BLOCK, BATCH_BYTES // parts.row_bytes) // leaves)
        size = min(size, -(-trees // self._plan.threads))
        return [(begin, min(begin + size, trees)) for begin in range(0, trees, size)]

    def _batch_of(self, forest: Forest, block: Block) -> Batch:
        """The batch of a block; that of a forest which is one block is kept for its next slice."""
        rows = (block[1] - block[0]) * self._settings.leaves_per_tree
        if block != (0, len(forest.used)):
            return self._parts.batch(rows)
        kept = self._kept  # one, though several threads may search at once
        if kept is None or kept[0] is not forest.used:
            kept = self._kept = (forest.used, self._parts.batch(rows))
        return kept[1]

    def _run_blocks(self, wave: Wave, iterations: int, pending: list[Block], numbers: dict[Block, int]) -> None:
        """The ``pending`` blocks up to ``iterations``, or until each lacks room; ``numbers`` says how far each is."""

        def work(block: Block, stop_event: threading.Event) -> None:
            trees, leaves = block[1] - block[0], self._settings.leaves_per_tree
            batch = self._batch_of(wave.forest, block)
            while numbers[block] < iterations and not stop_event.is_set():
                begin = time.perf_counter()
                wanted = max(1, int(SECONDS_A_CALL / (self._pace * trees * leaves)))
                until = min(numbers[block] + wanted * leaves, iterations)
                span, ticks = (numbers[block], until), no_ticks()
                reached = self._plan.advance(wave.forest, wave.states, wave.keys, block, span, batch, wave.watch, ticks)
                wave.clock.add_sampled(ticks, time.perf_counter() - begin)
                done, numbers[block] = reached - numbers[block], reached
                wave.made = reached
                if wave.on_progress is not None:
                    wave.on_progress(done * trees)
                if reached < until:
                    return  # no room
                self._keep_pace(begin, done * unproven(wave.forest, *block))

        self._workers.run(work, pending, wave.stop)

    def _keep_pace(self, begin: float, iterations: int) -> None:
        """Iterations of a tree were made since ``begin``; none say nothing of those of the next search."""
        if iterations > 0:
            self._pace = max((time.perf_counter() - begin) / iterations, self._pace / 8, 1e-9)
