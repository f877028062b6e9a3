"""Epsilon-greedy selection with rounds: Ramanujan et al. 2010, section 6.2, the model of UCT for scenarios A and B."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.tree.backup.children import unproven
from gpumcts.tree.backup.contract import count, owed, value
from gpumcts.tree.selection.contract import CHILD_DRAWS, NODE_DRAW, prepare, score, unit

ROUND, BEST, OTHERS = 0.0, 1.0, 2.0  # what is selected at a node


class EpsilonGreedy(NamedTuple):
    """The best move with probability ``1 - epsilon``, else one of the others, once a round has told which is best.

    epsilon : in [0, 1]; Ramanujan et al. 2010 keeps it fixed (Fig. 6: 0.542 is best in its unlucky case)

    A round visits every move once. The first is that of the unvisited moves; "rounds similar to the first round are
    repeated (i.e., all children explored in each round) until ties are broken", and again wherever a tie for the best
    comes back. The others are the moves of lower values, each as likely as the next (the document has two moves, and so
    one other). Which moves a round still owes a visit is kept by the backup operator (``average_rounds``).
    """

    epsilon: Annotated[float, Interval(ge=0, le=1)] = 0.1

    NEEDS = "owed"
    DRAWS = True


OPTION = EpsilonGreedy


@prepare.implements(EpsilonGreedy)
def epsilon_greedy_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    best, waiting = -1.0, False
    first = np.int64(forest.first_child[tree, node])
    for child in range(first, first + forest.child_count[tree, node]):
        if unproven(forest, tree, child):
            best = max(best, value(operator, forest, tree, child))
            waiting |= owed(operator, forest, tree, child)
    if waiting:
        return ROUND, best
    return (OTHERS if unit(stream, NODE_DRAW) < rule.epsilon else BEST), best


@score.implements(EpsilonGreedy)
def epsilon_greedy_score(rule, operator, forest, tree, child, prepared, stream):
    if prepared[0] == ROUND:  # with several leaves on their way, those without one come first
        return 1.0 / count(operator, forest, tree, child) if owed(operator, forest, tree, child) else 0.0
    is_best = value(operator, forest, tree, child) == prepared[1]
    if prepared[0] == BEST:
        return 1.0 if is_best else 0.0
    return -1.0 if is_best else unit(stream, CHILD_DRAWS + np.int64(forest.action[tree, child]))
