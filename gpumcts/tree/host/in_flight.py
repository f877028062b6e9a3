"""Two batches of a tree in flight: the next is selected while the last is played (``Settings.batches_in_flight``).

Batch n + 1 is selected in a tree where the leaves of batch n are in flight along their paths, then batch n is backed
up, with nothing in flight. Blocks of children move as nodes are added, so meanwhile the path of a leaf in flight is
kept as places in blocks, which do not move.

Between calls the last batch stays selected, played, and not counted: a search that is cut goes on as one that is not.
``back_up_pending`` counts it in the end.
"""

import contextlib
import functools
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from gpumcts.call_size import next_size
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.playout_engine import LeafBatch, PlayoutEngine
from gpumcts.monotonic import NANOSECONDS
from gpumcts.tree.host.device_playouts import MAX_TURNS, HalfForest, device_clocked, on_threads, trees_together
from gpumcts.tree.host.in_flight_steps import back_up_pending_rows, fly, gather_with_pending
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.host.shared_blocks import ANSWER, BASE, LACKS, SENT, TOLD
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.iteration.batch import PATH_BEYOND_PLIES, Batch
from gpumcts.tree.solve import unproven
from gpumcts.tree.time_split import GROWTH, PLAYOUTS, WAITING, no_ticks

Block = tuple[int, int]


class PendingBatch(NamedTuple):
    """A batch of some trees that is selected and not counted: the rows of each thread, and leaves a tree."""

    parts: list[tuple[Block, Batch]]
    leaves: int
    in_flight: LeafBatch | None = None  # what plays it; None where it has been played

    def played(self) -> "PendingBatch":
        """The same in memory of its own, once its playouts are back."""
        if self.in_flight is None:
            return self
        self.in_flight.finish()
        return PendingBatch([(block, Batch(*(a.copy() for a in batch))) for block, batch in self.parts], self.leaves)


