"""The mean of all playouts, and the rounds of Ramanujan et al. 2010, section 6.2, for epsilon-greedy selection."""

from typing import NamedTuple

import numpy as np

from gpumcts.jit import inlined
from gpumcts.tree.backup.children import unproven
from gpumcts.tree.backup.contract import back_up, mean_over_observed, owed, player_above, reward_for, value

SUM, OWED = 0, 1


class AverageRounds(NamedTuple):
    """Mean value, and whether the round of the parent still owes the move a visit; 32 bytes a node.

    Where every move of a position has been visited, none is owed a visit, and several share the highest value, a round
    begins: each move is owed one visit. A visit counts for the round in which it is backed up. Proven moves are in no
    round.
    """

    COLUMNS = ("value_sum", "owed")
    EVALUATES = False


OPTION = AverageRounds


@value.implements(AverageRounds)
def average_rounds_value(operator, forest, tree, node):
    return mean_over_observed(forest, tree, node, forest.columns[tree, node, SUM])


@owed.implements(AverageRounds)
def average_rounds_owed(operator, forest, tree, node):
    return forest.columns[tree, node, OWED] != 0.0


@inlined
def begins_round(operator, forest, tree, node):
    """Whether the last round is over and has left a tie for the best."""
    count = np.int64(forest.child_count[tree, node])
    if count < 2 or count != np.int64(forest.move_count[tree, node]):
        return False
    best, sharing = -1.0, 0
    first = np.int64(forest.first_child[tree, node])
    for child in range(first, first + count):
        if forest.visits[tree, child] == 0:
            return False
        if unproven(forest, tree, child):
            if forest.columns[tree, child, OWED] != 0.0:
                return False
            worth = value(operator, forest, tree, child)
            sharing = 1 if worth > best else sharing + (worth == best)
            best = max(best, worth)
    return sharing > 1


@back_up.implements(AverageRounds)
def average_rounds_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    for k in range(depth, -1, -1):
        node = path[k]
        forest.columns[tree, node, SUM] += reward_for(player_above(movers, k), reward, playouts)
        if k < depth:
            forest.columns[tree, path[k + 1], OWED] = 0.0
            if begins_round(operator, forest, tree, node):
                first = np.int64(forest.first_child[tree, node])
                for child in range(first, first + forest.child_count[tree, node]):
                    forest.columns[tree, child, OWED] = 1.0
