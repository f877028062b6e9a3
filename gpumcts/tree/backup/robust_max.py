"""Coulom's robust max: the value of the most visited child (Coulom 2006, cited by Hashimoto et al. 2012, section 3)."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.games.contract import CHANCE
from gpumcts.tree.backup.children import has_visited_child, mean_over_chance, most_visited, seen_from_above
from gpumcts.tree.backup.contract import back_up, player_above, reward_for, value

VALUE, SUM = 0, 1


class RobustMax(NamedTuple):
    """The most visited child's value in nodes of at least ``from_visits`` visits, in others the mean; 32 bytes a node.

    from_visits : Coulom's external nodes become internal at as many visits as the board has points, 81 on 9x9 Go
    """

    from_visits: Annotated[int, Interval(ge=0, le=2_000_000_000)] = 81

    COLUMNS = ("value", "value_sum")
    EVALUATES = False


OPTION = RobustMax


@value.implements(RobustMax)
def robust_max_value(operator, forest, tree, node):
    return forest.columns[tree, node, VALUE]


@back_up.implements(RobustMax)
def robust_max_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    columns, visits = forest.columns, forest.visits
    for k in range(depth, -1, -1):
        node = path[k]
        columns[tree, node, SUM] += reward_for(player_above(movers, k), reward, playouts)
        if visits[tree, node] < operator.from_visits or not has_visited_child(forest, tree, node):
            columns[tree, node, VALUE] = columns[tree, node, SUM] / visits[tree, node]
        elif movers[k] == CHANCE:
            columns[tree, node, VALUE] = seen_from_above(movers, k, mean_over_chance(forest, tree, node, VALUE))
        else:
            chosen = most_visited(forest, tree, node, VALUE)
            columns[tree, node, VALUE] = seen_from_above(movers, k, columns[tree, chosen, VALUE])
