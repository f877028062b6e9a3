"""UCB1 (Auer, Cesa-Bianchi, Fischer 2002) as UCT uses it: Hashimoto et al. 2012, eq. 1; Kocsis et al. 2006, eq. 1 and
2; Ramanujan et al. 2010; and as Fuego does."""

import math
from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.tree.backup.contract import count, value
from gpumcts.tree.deterministic_math import inverse_root, ln_of_count
from gpumcts.tree.selection.contract import child_weight, node_factor, prepare, score


class Ucb1(NamedTuple):
    """``value + C sqrt(ln n(s) / (n(s, a) + extra_visits))``.

    exploration : C. 1.0 in Hashimoto et al. 2012, sqrt 2 is eq. 2 of Kocsis et al. 2006 and Kocsis and Szepesvári 2006
        (both with rewards in [0, 1]); 0.4 in Ramanujan et al. 2010 (rewards in [-1, 1])
    lowest_reward : 0 where C is meant for rewards in [0, 1], -1 for [-1, 1]: then values and bias are both halved
    extra_visits : 0 in the documents' formulas; 1 is Fuego's (``SgUctSearch``), where a move without visits has a bias
        as well, so that with its urgency of 1 for the value each is tried once first, as
        ``search.first_play_urgency=inf`` does
    """

    exploration: Annotated[float, Interval(ge=0, le=1e6)] = 1.0
    lowest_reward: Annotated[int, Interval(ge=-1, le=0)] = 0
    extra_visits: Annotated[int, Interval(ge=0, le=1)] = 0

    COUNTS = "exploration"


OPTION = Ucb1


@prepare.implements(Ucb1)
def ucb1_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    constant = rule.exploration / (1 - rule.lowest_reward)
    return constant * constant * ln_of_count(total), float(rule.extra_visits)


@score.implements(Ucb1)
def ucb1_score(rule, operator, forest, tree, child, prepared, stream):
    visits = count(operator, forest, tree, child) + prepared[1]
    return value(operator, forest, tree, child) + math.sqrt(prepared[0] / visits)


@node_factor.implements(Ucb1)
def ucb1_factor(rule, prepared):
    return math.sqrt(prepared[0])


@child_weight.implements(Ucb1)
def ucb1_weight(rule, operator, forest, tree, child):
    return inverse_root(count(operator, forest, tree, child) + rule.extra_visits)
