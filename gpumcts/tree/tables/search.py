"""UCT in a transposition table of fixed size in place of a tree: Kocsis et al. 2006, section 2.2, "limited memory".

A ``PositionSearcher``, as ``tree.search`` is. Memory is the table, and nothing that grows with the iterations.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from gpumcts.call_size import next_size
from gpumcts.compiling.class_names import own_classes
from gpumcts.compiling.stage import results
from gpumcts.errors import BadInput
from gpumcts.games.bounds import beyond
from gpumcts.games.contract import CHANCE, NO_MOVE
from gpumcts.kernels.batch import check_batch
from gpumcts.kernels.cpu import evaluate_step
from gpumcts.stop_event import StopEvent
from gpumcts.tree import root_table
from gpumcts.tree.checks import check_budget, check_followed
from gpumcts.tree.search_result import TreeSearchResult
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.advance import TableSteps, advance_block, fill_root_table, pick_step, walk_step
from gpumcts.tree.tables.parts import TableParts
from gpumcts.tree.tables.steps import BEYOND_MOVES, BEYOND_PLIES
from gpumcts.tree.tables.table import Table
from gpumcts.tree.time_shares import TimeShares
from gpumcts.tree.time_split import Stopwatch, no_ticks


class TableSearched(TreeSearchResult):
    """What a search in tables found: as ``TreeSearchResult``, its ``forest`` always None.

    tables : the tables, where all trees were one block; else None, and they are gone
    """

    def __init__(self, searcher: "TableSearcher", states: np.ndarray, keys: np.ndarray, iterations: int) -> None:
        found = root_table.empty_table(len(states), max(1, int(searcher.rules.count_moves(states).max(initial=1))))
        super().__init__(found, keys, searcher.settings.final == "value", iterations, None)
        self.tables: Table | None = None
        self._searcher, self._states = searcher, states

    def decide(self) -> np.ndarray:
        """As ``TreeSearchResult.decide``; a random move where the table has lost all that were tried at the root."""
        moves = super().decide()
        lost = moves == NO_MOVE
        if lost.any():
            moves[lost] = self._searcher.rules.random_moves(self._states[lost], self._keys[lost])
        return moves

    def principal_variation(self, tree: int, first_move: int | None = None) -> list[int]:
        """The most visited line in the table of a tree, or the one that begins with ``first_move``; needs the tables.

        It ends at a position without stored moves, or where chance moves. Raises ValueError without the tables.
        """
        if self.tables is None:
            raise ValueError("the trees were searched in several blocks, and their tables are gone")
        searcher, state, line = self._searcher, self._states[tree : tree + 1], []
        own = Table(*(array[tree : tree + 1] for array in self.tables))
        while len(line) < searcher.game.MAX_PLIES:
            children = searcher.stored_moves(own, state)
            if not line and first_move is not None:
                children = [child for child in children if child.move == first_move]
            if not children:
                break
            line.append(children[0].move)
            state = searcher.rules.play(state, np.array(line[-1:], np.int64))
        return line


def _walk(parts: TableParts) -> Any:
    return walk_step(parts.game, parts.replacement, parts.switches, *parts.block(1))


def _pick(parts: TableParts) -> Any:
    block = parts.block(1)
    return pick_step(parts.rule, parts.operator, parts.switches, block.frontier, block.paths)


def _evaluate(parts: TableParts) -> Any:
    return evaluate_step(parts.game, parts.policy)


class TableSearcher:
    """UCT with any game, playout policy and selection rule on many roots at once, each in a table of its own.

    operator : ``average``, the only one that a table of sums can serve
    settings : ``table``, ``replacement`` and ``stored_above`` say what a table holds, and how
    engine : ``cpu``, or ``auto``, which is the same here
    threads, memory_limit : as in ``Searcher``; neither they nor the number of trees change a result

    With ``expansion=whole_path`` every position of an episode is offered to the table, as Kocsis et al. 2006 does; with
    ``node`` and ``threshold`` the first one that is not in it, and the playouts begin there. Raises BadInput for all
    that a table cannot do.
    """

    def __init__(
        self,
        game: Any,
        policy: Any,
        rule: Any,
        operator: Any,
        settings: Settings = Settings(table=1 << 20),
        engine: str = "cpu",
        threads: int = 1,
        memory_limit: int | None = None,
    ) -> None:
        self.parts = parts = TableParts(game, policy, rule, operator, settings, engine, memory_limit)
        self.game, self.rules, self.settings, self.threads = parts.game, parts.rules, settings, threads
        self.time_shares = TimeShares()
        jobs = [partial(job, parts) for job in (_walk, _pick, _evaluate)]
        self._steps = TableSteps(*results(jobs, threads, not own_classes(parts.method)))

    @property
    def concurrent(self) -> bool:
        """Whether several searches may go on at once: not with tables, which may take all memory there is."""
        return False

    def adapt(self, trees: int, iterations: int, watched: bool = False) -> None:
        """Every search is played on the CPU."""

    def wave(self, positions: int, iterations: int) -> int:
        """As ``TableParts.positions_together``."""
        return self.parts.positions_together(positions, iterations, self.threads)

    # ------------------------------------------------------------------------------------------------------- search

    def search(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        iterations: int,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
        games: np.ndarray | None = None,
    ) -> TableSearched:
        """Search ``iterations`` iterations from each of ``states``, uint64[T, W], none over, under ``keys``, uint64[T].

        As ``Searcher.search``. The moves of a root that are not in its table, because they never were or because others
        pushed them out, are missing in the result. Raises BadInput where a position has more moves than the game's
        MAX_MOVES, or a game more plies than its MAX_PLIES, and for a budget that tries no move or cannot be counted.
        """
        check_budget(iterations, self.settings)
        check_batch(self.game, states, keys)
        found, clock = TableSearched(self, states, keys, iterations), Stopwatch(self.threads)
        with clock.on_all_threads():
            for part, roots, kept in self._search_blocks(states, keys, [iterations], stop, on_progress, clock):
                found.tables = kept
                for whole, piece in zip(found.table, roots[0], strict=True):
                    whole[part] = _widened(piece, whole)
        found.times = clock.split()
        return found

    def follow(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        checkpoints: Sequence[int],
        on_table: Callable[[int, slice, root_table.RootTable], None],
        level: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> np.ndarray:
        """Search as ``search`` does, and show the roots on the way.

        checkpoints : numbers of iterations, increasing; the search ends at the last one
        on_table : called with (iterations, the trees of a block as a slice of ``states``, their RootTable), by blocks

        Returns an empty array, as ``Searcher.follow`` does without a ``level``, which is refused here. Raises BadInput
        for checkpoints that are none, and as ``search``.
        """
        points = [int(point) for point in checkpoints]
        check_followed(points, self.settings)
        check_batch(self.game, states, keys)
        if level is not None:
            raise BadInput(f"search.table={self.parts.entries}: a root's value is not watched in a table")
        clock = Stopwatch(self.threads)
        for part, tables, _ in self._search_blocks(states, keys, points, stop, on_progress, clock):
            for point, found in zip(points, tables, strict=True):
                on_table(point, part, found)
        return np.zeros(0, np.int64)

    def forget(self, games: np.ndarray) -> None:
        """Nothing is kept from one search to the next."""

    def _root_moves(self, states: np.ndarray) -> np.ndarray:
        counts = self.rules.count_moves(states)
        if not counts.all():
            raise ValueError("a game that is over cannot be searched")
        return counts

    def _search_blocks(
        self, states, keys, points, stop, on_progress, clock
    ) -> Iterator[tuple[slice, list[root_table.RootTable], Table | None]]:
        """Search block after block, over threads: yields in order its trees and their root tables at all points.

        And the tables, where all trees are one block; else they are gone, or memory would grow with the trees.

        states : uint64[T, W]; keys : uint64[T]; points : increasing numbers of iterations, ints
        stop, on_progress : as in ``search``; clock : the search's Stopwatch
        """
        counts = self._root_moves(states)
        size, threads = self.parts.sizes(len(states), self.threads)
        parts = [slice(begin, min(begin + size, len(states))) for begin in range(0, len(states), size)]
        stop_event, asking = StopEvent(stop), threading.get_ident()

        def work(part: slice) -> tuple[list[root_table.RootTable], Table | None]:
            block = self.parts.block(part.stop - part.start, self.parts.entries)
            most = int(counts[part].max())
            with self.time_shares.working(asking):
                tables = self._run(block, states[part], keys[part], points, most, stop_event, on_progress, clock)
            return tables, block.table if len(parts) == 1 else None

        if threads == 1 or len(parts) == 1:
            for part in parts:
                yield part, *work(part)
        else:
            with ThreadPoolExecutor(threads) as pool:
                try:
                    yield from ((part, *done) for part, done in zip(parts, pool.map(work, parts), strict=True))
                finally:
                    stop_event.set()  # before the pool waits for what is under way

    def _run(
        self, block, roots, keys, points, most_moves, stop_event, on_progress, clock
    ) -> list[root_table.RootTable]:
        """All iterations of a block, in calls of a tenth of a second; its root tables at the points.

        block : empty tables and scratch for T trees; roots : uint64[T, W]; keys : uint64[T]
        most_moves : of any of the roots, columns of the root tables (see ``root_table.RootTable``)
        """
        root_table.horizons_of(self.game, roots, block.frontier.forest.horizon)
        tables, number, step = [], 0, 16
        for point in points:
            while number < point:
                if stop_event.is_set():
                    raise KeyboardInterrupt
                begin = time.perf_counter()
                until, ticks = min(number + step, point), no_ticks()
                span = (number, until)
                answer = advance_block(
                    self._steps, self.parts.method, block, self.parts.replacement, roots, keys, span, ticks
                )
                if answer in (BEYOND_MOVES, BEYOND_PLIES):
                    raise beyond(self.game, "MAX_MOVES" if answer == BEYOND_MOVES else "MAX_PLIES")
                if on_progress is not None:
                    on_progress((until - number) * len(roots))
                seconds = time.perf_counter() - begin
                clock.add_sampled(ticks, seconds)
                step = next_size(step, until - number, seconds)
                number = until
            found = root_table.empty_table(len(roots), max(1, most_moves))
            fill_root_table(self.game, block.table, self.parts.replacement, roots, found)
            tables.append(found)
        return tables

    def stored_moves(self, table: Table, state: np.ndarray) -> list[root_table.Child]:
        """What a tree's table has of the moves of a position (uint64[1, W]), most visited first; none of chance."""
        counts, movers = self.rules.describe(state)
        if counts[0] == 0 or movers[0] == CHANCE:
            return []
        found = root_table.empty_table(1, int(counts[0]))
        fill_root_table(self.game, table, self.parts.replacement, state, found)
        return found.children(0)


def _widened(piece: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Rows of a root table with as many columns as those of ``whole``."""
    return piece if piece.ndim == 1 else np.pad(piece, ((0, 0), (0, whole.shape[1] - piece.shape[1])))
