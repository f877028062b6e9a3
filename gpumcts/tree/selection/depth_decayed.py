"""Kocsis and Szepesvári's bias that decays with depth: Kocsis et al. 2006, section 2.1, and Kocsis and Szepesvári 2006,
section 3.1."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.tree.backup.contract import count, value
from gpumcts.tree.deterministic_math import exp, ln_ln_of_count, ln_of_count
from gpumcts.tree.selection.contract import prepare, score


class DepthDecayed(NamedTuple):
    """``value + C (ln n(s) / n(s, a))^((D + d) / (2 D + d))``, d the depth of the node, D the plies expected after it.

    exploration : C; 1 is the documents' form, with rewards in [0, 1]
    length : D at the root; 0 asks the game for its own estimate (``remaining_plies``)
    """

    exploration: Annotated[float, Interval(ge=0, le=1e6)] = 1.0
    length: Annotated[float, Interval(ge=0, le=1e6)] = 0.0

    COUNTS = "exploration"


OPTION = DepthDecayed


@prepare.implements(DepthDecayed)
def depth_decayed_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    plies = rule.length if rule.length > 0 else forest.horizon[tree]
    after = max(plies - depth, 1.0)
    return ln_ln_of_count(total), (after + depth) / (2.0 * after + depth)


@score.implements(DepthDecayed)
def depth_decayed_score(rule, operator, forest, tree, child, prepared, stream):
    bias = exp(prepared[1] * (prepared[0] - ln_of_count(count(operator, forest, tree, child))))
    return value(operator, forest, tree, child) + rule.exploration * bias
