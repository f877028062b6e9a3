"""Searches played on the device from beginning to end: one tree a thread, the steps of the CPU's engine in one kernel.

A launch goes on for about a tenth of a second, then the host looks whether it is to stop or a tree lacks room. Trees
that do not fit in the device's memory together are searched in waves; a wave that does not get its memory is halved.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpumcts.call_size import next_size
from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.jit import inlined
from gpumcts.kernels.cuda import device
from gpumcts.kernels.cuda.device_choices import best_cap
from gpumcts.kernels.playout_loop import evaluate_one_by_one
from gpumcts.struct_of_arrays import allocate
from gpumcts.tree.checks import check_bounds
from gpumcts.tree.forest import NO_NODE, PER_NODE, ROOT, Forest, clear_node, with_room
from gpumcts.tree.iteration.advance import NO_WATCH, LevelWatch, advance
from gpumcts.tree.iteration.back_up import back_up_leaves
from gpumcts.tree.iteration.batch import Batch, rows_of
from gpumcts.tree.iteration.expand import expand
from gpumcts.tree.iteration.select import select
from gpumcts.tree.iteration.steps import Method, Steps
from gpumcts.tree.memory import budget_of
from gpumcts.tree.root_table import RootTable, empty_table, fill_row
from gpumcts.tree.roots import Roots
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.search_result import TreesFound, joined
from gpumcts.tree.time_split import Stopwatch

MAX_FETCHED_BYTES = 1 << 24  # bytes of a forest that are copied to the host after a search, for who looks into it
MAX_SINGLE_TREE_BYTES = 1 << 30  # of a single tree, whose lines are shown
UNPLANTED = -1


class Task(NamedTuple):
    """What a launch works on. ``batch`` has ``method.switches.leaves`` rows for every tree."""

    method: Method
    forest: Forest
    roots: Roots
    numbers: np.ndarray  # int64 [T] the iteration each tree has reached, UNPLANTED before the first
    batch: Batch
    table: RootTable  # the finished trees' roots
    watch: LevelWatch
    until: int  # the iteration to stop at
    iterations: int
    room: int  # slots that one more step of a tree may take


# -------------------------------------------------------------------------------------------------- on the device


@inlined
def plant(forest, tree, move_count, horizon):
    """A bare tree, its root alone."""
    clear_node(forest, tree, ROOT, 0)
    forest.move_count[tree, ROOT] = move_count
    forest.used[tree] = 1
    forest.horizon[tree] = horizon
    forest.beyond[tree] = 0
    for index in range(forest.free.shape[1]):
        forest.free[tree, index] = NO_NODE


@inlined
def search_tree(tree, task):
    """What thread number ``tree`` does in a launch: its tree's iterations up to ``task.until``, while there is room."""
    if tree >= task.numbers.shape[0]:
        return
    number = task.numbers[tree]
    if number == UNPLANTED:
        plant(task.forest, tree, task.roots.move_counts[tree], task.roots.horizons[tree])
        number = np.int64(0)
    method, steps = task.method, Steps(select, expand, evaluate_one_by_one, back_up_leaves, None)
    leaves = method.switches.leaves
    number = advance(
        steps, method, task.forest, task.roots.states, task.roots.keys, (tree, tree + 1), (number, task.until),
        task.room, rows_of(task.batch, tree * leaves, (tree + 1) * leaves), task.watch, None,
    )  # fmt: skip
    task.numbers[tree] = number
    if number == task.iterations:
        fill_row(method.operator, task.forest, tree, task.table)


# ---------------------------------------------------------------------------------------------------- on the host


class DeviceEngine:
    """``engine=device`` as a ``Searcher`` takes it. Made here and not by name, it runs in Numba's simulator too."""

    name = "device"


def task_of(parts: SearchParts, trees: int, slots: int, moves: int, zeros: Callable = np.zeros) -> Task:
    """A task for so many trees of so many slots, roots of so many moves; arrays come from ``zeros(shape, dtype)``."""
    return Task(
        parts.method,
        forest=parts.zeroed_forest(trees, slots, zeros),
        roots=allocate(Roots, (trees,), {"words": parts.rules.width}, zeros=zeros),
        numbers=zeros((trees,), np.int64),
        batch=parts.batch(trees * parts.settings.leaves_per_tree, zeros),
        table=empty_table(trees, moves, zeros),
        watch=NO_WATCH._replace(below=zeros((0,), np.int64)),
        until=0,
        iterations=0,
        room=parts.room,
    )


