"""Coulom's Max: the best child, once a node has been visited often enough (Coulom 2006, cited by Hashimoto et al. 2012,
section 3)."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.tree.backup.children import best_from_above, has_visited_child
from gpumcts.tree.backup.contract import back_up, player_above, reward_for, value

VALUE, SUM = 0, 1


class Max(NamedTuple):
    """The best visited child's value in nodes of at least ``from_visits`` visits, in others the mean; 32 bytes a node.

    from_visits : Coulom's external nodes become internal at as many visits as the board has points, 81 on 9x9 Go
    """

    from_visits: Annotated[int, Interval(ge=0, le=2_000_000_000)] = 81

    COLUMNS = ("value", "value_sum")
    EVALUATES = False


OPTION = Max


@value.implements(Max)
def max_value(operator, forest, tree, node):
    return forest.columns[tree, node, VALUE]


@back_up.implements(Max)
def max_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    columns, visits = forest.columns, forest.visits
    for k in range(depth, -1, -1):
        node = path[k]
        columns[tree, node, SUM] += reward_for(player_above(movers, k), reward, playouts)
        if visits[tree, node] >= operator.from_visits and has_visited_child(forest, tree, node):
            columns[tree, node, VALUE] = best_from_above(forest, tree, node, VALUE, movers, k)
        else:
            columns[tree, node, VALUE] = columns[tree, node, SUM] / visits[tree, node]
