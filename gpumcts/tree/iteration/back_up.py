"""Backing up: the outcomes of the leaves' playouts go up their paths."""

import numpy as np

from gpumcts.cpu_only import prefetch
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.jit import inlined
from gpumcts.kernels.playout_loop import SCORE
from gpumcts.tree.backup.contract import back_up, back_up_at
from gpumcts.tree.iteration.batch import NO_LEAF
from gpumcts.tree.selection.contract import learn
from gpumcts.tree.solve import prove

AHEAD = 4  # rows whose memory is on its way
DEEPEST = 3  # levels of a path above the leaf that are asked for ahead


@inlined
def reward_of(switches, score_sum):
    """The sum of a leaf's rewards in [0, playouts] for the first player from the sum of its scores."""
    return 0.5 * switches.playouts + score_sum / (2.0 * SCORE_UNIT)


@inlined
def prefetch_path(forest, row, batch):
    """Prefetch the deepest nodes of a row's path; nodes nearer the root are shared by rows, and in the cache."""
    tree, depth = np.int64(batch.trees[row]), batch.depths[row]
    for k in range(max(depth - DEEPEST, 0), depth + 1):
        prefetch(forest.visits, (tree, np.int64(batch.paths[row, k])))
        prefetch(forest.columns, (tree, np.int64(batch.paths[row, k]), np.int64(0)))


@inlined
def back_up_leaves(learner, operator, forest, switches, begin, end, batch):
    """Back up the tallied rows ``begin`` to ``end``, in this order within a tree, and let the learner learn."""
    for row in range(begin, end):
        if switches.leaves > 1 and row + AHEAD < end:
            prefetch_path(forest, row + AHEAD, batch)
        depth, score_sum = batch.depths[row], batch.tally[row, SCORE]
        if depth == NO_LEAF:
            continue
        tree = np.int64(batch.trees[row])
        path, movers = batch.paths[row], batch.movers[row]
        for k in range(depth + 1):
            forest.visits[tree, path[k]] += switches.playouts
        reward = reward_of(switches, score_sum)
        back_up(operator, forest, tree, path, movers, depth, reward, switches.playouts, batch.evaluations[row])
        learn(learner, forest, switches, tree, path, movers, depth, batch.tally, row)
        if switches.solve:
            prove(forest, tree, path, movers, depth, score_sum, switches.playouts)


@inlined
def back_up_part(operator, forest, switches, rows, tops, begin, end, above, batch):
    """Back up one part of the paths of rows of a tree of its own, for operators that have ``back_up_at``.

    rows : int32[B], the rows are number ``begin`` to ``end`` of it
    tops : int32[B], for each row the depth at which its path leaves those of others: with ``above`` the nodes of lower
        depth are backed up, else those from it on
    """
    for i in range(begin, end):
        if i + AHEAD < end:
            prefetch_path(forest, np.int64(rows[i + AHEAD]), batch)
        row = np.int64(rows[i])
        top, depth, path, movers = np.int64(tops[row]), batch.depths[row], batch.paths[row], batch.movers[row]
        first, last = (np.int64(0), min(depth, top - 1)) if above else (top, depth)
        reward = reward_of(switches, batch.tally[row, SCORE])
        for k in range(last, first - 1, -1):
            forest.visits[0, path[k]] += switches.playouts
            back_up_at(
                operator, forest, 0, path, movers, k, depth, reward, switches.playouts, batch.evaluations[row]
            )  # fmt: skip
