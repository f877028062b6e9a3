"""The Bandit Algorithm for Smooth Trees (Coquelin and Munos 2007), discussed by Hashimoto et al. 2012, section 3."""

from typing import NamedTuple

from gpumcts.tree.backup.contract import bound
from gpumcts.tree.selection.contract import prepare, score


class Bast(NamedTuple):
    """The child whose best value may be the highest: ``B = min(max over children of B, mean + confidence + delta_d)``.

    The bounds and their parameters are those of ``backup=bast``, which keeps them: they depend on the visits of a node
    and on its children's bounds, never on its parent's visits, so a visit changes them along its path alone.
    """

    NEEDS = "bound"


OPTION = Bast


@prepare.implements(Bast)
def bast_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    return 0.0, 0.0


@score.implements(Bast)
def bast_score(rule, operator, forest, tree, child, prepared, stream):
    return bound(operator, forest, tree, child)
