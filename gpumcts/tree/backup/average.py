"""The mean of all playouts through a node: UCT's own backup operator (documents 000 to 004)."""

from typing import NamedTuple

from gpumcts.tree.backup.contract import back_up, player_above, reward_for, value

SUM = 0


class Average(NamedTuple):
    """Mean value; 24 bytes a node."""

    COLUMNS = ("value_sum",)
    EVALUATES = False


OPTION = Average


@value.implements(Average)
def average_value(operator, forest, tree, node):
    return forest.columns[tree, node, SUM] / forest.visits[tree, node]


@back_up.implements(Average)
def average_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    for k in range(depth, -1, -1):
        forest.columns[tree, path[k], SUM] += reward_for(player_above(movers, k), reward, playouts)
