"""The mean of playouts with the evaluation as a prior (Ramanujan et al. 2010, section 4; in Go Gelly, Silver 2007)."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.tree.backup.contract import (
    back_up_at,
    count,
    observed,
    observed_count,
    player_above,
    reward_for,
    total_count,
    value,
)

SUM, PRIOR = 0, 1


class HeuristicPrior(NamedTuple):
    """A node starts with its rescaled evaluation as the mean of ``equivalent_visits`` never made; 32 bytes a node.

    equivalent_visits : how many playouts the evaluation is worth
    """

    equivalent_visits: Annotated[float, Interval(gt=0, le=1e6)] = 10.0

    COLUMNS = ("value_sum", "prior")
    EVALUATES = True


OPTION = HeuristicPrior


@value.implements(HeuristicPrior)
def heuristic_prior_value(operator, forest, tree, node):
    prior_sum = operator.equivalent_visits * forest.columns[tree, node, PRIOR]
    return (forest.columns[tree, node, SUM] + prior_sum) / observed_count(operator, forest, tree, node)


@count.implements(HeuristicPrior)
def heuristic_prior_count(operator, forest, tree, node):
    return forest.visits[tree, node] + operator.equivalent_visits


@observed_count.implements(HeuristicPrior)
def heuristic_prior_observed_count(operator, forest, tree, node):
    return observed(forest, tree, node) + operator.equivalent_visits


@total_count.implements(HeuristicPrior)
def heuristic_prior_total_count(operator, forest, tree, node):
    return forest.visits[tree, node] + operator.equivalent_visits


@back_up_at.implements(HeuristicPrior)
def heuristic_prior_back_up_at(operator, forest, tree, path, movers, k, depth, reward, playouts, evaluation):
    columns, node = forest.columns, path[k]
    if k == depth and forest.visits[tree, node] == playouts:  # its first visit
        columns[tree, node, PRIOR] = reward_for(player_above(movers, k), evaluation, 1.0)
    columns[tree, node, SUM] += reward_for(player_above(movers, k), reward, playouts)
