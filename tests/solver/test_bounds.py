"""A game whose class states bounds that are too small ends a search in one line that names the game and the bound."""

import numpy as np
import pytest

from gpumcts.alpha_beta.batch import Deepening
from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.solver.alpha_beta import solve


class FewMoves(DotsAndBoxes):
    """Says that a position has five moves at most; the start of 1 x 2 has seven, after a ply six."""

    MAX_MOVES = 5


class FewPlies(DotsAndBoxes):
    """Says that a game has three plies at most; one on 1 x 2 has seven."""

    MAX_PLIES = 3


class FewReplies(Othello):
    """Says that a position has four moves at most, as the start has; after three plies some have five."""

    MAX_MOVES = 4


def searched(game):
    return solve(game, Rules(DotsAndBoxes(1, 2)).starts(1), np.zeros(1, np.uint64))


def deepened(game):
    return Deepening(game, 1 << 10).search(Rules(DotsAndBoxes(1, 2)).starts(1), np.zeros(1, np.uint64), depth=3)


def refused(search, game) -> str:
    with pytest.raises(BadInput) as error:
        search(game)
    return str(error.value)


@pytest.mark.parametrize(
    "search, kind, bound",
    [
        (searched, FewMoves, "MAX_MOVES = 5"),
        (searched, FewPlies, "MAX_PLIES = 3"),
        (deepened, FewMoves, "MAX_MOVES = 5"),
    ],
)
def test_a_bound_that_is_too_small_is_one_line(search, kind, bound):
    said = refused(search, kind(1, 2))
    assert said.startswith(f"{kind.__module__}: {title(kind)}.{bound}, but the search has met ") and "\n" not in said


@pytest.mark.slow
def test_a_bound_that_is_too_small_below_the_root_is_one_line():
    def search(game):
        Deepening(game, 1 << 10).search(Rules(Othello()).starts(1), np.zeros(1, np.uint64), depth=5)

    assert "FewReplies.MAX_MOVES = 4, but the search has met a position with more legal moves" in refused(
        search, FewReplies()
    )
