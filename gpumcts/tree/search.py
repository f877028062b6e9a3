"""The search as Python sees it: many trees advance together over threads, in waves where memory is short."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.kernels.engines import crossover
from gpumcts.kernels.playout_engine import PlayoutEngine
from gpumcts.tree.checks import check_budget, check_followed, check_kept_visits, check_one_batch, check_table_suffices
from gpumcts.tree.device_search import DeviceEngine, DeviceSearch, extra_tree_bytes, search_kernel
from gpumcts.tree.engine_choice import EngineChoice
from gpumcts.tree.forest import ROOT, Forest
from gpumcts.tree.host.in_flight import BatchesInFlight
from gpumcts.tree.host.iterations import HostIterations
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.host.search import HostSearch
from gpumcts.tree.host.sharing import slots_of_threads
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.iteration.advance import NO_WATCH, LevelWatch
from gpumcts.tree.reuse import Kept
from gpumcts.tree.root_parallel import merged, tree_keys, tree_numbers
from gpumcts.tree.root_table import RootTable
from gpumcts.tree.roots import Roots, planted, roots_of
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.search_result import TreeSearchResult, TreesFound
from gpumcts.tree.settings import Settings
from gpumcts.tree.time_split import Stopwatch


class Trees(NamedTuple):
    """The trees of B positions: T = B x ``Settings.roots`` of them, a position's in a row.

    kept_under : int64[T], what the trees are kept under for the next search; None where none is kept
    """

    roots: Roots
    kept_under: np.ndarray | None


class Searcher:
    """UCT with any game, playout policy, selection rule and backup operator (option values) on many roots at once.

    engine : ``auto``, ``cpu``, ``cuda``, ``device`` or ``cudasim``, or an engine that ``playout_engine`` made for this
        game and policy; ``auto`` is chosen anew for every search, by the number of its trees
    threads : CPU threads; neither they, nor the engine, nor the number of trees change a result
    memory_limit : bytes a forest may take, 40 % of the machine's available memory if None
    workers : so many ``threads`` to share with other searchers

    parts : what the search is made of
    plan : the same compiled for the host; of the last search with ``engine=auto``
    device_kernel : of whole searches, with ``engine=device``
    """

    plan_type = SearchPlan
    plan: SearchPlan
    device_kernel: Any

    def __init__(
        self,
        game: Any,
        policy: Any,
        rule: Any,
        operator: Any,
        settings: Settings = Settings(),
        engine: Any = "cpu",
        threads: int = 1,
        memory_limit: int | None = None,
        workers: ThreadPool | None = None,
    ) -> None:
        self.parts = parts = SearchParts(game, policy, rule, operator, settings, memory_limit)
        self.game, self.rules = parts.game, parts.rules
        self.settings, self.threads = settings, threads
        self.kept = Kept()
        self._workers = workers or ThreadPool(threads)
        self.time_shares = self._workers.time_shares
        chosen_by = crossover(engine, parts.game, parts.policy, threads)
        self._engines = EngineChoice(parts.played_game, parts.policy, threads, chosen_by)
        self.engine: PlayoutEngine | DeviceEngine | None = None
        self._playing_on = ""
        if not self._engines.are_chosen:
            self._take("cpu" if engine == "auto" else engine)

    # ------------------------------------------------------------------------------------------------------- engine

    def _take(self, engine: Any) -> None:
        """Play on ``engine`` from now on: one that was made, or a name."""
        self.engine = self._engines.taken(engine)
        if isinstance(self.engine, DeviceEngine):
            check_one_batch(self.settings, "engine=device keeps one batch of a tree in flight; take engine=cpu or cuda")
            check_table_suffices(self.settings, "engine=device brings tables back alone; take engine=cpu or cuda")
            self.device_kernel = search_kernel(self.parts)
        else:
            self.plan = self.plan_type.compiled(self.parts, self.threads, self.engine)
            self._iterations = HostIterations(self.plan, self._workers)

    @property
    def on_device(self) -> bool:
        """Whether trees grow on the device."""
        return isinstance(self.engine, DeviceEngine)

    @property
    def concurrent(self) -> bool:
        """Whether several searches may go on at once, from different threads: all of them are played on the CPU."""
        return not self._engines.are_chosen and self.engine is None

    def adapt(self, trees: int, iterations: int, watched: bool = False, whole: bool = True) -> None:
        """With ``engine=auto`` play on what is fastest for so many trees; on the CPU where a value is watched.

        iterations : of a position; whole : False for a search by slices, which no device can play
        """
        if not self._engines.are_chosen:
            return
        each = iterations // self.settings.roots
        together = lambda: self.parts.memory.held_by_device(each, extra_tree_bytes(self.parts))  # noqa: E731
        fastest = self._engines.fastest(self.settings, trees, watched, whole, together)
        if fastest != self._playing_on:
            self._take(fastest)
            self._playing_on = fastest

    # ------------------------------------------------------------------------------------------------------- memory

    def wave(self, positions: int, iterations: int) -> int:
        """How many trees of so many positions are searched together, for ``iterations`` of each position.

        Raises BadInput where not even one fits, with the arithmetic, and for a budget that tries no move or cannot be
        counted.
        """
        beside, device_bytes = self._more_room(positions * self.settings.roots), self._device_bytes()
        return self.parts.positions_together(positions, iterations, beside, device_bytes)

    def _device_bytes(self) -> int | None:
        """Bytes a tree takes on the device beside its slots; None on the host."""
        return extra_tree_bytes(self.parts) if self.on_device else None

    def _more_room(self, trees: int) -> int:
        """Slots a tree is given beside those of its iterations, where threads of the host take slots of their own."""
        if self.on_device:
            return 0
        return slots_of_threads(self.parts, self.threads, trees, self.engine is not None)

    def _kept_slots(self, kept_under: np.ndarray | None) -> int:
        """Slots of the largest tree that is kept."""
        return self.kept.most_used(kept_under) if kept_under is not None else 0

    def _together(self, trees: Trees, iterations: int) -> int:
        """How many of the trees are searched together; all of them where they are kept."""
        count = len(trees.roots.keys)
        beside = self._kept_slots(trees.kept_under) + self._more_room(count)
        size = self.parts.memory.fitting(count, iterations, beside, self._device_bytes())
        if trees.kept_under is not None and size < count:
            raise BadInput(
                f"search.reuse=true: {count} trees of {iterations} iterations do not fit in memory together, "
                f"{size} do; lower games_in_flight or budget.iterations, or set search.reuse=false"
            )
        return size

    # ------------------------------------------------------------------------------------------------------- search

    def search(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        iterations: int,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
        games: np.ndarray | None = None,
    ) -> TreeSearchResult:
        """Search ``iterations`` iterations from each of ``states``, uint64[T, W], none over, under ``keys``, uint64[T].

        A key per tree, ``key_of(seed, game number, ply of the game)``, makes the result a function of the configuration
        and the seed. ``on_progress`` is told iterations done since it was last called, all trees together. Where
        ``stop`` is set meanwhile, KeyboardInterrupt is raised, of one tree on the CPU ``SearchStopped``. Raises
        BadInput where memory does not suffice, and for a budget that tries no move or cannot be counted.

        games : int64[T], the numbers of the games; with ``Settings.reuse`` a tree goes on from what the last search of
            its game knew about the position, and ``iterations`` come on top
        """
        check_budget(iterations, self.settings)
        n = self.settings.roots
        trees = self.trees_of(states, keys, games)
        self.adapt(len(trees.roots.keys), iterations)
        size, clock = self._together(trees, iterations // n), self.stopwatch()
        found = self._run(trees, [iterations // n], size, clock=clock, stop=stop, on_progress=on_progress)
        if trees.kept_under is not None and found.forest is not None:
            self.kept.keep(trees.kept_under, found.forest, trees.roots.states.copy())
        return TreeSearchResult(
            merged(found.table, n), keys, self.settings.final == "value", n * (iterations // n),
            found.forest, n, clock.split(), found.final_scores,
        )  # fmt: skip

    def follow(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        checkpoints: Sequence[int],
        on_table: Callable[[int, slice, RootTable], None],
        level: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> np.ndarray:
        """Search as ``search`` does, and show the roots on the way.

        checkpoints : numbers of iterations, increasing; the search ends at the last one
        on_table : called with (iterations, the trees of the wave as a slice of ``states``, their RootTable); on the
            device a wave that is begun again for want of memory shows its tables again
        level : a value in [0, 1] of the root, for the player who moves there

        Returns int64[T]: the iterations after which a root's value was last below ``level``, 0 where it never was;
        empty without a level. Raises BadInput for checkpoints that are none, for a level with an engine other than the
        CPU, and as ``search``.
        """
        points = [int(point) for point in checkpoints]
        check_followed(points, self.settings)
        self.adapt(len(states), points[-1], watched=level is not None)
        if level is not None and self.engine is not None:
            raise BadInput(f"engine={self.engine.name}: a root's value is watched with engine=cpu alone")
        trees = Trees(roots_of(self.parts, states, keys), None)
        size, told = self._together(trees, points[-1]), {"stop": stop, "on_progress": on_progress, "on_table": on_table}
        watch = LevelWatch(level, np.zeros(len(states), np.int64)) if level is not None else NO_WATCH
        self._run(trees, points, size, watch, clock=self.stopwatch(), **told)
        return watch.below

    def _run(self, trees: Trees, points: list[int], size: int, watch: LevelWatch = NO_WATCH, **told: Any) -> TreesFound:
        """Search all trees up to the last of ``points``, at most ``size`` together.

        told : ``clock``, ``stop``, ``on_progress`` and ``on_table`` of ``HostSearch`` and ``DeviceSearch``
        """
        if not self.on_device:
            plant = lambda roots: self.plant(roots, points[-1], trees.kept_under)  # noqa: E731
            return HostSearch(self._iterations, trees.roots, points, size, plant, watch=watch, **told).run()
        known = None
        if trees.kept_under is not None:
            known = self.plant(trees.roots, points[-1], trees.kept_under)
            check_kept_visits(known.visits[:, ROOT], points[-1], self.settings)
        return DeviceSearch(self.parts, self.device_kernel, trees.roots, points, size, known=known, **told).run()

    def forget(self, games: np.ndarray) -> None:
        """Let go of the trees kept for finished games (int64[...]), where subtrees are reused."""
        self.kept.forget(tree_numbers(games, self.settings.roots))

    # --------------------------------------------------------------------------------- for searches that go by slices

    def check_room(self, iterations: int, slots_beside: int) -> None:
        """Refuse so many ``iterations`` of one position, all of whose trees grow on the host at once.

        slots_beside : slots that a tree began with beside its root

        Raises BadInput as ``wave``, and where the trees do not fit together.
        """
        check_budget(iterations, self.settings)
        n = self.settings.roots
        self.parts.memory.fitting(n, iterations // n, slots_beside + self._more_room(n), None, least=n)

    def stopwatch(self) -> Stopwatch:
        """Of a search that begins now: one thread of the host for one on the device."""
        return Stopwatch(1 if self.on_device else self.threads)

    def trees_of(self, states: np.ndarray, keys: np.ndarray, games: np.ndarray | None) -> Trees:
        """The trees of positions.

        states : uint64[B, W]; keys : uint64[B]; games : int64[B], numbers of the games, or None

        Raises as ``roots_of``.
        """
        n = self.settings.roots
        kept_under = tree_numbers(games, n) if self.settings.reuse and games is not None else None
        states = np.repeat(states, n, axis=0) if n > 1 else states
        return Trees(roots_of(self.parts, states, tree_keys(keys, n)), kept_under)

    def plant(self, roots: Roots, iterations: int, kept_under: np.ndarray | None) -> Forest:
        """A forest of trees that are a root each, or what was kept of it, with room for so many iterations of each.

        Raises BadInput where the system does not give the memory, as under a limit of the process.
        """
        slots = self.parts.memory.slots(iterations) + self._kept_slots(kept_under) + self._more_room(len(roots.keys))
        try:
            forest = planted(self.parts, roots, slots)
        except MemoryError:
            raise self.parts.memory.not_given(len(roots.keys), iterations, slots) from None
        if kept_under is not None:
            self.kept.hand_on(self.rules, self.parts.operator, kept_under, roots.states, forest)
        return forest

    def iterate(self, wave: Wave, span: tuple[int, int], in_flight: BatchesInFlight | None = None) -> None:
        """Iterations ``span`` of the trees of a wave on the host (``HostIterations.iterate``)."""
        self._iterations.iterate(wave, span, in_flight)
