"""UCB1-Tuned (Auer, Cesa-Bianchi, Fischer 2002, section 4), which Hashimoto et al. 2012 names (note 5) as Kocsis and
Szepesvari's."""

import math
from typing import NamedTuple

from gpumcts.tree.backup.contract import count, value, variance
from gpumcts.tree.deterministic_math import ln_of_count
from gpumcts.tree.selection.contract import prepare, score


class Ucb1Tuned(NamedTuple):
    """``value + sqrt(ln n(s) / n(s, a) min(1/4, V))``, ``V = variance + sqrt(2 ln n(s) / n(s, a))``, rewards in [0, 1].

    1/4 is the largest variance of a reward in [0, 1]. The variance is that of the move's rewards, which the backup
    operator keeps (``average_variance``).
    """

    NEEDS = "variance"
    COUNTS = ""


OPTION = Ucb1Tuned


@prepare.implements(Ucb1Tuned)
def ucb1_tuned_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    return ln_of_count(total), 0.0


@score.implements(Ucb1Tuned)
def ucb1_tuned_score(rule, operator, forest, tree, child, prepared, stream):
    ratio = prepared[0] / count(operator, forest, tree, child)
    spread = min(0.25, variance(operator, forest, tree, child) + math.sqrt(2.0 * ratio))
    return value(operator, forest, tree, child) + math.sqrt(ratio * spread)