class Flights:
    """Batches of one block of trees that compiled code gathers, sends and counts, many in a call.

    It can where a device plays them as graphs; ``sent`` is told of what Python sends.
    """

    def __init__(self, plan: SearchPlan, engine: PlayoutEngine, wave: Wave, leaves: int) -> None:
        self._plan, self._engine, self._wave, self._leaves = plan, engine, wave, leaves
        self._words: dict[HalfForest, np.ndarray | None] = {}  # of the graphs as which they were sent last
        self._ticks, self._told = no_ticks(), np.zeros(TOLD, np.int64)
        self._at = np.zeros((MAX_TURNS, 2))
        self._most = 1  # batches of a call

    def sent(self, half: HalfForest, leaves: int) -> None:
        """Python has sent a half off, with so many leaves a tree."""
        self._words[half] = half.in_flight.graph_words() if leaves == self._leaves else None

    def fly(self, halves: list[HalfForest], pending: PendingBatch | None, numbers: Block) -> int:
        """Batches of iterations ``numbers`` of each tree that were sent, each after the one before it; 0 if none can.

        halves : the one that is sent next comes first, and again afterwards
        pending : the batch that the other half has under way
        """
        first, second = (self._words.get(half) for half in halves)
        leaves = self._leaves
        parts = halves[0].parts(leaves)
        if pending is None or len(parts) != 1 or first is None or second is None:
            return 0
        wave, begin, clock = self._wave, time.perf_counter(), self._engine.clock
        assert clock is not None  # graphs are a device's
        most = min(self._most, (numbers[1] - numbers[0]) // leaves, MAX_TURNS)
        base, moment = clock.base()
        self._told[:], self._at[:most] = 0, np.nan
        self._told[BASE] = base.address
        for half in halves:
            half.in_flight.sent_again()  # Ctrl-C comes as the call returns: then there is something to wait for
        block, batches = parts[0][0], (parts[0][1], pending.parts[0][1])
        done = fly(
            *self._plan.without_playouts, wave.forest, wave.states, wave.keys, block, numbers[0], leaves,
            self._plan.parts.room, most, batches, (first, second), self._ticks, self._told, self._at,
        )  # fmt: skip
        for span in self._at[:most][~np.isnan(self._at[:most, 0])] + moment:
            clock.enter_span(*span.tolist())
        halves[0].in_flight.check_graph(int(self._told[ANSWER]))
        if done % 2:
            halves.reverse()
        self._most = next_size(most, done, time.perf_counter() - begin) if done else 1
        self._note(time.perf_counter() - begin)
        if self._told[LACKS]:
            with wave.clock.part(GROWTH):
                self._plan.widen(wave)
        return done

    def _note(self, seconds: float) -> None:
        """A call took so long: what one thread did, and that all waited else."""
        sent, clock = self._told[SENT] / NANOSECONDS, self._wave.clock
        worked = sent + self._ticks.sum() / NANOSECONDS
        clock.add_ticks(self._ticks)
        clock.add(PLAYOUTS, sent)
        clock.add(WAITING, max(0.0, self._plan.threads * seconds - worked))


class BatchesInFlight:
    """The batches of one forest of a search, on its engine; the CPU plays them where there is none."""

    def __init__(self, plan: SearchPlan) -> None:
        self._plan, self._parts, self._settings = plan, plan.parts, plan.parts.settings
        self._pending = dict[Block, PendingBatch]()

    @functools.cached_property
    def _engine(self) -> PlayoutEngine:
        """What plays the batches."""
        parts = self._parts
        return self._plan.engine or CpuPlayouts(parts.played_game, parts.policy, self._plan.threads)

    @property
    def pending_leaves(self) -> int:
        """Iterations of a tree that are selected and not counted."""
        return max((pending.leaves for pending in self._pending.values()), default=0)

    def iterate(self, wave: Wave, span: Block) -> None:
        """Select iterations ``span`` of the trees of a wave; the last batch stays pending.

        Raises KeyboardInterrupt where the wave is told to stop.
        """
        size = trees_together(self._parts, self._settings.leaves_per_tree)
        with ThreadPoolExecutor(self._plan.threads) as pool, device_clocked(self._engine, wave.clock):
            for begin in range(0, wave.trees, size):
                self._iterate_chunk(wave, (begin, min(begin + size, wave.trees)), span, pool)
        wave.report(0, last=True)

    def back_up_pending(self, wave: Wave) -> None:
        """Count what is pending: the forest is that of a search of so many iterations."""
        with wave.clock.on_all_threads():
            for pending in self._pending.values():
                for part in pending.parts:
                    self._back_up(wave, pending, part, in_flight=False)
        self._pending.clear()

    def _iterate_chunk(self, wave: Wave, chunk: Block, span: Block, pool: ThreadPoolExecutor) -> None:
        """Iterations ``span`` of the trees of a chunk: the next batch is selected and sent off, the last is counted."""
        (number, until), trees = span, chunk[1] - chunk[0]
        most, playouts = self._settings.leaves_per_tree, self._settings.playouts_per_leaf
        batches = self._engine.in_flight_batches(trees * most, playouts)
        depth = self._parts.game.MAX_PLIES + PATH_BEYOND_PLIES
        halves = [HalfForest(chunk, self._plan.threads, in_flight, depth, most, playouts) for in_flight in batches]
        pending, flights = self._pending.pop(chunk, None), Flights(self._plan, self._engine, wave, most)
        try:
            while number < until:
                if self._settings.solve and not unproven(wave.forest, *chunk):
                    self._end_proven(pending, wave, pool)
                    pending = None
                    wave.report((until - number) * trees)
                    break
                flown = flights.fly(halves, pending, (number, until)) if until - number >= most else 0
                if flown:
                    number += flown * most
                    pending = PendingBatch(halves[1].parts(most), most, halves[1].in_flight)
                    wave.check_stop()
                    wave.report(flown * trees * most)
                    continue
                half, leaves = halves[0], min(most, until - number)
                parts = half.parts(leaves)
                with wave.clock.on_all_threads():
                    self._gather(wave, parts, pending, number, leaves, pool)
                    self._send(half, trees * leaves, wave)
                    flights.sent(half, leaves)
                if pending is not None:
                    self._finish(pending, wave, pool)
                if self._plan.engine is None:  # a device may have left playouts of the batch before out
                    wave.made = number
                wave.check_stop()
                pending = PendingBatch(parts, leaves, half.in_flight)
                number += leaves
                halves.reverse()
                wave.report(trees * leaves)
        finally:
            for in_flight in batches:
                in_flight.finish()
        if pending is not None:
            self._pending[chunk] = pending.played()

    def _send(self, half: HalfForest, leaves: int, wave: Wave) -> None:
        """Send so many leaves off, not all of them where the wave is told to stop: what is pending is counted first."""
        try:
            seconds = half.in_flight.start(leaves, self._settings.playouts_per_leaf, wave.stop)
            wave.clock.add(PLAYOUTS, seconds)
        except KeyboardInterrupt:
            if wave.stop is None or not wave.stop.is_set():
                raise

    def _end_proven(self, pending: PendingBatch | None, wave: Wave, pool: ThreadPoolExecutor) -> None:
        """Count what is pending where every root is proven: no later batch would have a leaf."""
        if pending is not None:
            self._finish(pending, wave, pool, in_flight=False)
            wave.check_stop()  # a device may have left playouts of it out

    def _finish(self, pending: PendingBatch, wave: Wave, pool: ThreadPoolExecutor, in_flight: bool = True) -> None:
        """Wait until a batch is back, and back it up; another one was selected beside it if it is ``in_flight``."""
        if pending.in_flight is not None:
            has_device = self._engine.clock is not None
            with wave.clock.on_device() if has_device else contextlib.nullcontext():
                pending.in_flight.finish()
        with wave.clock.on_all_threads():
            on_threads(lambda part: self._back_up(wave, pending, part, in_flight), pending.parts, pool)

    def _gather(self, wave: Wave, parts: list, pending: PendingBatch | None, number, leaves, pool) -> None:
        """Select the next batch beside the one that is pending; the forest of the wave grows where it lacks room.

        parts : as ``HalfForest.parts`` gives them; number : the first iteration of the batch; leaves : of each tree
        """
        beside = dict(pending.parts) if pending is not None else {}

        def gather_part(part: tuple[Block, Batch]) -> bool:
            (block, batch), ticks = part, no_ticks()
            rows = (block[1] - block[0]) * pending.leaves if pending is not None else 0
            found = gather_with_pending(
                *self._plan.without_playouts, wave.forest, wave.states, wave.keys, block, number, leaves,
                self._parts.room, beside.get(block, batch), rows, batch, ticks,
            )  # fmt: skip
            wave.clock.add_ticks(ticks)
            return found

        while parts:
            fits = on_threads(gather_part, parts, pool)
            parts = [part for part, fit in zip(parts, fits, strict=True) if not fit]
            if parts:
                with wave.clock.part(GROWTH):
                    self._plan.widen(wave)

    def _back_up(self, wave: Wave, pending: PendingBatch, part: tuple[Block, Batch], in_flight: bool) -> None:
        (block, batch), ticks = part, no_ticks()
        rows = (block[1] - block[0]) * pending.leaves
        back_up_pending_rows(*self._plan.without_playouts, wave.forest, rows, batch, in_flight, ticks)
        wave.clock.add_ticks(ticks)
