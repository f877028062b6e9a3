"""The power mean of the children's values.

Dam, Klink, D'Eramo, Peters, Pajarinen 2020, *Generalized mean estimation in Monte-Carlo tree search*.
"""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.games.contract import CHANCE
from gpumcts.tree.backup.children import seen_from_above
from gpumcts.tree.backup.contract import back_up, own_playouts, player_above, reward_for, value
from gpumcts.tree.deterministic_math import power

VALUE, OWN_SUM = 0, 1


class PowerMean(NamedTuple):
    """``V(s) = (sum_a n(a)/n Q(a)^p)^(1/p)``, Q in [0, 1] for the player who chooses; 32 bytes a node.

    exponent : p in [1, 100]; 1 is the mean, infinity would be the maximum. Beyond 100 the power of a quality that is
        not small would be 0

    The playouts made before a node had children count as one more child, as they do in the mean; chance takes the mean.
    """

    exponent: Annotated[float, Interval(ge=1, le=100)] = 2.0

    COLUMNS = ("value", "own_sum")
    EVALUATES = False


OPTION = PowerMean


@value.implements(PowerMean)
def power_mean_value(operator, forest, tree, node):
    return forest.columns[tree, node, VALUE]


@back_up.implements(PowerMean)
def power_mean_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    columns = forest.columns
    for k in range(depth, -1, -1):
        node = path[k]
        exponent = 1.0 if movers[k] == CHANCE else operator.exponent
        if k == depth:
            columns[tree, node, OWN_SUM] += reward_for(player_above(movers, k), reward, playouts)
        own = own_playouts(forest, tree, node)
        weighted = 0.0
        if own > 0:
            mean = seen_from_above(movers, k, columns[tree, node, OWN_SUM] / own)
            weighted += own * (mean if exponent == 1.0 else power(mean, exponent))
        first = forest.first_child[tree, node]
        for child in range(first, first + forest.child_count[tree, node]):
            quality = columns[tree, child, VALUE]
            weighted += forest.visits[tree, child] * (quality if exponent == 1.0 else power(quality, exponent))
        mean = weighted / forest.visits[tree, node]
        for_mover = mean if exponent == 1.0 else min(power(mean, 1.0 / exponent), 1.0)
        columns[tree, node, VALUE] = seen_from_above(movers, k, for_mover)
