"""Rows of a group choose among many children by estimates, and their choices are those by exact scores.

However a row finds its group below, groups are the same.
"""

from itertools import product

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.gomoku import Gomoku
from gpumcts.options import compiled
from gpumcts.tree.forest import NO_NODE, ROOT, Layout, zeroed_forest
from gpumcts.tree.iteration.batch import CHOICE, NEXT, SIBLING, STAYS, begin_group, empty_batch, join_group
from gpumcts.tree.iteration.expand import part, part_by_table
from gpumcts.tree.iteration.group_choice import MIN_CHILDREN
from gpumcts.tree.selection.sensei import Sensei
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.tree.drivers import OTHELLO, assert_like_reference, operator_of, searcher_of

SWITCHES = Settings(leaves_per_tree=8).compiled(evaluate_leaves=False)


LARGE = list(product((Ucb1(0.3), Sensei(1.0)), ("average", "accelerated", "discounted", "max")))
QUICK_LARGE = {(Sensei(1.0), "accelerated")}  # an operator with weights; the test below has another rule over means


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
