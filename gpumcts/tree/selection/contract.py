"""What a selection rule is: two verbs. It reads the tree only through ``value``, ``count`` and ``total_count`` of the operator.

A sum of a value and a bias is written as ``value + sqrt(...)``, never as ``value + C * ...``: a product that feeds an addition
is fused on some targets and not on others, and the last bit decides ties.
"""

from gpumcts.verbs import verb


@verb("rule")
def prepare(rule, total, depth, horizon):
    """What the scores of all children of a node share: two float64.

    total : n(s), float64 > 0; depth : of the node below the root; horizon : estimated plies from the root to the end
    """


@verb("rule")
def score(rule, operator, forest, tree, child, prepared):
    """The score of a visited child, float64; the child of the highest score is selected."""
