"""Implicit minimax backups (Lanctot, Winands, Pepels, Sturtevant 2014): a mean of playouts beside a minimax value."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.tree.backup.children import best_from_above, has_visited_child
from gpumcts.tree.backup.contract import back_up, mean_over_observed, player_above, reward_for, value

SUM, HEURISTIC = 0, 1


class ImplicitMinimax(NamedTuple):
    """``(1 - a) mean + a v``, v the minimax of the leaves' rescaled evaluations over the tree; 32 bytes a node.

    alpha : a in [0, 1]; 0.2 to 0.4 is what its authors found good
    """

    alpha: Annotated[float, Interval(ge=0, le=1)] = 0.3

    COLUMNS = ("value_sum", "heuristic")
    EVALUATES = True


OPTION = ImplicitMinimax


@value.implements(ImplicitMinimax)
def implicit_minimax_value(operator, forest, tree, node):
    mean = mean_over_observed(forest, tree, node, forest.columns[tree, node, SUM])
    return (1.0 - operator.alpha) * mean + operator.alpha * forest.columns[tree, node, HEURISTIC]


@back_up.implements(ImplicitMinimax)
def implicit_minimax_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    columns = forest.columns
    for k in range(depth, -1, -1):
        node = path[k]
        player = player_above(movers, k)
        columns[tree, node, SUM] += reward_for(player, reward, playouts)
        if has_visited_child(forest, tree, node):
            columns[tree, node, HEURISTIC] = best_from_above(forest, tree, node, HEURISTIC, movers, k)
        elif k == depth:
            columns[tree, node, HEURISTIC] = reward_for(player, evaluation, 1.0)
