"""Trees that are few: all threads of a search share one after another, see ``team``.

A thread of each is the coordinator, and workers take shares of its phases. The CPU plays the leaves, or a device plays
them as a graph that the coordinator sends and awaits.
"""

import functools
import threading
import time

import numpy as np

from gpumcts.call_size import SECONDS_A_CALL
from gpumcts.kernels.cuda.captured_graph import WORDS
from gpumcts.kernels.playout_engine import LeafBatch, PlayoutEngine
from gpumcts.tree.forest import Forest
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.host.shared_blocks import ANSWER, BASE, TOLD
from gpumcts.tree.host.sharing import team_for, threads_share_trees
from gpumcts.tree.host.team import LEAVE, announce, team_room
from gpumcts.tree.host.team_steps import run_coordinator, run_worker
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.iteration.batch import Batch
from gpumcts.tree.iteration.steps import Method, Steps, back_up_part_step
from gpumcts.tree.solve import unproven
from gpumcts.tree.time_split import GROWTH, LINE, PARTS, WAITING

FIRST_PACE = 1e-4  # seconds of an iteration of a tree, by its playouts, before it is known
MAX_BATCHES = 4096  # of a compiled call whose leaves a device plays
MAX_SHARED_BATCHES = 1 << 20  # of any other: the board has bits for the numbers of the phases of twice as many

Block = tuple[int, int]


class OnDevice:
    """The leaves of one tree, played on a device: the batch they travel in, and its graph.

    words : int64[WORDS], of ``captured_graph``; None where Python has to send the batch
    """

    def __init__(self, engine: PlayoutEngine, leaves: int, playouts: int, state: np.ndarray) -> None:
        self.engine = engine
        self.in_flight: LeafBatch = engine.in_flight_batches(leaves, playouts)[0]
        self.arrays = self.in_flight.arrays(leaves, playouts)
        states, keys, _ = self.arrays
        states[:], keys[:] = state, 0
        for _ in range(2):  # a batch is captured when it is sent a second time; nobody reads what is played here
            self.in_flight.start(leaves, playouts)
            self.words = self.in_flight.graph_words()
            self.in_flight.finish()
        self.told, self.at = np.zeros(TOLD, np.int64), np.zeros((MAX_BATCHES, 2))

    def begin(self) -> float:
        """Before a compiled call; the moment that times are told from."""
        assert self.engine.clock is not None  # a device's
        base, moment = self.engine.clock.base()
        self.told[:], self.at[:] = 0, np.nan
        self.told[BASE] = base.address
        return moment

    def end(self, moment: float) -> None:
        """After it: tell when leaves were played. Raises ``DeviceLost`` where the device was lost."""
        assert self.engine.clock is not None
        for span in self.at[~np.isnan(self.at[:, 0])] + moment:
            self.engine.clock.enter_span(*span.tolist())
        self.in_flight.check_graph(int(self.told[ANSWER]))


NOWHERE = np.zeros(WORDS, np.int64), np.zeros(TOLD, np.int64), np.zeros((0, 2))
"""What the coordinator is given of a device where there is none."""


