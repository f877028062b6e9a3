"""The search as Python sees it: many trees advance together over threads, in waves where memory is short."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpumcts.class_names import own_classes
from gpumcts.errors import BadInput
from gpumcts.games.bounds import beyond
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import evaluate_step
from gpumcts.kernels.engines import crossover
from gpumcts.kernels.playout_loop import tally_columns
from gpumcts.options import compiled
from gpumcts.playouts.traces import traced
from gpumcts.tree.advance import NO_WATCH, LevelWatch, advance_block
from gpumcts.tree.batch import PATH_BEYOND_PLIES, Batch, empty_batch
from gpumcts.tree.checks import (
    check_bounds,
    check_budget,
    check_followed,
    check_kept_visits,
    check_one_batch,
    check_table_suffices,
    check_tree_parts,
)
from gpumcts.tree.cpu_iterations import CpuIterations
from gpumcts.tree.device_playouts import DevicePlayouts
from gpumcts.tree.device_search import DeviceEngine, DeviceRoots, DeviceSearch, extra_tree_bytes, search_kernel
from gpumcts.tree.engine_choice import EngineChoice
from gpumcts.tree.final_move import final_scores
from gpumcts.tree.forest import ROOT, Forest, Layout, bytes_per_slot, empty_forest, zeroed_forest
from gpumcts.tree.in_flight import BatchesInFlight
from gpumcts.tree.memory import TreeMemory
from gpumcts.tree.reuse import Kept
from gpumcts.tree.root_parallel import merged, tree_keys, tree_numbers
from gpumcts.tree.root_table import RootTable, horizons_of, root_table
from gpumcts.tree.search_result import TreeSearchResult, joined, joined_final_scores
from gpumcts.tree.selection.contract import column_count, learner, learns_from_traces
from gpumcts.tree.settings import Settings
from gpumcts.tree.steps import Method, Steps, back_up_step, expand_step, select_step
from gpumcts.tree.stopped_search import telling_what_was_found
from gpumcts.tree.thread_pool import ThreadPool
from gpumcts.tree.time_split import GROWTH, Stopwatch, no_ticks
from gpumcts.tree.wave import Wave


class Searcher:
    """UCT with any game, playout policy, selection rule and backup operator (option values) on many roots at once.

    engine : ``auto``, ``cpu``, ``cuda``, ``device`` or ``cudasim``, or an engine that ``playout_engine`` made for this
        game and policy; ``auto`` is chosen anew for every search, by the number of its trees
    threads : CPU threads; neither they, nor the engine, nor the number of trees change a result
    memory_limit : bytes a forest may take, 40 % of the machine's available memory if None
    workers : so many ``threads`` to share with other searchers
    """

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
        game = compiled(game)
        own_classes((game, policy, rule, operator))  # names of their own, before numba is asked for their types
        check_tree_parts(game, policy, rule, operator, settings)
        policy = compiled(policy)
        if learns_from_traces(rule) and hasattr(operator, "beside_traces"):
            operator = operator.beside_traces()
        self.game, self.policy, self.rule, self.operator = game, policy, rule, operator
        self.settings, self.threads = settings, threads
        self.rules = Rules(game)
        self.columns = column_count(rule, operator)
        self.played_game = traced(game, policy) if learns_from_traces(rule) else game
        self.kept_columns = tally_columns(self.played_game, settings.playouts_per_leaf)
        self.switches = settings.compiled(
            operator.EVALUATES, game.CELLS if learns_from_traces(rule) else 0, game.MAX_MOVES, bool(game.LANES)
        )
        self.method = Method(rule, operator, self.played_game, policy, self.switches)
        self.memory_limit = memory_limit
        self.kept = Kept()
        self._cpu_iterations = CpuIterations(self, workers or ThreadPool(threads))
        whole_path = settings.expansion == "whole_path"
        self._layout = Layout(self.columns, game.MAX_MOVES, settings.solve, settings.in_flight == "unobserved")
        self.slot_bytes = bytes_per_slot(self._layout)
        self.room = settings.leaves_per_tree * (game.MAX_MOVES + (game.MAX_PLIES if whole_path else 0))
        row_bytes = sum(array.nbytes for array in self.batch(1))
        self._memory = TreeMemory(game, settings, self.switches, self.slot_bytes, row_bytes, self.room, memory_limit)
        chosen_from = None if whole_path else crossover(engine, game, policy, threads)
        self._engines = EngineChoice(self.played_game, policy, threads, chosen_from)
        self.engine, self.on_device, self._playing_on = None, False, ""
        if not self._engines.are_chosen:
            self._take("cpu" if engine == "auto" else engine)

    def _take(self, engine: Any) -> None:
        """Play on ``engine`` from now on: one that was made, or a name."""
        self.engine = self._engines.taken(engine)
        self.on_device = isinstance(self.engine, DeviceEngine)
        if self.on_device:
            check_one_batch(self.settings, "engine=device keeps one batch of a tree in flight; take engine=cpu or cuda")
            check_table_suffices(self.settings, "engine=device brings tables back alone; take engine=cpu or cuda")
        self._compile()

    @property
    def stays_on_cpu(self) -> bool:
        """Whether every search is played on the CPU: then several may go on at once, from different threads."""
        return not self._engines.are_chosen and self.engine is None

    def adapt(self, trees: int, watched: bool = False) -> None:
        """With ``engine=auto`` play on what is fastest for so many trees; on the CPU where a value is watched."""
        if not self._engines.are_chosen:
            return
        fastest = self._engines.fastest(self.settings, trees, watched)
        if fastest != self._playing_on:
            self._take(fastest)
            self._playing_on = fastest

    def _compile(self) -> None:
        if self.on_device:
            self.device_kernel = search_kernel(self)
            return
        forest, batch, switches = self.empty_forest(1, 1), self.batch(1), self.switches
        self.steps = Steps(
            select_step(self.rule, self.operator, forest, switches, batch),
            expand_step(self.game, forest, switches, batch),
            evaluate_step(self.played_game, self.policy) if self.engine is None else None,
            back_up_step(learner(self.rule), self.operator, forest, switches, batch),
        )

    @property
    def without_playouts(self) -> tuple[Steps, Method]:
        """Steps and method of who selects alone: what is compiled for them serves all policies."""
        return self.steps._replace(evaluate=None), self.method._replace(game=self.game, policy=None)

    # ------------------------------------------------------------------------------------------------------- memory

    def slots(self, iterations: int) -> int:
        """Node slots a tree is given for so many iterations, to begin with."""
        return self._memory.slots(iterations)

    def _more_room(self, trees: int) -> int:
        """Slots a tree is given beside those, where threads of the CPU take slots of their own in it."""
        return self._cpu_iterations.more_room(trees) if self.engine is None else 0

    def wave(self, trees: int, iterations: int) -> int:
        """How many of so many positions' trees are searched together, for ``iterations`` of each position.

        Raises BadInput where not even one fits, with the arithmetic, and for a budget that tries no move or cannot be
        counted.
        """
        check_budget(iterations, self.settings)
        return self._fitting(trees * self.settings.roots, iterations // self.settings.roots)

    def _fitting(self, trees: int, iterations: int, kept_slots: int = 0) -> int:
        device_bytes = extra_tree_bytes(self) if self.on_device else None
        return self._memory.fitting(trees, iterations, kept_slots + self._more_room(trees), device_bytes)

    def empty_forest(self, trees: int, slots: int) -> Forest:
        """A forest without roots for this search."""
        return empty_forest(trees, slots, self._layout)

    def zeroed_forest(self, trees: int, slots: int, zeros: Callable) -> Forest:
        """A forest for this search whose arrays come from ``zeros(shape, dtype)``: all zeros, lists of blocks too."""
        return zeroed_forest(trees, slots, self._layout, zeros)

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
        position_keys, iterations = keys, iterations // n
        states, keys, reused = self.trees_of(states, keys, games)
        roots = self.root_move_counts(states)
        self.adapt(len(states))
        size, clock = self._wave_of(len(states), iterations, reused), self.stopwatch()
        if self.on_device:
            tables, forest = self._search_on_device(
                size, states, keys, roots, iterations, reused, stop=stop, on_progress=on_progress, clock=clock
            )
            return self._found(tables, position_keys, n * iterations, forest, clock)
        tables, decisive, forest = [], [], None
        for begin in range(0, len(states), size):
            trees = slice(begin, begin + size)
            wave = forest = None  # the last one goes before the next is planted
            with clock.on_all_threads(), clock.part(GROWTH):
                wave = Wave(
                    self.plant(states[trees], roots[trees], iterations, reused), states[trees], keys[trees], clock
                )
                wave.stop, wave.on_progress = stop, on_progress
                check_kept_visits(wave.forest.visits[:, ROOT], iterations, self.settings)
            with telling_what_was_found(self, wave, position_keys):
                self.iterate(wave, (0, iterations))
            tables.append(root_table(self.operator, forest := wave.forest))
            decisive.append(final_scores(self, forest, tables[-1]))
        single = forest if len(tables) == 1 else None
        if reused is not None and forest is not None:
            self.kept.keep(reused, forest, states.copy())
        return self._found(tables, position_keys, n * iterations, single, clock, joined_final_scores(decisive))

    def _found(self, tables, keys, iterations, forest, clock, final_scores=None) -> TreeSearchResult:
        """What the trees of positions under ``keys`` have found."""
        settings = self.settings
        table = merged(joined(tables), settings.roots)
        by_value = settings.final == "value"
        return TreeSearchResult(table, keys, by_value, iterations, forest, settings.roots, clock.split(), final_scores)

    def stopwatch(self) -> Stopwatch:
        """Of a search that begins now: one thread of the host for one on the device."""
        return Stopwatch(1 if self.on_device else self.threads)

    def trees_of(self, states, keys, games) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """States and keys of the trees of positions, and with ``Settings.reuse`` what they are kept under.

        states : uint64[B, W]; keys : uint64[B]; games : int64[B], numbers of the games, or None

        Returns uint64[T, W], uint64[T], and int64[T] or None, for T = B x ``Settings.roots`` trees, a position's in a
        row.
        """
        n = self.settings.roots
        kept = tree_numbers(games, n) if self.settings.reuse and games is not None else None
        return np.repeat(states, n, axis=0) if n > 1 else states, tree_keys(keys, n), kept

    def root_move_counts(self, states: np.ndarray) -> np.ndarray:
        """Legal moves of ``states`` (uint64[T, W]), int64[T]; negative where chance moves.

        Raises ValueError where a game is over, and BadInput where a position has more moves than the game's MAX_MOVES.
        """
        counts, movers = self.rules.describe(states)
        if not counts.all():
            raise ValueError("a game that is over cannot be searched")
        if int(counts.max(initial=0)) > self.game.MAX_MOVES:
            raise beyond(self.game, "MAX_MOVES")
        return np.where(movers == CHANCE, -counts, counts)

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
        self.adapt(len(states), watched=level is not None)
        if level is not None and self.engine is not None:
            raise BadInput(f"engine={self.engine.name}: a root's value is watched with engine=cpu alone")
        roots = self.root_move_counts(states)
        size = self._wave_of(len(states), points[-1], None)
        if self.on_device:
            self._device_search(
                size, states, keys, roots, points, stop=stop, on_progress=on_progress, on_table=on_table
            ).run()
            return np.zeros(0, np.int64)
        below = np.zeros(len(states) if level is not None else 0, np.int64)
        for begin in range(0, len(states), size):
            trees = slice(begin, min(begin + size, len(states)))
            wave = None  # the last one goes before the next is planted
            watch = LevelWatch(level or 0.0, below[trees])
            clock = self.stopwatch()
            wave = Wave(
                self.plant(states[trees], roots[trees], points[-1], None), states[trees], keys[trees], clock, watch
            )
            wave.stop, wave.on_progress = stop, on_progress
            for before, point in zip([0, *points], points, strict=False):
                self.iterate(wave, (before, point))
                on_table(point, trees, root_table(self.operator, wave.forest))
        return below

    def _search_on_device(self, size, states, keys, root_move_counts, iterations, reused, **told):
        """The root tables, and the forest if it is there, of the same search, at most ``size`` trees on the device.

        told : ``stop``, ``on_progress`` and ``clock`` of ``DeviceSearch``
        """
        known = self.plant(states, root_move_counts, iterations, reused) if reused is not None else None
        if known is not None:
            check_kept_visits(known.visits[:, ROOT], iterations, self.settings)
        search = self._device_search(size, states, keys, root_move_counts, [iterations], known=known, **told)
        tables, forest = search.run()
        if reused is not None and forest is not None:
            self.kept.keep(reused, forest, states.copy())
        return tables, forest

    def _device_search(self, size, states, keys, root_move_counts, points, **more) -> DeviceSearch:
        """The search of trees with these roots; ``more`` : what ``DeviceSearch`` takes by name."""
        horizons = np.zeros(len(states), np.float64)
        horizons_of(self.game, states, horizons)
        roots = DeviceRoots(states, keys, root_move_counts, horizons)
        return DeviceSearch(self, roots, points, size, **more)

    def _wave_of(self, trees: int, iterations: int, reused: np.ndarray | None) -> int:
        kept_slots = self.kept.most_used(reused) if reused is not None else 0
        size = self._fitting(trees, iterations, kept_slots)
        if reused is not None and size < trees:
            raise BadInput(
                f"search.reuse=true: {trees} trees of {iterations} iterations do not fit in memory together, "
                f"{size} do; lower games_in_flight or budget.iterations, or set search.reuse=false"
            )
        return size

    def forget(self, games: np.ndarray) -> None:
        """Let go of the trees kept for finished games (int64[...]), where subtrees are reused."""
        self.kept.forget(tree_numbers(games, self.settings.roots))

    def plant(self, states, root_move_counts, iterations: int, reused: np.ndarray | None) -> Forest:
        """A forest of trees that are a root each, or what was kept of it, with room for so many iterations of each.

        states : uint64[T, W], of the trees; root_move_counts : int64[T], as ``root_move_counts`` gives them
        reused : int64[T], what the trees are kept under, as ``trees_of`` gives it; None where they begin anew
        """
        kept_slots = self.kept.most_used(reused) if reused is not None else 0
        slots = self.slots(iterations) + kept_slots + self._more_room(len(states))
        forest = self.empty_forest(len(states), slots)
        forest.used[:] = 1
        forest.first_child[:, 0] = -1
        forest.move_count[:, 0] = root_move_counts
        horizons_of(self.game, states, forest.horizon)
        if reused is not None:
            self.kept.hand_on(self.game, reused, states, forest)
        return forest

    def iterate(self, wave: Wave, span: tuple[int, int], in_flight: BatchesInFlight | None = None) -> None:
        """Iterations ``span`` of the trees of a wave: those of each that are made before it, and after it.

        in_flight : keeps what is in flight until the next call; without it all is counted

        Raises KeyboardInterrupt where the wave is told to stop.
        """
        if self.settings.batches_in_flight > 1:
            batches = in_flight or BatchesInFlight(self)
            batches.iterate(wave, span)
            if in_flight is None:
                batches.back_up_pending(wave)
        elif self.engine is not None:
            DevicePlayouts(self, wave, span).run()
        else:
            self._cpu_iterations.iterate(wave, span)
        check_bounds(self.game, wave.forest.beyond)

    def advance(self, forest, states, keys, block, numbers, batch, watch=NO_WATCH, ticks=None) -> int:
        """``advance_block`` with what this search is made of."""
        ticks = no_ticks() if ticks is None else ticks
        return advance_block(
            self.steps, self.method, forest, states, keys, block, numbers, self.room, batch, watch, ticks
        )

    # ----------------------------------------------------------------------------- for engines that evaluate elsewhere

    def widen(self, wave: Wave) -> None:
        """Give the trees of a wave room for more nodes."""
        wave.widen(self.more_slots(wave.forest))

    def more_slots(self, forest: Forest) -> int:
        """Slots a tree is given where those of ``forest`` do not suffice."""
        return self._memory.more_slots(forest.visits.shape[1])

    def batch(self, rows: int, zeros: Callable = np.zeros) -> Batch:
        """Room for so many leaves; its arrays come from ``zeros(shape, dtype)``."""
        plies = self.game.MAX_PLIES + PATH_BEYOND_PLIES
        return empty_batch(rows, self.played_game.WORDS, plies, self.kept_columns, zeros)
