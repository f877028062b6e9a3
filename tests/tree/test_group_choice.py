"""Rows of a group choose among many children by estimates, and their choices are those by exact scores.

However a row finds its group below, groups are the same.
"""

from itertools import product

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.gomoku import Gomoku
from gpumcts.options import compiled
from gpumcts.tree.batch import CHOICE, NEXT, SIBLING, STAYS, begin_group, empty_batch, join_group
from gpumcts.tree.expand import part, part_by_table
from gpumcts.tree.forest import NO_NODE, ROOT, Layout, zeroed_forest
from gpumcts.tree.group_choice import MIN_CHILDREN, SLACK, has_parts, span_near_highest
from gpumcts.tree.selection.contract import child_weight, node_factor, prepare, score
from gpumcts.tree.selection.depth_decayed import DepthDecayed
from gpumcts.tree.selection.rave import Rave
from gpumcts.tree.selection.sensei import Sensei
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.tree.drivers import OTHELLO, assert_like_reference, operator_of, searcher_of

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
    ("values", "span"),
    [
        ([0.1, 0.7, 0.2, 0.7, 0.0], (1, 4)),
        ([0.1, 0.7 - SLACK / 4, 0.2, 0.7], (1, 4)),  # the exact score may be the higher one
        ([0.1, 0.7 - 1e-9, 0.2, 0.7], (3, 4)),
        ([-np.inf, 0.0, -np.inf], (1, 2)),  # proven children
        ([-np.inf, -np.inf], (0, 2)),
        ([0.0, 0.0], (0, 2)),
    ],
)
def test_all_that_may_have_the_highest_score_are_looked_at(values, span):
    low, high, least = span_near_highest(np.array(values), np.zeros(len(values)), len(values), np.float64(1.0))
    assert (low, high) == span
    assert values[low] >= least <= values[high - 1]


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


LARGE = list(product((RULES[0], RULES[4]), ("average", "accelerated", "discounted", "max")))
QUICK_LARGE = {(RULES[4], "accelerated")}  # an operator with weights; the test below has another rule over means


@pytest.mark.parametrize(
    ("rule", "operator"),
    [pytest.param(*case, marks=[] if case in QUICK_LARGE else [pytest.mark.slow]) for case in LARGE],
    ids=str,
)
def test_large_groups_choose_as_the_reference_does(rule, operator):
    """The root has 81 children, all of which have been tried after three batches."""
    game = compiled(Gomoku(size=9))
    assert MIN_CHILDREN < 81
    searcher = searcher_of(operator_of(operator), Settings(leaves_per_tree=32), game, rule)
    assert_like_reference(searcher, [contract.start(game)], 600)


@pytest.mark.parametrize(
    "more",
    [{"ties": "first"}, {"solve": True}, {"in_flight": "unobserved"}, {"parent_count": "children"}],
    ids=str,
)
def test_large_groups_choose_as_the_reference_does_with(more):
    game = compiled(Gomoku(size=9))
    searcher = searcher_of(operator_of("average"), Settings(leaves_per_tree=32, **more), game, Ucb1(0.3))
    assert_like_reference(searcher, [contract.start(game)], 600)


@pytest.mark.parametrize("parting", [part, part_by_table])
def test_rows_part_by_their_choices_in_row_order(parting):
    choices = [5, 2, 5, 0, 3, 2, STAYS, 5]
    batch = empty_batch(len(choices), OTHELLO.WORDS, 4, 4)
    forest = zeroed_forest(1, 10, Layout(1))
    forest.first_child[0, ROOT], forest.child_count[0, ROOT] = 1, 6
    begin_group(batch, 0, 0)
    for row in range(1, len(choices)):
        join_group(batch, 0, row)
    batch.links[:, CHOICE] = choices
    group, found = parting(OTHELLO, contract.start(OTHELLO), forest, SWITCHES, 0, 0, batch), {}
    while group != NO_NODE:
        row, rows = group, []
        while row != NO_NODE:
            rows.append(int(row))
            row = np.int64(batch.links[row, NEXT])
        found[int(batch.links[group, CHOICE])] = rows
        group = np.int64(batch.links[group, SIBLING])
    assert found == {0: [3], 2: [1, 5], 3: [4], 5: [0, 2, 7]}
    assert batch.depths[6] == 0
