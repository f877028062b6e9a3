"""The simple rule with which Sensei's Library explains what UCT is for (Sensei's Library)."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.tree.backup.children import unproven
from gpumcts.tree.backup.contract import value
from gpumcts.tree.selection.contract import CHILD_DRAWS, NODE_DRAW, prepare, score, tries_unvisited, unit

BEST, ANY = 0.0, 1.0  # what is selected at a node


class BestOrRandom(NamedTuple):
    """The move of the highest value with probability ``share``, else any legal move, visited or not, each as likely.

    share : in [0, 1]; "50% of the time" in the document
    """

    share: Annotated[float, Interval(ge=0, le=1)] = 0.5

    DRAWS = True


OPTION = BestOrRandom


@tries_unvisited.implements(BestOrRandom)
def best_or_random_tries_unvisited(rule, stream, unvisited, moves):
    # One draw for both questions: beyond ``share`` it is uniform over what is left.
    return unit(stream, NODE_DRAW) >= 1.0 - (1.0 - rule.share) * (unvisited / moves)


@prepare.implements(BestOrRandom)
def best_or_random_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    if unit(stream, NODE_DRAW) >= rule.share:
        return ANY, 0.0
    best = -1.0
    first = np.int64(forest.first_child[tree, node])
    for child in range(first, first + forest.child_count[tree, node]):
        if unproven(forest, tree, child):
            best = max(best, value(operator, forest, tree, child))
    return BEST, best


@score.implements(BestOrRandom)
def best_or_random_score(rule, operator, forest, tree, child, prepared, stream):
    if prepared[0] == BEST:
        return 1.0 if value(operator, forest, tree, child) == prepared[1] else 0.0
    return unit(stream, CHILD_DRAWS + np.int64(forest.action[tree, child]))
