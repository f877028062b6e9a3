"""Two batches of a tree in flight: the next is selected while the last is played (``Settings.batches_in_flight``).

Batch n + 1 is selected in a tree where the leaves of batch n are in flight along their paths, then batch n is backed
up, with nothing in flight. Blocks of children move as nodes are added, so meanwhile the path of a leaf in flight is
kept as places in blocks, which do not move.

Between calls the last batch stays selected, played, and not counted: a search that is cut goes on as one that is not.
``back_up_pending`` counts it in the end.
"""

import contextlib
import functools
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from gpumcts.jit import entry, inlined
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.playout_engine import LeafBatch, PlayoutEngine
from gpumcts.tree.advance import gather, has_room
from gpumcts.tree.batch import NO_LEAF, PATH_BEYOND_PLIES, Batch
from gpumcts.tree.device_playouts import HalfForest, device_clocked, on_threads, trees_together
from gpumcts.tree.forest import ROOT, add_in_flight
from gpumcts.tree.rows import prepare_rows
from gpumcts.tree.search_plan import SearchPlan
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.time_split import BACKUP, GROWTH, PLAYOUTS, SELECTION, clock_if_timed, lap, no_ticks
from gpumcts.tree.wave import Wave

Block = tuple[int, int]


# ------------------------------------------------------------------------------------------------------- compiled


@inlined
def take_off(forest, rows, batch, playouts):
    """Count so many playouts of ``rows`` rows as in flight along their paths, whose nodes become places.

    A place is that of a node in the block of its parent's children.
    """
    for row in range(rows):
        depth = batch.depths[row]
        if depth == NO_LEAF:
            continue
        tree, path, node = np.int64(batch.trees[row]), batch.paths[row], np.int64(ROOT)
        add_in_flight(forest, tree, node, playouts)
        for k in range(1, depth + 1):
            child = np.int64(path[k])
            path[k] = child - np.int64(forest.first_child[tree, node])
            add_in_flight(forest, tree, child, playouts)
            node = child


@inlined
def land(forest, rows, batch, playouts):
    """Take back what ``take_off`` did: places become nodes, wherever their blocks are by now."""
    for row in range(rows):
        depth = batch.depths[row]
        if depth == NO_LEAF:
            continue
        tree, path, node = np.int64(batch.trees[row]), batch.paths[row], np.int64(ROOT)
        add_in_flight(forest, tree, node, -playouts)
        for k in range(1, depth + 1):
            node = np.int64(forest.first_child[tree, node]) + np.int64(path[k])
            path[k] = node
            add_in_flight(forest, tree, node, -playouts)


@entry
def gather_with_pending(steps, method, forest, roots, keys, block, number, leaves, room, pending, rows, batch, ticks):
    """``gather`` with ``rows`` rows of batch ``pending`` in flight; False, and nothing done, where a tree lacks room.

    The rows stay in flight, see ``back_up_pending_rows``. ticks : int64[PARTS]
    """
    if not has_room(forest, block, room):
        return False
    clock = clock_if_timed(ticks, True)
    take_off(forest, rows, pending, method.switches.playouts)
    prepare_rows(method.switches, keys, block, batch)
    lap(ticks, SELECTION, clock, True)
    gather(steps, method, forest, roots, block, number, leaves, batch, ticks, True)
    return True


@entry
def back_up_pending_rows(steps, method, forest, rows, batch, in_flight, ticks):
    """Back up so many rows, which another batch was gathered beside if they are ``in_flight``; ticks : int64[PARTS]."""
    clock = clock_if_timed(ticks, True)
    if in_flight:
        land(forest, rows, batch, method.switches.playouts)
    steps.back_up(learner(method.rule), method.operator, forest, method.switches, 0, rows, batch)
    lap(ticks, BACKUP, clock, True)


# ------------------------------------------------------------------------------------------------------ on the host


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
        pending = self._pending.pop(chunk, None)
        try:
            while number < until:
                half, leaves = halves[0], min(most, until - number)
                parts = half.parts(leaves)
                with wave.clock.on_all_threads():
                    self._gather(wave, parts, pending, number, leaves, pool)
                    wave.clock.add(PLAYOUTS, half.in_flight.start(trees * leaves, playouts, wave.stop))
                if pending is not None:
                    self._finish(pending, wave, pool)
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

    def _finish(self, pending: PendingBatch, wave: Wave, pool: ThreadPoolExecutor) -> None:
        """Wait until a batch is back, and back it up."""
        if pending.in_flight is not None:
            has_device = self._engine.clock is not None
            with wave.clock.on_device() if has_device else contextlib.nullcontext():
                pending.in_flight.finish()
        with wave.clock.on_all_threads():
            on_threads(lambda part: self._back_up(wave, pending, part, in_flight=True), pending.parts, pool)

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
