"""From a move that the search has proven to win or to lose (``solve``) to the end of the game."""

from typing import NamedTuple

import numpy as np

from gpumcts.tree.forest import ROOT, Forest
from gpumcts.tree.solve import LOSS, WIN

FAR = np.int64(1 << 40)


class _Level(NamedTuple):
    """Nodes of a depth that decide the proof, int64[K], and their parents' places in the level above, int64[K]."""

    nodes: np.ndarray
    above: np.ndarray


def proven_line(forest: Forest, tree: int, first_move: int) -> list[int]:
    """The moves to the end of the game, beginning with ``first_move``; empty where it is not proven to win or to lose.

    Who wins goes the shortest way that is proven, who loses the longest. There may be a shorter one that is not.
    """
    first = int(forest.first_child[tree, ROOT])
    block = slice(first, first + int(forest.child_count[tree, ROOT]) * (forest.proof.shape[1] > 0))
    proofs = forest.proof[tree, block]
    found = np.flatnonzero((forest.action[tree, block] == first_move) & ((proofs == WIN) | (proofs == LOSS)))
    if not len(found):
        return []
    levels = _levels(forest, tree, first + int(found[0]))
    ends = _plies_to_end(forest, tree, levels)
    line, place = [first_move], 0
    for k in range(1, len(levels)):
        below = np.flatnonzero((levels[k].above == place) & (ends[k] == ends[k - 1][place] - 1))
        if not len(below):
            break
        place = int(below[0])
        line.append(int(forest.action[tree, levels[k].nodes[place]]))
    return line


def _levels(forest: Forest, tree: int, node: int) -> list[_Level]:
    """``node`` and what is below it, by depth: of a node that its mover wins the winning moves, of another all."""
    levels = [_Level(np.array([node]), np.zeros(1, np.int64))]
    while True:
        nodes = levels[-1].nodes
        counts = forest.child_count[tree, nodes].astype(np.int64)
        above = np.repeat(np.arange(len(nodes)), counts)
        begins = forest.first_child[tree, nodes] - (np.cumsum(counts) - counts)
        below = np.arange(len(above)) + np.repeat(begins, counts)
        proofs, won = forest.proof[tree, below], np.zeros(len(nodes), bool)
        won[above[proofs == WIN]] = True
        kept = np.where(won[above], proofs == WIN, proofs == LOSS)
        if not kept.any():
            return levels
        levels.append(_Level(below[kept], above[kept]))


def _plies_to_end(forest: Forest, tree: int, levels: list[_Level]) -> list[np.ndarray]:
    """Plies from each node of each level to the end of the game, int64[K] each."""
    ends = [np.zeros(len(level.nodes), np.int64) for level in levels]
    for k in range(len(levels) - 1, 0, -1):
        won = forest.proof[tree, levels[k].nodes] == WIN
        above, ply_on = levels[k].above, ends[k] + 1
        np.maximum.at(ends[k - 1], above[~won], ply_on[~won])
        ends[k - 1][above[won]] = FAR
        np.minimum.at(ends[k - 1], above[won], ply_on[won])
    return ends
