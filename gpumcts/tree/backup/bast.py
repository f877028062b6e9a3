"""Bounds on the best value below a node in smooth trees: Coquelin, Munos 2007, *Bandit Algorithms for Tree Search*."""

import math
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.jit import inlined
from gpumcts.tree.backup.contract import back_up, bound, flips, mean_over_observed, player_above, reward_for, value
from gpumcts.tree.deterministic_math import ln

SUM, UPPER, LOWER = 0, 1, 2


class Bast(NamedTuple):
    """The mean, and an upper and a lower bound of the value under best play; 40 bytes a node.

    delta, gamma : smoothness: a node at depth d differs from the mean of what lies below by at most ``delta gamma^d``
        (their exponential case); 1 and 1 suppose nothing
    nodes, risk : N and beta of the confidence ``c_n = sqrt(ln(2 N n (n + 1) / beta) / (2 n))``, n the node's own
        visits: with rewards in [0, 1] all bounds of N nodes hold at all times, but for a probability of beta
        (Hoeffding's inequality)

    Theirs is for one player: ``B = min(max over children of B, mean + c_n + delta_d)``, the maximum only where every
    move has been visited, and no smoothness where the game is over. For two players each node keeps the mirrored lower
    bound as well, ``max(max over children of their lower bounds, mean - c_n - delta_d)`` for whoever chooses there;
    where the mover changes, the lower bound of one is the upper bound of the other. Over chance, outcomes are no
    choice: the node's own mean bounds it. The value is the mean. Virtual loss leaves the bounds as they are, and with
    ``search.reuse`` a node keeps those of its depth in the earlier search until it is visited again.
    """

    delta: Annotated[float, Interval(ge=0, le=1e6)] = 1.0
    gamma: Annotated[float, Interval(gt=0, le=1)] = 0.9
    nodes: Annotated[float, Interval(ge=1, le=1e18)] = 1e6
    risk: Annotated[float, Interval(gt=1e-12, lt=1)] = 0.05

    COLUMNS = ("value_sum", "upper", "lower")
    EVALUATES = False


OPTION = Bast


@value.implements(Bast)
def bast_value(operator, forest, tree, node):
    return mean_over_observed(forest, tree, node, forest.columns[tree, node, SUM])


@bound.implements(Bast)
def bast_bound(operator, forest, tree, node):
    return forest.columns[tree, node, UPPER]


@inlined
def whole_power(base, exponent):
    """``base`` to a whole power, by squaring."""
    result = 1.0
    while exponent > 0:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


@inlined
def width_of(operator, forest, tree, node, depth):
    """``c_n + delta_d``: how far the best value of a node may lie from its mean."""
    n = float(forest.visits[tree, node])
    confidence = math.sqrt(ln(2.0 * operator.nodes / operator.risk * (n * (n + 1.0))) / (2.0 * n))
    if forest.move_count[tree, node] == 0:
        return confidence
    return confidence + operator.delta * whole_power(operator.gamma, depth)


@inlined
def bounds_of_children(forest, tree, node):
    """(upper, lower) bound of the best of the children for whoever chooses among them; infinite where there is none."""
    upper, lower = -np.inf, -np.inf
    first, count = np.int64(forest.first_child[tree, node]), np.int64(forest.child_count[tree, node])
    visited = np.int64(0)
    for child in range(first, first + count):
        if forest.visits[tree, child] > 0:
            visited += 1
            upper = max(upper, forest.columns[tree, child, UPPER])
            lower = max(lower, forest.columns[tree, child, LOWER])
    if visited < np.int64(forest.move_count[tree, node]):
        upper = np.inf
    return upper, lower


@back_up.implements(Bast)
def bast_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    for k in range(depth, -1, -1):
        node = path[k]
        forest.columns[tree, node, SUM] += reward_for(player_above(movers, k), reward, playouts)
        mean, width = value(operator, forest, tree, node), width_of(operator, forest, tree, node, k)
        upper, lower = mean + width, mean - width
        if forest.move_count[tree, node] > 0:
            above, below = bounds_of_children(forest, tree, node)
            if flips(movers, k):
                above, below = 1.0 - below, 1.0 - above
            upper, lower = min(upper, above), max(lower, below)
        forest.columns[tree, node, UPPER], forest.columns[tree, node, LOWER] = upper, lower
