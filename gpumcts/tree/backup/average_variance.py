"""The mean of all playouts and their variance, for UCB1-Tuned (Auer, Cesa-Bianchi, Fischer 2002; Hashimoto et al. 2012,
note 5)."""

from typing import NamedTuple

from gpumcts.tree.backup.contract import back_up_at, mean_over_observed, player_above, reward_for, value, variance

SUM, SQUARES = 0, 1


class AverageVariance(NamedTuple):
    """Mean value, and the mean square of the rewards; 32 bytes a node.

    With ``playouts_per_leaf`` P > 1 only the sum of a leaf's rewards is known: its mean counts as P observations of
    that mean, so the variance is that of means of P playouts, not of single ones. Virtual loss counts as rewards of 0,
    as in the mean.
    """

    COLUMNS = ("value_sum", "square_sum")
    EVALUATES = False


OPTION = AverageVariance


@value.implements(AverageVariance)
def average_variance_value(operator, forest, tree, node):
    return mean_over_observed(forest, tree, node, forest.columns[tree, node, SUM])


@variance.implements(AverageVariance)
def average_variance_variance(operator, forest, tree, node):
    mean = mean_over_observed(forest, tree, node, forest.columns[tree, node, SUM])
    return max(mean_over_observed(forest, tree, node, forest.columns[tree, node, SQUARES]) - mean * mean, 0.0)


@back_up_at.implements(AverageVariance)
def average_variance_back_up_at(operator, forest, tree, path, movers, k, depth, reward, playouts, evaluation):
    seen = reward_for(player_above(movers, k), reward, playouts)
    forest.columns[tree, path[k], SUM] += seen
    forest.columns[tree, path[k], SQUARES] += seen * seen / playouts
