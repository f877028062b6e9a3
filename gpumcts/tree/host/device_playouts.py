"""Searches whose playouts are played elsewhere: the forest on the CPU's threads, its leaves on the device.

Two halves of the forest are under way at a time. While the device plays the leaves of one, the threads back up and
select in the other (``shared_blocks``). Each tree does what ``advance_block`` does, in the same order, so the trees are
the same.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

import numba
import numpy as np

from gpumcts.call_size import next_size
from gpumcts.kernels.cuda.captured_graph import WORDS
from gpumcts.kernels.playout_engine import LeafBatch, PlayoutEngine
from gpumcts.monotonic import NANOSECONDS
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.host.shared_blocks import (
    ANSWER,
    BASE,
    LACKS,
    PHASES,
    SENT,
    TOLD,
    end_phases,
    join_phases,
    shared_blocks,
    take_turns,
)
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.iteration.batch import PATH_BEYOND_PLIES, Batch, empty_batch
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.solve import unproven
from gpumcts.tree.time_split import GROWTH, LINE, PARTS, PLAYOUTS, WAITING, Stopwatch

MAX_LEAVES = 1 << 16  # of a half: enough to fill a device
MAX_BYTES = 1 << 28  # of a half's paths
MAX_PHASES = 1 << 20  # that threads stay for: the board has some more bits for their number
MAX_TURNS = 4096  # of a compiled call

Block = tuple[int, int]
Graphs = tuple[np.ndarray, np.ndarray]  # int64[WORDS] for each half


def trees_together(parts: SearchParts, leaves: int) -> int:
    """Trees of ``leaves`` leaves a batch at most, by what fills a device and by the memory of their paths."""
    rows = min(MAX_LEAVES, MAX_BYTES // (5 * (parts.game.MAX_PLIES + PATH_BEYOND_PLIES) + 8 * parts.kept_columns))
    return max(1, rows // leaves)


@contextlib.contextmanager
def device_clocked(engine: PlayoutEngine, clock: Stopwatch) -> Iterator[None]:
    """Tell a stopwatch how long an engine's device is at work meanwhile; nothing of an engine without one."""
    before = engine.clock.busy if engine.clock is not None else 0.0
    yield
    if engine.clock is not None:
        clock.add_device(engine.clock.busy - before)


def on_threads(work: Callable, parts: list, pool: ThreadPoolExecutor) -> list:
    """``work`` on every part, on the threads of ``pool`` where there are several."""
    return [work(part) for part in parts] if len(parts) == 1 else list(pool.map(work, parts))


