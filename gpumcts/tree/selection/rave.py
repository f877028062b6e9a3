"""RAVE as Hashimoto et al. 2012 has it, section 5.4 and eq. 8, with the weight and the defaults of Fuego 0.4.1."""

import math
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.games.contract import SCORE_UNIT
from gpumcts.jit import inlined
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.tree.backup.contract import count, mean_of, observed_count, value
from gpumcts.tree.deterministic_math import ln_of_count
from gpumcts.tree.selection.contract import learn, learner, prepare, score

SUMS = 2  # columns, the last ones of the forest: playouts in which the move was played, and the sum of their rewards


class Rave(NamedTuple):
    """``n/(n+W) r + W/(n+W) r_RAVE``, r and n the operator's value and count, ``W = N / (1/initial + N/final)``.

    N and r_RAVE are the number and the mean reward of the playouts through the parent in which its player was first to
    play on the point of the move, from the parent on: in the tree, the move itself included, or in the playout. A node
    takes 16 bytes more than its operator's, and every move of a node that has children is one.

    initial, final : W is N ``initial`` for small N and at most ``final`` (Fuego: 1 and 5000; 0.9 and 5000 from 15x15)
    exploration : C of a bias term ``C sqrt(ln n(s) / (n + 1))``; none in Hashimoto et al. 2012 (note 8)
    ignore_every : each so many-th visit of a position selects by r alone; 0: none does

    With ``search.in_flight=unobserved`` the n of the weights is of observed visits, that of the bias of all. A move
    without visits has the value r_RAVE, or where that is unknown, or is ignored, ``search.first_play_urgency``. With
    ``backup=discounted`` only the move that is taken decays (note 9). Fuego weighs a playout by how soon in it the move
    came, from 2 down to 1; a trace does not tell, so here each counts 1.
    """

    initial: Annotated[float, Interval(gt=0, le=1e9)] = 1.0
    final: Annotated[float, Interval(gt=0, le=1e9)] = 5000.0
    exploration: Annotated[float, Interval(ge=0, le=1e6)] = 0.0
    ignore_every: Annotated[int, Interval(ge=0, le=1_000_000_000)] = 20

    TRACES = True
    COUNTS = "exploration"
    COLUMNS = ("rave_count", "rave_sum")


OPTION = Rave


@prepare.implements(Rave)
def rave_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    """(What an unvisited move stands for, b): b = C^2 ln n(s), or -1 - C^2 ln n(s) where RAVE is ignored."""
    squared = rule.exploration * rule.exploration * ln_of_count(total)
    if rule.ignore_every > 0:
        selection = np.int64(forest.visits[tree, node]) // np.int64(switches.playouts) + 1
        if selection % rule.ignore_every == 0:
            squared = -1.0 - squared
    return switches.first_play_urgency, squared


@score.implements(Rave)
def rave_score(rule, operator, forest, tree, child, prepared, stream):
    heeds = prepared[1] >= 0.0
    squared = prepared[1] if heeds else -1.0 - prepared[1]
    first = forest.columns.shape[2] - SUMS
    playouts = forest.columns[tree, child, first] if heeds else 0.0
    visited = forest.visits[tree, child] > 0
    if not visited and playouts == 0.0:
        return prepared[0]
    n, selected, weighted, weight = 0.0, 0.0, 0.0, 0.0
    if visited:
        n, selected = observed_count(operator, forest, tree, child), count(operator, forest, tree, child)
        weighted = n * value(operator, forest, tree, child)
    if playouts > 0.0:
        weight = playouts / (1.0 / rule.initial + playouts / rule.final)
        weighted += weight * (forest.columns[tree, child, first + 1] / playouts)
    return mean_of(weighted, n + weight) + math.sqrt(squared / (selected + 1.0))


# ------------------------------------------------------------------------------------------------------------ learning


@learner.implements(Rave)
def rave_learner(rule):
    return rule


@inlined
def play_first(tally, row, trace, half, player, move):
    """Note in a trace, the words of a tally's row from ``trace`` on, a move that came before all others in it."""
    word, bit = trace + (move >> 6), np.int64(1) << (move & 63)
    tally[row, word + half * player] |= bit
    tally[row, word + half * (1 - player)] &= ~bit


@inlined
def credit(forest, switches, tree, node, tally, row, trace, reward):
    """Add a playout of that reward to the moves of ``node`` that are in the set of cells that begins at ``trace``."""
    column = forest.columns.shape[2] - SUMS
    first = np.int64(forest.first_child[tree, node])
    for child in range(first, first + np.int64(forest.child_count[tree, node])):
        move = np.int64(forest.action[tree, child])
        if move < switches.cells and (tally[row, trace + (move >> 6)] >> (move & 63)) & 1 != 0:
            forest.columns[tree, child, column] += 1.0
            forest.columns[tree, child, column + 1] += reward


@learn.implements(Rave)
def rave_learn(rule, forest, switches, tree, path, movers, depth, tally, row):
    half = (switches.cells + 63) >> 6
    for number in range(switches.playouts):
        at = TALLY_COLUMNS + number * (1 + 2 * half)
        reward = 0.5 + tally[row, at] / (2.0 * SCORE_UNIT)
        for k in range(depth, -1, -1):
            player = np.int64(movers[k])
            if k < depth:
                move = np.int64(forest.action[tree, path[k + 1]])
                if move < switches.cells:
                    play_first(tally, row, at + 1, half, player, move)
            mine = reward if player == 0 else 1.0 - reward
            credit(forest, switches, tree, path[k], tally, row, at + 1 + half * player, mine)
