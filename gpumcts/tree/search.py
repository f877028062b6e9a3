"""The search as Python sees it: many trees advance together over threads, in waves where memory is short."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psutil

from gpumcts.errors import BadInput
from gpumcts.games.contract import remaining_plies, unpack
from gpumcts.jit import entry
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import evaluate_step
from gpumcts.kernels.engines import playout_engine, resolve
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.options import compiled
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree import root
from gpumcts.tree.advance import Batch, advance_block, apply_block, gather_block
from gpumcts.tree.device_search import (
    DeviceEngine,
    DeviceSearch,
    Roots,
    extra_tree_bytes,
    memory_for_trees,
    search_kernel,
)
from gpumcts.tree.forest import Forest, bytes_per_slot, empty_forest, with_room
from gpumcts.tree.offload import Offload
from gpumcts.tree.reuse import Kept
from gpumcts.tree.settings import Settings
from gpumcts.tree.steps import back_up_step, reach_step, select_step

U = np.uint64
TREES_IN_A_BLOCK = 64  # leaves that share the lanes; more would push the blocks' trees out of the cache
SECONDS_A_CALL = 0.1
SLOTS_PER_NODE = 1.2  # measured slack of the blocks is 1.04 to 1.15; a forest that turns out too small grows
SHARE_OF_MEMORY = 0.6
MOST_VISITS = 2**31  # of a tree: nodes count them in 32 bits


@entry
def _horizons(game, states, horizons):
    words, width = states.reshape(-1), states.shape[1]
    for b in range(states.shape[0]):
        horizons[b] = remaining_plies(game, unpack(game, words, b * width, 1))


class Searched:
    """What a search found: ``table`` (the roots' moves), ``iterations``, and the ``forest`` where it was kept.

    It is not where the search was played in waves, or on the device with more of it than is worth bringing back.
    """

    def __init__(self, table: root.RootTable, keys: np.ndarray, by_value: bool, iterations: int, forest: Forest | None):
        self.table, self.iterations, self.forest = table, iterations, forest
        self._keys, self._by_value = keys, by_value

    def decide(self) -> np.ndarray:
        """The move to play per tree, int64[T], by ``Settings.final``; ties at random, under the tree's own key."""
        return root.decide(self.table, self._by_value, self._keys)

    def root_children(self, tree: int) -> list[root.Child]:
        """The visited moves of one root, most visited first."""
        return self.table.children(tree)

    def principal_variation(self, tree: int, first_move: int | None = None) -> list[int]:
        """The most visited line of a tree, or the one that begins with ``first_move``; needs the forest."""
        if self.forest is None:
            raise ValueError("the search was played in waves or left on the device, and its trees are gone")
        return root.principal_variation(self.forest, tree, first_move)


class Searcher:
    """UCT with any game, playout policy, selection rule and backup operator (option values) on many roots at once.

    engine : ``auto``, ``cpu``, ``cuda``, ``device`` or ``cudasim``, or an engine that ``playout_engine`` made for this game
        and policy
    threads : CPU threads; neither they, nor the engine, nor the number of trees change a result
    memory_limit : bytes a forest may take, 60 % of the machine's available memory if None
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
    ) -> None:
        self.game, self.policy, self.rule, self.operator = game, compiled(policy), rule, operator
        self.settings, self.threads = settings, threads
        self.rules = Rules(game)
        self.switches = settings.compiled(operator.EVALUATES)
        self._memory_limit = memory_limit
        self._kept = Kept()
        whole_path = settings.expansion == "whole_path"
        if whole_path:
            self._refuse_whole_path()
        self._nodes_an_iteration = game.MAX_PLIES if whole_path else 1
        self.room = settings.leaves_per_tree * (game.MAX_MOVES + (game.MAX_PLIES if whole_path else 0))
        if isinstance(engine, str) and (resolved := resolve(engine)) != "cpu":
            engine = DeviceEngine() if resolved == "device" else playout_engine(engine, game, policy, threads)
        self.engine = None if isinstance(engine, str) or engine.name == "cpu" else engine
        self.on_device = isinstance(self.engine, DeviceEngine)
        self._compile()

    def _refuse_whole_path(self) -> None:
        """Refuse what ``whole_path`` would leave without effect or without meaning."""
        if not isinstance(self.policy, Uniform) or self.policy.truncate:
            raise BadInput(
                "search.expansion=whole_path plays its random moves in the tree: playout must be uniform, untruncated"
            )
        if self.operator.EVALUATES:
            name = type(self.operator).__name__
            raise BadInput(f"search.expansion=whole_path evaluates no position: take another backup than {name}")

    def _compile(self) -> None:
        if self.on_device:
            self.device_kernel = search_kernel(self)
            return
        forest = empty_forest(1, 1, len(self.operator.COLUMNS), self.game.MAX_MOVES)
        self._select = select_step(self.rule, self.operator, forest, self.switches)
        self._reach = reach_step(self.game, forest, self.switches)
        if self.engine is None:
            self._evaluate = evaluate_step(self.game, self.policy)
        self._back_up = back_up_step(self.operator, forest)

    # ------------------------------------------------------------------------------------------------------- memory

    def slots(self, iterations: int) -> int:
        """Node slots a tree is given for so many iterations, to begin with."""
        return 1 + int(SLOTS_PER_NODE * iterations * self._nodes_an_iteration) + self.room

    def wave(self, trees: int, iterations: int) -> int:
        """How many trees are searched together.

        Raises BadInput where not even one fits, with the arithmetic, and for a budget that tries no move or cannot be counted.
        """
        self._check_budget(iterations)
        return self._fitting(trees, iterations)

    def _fitting(self, trees: int, iterations: int, kept_slots: int = 0) -> int:
        slots = self.slots(iterations) + kept_slots
        slot_bytes = bytes_per_slot(len(self.operator.COLUMNS), self.game.MAX_MOVES)
        tree_bytes = slots * slot_bytes
        if self.on_device:
            limit = memory_for_trees(self._memory_limit)
            tree_bytes += extra_tree_bytes(self)
        else:
            limit = self._memory_limit or int(SHARE_OF_MEMORY * psutil.virtual_memory().available)
        if tree_bytes > limit:
            raise BadInput(
                f"budget.iterations={iterations}: a tree takes {slots:,} slots x {slot_bytes} bytes = "
                f"{tree_bytes / 2**20:,.1f} MiB, and {limit / 2**20:,.1f} MiB may be used"
            )
        return min(trees, limit // tree_bytes)

    # ------------------------------------------------------------------------------------------------------- search

    def search(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        iterations: int,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
        games: np.ndarray | None = None,
    ) -> Searched:
        """Search ``iterations`` iterations from each of ``states`` (uint64[T, W], none of them over) under ``keys`` (uint64[T]).

        A key per tree, ``key_of(seed, game number, ply of the game)``, makes the result a function of the configuration and
        the seed. ``on_progress`` is told iterations done since it was last called, all trees together. Where ``stop`` is
        set meanwhile, KeyboardInterrupt is raised. Raises BadInput where memory does not suffice.

        games : int64[T], the numbers of the games; with ``Settings.reuse`` a tree goes on from what the last search of its
            game knew about the position, and ``iterations`` come on top
        """
        if iterations < 1:
            raise BadInput(f"budget.iterations={iterations}: must be at least 1")
        counts, movers = self.rules.describe(states)
        if not counts.all():
            raise ValueError("a game that is over cannot be searched")
        roots = np.where(movers == 2, -counts, counts)
        reused = games if self.settings.reuse else None
        size = self._wave_of(len(states), iterations, reused)
        if self.on_device:
            return self._search_on_device(size, states, keys, roots, iterations, stop, on_progress, reused)
        tables, forest = [], None
        for begin in range(0, len(states), size):
            wave = slice(begin, begin + size)
            forest = self._plant(states[wave], roots[wave], iterations, reused)
            forest = self._grow(forest, states[wave], keys[wave], iterations, stop, on_progress)
            tables.append(root.root_table(self.operator, forest))
        single = forest if len(tables) == 1 else None
        if reused is not None and forest is not None:
            self._kept.keep(reused, forest, states.copy())
        return Searched(_joined(tables), keys, self.settings.final == "value", iterations, single)

    def _search_on_device(self, size, states, keys, root_moves, iterations, stop, on_progress, reused) -> Searched:
        """The same search with its trees on the device, at most ``size`` of them together."""
        known = self._plant(states, root_moves, iterations, reused) if reused is not None else None
        horizons = np.zeros(len(states), np.float64)
        _horizons(self.game, states, horizons)
        roots = Roots(states, keys, root_moves, horizons)
        tables, forest = DeviceSearch(self, roots, iterations, size, known, stop, on_progress).run()
        if reused is not None and forest is not None:
            self._kept.keep(reused, forest, states.copy())
        return Searched(_joined(tables), keys, self.settings.final == "value", iterations, forest)

    def _check_budget(self, iterations: int) -> None:
        playouts = self.settings.playouts_per_leaf
        untried = -(-self.switches.threshold // playouts)  # iterations that end in the root before it has a child
        if iterations <= untried:
            raise BadInput(f"budget.iterations={iterations}: must be more than {untried}, or no move is tried at all")
        if iterations * playouts >= MOST_VISITS:
            raise BadInput(
                f"budget.iterations={iterations}: times budget.playouts_per_leaf={playouts} it must be below {MOST_VISITS:,}"
            )

    def _wave_of(self, trees: int, iterations: int, reused: np.ndarray | None) -> int:
        kept_slots = self._kept.most_used(reused) if reused is not None else 0
        size = self._fitting(trees, iterations, kept_slots)
        if reused is not None and size < trees:
            raise BadInput(
                f"search.reuse=true: {trees} trees of {iterations} iterations do not fit in memory together, {size} do; "
                "lower games_in_flight or budget.iterations, or set search.reuse=false"
            )
        return size

    def forget(self, games: np.ndarray) -> None:
        """Let go of the trees kept for finished games (int64[...]), where subtrees are reused."""
        self._kept.forget(games)

    def _plant(self, states, root_moves, iterations: int, reused: np.ndarray | None) -> Forest:
        kept_slots = self._kept.most_used(reused) if reused is not None else 0
        slots = self.slots(iterations) + kept_slots
        forest = empty_forest(len(states), slots, len(self.operator.COLUMNS), self.game.MAX_MOVES)
        forest.used[:] = 1
        forest.first_child[:, 0] = -1
        forest.moves[:, 0] = root_moves
        _horizons(self.game, states, forest.horizon)
        if reused is not None:
            self._kept.hand_on(self.game, reused, states, forest)
        return forest

    def _grow(self, forest, states, keys, iterations, stop, on_progress) -> Forest:
        """All iterations of a wave: every block until it is done or lacks room; then the forest grows and they go on."""
        if self.engine is not None:
            return Offload(self, forest, states, keys, iterations, stop, on_progress).run()
        blocks = self._blocks(len(states))
        numbers = dict.fromkeys(blocks, 0)
        while True:
            pending = [block for block in blocks if numbers[block] < iterations]
            if not pending:
                return forest
            self._run_blocks(forest, states, keys, iterations, pending, numbers, stop, on_progress)
            if stop is not None and stop.is_set():
                raise KeyboardInterrupt
            if any(numbers[block] < iterations for block in pending):
                forest = self.larger(forest)

    def _blocks(self, trees: int) -> list[tuple[int, int]]:
        size = max(1, TREES_IN_A_BLOCK // self.settings.leaves_per_tree)
        size = min(size, -(-trees // self.threads))
        return [(begin, min(begin + size, trees)) for begin in range(0, trees, size)]

    def _run_blocks(self, forest, states, keys, iterations, pending, numbers, stop, on_progress) -> None:
        def work(block: tuple[int, int]) -> None:
            batch = self.batch((block[1] - block[0]) * self.settings.leaves_per_tree)
            step = 16
            while numbers[block] < iterations and not (stop is not None and stop.is_set()):
                begin = time.perf_counter()
                until = min(numbers[block] + step * self.settings.leaves_per_tree, iterations)
                reached = self._advance(forest, states, keys, block, (numbers[block], until), batch)
                done, numbers[block] = reached - numbers[block], reached
                if on_progress is not None:
                    on_progress(done * (block[1] - block[0]))
                if reached < until:
                    return  # no room
                seconds = time.perf_counter() - begin
                step = max(1, min(int(step * SECONDS_A_CALL / max(seconds, 1e-6)), step * 8))

        if self.threads == 1 or len(pending) == 1:
            for block in pending:
                work(block)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(work, pending))

    def _advance(self, forest, states, keys, block, numbers, batch) -> int:
        return advance_block(
            self._select, self._reach, self._evaluate, self._back_up, self.rule, self.operator, self.game, self.policy,
            forest, self.switches, states, keys, block, numbers, self.room, batch,
        )  # fmt: skip

    # ----------------------------------------------------------------------------- for engines that evaluate elsewhere

    def larger(self, forest: Forest) -> Forest:
        """The same forest with room for more nodes."""
        return with_room(forest, self.more_slots(forest))

    def more_slots(self, forest: Forest) -> int:
        """Slots a tree is given where those of ``forest`` do not suffice."""
        return int(forest.visits.shape[1] * 1.5) + self.room

    def gather(self, forest, states, keys, block, number, leaves, batch) -> bool:
        """``gather_block`` with what this search is made of."""
        return gather_block(
            self._select, self._reach, self.rule, self.operator, self.game, forest, self.switches, states, keys, block,
            number, leaves, self.room, batch,
        )  # fmt: skip

    def apply(self, forest, block, leaves, batch) -> None:
        """``apply_block`` with what this search is made of."""
        apply_block(self._back_up, self.operator, forest, self.switches, block, leaves, batch)

    def batch(self, rows: int) -> Batch:
        """Room for so many leaves."""
        depth = self.game.MAX_PLIES + 2
        return Batch(
            words=np.zeros((rows, self.rules.width), np.uint64),
            keys=np.zeros(rows, np.uint64),
            paths=np.zeros((rows, depth), np.int32),
            movers=np.zeros((rows, depth), np.int8),
            depths=np.zeros(rows, np.int64),
            evaluations=np.zeros(rows, np.float64),
            tally=np.zeros((rows, TALLY_COLUMNS), np.int64),
        )


def _joined(tables: list[root.RootTable]) -> root.RootTable:
    """The tables of all waves as one."""
    if len(tables) == 1:
        return tables[0]
    width = max(table.move.shape[1] for table in tables)

    def padded(arrays: list[np.ndarray]) -> np.ndarray:
        return np.concatenate([np.pad(a, ((0, 0), (0, width - a.shape[1]))) for a in arrays])

    return root.RootTable(
        np.concatenate([t.count for t in tables]),
        padded([t.move for t in tables]),
        padded([t.visits for t in tables]),
        padded([t.value for t in tables]),
    )
