"""Iterations on the CPU's threads: blocks of trees side by side, or all threads in one tree where trees are few."""

import functools
import threading
import time

import numpy as np

from gpumcts.call_size import SECONDS_A_CALL
from gpumcts.kernels.playout_loop import LANE_COUNT
from gpumcts.tree.batch import Batch
from gpumcts.tree.forest import Forest
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.search_plan import SearchPlan
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.steps import Steps, back_up_part_step, is_shared
from gpumcts.tree.team import Team, is_worth_a_team, team_of, team_room, useful_threads
from gpumcts.tree.team_steps import run_coordinator, run_worker
from gpumcts.tree.thread_pool import ThreadPool
from gpumcts.tree.time_split import GROWTH, LINE, PARTS, WAITING, no_ticks
from gpumcts.tree.wave import Wave

TREES_IN_A_BLOCK = 64  # leaves that share the lanes at most
MIN_PER_BLOCK = 4  # trees that share the cost of a step's call, where there are no playouts to fill lanes with
# Blocks fit one core's cache, but hold at least four trees while four fit the shared cache: a block of 64 trees of
# 10,000 iterations of a P-game takes 2.4 times as long as blocks of four.
CACHED = 1 << 20
SHARED_CACHE = 1 << 25
FIRST_PACE = 1e-4  # seconds of an iteration of a tree, by its playouts, before it is known

Block = tuple[int, int]


class SharedTree:
    """One tree that all threads of a search share: its team and its batch, which last as long as the tree."""

    def __init__(self, plan: SearchPlan, used: np.ndarray, steps: Steps) -> None:
        leaves = plan.parts.settings.leaves_per_tree
        self._plan, self.used = plan, used
        self._team = team_for(plan.parts, plan.threads)
        self._room = team_room(self._team, leaves)
        self._batch: Batch = plan.parts.batch(leaves)
        self._steps = steps

    def advance(self, workers: ThreadPool, wave: Wave, tree: int, numbers: Block) -> int:
        """Iterations ``numbers`` of a tree of a wave; the iteration reached, an earlier one if room is lacking."""
        method, team, reached, one = self._plan.parts.method, self._team, [numbers[0]], slice(tree, tree + 1)
        forest, states, keys = Forest(*(array[one] for array in wave.forest)), wave.states[one], wave.keys[one]
        watch = wave.watch._replace(below=wave.watch.below[one])
        threads = len(team.chunks)
        begin, ticks = time.perf_counter(), np.zeros((threads, LINE), np.int64)
        team.board[:] = 0

        def work(thread: int, stop_event: threading.Event) -> None:
            if thread == 0:
                reached[0] = run_coordinator(
                    self._steps, method, forest, states, keys, numbers, self._room, self._batch, watch, team, ticks
                )
            else:
                run_worker(self._steps, method, forest, self._batch, team, ticks)

        workers.run(work, range(threads), wave.stop)
        seconds = time.perf_counter() - begin
        wave.clock.add_sampled(_of_all(ticks), threads * seconds)
        wave.clock.add(WAITING, (self._plan.threads - threads) * seconds)
        return reached[0]


def _of_all(ticks: np.ndarray) -> np.ndarray:
    """The ticks of all threads, int64[PARTS], from those of each; the coordinator's ``WAITING`` is of whole batches."""
    found = ticks.sum(axis=0)[:PARTS]
    whole, found[WAITING] = len(ticks) * ticks[0, WAITING], 0
    found[WAITING] = max(0, whole - int(found.sum()))
    return found


def team_for(parts: SearchParts, threads: int) -> Team:
    """A team of so many threads, as many as have something to do."""
    settings, game = parts.settings, parts.game
    leaves, shared = settings.leaves_per_tree, is_shared(learner(parts.rule), parts.operator, parts.switches)
    useful = useful_threads(threads, leaves, settings.playouts_per_leaf)
    return team_of(
        useful, leaves, game.MAX_MOVES, parts.room // leaves, parts.kept_columns, shared,
        settings.playouts_per_leaf, bool(game.LANES),
    )  # fmt: skip


def threads_share_trees(parts: SearchParts, threads: int, trees: int) -> bool:
    """Whether the threads share each tree, one after the other: there are too few trees for one each."""
    settings = parts.settings
    if settings.batches_in_flight > 1:
        return False
    return is_worth_a_team(settings.leaves_per_tree, settings.playouts_per_leaf) and threads >= 2 * trees


def slots_of_threads(parts: SearchParts, threads: int, trees: int) -> int:
    """Slots a tree is given beside those of its nodes, where threads take slots of their own in it."""
    if not threads_share_trees(parts, threads, trees):
        return 0
    return team_room(team_for(parts, threads), parts.settings.leaves_per_tree)


class CpuIterations:
    """Iterations of a search whose playouts the CPU plays, on the forest of a wave."""

    def __init__(self, plan: SearchPlan, workers: ThreadPool) -> None:
        self._plan, self._parts, self._settings, self._workers = plan, plan.parts, plan.parts.settings, workers
        self._pace = FIRST_PACE * self._settings.playouts_per_leaf
        self._shared: dict[int, SharedTree] = {}  # by the tree's place in the forest
        self._kept: tuple[np.ndarray, Batch] | None = None  # of a forest that is one block

    @functools.cached_property
    def _shared_steps(self) -> Steps:
        """The steps of threads that share a tree; lazily, since loading one more takes longer than a short search."""
        parts = self._parts
        part = back_up_part_step(parts.operator, parts.empty_forest(1, 1), parts.switches, parts.batch(1))
        return self._plan.steps._replace(back_up_part=part)

    def iterate(self, wave: Wave, span: Block) -> None:
        """Iterations ``span`` of the trees of a wave: those of each that are made before it, and after it.

        Raises KeyboardInterrupt where the wave is told to stop.
        """
        if threads_share_trees(self._parts, self._plan.threads, wave.trees):
            for tree in range(wave.trees):
                self._iterate_shared(wave, tree, span)
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
        size = max(1, min(size, TREES_IN_A_BLOCK) // self._settings.leaves_per_tree)
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
                self._keep_pace(begin, done * trees)

        self._workers.run(work, pending, wave.stop)

    def _keep_pace(self, begin: float, iterations: int) -> None:
        self._pace = max((time.perf_counter() - begin) / iterations, self._pace / 8, 1e-9)

    def _iterate_shared(self, wave: Wave, tree: int, span: Block) -> None:
        """Iterations ``span`` of one tree of a wave on all threads."""
        shared = self._shared.get(tree)
        if shared is None or shared.used is not wave.forest.used:
            shared = self._shared[tree] = SharedTree(self._plan, wave.forest.used, self._shared_steps)
        (number, iterations), leaves = span, self._settings.leaves_per_tree
        while number < iterations:
            begin = time.perf_counter()
            until = min(number + max(1, int(SECONDS_A_CALL / (self._pace * leaves))) * leaves, iterations)
            reached = shared.advance(self._workers, wave, tree, (number, until))
            done, number = reached - number, reached
            wave.made = reached
            if wave.on_progress is not None:
                wave.on_progress(done)
            wave.check_stop()
            if reached < until:
                self._widen(wave)
            else:
                self._keep_pace(begin, done)
