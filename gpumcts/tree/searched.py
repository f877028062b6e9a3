"""What a search found, and what it is asked for at the end."""

from collections.abc import Sequence

import numpy as np

from gpumcts.tree import proven, root
from gpumcts.tree.forest import Forest


class Searched:
    """What a search found: ``table`` (the roots' moves), ``iterations``, and the ``forest`` where it was kept.

    It is not where the search was played in waves, or on the device with more of it than is worth bringing back.
    """

    def __init__(self, table: root.RootTable, keys: np.ndarray, by_value: bool, iterations: int, forest: Forest | None):
        self.table, self.iterations, self.forest = table, iterations, forest
        self._keys, self._by_value = keys, by_value

    def iterations_made(self, playouts: int, threshold: int = 0) -> np.ndarray:
        """Iterations that each tree was given, int64[T]: fewer than asked for where its root was proven, which ends its search.

        playouts : of a leaf; threshold : playouts that end in a root before it has children. With what was kept of earlier
        searches (``Settings.reuse``) it is an upper bound.
        """
        there = np.arange(self.table.visits.shape[1]) < self.table.count[:, None]
        visits = np.where(there, self.table.visits, 0).sum(axis=1)
        return np.minimum(-(-visits // playouts) + -(-threshold // playouts), self.iterations)

    def decide(self) -> np.ndarray:
        """The move to play per tree, int64[T], by ``Settings.final``; ties at random, under the tree's own key."""
        return root.decide(self.table, self._by_value, self._keys)

    def decide_among(self, moves: Sequence[int]) -> int | None:
        """What ``decide`` would play in a single tree that had only those of ``moves`` that were visited; None where none was."""
        table = self.table
        columns = np.flatnonzero(np.isin(table.move[0, : int(table.count[0])], moves))
        if not len(columns):
            return None
        fewer = root.RootTable(np.array([len(columns)]), *(array[:, columns] for array in table[1:]))
        return int(root.decide(fewer, self._by_value, self._keys)[0])

    def worth(self, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values in [0, 1] of visited ``moves`` (int64[T], one a tree) and their proofs, 0 for none, for who makes them."""
        return root.worth(self.table, moves)

    def root_children(self, tree: int) -> list[root.Child]:
        """The visited moves of one root, most visited first."""
        return self.table.children(tree)

    def principal_variation(self, tree: int, first_move: int | None = None) -> list[int]:
        """The most visited line of a tree, or the one that begins with ``first_move``; needs the forest."""
        if self.forest is None:
            raise ValueError("the search was played in waves or left on the device, and its trees are gone")
        return root.principal_variation(self.forest, tree, first_move)

    def proven_line(self, tree: int, first_move: int) -> list[int]:
        """As ``proven.proven_line``; empty too where the forest is gone."""
        return [] if self.forest is None else proven.proven_line(self.forest, tree, first_move)


def joined(tables: list[root.RootTable]) -> root.RootTable:
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
        padded([t.proof for t in tables]),
    )