class SharedTree:
    """One tree that all threads of a search share: its team and its batch, which last as long as the tree.

    A team that began anew would leave the slots of its threads behind: what is left of each thread's chunk.

    used : of its forest
    """

    def __init__(self, plan: SearchPlan, steps: Steps, method: Method, used: np.ndarray) -> None:
        leaves = plan.parts.settings.leaves_per_tree
        self._plan, self._steps, self._method = plan, steps, method
        self.used = used
        self._team = team_for(plan.parts, plan.threads, plan.engine is not None)
        self._room = team_room(self._team, leaves)
        self._batch: Batch = plan.parts.batch(leaves)

    def advance(self, workers: ThreadPool, wave: Wave, tree: int, numbers: Block, device: OnDevice | None) -> int:
        """Iterations ``numbers`` of a tree of a wave; the iteration reached, an earlier one if room is lacking."""
        team, reached, one = self._team, [numbers[0]], slice(tree, tree + 1)
        forest, roots, keys = Forest(*(array[one] for array in wave.forest)), wave.states[one], wave.keys[one]
        watch = wave.watch._replace(below=wave.watch.below[one])
        threads = len(team.chunks)
        begin, ticks = time.perf_counter(), np.zeros((threads, LINE), np.int64)
        team.board[:] = 0
        batch, elsewhere, moment = self._batch, NOWHERE, 0.0
        if device is not None:
            batch = batch._replace(**dict(zip(("words", "keys", "tally"), device.arrays, strict=True)))
            elsewhere, moment = (device.words, device.told, device.at), device.begin()

        def work(thread: int, stop_event: threading.Event) -> None:
            if thread > 0:
                run_worker(self._steps, self._method, forest, batch, team, ticks)
                return
            try:
                if device is not None:
                    device.in_flight.use_here()
                words = forest, roots, keys, numbers, self._room, batch, watch, team, *elsewhere, ticks
                reached[0] = run_coordinator(self._steps, self._method, *words)
            except BaseException:  # it has not begun a phase, and the others wait for one
                announce(team, 0, LEAVE, 0)
                raise

        workers.run(work, range(threads), wave.stop)
        if device is not None:
            device.end(moment)
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


class SharedTrees:
    """The trees of a wave one after the other, each on all threads; the CPU or a device plays their leaves."""

    def __init__(self, plan: SearchPlan, workers: ThreadPool) -> None:
        self._plan, self._parts, self._settings, self._workers = plan, plan.parts, plan.parts.settings, workers
        self._pace = FIRST_PACE * self._settings.playouts_per_leaf
        self._trees: dict[int, SharedTree] = {}  # by the tree's place in the forest

    def fit(self, wave: Wave) -> bool:
        """Whether the trees of a wave are so few that all threads share each."""
        plan = self._plan
        return threads_share_trees(plan.parts.settings, plan.threads, wave.trees, plan.engine is not None)

    @functools.cached_property
    def _steps_and_method(self) -> tuple[Steps, Method]:
        """The steps of threads that share a tree; lazily, since loading one more takes longer than a short search."""
        parts, plan = self._parts, self._plan
        steps, method = (plan.steps, parts.method) if plan.engine is None else plan.without_playouts
        part = plan.back_up_part
        if part is None:
            part = back_up_part_step(parts.operator, parts.empty_forest(1, 1), parts.switches, parts.batch(1))
        return steps._replace(back_up_part=part), method

    def iterate(self, wave: Wave, span: Block, device: OnDevice | None = None) -> None:
        """Iterations ``span`` of the trees of a wave; with a ``device``, a multiple of the leaves of a batch.

        Raises KeyboardInterrupt where the wave is told to stop.
        """
        for tree in range(wave.trees):
            self._iterate(wave, tree, span, device)

    def _iterate(self, wave: Wave, tree: int, span: Block, device: OnDevice | None) -> None:
        (number, iterations), leaves = span, self._settings.leaves_per_tree
        most = MAX_BATCHES if device is not None else MAX_SHARED_BATCHES
        shared = self._shared(tree, wave.forest.used)
        while number < iterations:
            begin = time.perf_counter()
            batches = min(most, max(1, int(SECONDS_A_CALL / (self._pace * leaves))))
            until = min(number + batches * leaves, iterations)
            reached = shared.advance(self._workers, wave, tree, (number, until), device)
            done, number = reached - number, reached
            wave.made = reached
            if wave.on_progress is not None:
                wave.on_progress(done)
            wave.check_stop()
            if reached < until:
                with wave.clock.on_all_threads(), wave.clock.part(GROWTH):
                    self._plan.widen(wave)
            elif unproven(wave.forest, tree, tree + 1):  # iterations of the others took no time
                self._pace = max((time.perf_counter() - begin) / done, self._pace / 8, 1e-9)

    def _shared(self, tree: int, used: np.ndarray) -> SharedTree:
        """The tree at a place of the forest, kept for its next slice."""
        shared = self._trees.get(tree)
        if shared is None or shared.used is not used:
            shared = self._trees[tree] = SharedTree(self._plan, *self._steps_and_method, used)
        return shared
