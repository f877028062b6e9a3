"""Accelerated UCT with a decay that sets itself: an answer to what Hashimoto et al. 2012 leaves open (section 6)."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.jit import inlined
from gpumcts.tree.backup.accelerated import RATE, VELOCITY, revalue
from gpumcts.tree.backup.contract import (
    back_up,
    decayed_playouts,
    player_above,
    reward_for,
    turn_root,
    value,
    velocity,
)
from gpumcts.tree.forest import ROOT

SUM, RECENT = 4, 5  # after the columns of ``accelerated``
CLEARLY = 4.0  # squared: how many standard errors recent and old rewards may lie apart by chance


class AcceleratedAdaptive(NamedTuple):
    """``accelerated`` with a decay at each visit: 1 less the sum of three rates of forgetting; 64 bytes a node.

    share, least : by visits: 1 / (least + share n), n being the visits of the position: it remembers the last ``share``
        of them, and ``least`` more. A share of 0 forgets nothing by visits
    disagreement, window : by what the position has come to: ``disagreement`` / window times the part of
        (recent mean - mean)^2 of its rewards that chance does not explain (beyond two standard errors); the recent mean
        is one of exponential weights over ``window`` visits. So a position forgets while its worth moves, and not while
        it stands. 0 is off
    root, growth : by depth: ``root`` growth^depth, the deeper the sooner, as deep positions have fewer visits. 0 is off

    Hashimoto et al. 2012 has one decay for all positions of a search, the best found by hand for a game and a budget,
    and says that it should rather follow from the tree. With all three off this is UCT.
    """

    share: Annotated[float, Interval(ge=0, le=1000)] = 0.1
    least: Annotated[float, Interval(ge=1, le=1e9)] = 100.0
    disagreement: Annotated[float, Interval(ge=0, le=1000)] = 0.0
    window: Annotated[float, Interval(ge=2, le=1e9)] = 200.0
    root: Annotated[float, Interval(ge=0, le=1)] = 0.0
    growth: Annotated[float, Interval(ge=1, le=1000)] = 2.0

    COLUMNS = ("rate", "velocity", "own_sum", "own_velocity", "value_sum", "recent_mean")
    EVALUATES = False


OPTION = AcceleratedAdaptive


@value.implements(AcceleratedAdaptive)
def adaptive_value(operator, forest, tree, node):
    return forest.columns[tree, node, RATE]


@velocity.implements(AcceleratedAdaptive)
def adaptive_velocity(operator, forest, tree, node):
    return forest.columns[tree, node, VELOCITY]


@turn_root.implements(AcceleratedAdaptive)
def adaptive_turn_root(operator, forest, tree):
    columns = forest.columns[tree, ROOT]
    columns[SUM], columns[RECENT] = forest.visits[tree, ROOT] - columns[SUM], 1.0 - columns[RECENT]


@inlined
def moved(operator, mean, recent):
    """The share of (recent - mean)^2, in [0, 1), that is more than chance."""
    apart = (recent - mean) * (recent - mean)
    # the variance of a mean of exponential weights is half of that of a plain one over as many visits
    chance = CLEARLY * (mean * (1.0 - mean) / (2.0 * operator.window))
    return (apart - chance) / apart if apart > chance else 0.0


@inlined
def by_depth(operator, k):
    """The forgetting of positions k plies below the root."""
    forgetting = operator.root
    if forgetting > 0.0:
        for _ in range(k):
            forgetting *= operator.growth
    return forgetting


@back_up.implements(AcceleratedAdaptive)
def adaptive_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    columns = forest.columns
    for k in range(depth, -1, -1):
        node, visits = path[k], float(forest.visits[tree, path[k]])
        won = reward_for(player_above(movers, k), reward, playouts)
        columns[tree, node, SUM] += won
        step = min(playouts / min(visits, operator.window), 1.0)
        columns[tree, node, RECENT] += step * (won / playouts - columns[tree, node, RECENT])
        forgetting = by_depth(operator, k)
        if operator.disagreement > 0.0:
            share = moved(operator, columns[tree, node, SUM] / visits, columns[tree, node, RECENT])
            forgetting += operator.disagreement / operator.window * share
        if operator.share > 0.0:
            forgetting += 1.0 / (operator.least + operator.share * visits)
        fading, grown = decayed_playouts(1.0 - min(forgetting, 1.0), playouts)
        revalue(forest, tree, path, movers, k, depth, reward, playouts, fading, grown)
