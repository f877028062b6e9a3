"""Estimates of scores lie near enough to them that the children scored exactly have the highest among them."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.gomoku import Gomoku
from gpumcts.options import compiled
from gpumcts.tree.forest import ROOT, Layout, zeroed_forest
from gpumcts.tree.iteration.best_child import MANY
from gpumcts.tree.iteration.estimates import ESTIMATES, SLACK, has_parts, span_near_highest
from gpumcts.tree.selection.contract import child_weight, node_factor, prepare, score
from gpumcts.tree.selection.depth_decayed import DepthDecayed
from gpumcts.tree.selection.rave import Rave
from gpumcts.tree.selection.sensei import Sensei
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.tree.drivers import assert_like_reference, operator_of, searcher_of

RULES = [Ucb1(0.3), Ucb1(1.0, lowest_reward=-1), Ucb1(0.4, extra_visits=1), Ucb1(0.0), Sensei(1.0)]
SWITCHES = Settings(leaves_per_tree=8).compiled(evaluate_leaves=False)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_estimates_lie_within_the_slack_of_scores(rule):
    rng, operator = np.random.default_rng(1), operator_of("average")
    forest = zeroed_forest(1, 200, Layout(1))
    forest.visits[0, 1:] = rng.integers(1, 1 << rng.integers(1, 25, 199))
    forest.visits[0, ROOT] = forest.visits[0, 1:].sum()
    forest.columns[0, :, 0] = forest.visits[0] * rng.random(200)
    total = float(forest.visits[0, ROOT])
    prepared = prepare(rule, operator, forest, SWITCHES, 0, ROOT, total, 0, np.uint64(1))
    for child in range(1, 200):
        exact = score(rule, operator, forest, 0, child, prepared, np.uint64(1))
        mean = forest.columns[0, child, 0] / forest.visits[0, child]
        estimate = mean + node_factor(rule, prepared) * child_weight(rule, operator, forest, 0, child)
        assert abs(estimate - exact) < SLACK / 4 * (1.0 + exact)


@pytest.mark.parametrize(
    ("values", "best", "span"),
    [
        ([0.1, 0.7, 0.2, 0.7, 0.0], -np.inf, (1, 4)),
        ([0.1, 0.7 - SLACK / 4, 0.2, 0.7], -np.inf, (1, 4)),  # the exact score may be the higher one
        ([0.1, 0.7 - 1e-9, 0.2, 0.7], -np.inf, (3, 4)),
        ([-np.inf, 0.0, -np.inf], -np.inf, (1, 2)),  # proven children
        ([-np.inf, -np.inf], -np.inf, (0, 2)),
        ([-0.7, -0.1, -0.4], -np.inf, (1, 2)),  # of an operator whose values are no rates
        ([0.1, np.nan, 0.2], 0.5, (0, 3)),  # exact scores decide
        ([0.1, np.inf, np.inf], 0.5, (0, 3)),
        ([0.0, 0.0], -np.inf, (0, 2)),
        ([0.1, 0.7, 0.2], 0.7 + SLACK / 4, (1, 2)),  # one that was found before may be no higher
        ([0.1, 0.7, 0.2], 0.7 + 1e-9, (0, 0)),
    ],
)
def test_all_that_may_have_the_highest_score_are_looked_at(values, best, span):
    low, high, least = span_near_highest(np.array(values), len(values), np.float64(best))
    assert (low, high) == span
    assert high == 0 or (values[low] >= least <= values[high - 1])


def test_rules_say_whether_their_scores_have_parts():
    assert has_parts(Ucb1) and has_parts(Sensei)
    assert not has_parts(Rave) and not has_parts(DepthDecayed)


def test_a_rule_with_a_score_of_its_own_has_not_the_parts_of_the_rule_it_is_made_from():
    class Own(Ucb1):
        pass

    assert has_parts(Own)

    @score.implements(Own)
    def own_score(rule, operator, forest, tree, child, prepared, stream):
        return 1.0

    assert not has_parts(Own)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, marks=pytest.mark.slow),
        {"ties": "first", "solve": True},
        pytest.param({"leaves_per_tree": 8}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_trees_of_many_children_are_those_of_the_reference(more):
    game = compiled(Gomoku(size=9))
    searcher = searcher_of(operator_of("average"), Settings(**more), game, Ucb1(0.2))
    assert_like_reference(searcher, [contract.start(game)], 1_500)


@pytest.mark.slow  # a board of its own to compile
def test_more_children_than_are_estimated_at_once():
    """169 children of the root, all of which are visited: a whole block and a part of the next."""
    game = compiled(Gomoku(size=13))
    assert MANY < ESTIMATES < 169
    searcher = searcher_of(operator_of("average"), Settings(), game, Ucb1(0.2))
    assert_like_reference(searcher, [contract.start(game)], 600)