class HalfForest:
    """Trees [begin, end) of the forest and the batch that their leaves travel in, cut into blocks for threads."""

    def __init__(
        self, block: Block, threads: int, in_flight: LeafBatch, depth: int, leaves: int, playouts: int
    ) -> None:
        self.begin, self.end = block
        self.in_flight, self._playouts = in_flight, playouts
        size = -(-(self.end - self.begin) // threads)
        self._blocks = [(b, min(b + size, self.end)) for b in range(self.begin, self.end, size)]
        rows = (self.end - self.begin) * leaves
        self._batch = empty_batch(rows, 0, depth, 0)  # states, keys and tally are those of ``in_flight``
        self._parts: dict[int, list[tuple[Block, Batch]]] = {}

    def batch(self, leaves: int) -> Batch:
        """The batch of so many leaves a tree: words uint64[R, W], keys uint64[R], tally int64[R, K] are the device's.

        A row is a leaf, tree by tree; the three are views of the arrays of ``in_flight``.
        """
        rows = (self.end - self.begin) * leaves
        states, keys, tally = self.in_flight.arrays(rows, self._playouts)
        whole = Batch(*(array[:rows] for array in self._batch))
        return whole._replace(words=states, keys=keys, tally=tally)

    def parts(self, leaves: int) -> list[tuple[Block, Batch]]:
        """The blocks of trees of each thread, with the rows of the batch that are theirs at so many leaves a tree.

        A block is [begin, end) of the forest; its Batch is a part of ``batch``.
        """
        if leaves not in self._parts:
            batch = self.batch(leaves)
            spans = [slice((a - self.begin) * leaves, (b - self.begin) * leaves) for a, b in self._blocks]
            batches = [Batch(*(array[span] for array in batch)) for span in spans]
            self._parts[leaves] = list(zip(self._blocks, batches, strict=True))
        return self._parts[leaves]


class DevicePlayouts:
    """Iterations ``span`` of the trees of a wave, their playouts on ``engine``, which is that of ``plan``."""

    def __init__(self, plan: SearchPlan, engine: PlayoutEngine, wave: Wave, span: Block) -> None:
        self._plan, self._engine, self._wave, self._clock = plan, engine, wave, wave.clock
        settings = plan.parts.settings
        self._begin, self._iterations = span
        self._leaves = min(settings.leaves_per_tree, self._iterations - self._begin)
        self._playouts = settings.playouts_per_leaf
        self._depth = plan.parts.game.MAX_PLIES + PATH_BEYOND_PLIES

    def run(self) -> None:
        """Do all iterations. Raises KeyboardInterrupt where the wave is told to stop."""
        with device_clocked(self._engine, self._clock):
            for blocks in self._pairs():
                rows = (blocks[0][1] - blocks[0][0]) * self._leaves
                batches = self._engine.in_flight_batches(rows, self._playouts)
                more = (self._depth, self._leaves, self._playouts)
                halves = [
                    HalfForest(block, 1, in_flight, *more) for block, in_flight in zip(blocks, batches, strict=False)
                ]
                try:
                    for numbers, leaves in self._spans():
                        Turns(self._plan, self._engine, self._wave, halves, leaves).run(numbers)
                finally:
                    for half in halves:
                        half.in_flight.finish()
        self._wave.report(0, last=True)

    def _pairs(self) -> Iterator[list[Block]]:
        """The trees in pairs of halves of at most MAX_LEAVES leaves, the first half never smaller than the second."""
        trees = self._wave.trees
        half = min(trees_together(self._plan.parts, self._leaves), -(-trees // 2))
        for begin in range(0, trees, 2 * half):
            bounds = [min(begin + k * half, trees) for k in range(3)]
            yield [(a, b) for a, b in zip(bounds, bounds[1:], strict=False) if a < b]

    def _spans(self) -> Iterator[tuple[Block, int]]:
        """The iterations by leaves a batch: whole batches, and what is left of them in one that is smaller."""
        whole = self._iterations - (self._iterations - self._begin) % self._leaves
        if self._begin < whole:
            yield (self._begin, whole), self._leaves
        if whole < self._iterations:
            yield (whole, self._iterations), self._iterations - whole


class Turns:
    """Halves of a forest take turns, so many leaves of a tree at a time, on the threads of a search.

    Where the device's batches are sent as graphs, many turns are taken in one compiled call.
    """

    def __init__(
        self, plan: SearchPlan, engine: PlayoutEngine, wave: Wave, halves: list[HalfForest], leaves: int
    ) -> None:
        self._plan, self._engine, self._wave, self._halves, self._leaves = plan, engine, wave, halves, leaves
        self._playouts = plan.parts.settings.playouts_per_leaf
        self._clock = wave.clock
        spans = [(half.begin, half.end) for half in halves]
        self._shared = shared_blocks(spans, plan.threads, leaves, plan.parts.room)
        batches = [half.batch(leaves) for half in halves]
        self._batches = batches[0], batches[-1]
        self._method = plan.without_playouts
        plain = numba.config.DISABLE_JIT  # type: ignore[attr-defined]  # a fault in a thread is to be seen at once
        self._threads = 1 if plain else min(plan.threads, self._shared.lacking.shape[1])
        self._ticks = np.zeros((self._threads, LINE), np.int64)
        self._told, self._spans = np.zeros(TOLD, np.int64), np.zeros((MAX_TURNS, 2))
        self._no_graphs = np.zeros(WORDS, np.int64), np.zeros(WORDS, np.int64)
        self._most = 1  # turns of a call
        self._phase = 0
        self._backed_up = 0  # iterations, of all trees
        self._pool: ThreadPoolExecutor | None = None
        self._joined: list[Future | None] = [None] * (self._threads - 1)

    def run(self, numbers: Block) -> None:
        """Iterations ``numbers`` of every tree: what is back is backed up, the next leaves go off."""
        try:
            try:
                self._take_turns(numbers)
            finally:
                self._part()
        finally:  # whatever a thread or Ctrl-C did
            if self._pool is not None:
                end_phases(self._shared, self._phase + 1)
                self._pool.shutdown()

    def _take_turns(self, numbers: Block) -> None:
        turn, turns = 0, ((numbers[1] - numbers[0]) // self._leaves + 1) * len(self._halves)
        while turn < turns:
            self._wave.check_stop()
            if self._proven():
                self._end_proven(numbers)
                return
            graphs = self._graphs() if turn >= len(self._halves) else None
            if graphs is None:
                turn += self._by_calls(turn, turns, numbers)
            else:
                turn += self._by_graphs(turn, turns, numbers, graphs)

    def _proven(self) -> bool:
        """Whether the root of every tree is proven: then batches under way have no leaf, and no later one would."""
        if not self._plan.parts.settings.solve:
            return False
        return not unproven(self._wave.forest, self._halves[0].begin, self._halves[-1].end)

    def _end_proven(self, numbers: Block) -> None:
        """Wait for what is under way, and tell of iterations ``numbers`` as made where they are not yet."""
        for half in self._halves:
            half.in_flight.finish()
        trees = self._halves[-1].end - self._halves[0].begin
        self._wave.report(trees * (numbers[1] - numbers[0]) - self._backed_up)

    def _graphs(self) -> Graphs | None:
        """The words of the graphs as which the halves are under way; None where one is not."""
        first, last = (half.in_flight.graph_words() for half in (self._halves[0], self._halves[-1]))
        return None if first is None or last is None else (first, last)

    def _by_calls(self, turn: int, turns: int, numbers: Block) -> int:
        """One turn, for which Python waits and sends leaves off; 1."""
        half, grown, sent = self._halves[turn % len(self._halves)], 0.0, 0.0
        if turn >= len(self._halves):
            with self._clock.on_device():
                half.in_flight.finish()
            self._wave.check_stop()
        begin = time.perf_counter()
        while not self._call(turn, 1, numbers, self._no_graphs, 0):
            grown += self._widen()
        if turn < turns - len(self._halves):
            sent = half.in_flight.start((half.end - half.begin) * self._leaves, self._playouts, self._wave.stop)
        self._note(time.perf_counter() - begin, sent, grown)
        self._report(turn, 1)
        return 1

    def _by_graphs(self, turn: int, turns: int, numbers: Block, graphs: Graphs) -> int:
        """Turns of about a tenth of a second in one compiled call; how many."""
        clock, begin, grown = self._engine.clock, time.perf_counter(), 0.0
        assert clock is not None  # graphs are a device's
        most = min(self._most, turns - turn, MAX_TURNS)
        base, moment = clock.base()
        done = self._call(turn, most, numbers, graphs, base.address)
        for span in self._spans[:most][~np.isnan(self._spans[:most, 0])] + moment:
            clock.enter_span(*span.tolist())
        self._halves[0].in_flight.check_graph(int(self._told[ANSWER]))
        if self._told[LACKS]:
            grown = self._widen()
        seconds = time.perf_counter() - begin
        self._most = next_size(most, done, seconds) if done else 1
        self._note(seconds, self._told[SENT] / NANOSECONDS, grown)
        self._report(turn, done)
        return done

    def _call(self, turn: int, most: int, numbers: Block, graphs: Graphs, base: int) -> int:
        """Up to ``most`` turns in compiled code; how many are through, fewer where blocks lack room."""
        if self._phase + most > MAX_PHASES:
            self._part()
        self._join()
        wave, lacks = self._wave, self._told[LACKS]
        self._spans[:most], self._told[:] = np.nan, 0
        self._told[LACKS], self._told[BASE] = lacks, base
        more = self._batches, self._shared, self._phase + 1, numbers, turn, most
        told = graphs, self._ticks, self._told, self._spans
        try:
            return take_turns(*self._method, wave.forest, wave.states, wave.keys, *more, *told)
        finally:  # Ctrl-C comes as the call returns, and nobody may be let go by the number of a phase that was
            self._phase += int(self._told[PHASES])

    def _note(self, seconds: float, sent: float, grown: float) -> None:
        """Turns took so long, of which one thread sent leaves off and grew the forest; else all worked or waited."""
        ticks = self._ticks.sum(axis=0)[:PARTS]
        worked = sent + grown + ticks.sum() / NANOSECONDS
        self._ticks[:] = 0
        self._clock.add_ticks(ticks)
        self._clock.add(PLAYOUTS, sent)
        self._clock.add(GROWTH, grown)
        self._clock.add(WAITING, max(0.0, self._plan.threads * seconds - worked))

    def _report(self, turn: int, done: int) -> None:
        """So many turns from ``turn`` on are through: all but the first of each half have backed up its leaves."""
        halves, first = len(self._halves), max(turn, len(self._halves))
        for which, half in enumerate(self._halves):
            backed_up = range(first + (which - first) % halves, turn + done, halves)
            iterations = (half.end - half.begin) * self._leaves * len(backed_up)
            self._backed_up += iterations
            self._wave.report(iterations)

    def _join(self) -> None:
        """Let the other threads join, in the forest as it is now: those that have not, or have waited for too long."""
        if all(thread is not None and not thread.done() for thread in self._joined):
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads - 1, "search")
        wave = self._wave
        words = (*self._method, wave.forest, wave.states, wave.keys, self._batches, self._shared)
        for place, thread in enumerate(self._joined):
            if thread is not None and thread.done():
                thread.result()
            if thread is None or thread.done():
                self._joined[place] = self._pool.submit(join_phases, *words, place + 1, self._ticks)

    def _part(self) -> None:
        """Let them leave; nobody holds the forest any more. Who joins later has another board."""
        end_phases(self._shared, self._phase + 1)
        joined = [thread for thread in self._joined if thread is not None]
        wait(joined)
        self._joined = [None] * (self._threads - 1)
        self._shared = self._shared._replace(board=np.zeros_like(self._shared.board))
        self._phase = 0
        for thread in joined:
            thread.result()

    def _widen(self) -> float:
        """Give the trees more room: the threads go on in another forest. The seconds that it took."""
        self._part()
        begin = time.perf_counter()
        self._plan.widen(self._wave)
        return time.perf_counter() - begin
