"""Coulom's Mix: robust max and mean, combined linearly (Coulom 2006, cited by Hashimoto et al. 2012, section 3)."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.games.contract import CHANCE
from gpumcts.tree.backup.children import has_visited_child, most_visited, seen_from_above
from gpumcts.tree.backup.contract import back_up, player_above, reward_for, value

VALUE, SUM = 0, 1


class Mix(NamedTuple):
    """``(n r + W m) / (n + W)``: the most visited child's value r at its n visits, the node's mean m at weight W.

    32 bytes a node.

    mean_weight : W; Coulom's is twice the points of the board, 162 on 9x9 Go
    growth_from : visits from which W grows in proportion; Coulom's is 16 times the points, 1296; 0 keeps W constant

    Coulom's further rule for a second move that has overtaken the first is left out: Hashimoto et al. 2012 speaks of
    the linear combination alone.
    """

    mean_weight: Annotated[float, Interval(ge=0, le=1e9)] = 162.0
    growth_from: Annotated[int, Interval(ge=0, le=2_000_000_000)] = 1296

    COLUMNS = ("value", "value_sum")
    EVALUATES = False


OPTION = Mix


@value.implements(Mix)
def mix_value(operator, forest, tree, node):
    return forest.columns[tree, node, VALUE]


@back_up.implements(Mix)
def mix_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    columns = forest.columns
    for k in range(depth, -1, -1):
        node = path[k]
        columns[tree, node, SUM] += reward_for(player_above(movers, k), reward, playouts)
        visits = forest.visits[tree, node]
        mean = columns[tree, node, SUM] / visits
        if movers[k] == CHANCE or not has_visited_child(forest, tree, node):
            columns[tree, node, VALUE] = mean
            continue
        weight = operator.mean_weight
        if operator.growth_from > 0 and visits > operator.growth_from:
            weight = weight * visits / operator.growth_from
        chosen = most_visited(forest, tree, node, VALUE)
        robust = seen_from_above(movers, k, columns[tree, chosen, VALUE])
        n = float(forest.visits[tree, chosen])
        columns[tree, node, VALUE] = (n * robust + weight * mean) / (n + weight)
