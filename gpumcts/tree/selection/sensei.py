"""The formula of Sensei's Library (Sensei's Library, UCTSelect)."""

import math
from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.tree.backup.contract import count, value
from gpumcts.tree.deterministic_math import inverse_root, ln_of_count
from gpumcts.tree.selection.contract import child_weight, node_factor, prepare, score


class Sensei(NamedTuple):
    """``winrate + UCTK sqrt(ln(parent.visits) / (5 child.visits))``, rewards in [0, 1].

    uctk : UCTK, 1 in the document; larger searches more evenly
    """

    uctk: Annotated[float, Interval(ge=0, le=1e6)] = 1.0

    COUNTS = "uctk"


OPTION = Sensei


@prepare.implements(Sensei)
def sensei_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    return rule.uctk * rule.uctk * ln_of_count(total) / 5.0, 0.0


@score.implements(Sensei)
def sensei_score(rule, operator, forest, tree, child, prepared, stream):
    return value(operator, forest, tree, child) + math.sqrt(prepared[0] / count(operator, forest, tree, child))


@node_factor.implements(Sensei)
def sensei_factor(rule, prepared):
    return math.sqrt(prepared[0])


@child_weight.implements(Sensei)
def sensei_weight(rule, operator, forest, tree, child):
    return inverse_root(count(operator, forest, tree, child))
