"""The minimax update: a node is worth its best visited child (Kocsis et al. 2006, section 2.4; MMMC; UCTMAX_H,
Hashimoto et al. 2012 section 3)."""

from typing import NamedTuple

from gpumcts.tree.backup.children import best_from_above, has_visited_child
from gpumcts.tree.backup.contract import back_up, own_playouts, player_above, reward_for, value

VALUE, OWN_SUM = 0, 1


class Minimax(NamedTuple):
    """Best visited child; a node without one is worth the mean of its own playouts. 32 bytes a node.

    Unvisited moves are ignored, as MMMC does (Kocsis and Szepesvári 2006, section 3.1).
    """

    COLUMNS = ("value", "own_sum")
    EVALUATES = False


OPTION = Minimax


@value.implements(Minimax)
def minimax_value(operator, forest, tree, node):
    return forest.columns[tree, node, VALUE]


@back_up.implements(Minimax)
def minimax_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    columns = forest.columns
    for k in range(depth, -1, -1):
        node = path[k]
        if k == depth:
            columns[tree, node, OWN_SUM] += reward_for(player_above(movers, k), reward, playouts)
        if has_visited_child(forest, tree, node):
            columns[tree, node, VALUE] = best_from_above(forest, tree, node, VALUE, movers, k)
        else:
            columns[tree, node, VALUE] = columns[tree, node, OWN_SUM] / own_playouts(forest, tree, node)
