"""Root parallelization: several trees of one position that know nothing of each other, and what they come to together.

Chaslot, Winands and van den Herik 2008, *Parallel Monte-Carlo Tree Search*; Cazenave and Jouandeau 2007 (single-run).
"""

import numpy as np

from gpumcts.jit import entry
from gpumcts.rng import TREE_STREAM, child_key
from gpumcts.tree.forest import ROOT, Forest
from gpumcts.tree.root_table import RootTable, empty_table


@entry
def _keys(keys, roots, found):
    for row in range(found.shape[0]):
        found[row] = child_key(child_key(keys[row // roots], TREE_STREAM), np.uint64(row % roots))


@entry
def _merge(table, roots, merged):
    for row in range(merged.count.shape[0]):
        count = 0
        for tree in range(row * roots, (row + 1) * roots):
            for i in range(table.count[tree]):
                at = 0
                while at < count and merged.move[row, at] != table.move[tree, i]:
                    at += 1
                if at == count:
                    merged.move[row, at] = table.move[tree, i]
                    count += 1
                merged.visits[row, at] += table.visits[tree, i]
                merged.value[row, at] += table.visits[tree, i] * table.value[tree, i]
                merged.proof[row, at] = max(merged.proof[row, at], table.proof[tree, i])
        for at in range(count):
            merged.value[row, at] /= merged.visits[row, at]
        merged.count[row] = count


def tree_keys(keys: np.ndarray, roots: int) -> np.ndarray:
    """The keys of the trees of each position, uint64[T roots], from the positions'; one tree has its position's."""
    if roots == 1:
        return keys
    found = np.empty(len(keys) * roots, np.uint64)
    _keys(keys, roots, found)
    return found


def tree_numbers(games: np.ndarray, roots: int) -> np.ndarray:
    """What the trees of games (int64[T]) are kept under for reuse, int64[T roots]."""
    return (games[:, None] * roots + np.arange(roots)).ravel()


def merged(table: RootTable, roots: int) -> RootTable:
    """The root tables of positions from those of their trees, ``roots`` rows each.

    Visits of a move are added, its value is the mean of the trees' values by visits, and what one tree has proven of it
    is proven. Moves stand in the order of the trees, and in theirs.
    """
    if roots == 1:
        return table
    found = empty_table(len(table.count) // roots, roots * table.move.shape[1])
    _merge(table, roots, found)
    width = max(1, int(found.count.max(initial=1)))
    return RootTable(found.count, *(np.ascontiguousarray(array[:, :width]) for array in found[1:]))


def trees_by_visits(forest: Forest, trees: range, move: int) -> list[int]:
    """Those of ``trees`` that have visited the root's ``move``, most visits first, then in their order."""
    visits = {}
    for tree in trees:
        first = int(forest.first_child[tree, ROOT])
        block = slice(first, first + int(forest.child_count[tree, ROOT]))
        visits[tree] = int(forest.visits[tree, block][forest.action[tree, block] == move].sum())
    return sorted((tree for tree in trees if visits[tree]), key=lambda tree: -visits[tree])
