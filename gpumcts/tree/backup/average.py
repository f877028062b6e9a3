"""The mean of all playouts through a node: UCT's own backup operator (all five papers)."""

from typing import NamedTuple

from gpumcts.tree.backup.contract import back_up_at, mean_over_observed, player_above, reward_for, value

SUM = 0


class Average(NamedTuple):
    """Mean value; 24 bytes a node."""

    COLUMNS = ("value_sum",)
    EVALUATES = False


OPTION = Average


@value.implements(Average)
def average_value(operator, forest, tree, node):
    return mean_over_observed(forest, tree, node, forest.columns[tree, node, SUM])


@back_up_at.implements(Average)
def average_back_up_at(operator, forest, tree, path, movers, k, depth, reward, playouts, evaluation):
    forest.columns[tree, path[k], SUM] += reward_for(player_above(movers, k), reward, playouts)
