"""The result of a search: the move to play, values, principal variations."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpumcts.tree import proven, root_table
from gpumcts.tree.forest import Forest
from gpumcts.tree.root_parallel import trees_by_visits
from gpumcts.tree.time_split import TimeSplit


class TreesFound(NamedTuple):
    """What the trees of one search came to.

    table : of all T roots
    forest : the trees; None where they were searched in several waves, or were not brought back from a device
    final_scores : float64[T, M] by which moves are chosen, where neither visits nor values decide (``final_move``)
    """

    table: root_table.RootTable
    forest: Forest | None
    final_scores: np.ndarray | None = None


class TreeSearchResult:
    """What a search found: ``table`` (the roots' moves), ``iterations``, and the ``forest`` where it was kept.

    forest : None after a search in waves, and on a device where it is larger than what is brought back
    iterations : of a position, all its trees together; roots : trees of a position (``Settings.roots``)
    times : where the time went; None where nobody kept it
    final_scores : float64[T, M] by which the move is chosen, where neither visits nor values decide (``final_move``)
    """

    def __init__(
        self,
        table: root_table.RootTable,
        keys: np.ndarray,
        by_value: bool,
        iterations: int,
        forest: Forest | None,
        roots: int = 1,
        times: TimeSplit | None = None,
        final_scores: np.ndarray | None = None,
    ):
        self.table, self.iterations, self.forest = table, iterations, forest
        self._keys, self._by_value, self._roots, self.times = keys, by_value, roots, times
        self._final_scores = final_scores

    def _trees(self, position: int) -> range:
        return range(position * self._roots, (position + 1) * self._roots)

    def iterations_made(self, playouts: int, threshold: int = 0) -> np.ndarray:
        """Iterations of each position, int64[T]: fewer than asked for where its root was proven, which ends its search.

        playouts : of a leaf; threshold : playouts that end in a root before it has children

        With what was kept of earlier searches (``Settings.reuse``) it is an upper bound.
        """
        there = np.arange(self.table.visits.shape[1]) < self.table.count[:, None]
        visits = np.where(there, self.table.visits, 0).sum(axis=1)
        return np.minimum(-(-visits // playouts) + self._roots * -(-threshold // playouts), self.iterations)

    def decide(self) -> np.ndarray:
        """The move to play per tree, int64[T], by ``Settings.final``; ties at random, under the tree's own key."""
        return root_table.decide(self.table, self._by_value, self._keys, self._final_scores)

    def decide_among(self, moves: Sequence[int]) -> int | None:
        """What ``decide`` would play in a single tree that had only the visited of ``moves``; None where none was."""
        table = self.table
        columns = np.flatnonzero(np.isin(table.move[0, : int(table.count[0])], moves))
        if not len(columns):
            return None
        fewer = root_table.RootTable(np.array([len(columns)]), *(array[:, columns] for array in table[1:]))
        final_scores = None if self._final_scores is None else self._final_scores[:, columns]
        return int(root_table.decide(fewer, self._by_value, self._keys, final_scores)[0])

    def worth(self, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values in [0, 1] of ``moves``, int64[T], one a tree, and their proofs or 0, for who makes them.

        The value is NaN where the move was not visited, or where a table has lost it.
        """
        return root_table.values_of_moves(self.table, moves)

    def root_children(self, tree: int) -> list[root_table.Child]:
        """The visited moves of one root, most visited first."""
        return self.table.children(tree)

    def principal_variation(self, tree: int, first_move: int | None = None) -> list[int]:
        """The most visited line of a position, or the one that begins with ``first_move``; needs the forest.

        Of several trees it is that of the one which has visited its first move most.
        """
        if self.forest is None:
            raise ValueError("the search was played in waves or left on the device, and its trees are gone")
        if self._roots == 1:
            return root_table.principal_variation(self.forest, tree, first_move)
        moves = self.table.children(tree)
        move = moves[0].move if first_move is None and moves else first_move
        trees = [] if move is None else trees_by_visits(self.forest, self._trees(tree), move)
        return root_table.principal_variation(self.forest, trees[0], move) if trees else []

    def proven_line(self, tree: int, first_move: int) -> list[int]:
        """As ``proven.proven_line``; empty too where the forest is gone."""
        if self.forest is None:
            return []
        lines = (proven.proven_line(self.forest, number, first_move) for number in self._trees(tree))
        return next((line for line in lines if line), [])


def joined(tables: list[root_table.RootTable]) -> root_table.RootTable:
    """The tables of all waves as one."""
    if len(tables) == 1:
        return tables[0]
    columns = ([table[i] for table in tables] for i in range(1, len(tables[0])))
    return root_table.RootTable(
        np.concatenate([table.count for table in tables]), *(padded(arrays) for arrays in columns)
    )


def padded(arrays: list[np.ndarray]) -> np.ndarray:
    """Arrays of different widths one below the other, with zeros at the right."""
    width = max(array.shape[1] for array in arrays)
    return np.concatenate([np.pad(a, ((0, 0), (0, width - a.shape[1]))) for a in arrays])


def joined_final_scores(final_scores: list[np.ndarray | None]) -> np.ndarray | None:
    """The final scores of all waves as one; None where the tables decide."""
    arrays = [array for array in final_scores if array is not None]
    return padded(arrays) if arrays else None