def search_kernel(parts: SearchParts, threads: int | None = None, registers: int | None = None) -> Any:
    """The kernel of a search: compiled, or loaded from the cache, once a process; ``threads``: see ``ForEachKernel``.

    registers : of a thread, at most, or 0 for as many as the kernel wants; None for what was measured to be best
    """
    from gpumcts.kernels.cuda.each import ForEachKernel

    options = (parts.rule, parts.operator, parts.policy, parts.game)
    name = "CUDA search: " + ", ".join(title(option) for option in options)
    cap = best_cap(*options) if registers is None else registers or None
    return ForEachKernel(search_tree, task_of(parts, 1, 1, 1), name, threads, cap)


def extra_tree_bytes(parts: SearchParts) -> int:
    """What a tree takes on the device besides its slots."""
    task = task_of(parts, 1, 0, parts.game.MAX_MOVES)
    arrays = (*task.forest, *task.roots, task.numbers, *task.batch, *task.table)
    return sum(array.nbytes for array in arrays)


class DeviceSearch:
    """One search of all trees of ``roots``, in waves of at most ``size``, by the kernel that ``search_kernel`` gives.

    points : numbers of iterations at which ``on_table`` is shown the roots (iterations, trees, table); the last ends it
    known : a forest in which the roots stand already, with what is known below them; it is left with the new trees
    """

    def __init__(
        self,
        parts: SearchParts,
        kernel: Any,
        roots: Roots,
        points: Sequence[int],
        size: int,
        *,
        known: Forest | None = None,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
        on_table: Callable[[int, slice, RootTable], None] | None = None,
        clock: Stopwatch | None = None,
    ) -> None:
        self._clock = clock or Stopwatch(1)
        self._parts, self._kernel = parts, kernel
        self._roots, self._points, self._on_table = roots, points, on_table
        self._iterations = int(points[-1])
        self._size, self._known = size, known
        self._stop, self._on_progress = stop, on_progress
        self._task: Any = None  # of the wave that is on the device
        self._brought: Forest | None = None
        self._step = 1  # of leaves_per_tree iterations, in one launch; then what suited earlier searches
        if (trees := kernel.pace[0]) > 0:
            self._step = max(1, kernel.pace[1] * trees // max(trees, min(size, len(roots.keys))))
        self._told = self._told_before = 0

    def run(self) -> TreesFound:
        """The table of the roots, and the forest where it is small or ``known``.

        KeyboardInterrupt where ``stop`` is set meanwhile; BadInput where a single tree does not fit.
        """
        tables, begin, trees = [], 0, len(self._roots.keys)
        while begin < trees:
            end = min(begin + self._size, trees)
            if (table := self._attempt(begin, end)) is not None:
                tables.append(table)
                begin = end
        return TreesFound(joined(tables), self._known or self._brought)

    def _attempt(self, begin: int, end: int) -> RootTable | None:
        """The table of a wave, or None where memory does not suffice; then later waves are half as large."""
        try:
            self._told = 0
            return self._wave(begin, end)
        except device.NoRoom as error:
            trees, problem = end - begin, str(error)
        device.release()
        self._told_before += self._told
        if trees == 1:
            budget = budget_of(self._iterations, self._parts.settings.roots)
            raise BadInput(f"{budget}: engine=device: {problem}, for a single tree")
        self._size = -(-trees // 2)
        print(f"gpumcts: engine=device: {problem} for {trees:,} trees; going on with {self._size:,}", file=sys.stderr)
        return None

    def _wave(self, begin: int, end: int) -> RootTable:
        arrays = device.arrays()
        try:
            self._task = self._start(arrays, begin, end)
            for point in self._points:
                self._iterate(arrays, point)
                if self._on_table is not None:
                    self._on_table(point, slice(begin, end), _fetched_table(arrays, self._task.table))
            self._bring_back(arrays, begin, end)
            return _fetched_table(arrays, self._task.table)
        finally:
            if not device.lost():
                arrays.record_event().wait()  # nothing may still write to what goes back to the pool
            self._task = None

    def _start(self, arrays: Any, begin: int, end: int) -> Task:
        """The task of trees ``begin`` to ``end``, on the device."""
        roots = self._roots.part(slice(begin, end))
        slots = self._parts.memory.slots(self._iterations) if self._known is None else self._known.visits.shape[1]
        most = int(abs(roots.move_counts).max())
        task = task_of(self._parts, end - begin, slots, most, arrays.zeros)
        pairs = list(zip(roots, task.roots, strict=True))
        if self._known is None:
            pairs.append((np.full(end - begin, UNPLANTED, np.int64), task.numbers))
        else:
            pairs += [(known[begin:end], array) for known, array in zip(self._known, task.forest, strict=True)]
        for host, array in pairs:
            arrays.upload(host, array)
        return task

    # --------------------------------------------------------------------------------------------------- iterations

    def _iterate(self, arrays: Any, iterations: int) -> None:
        """Launch after launch until so many iterations are done; the forest may have grown."""
        self._task = self._task._replace(iterations=iterations)
        numbers = np.zeros(self._task.numbers.shape[0], np.int64)
        arrays.fetch(self._task.numbers, numbers)
        numbers = np.maximum(numbers, 0)  # UNPLANTED is none yet
        while (least := int(numbers.min())) < iterations:
            until = min(least + self._step * self._parts.settings.leaves_per_tree, iterations)
            before = int(numbers.sum())
            seconds = self._launch(arrays, self._task._replace(until=until))
            arrays.fetch(self._task.numbers, numbers)
            self._tell(int(numbers.sum()) - before)
            if self._stop is not None and self._stop.is_set():
                raise KeyboardInterrupt
            if numbers.min() < until:
                self._widen(arrays)
            else:
                steps = -(-(until - least) // self._parts.settings.leaves_per_tree)
                self._step = next_size(self._step, steps, seconds)
                self._kernel.pace = len(numbers), self._step
        met = np.zeros(len(numbers), np.int32)
        arrays.fetch(self._task.forest.beyond, met)
        check_bounds(self._parts.game, met)

    def _launch(self, arrays: Any, task: Task) -> float:
        """The seconds that the device took for a launch."""
        with self._clock.on_device():
            begin = arrays.record_event()
            try:
                self._kernel.launch(task, task.numbers.shape[0], arrays.stream)
            except device.DeviceFull as error:  # the driver wants memory for the threads' stacks
                raise device.NoRoom("device memory does not suffice to run the kernel") from error
            end = arrays.record_event()
            end.wait()
        seconds = end.since(begin)
        self._clock.add_device(seconds)
        if (spans := self._kernel.spans) is not None:
            spans.append(seconds)
        return seconds

    def _widen(self, arrays: Any) -> None:
        """Give every tree room for more nodes, one array after the other: only one is there twice at a time."""
        slots, forest = self._parts.memory.more_slots(self._task.forest.visits.shape[1]), list(self._task.forest)
        self._task = self._task._replace(forest=None)
        for index in range(PER_NODE):
            if forest[index].shape[1] > 0:
                forest[index] = arrays.widened(forest[index], slots)
        self._task = self._task._replace(forest=Forest(*forest))

    def _tell(self, iterations: int) -> None:
        """Tell of progress, less what was told of a wave that had to begin again."""
        again = min(iterations, self._told_before)
        self._told += iterations
        self._told_before -= again
        if self._on_progress is not None and iterations > again:
            self._on_progress(iterations - again)

    # ------------------------------------------------------------------------------------------------- the way back

    def _bring_back(self, arrays: Any, begin: int, end: int) -> None:
        """Copy the trees of a wave to the host: into ``known``, or into a forest of their own where that is small."""
        forest = self._task.forest
        trees, slots = forest.visits.shape
        most = MAX_FETCHED_BYTES if trees > 1 else MAX_SINGLE_TREE_BYTES
        if self._known is not None:
            if self._known.visits.shape[1] < slots:
                self._known = with_room(self._known, slots)
            target = Forest(*(array[begin:end] for array in self._known))
        elif trees == len(self._roots.keys) and trees * slots * self._parts.slot_bytes <= most:
            target = self._brought = self._parts.empty_forest(trees, slots)
        else:
            return
        for source, array in zip(forest, target, strict=True):
            arrays.fetch(source, array)


def _fetched_table(arrays: Any, table: RootTable) -> RootTable:
    """The root table on the host, as wide as the root with most visited moves."""
    host = RootTable(*(np.zeros(array.shape, array.dtype) for array in table))
    for source, array in zip(table, host, strict=True):
        arrays.fetch(source, array)
    most = max(1, int(host.count.max()))
    return RootTable(host.count, *(np.ascontiguousarray(array[:, :most]) for array in host[1:]))
