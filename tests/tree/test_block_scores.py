"""Many children of a node are scored in vector code, and the choice among them is that of one after the other."""

import numba
import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.gomoku import Gomoku
from gpumcts.options import compiled
from gpumcts.tree.iteration.best_child import MANY
from gpumcts.tree.iteration.block_scores import BLOCK, ordered, scores_in_blocks, span_of_highest
from gpumcts.tree.selection.depth_decayed import DepthDecayed
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.tree.drivers import assert_like_reference, operator_of, searcher_of

RISING = [-np.inf, -1e300, -2.5, -5e-324, 0.0, 5e-324, 0.5, 1.0, 1e300, np.inf]


def test_whole_numbers_rise_with_the_scores():
    numbers = [int(ordered(np.float64(x))) for x in RISING]
    assert numbers == sorted(set(numbers))
    assert ordered(np.float64(-0.0)) == ordered(np.float64(0.0))
    assert ordered(np.float64(np.nan)) == ordered(np.float64(-np.inf))


@pytest.mark.parametrize(
    ("scores", "best", "span"),
    [
        ([1.0, 3.0, 2.0, 3.0, 0.0], -np.inf, (1, 4)),
        ([1.0, 3.0, 2.0], 3.0, (1, 2)),  # as good as the best so far: a tie to draw for
        ([1.0, 3.0, 2.0], 4.0, (0, 0)),
        ([np.nan, 1.0, np.nan], -np.inf, (1, 2)),
        ([-np.inf, -np.inf], -np.inf, (0, 2)),
        ([-0.0, 0.0, -1.0], 0.0, (0, 2)),
        ([np.inf, 0.0, np.inf], 0.0, (0, 3)),
    ],
)
def test_the_highest_lie_between_the_first_and_the_last_of_them(scores, best, span):
    assert span_of_highest(np.array(scores), len(scores), np.float64(best)) == span


def test_operators_of_one_column_score_in_blocks():
    one, two = operator_of("average"), operator_of("average_variance")
    assert len(one.COLUMNS) == 1 < len(two.COLUMNS)
    assert scores_in_blocks(numba.typeof(one)) and not scores_in_blocks(numba.typeof(two))


@pytest.mark.parametrize("more", [{}, {"ties": "first", "solve": True}, {"leaves_per_tree": 8}], ids=str)
def test_trees_of_many_children_are_those_of_the_reference(more):
    """81 children of the root, so one whole block and a part of the next, and 80 of the nodes below."""
    game = compiled(Gomoku(size=9))
    assert MANY < BLOCK < 81
    searcher = searcher_of(operator_of("average"), Settings(**more), game, DepthDecayed(0.2))
    assert_like_reference(searcher, [contract.start(game)], 1_500)


def test_equal_scores_are_drawn_for_as_one_by_one():
    """Without exploration nearly all children of a value are equal."""
    game = compiled(Gomoku(size=9))
    searcher = searcher_of(operator_of("average"), Settings(), game, Ucb1(0.0))
    assert_like_reference(searcher, [contract.start(game)], 600)
