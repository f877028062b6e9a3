"""How good a position of Clobber looks, and how long a game will last.

The numbers of moves say nothing: an edge between enemies is a move for each of them. The numbers of stones that have a
move do: ``movable_weight`` times their difference, less ``isolated_weight`` times the difference of the stones without any
neighbour, which neither move nor are captured again.
"""

import numpy as np

from gpumcts.games import contract
from gpumcts.games.clobber.board import Board, shape
from gpumcts.games.clobber.rules import both, either, less, neighbours, sides, size

U = np.uint64


@contract.evaluation.implements(Board)
def clobber_evaluation(game, state):
    own, opp = sides(game, state)
    near_own, near_opp = neighbours(game, own), neighbours(game, opp)
    near = either(near_own, near_opp)
    mobile = np.int64(size(both(own, near_opp))) - np.int64(size(both(opp, near_own)))
    isolated = np.int64(size(less(own, near))) - np.int64(size(less(opp, near)))
    return game.movable_weight * mobile - game.isolated_weight * isolated


@contract.evaluation_limit.implements(Board)
def clobber_evaluation_limit(game):
    """A stone makes four of the enemy's movable, so that among n stones of both a side is ahead by 3 n / 5 at most.

    Isolated stones are on every other square at most.
    """
    squares = np.int64(shape(game).columns) * game.rows
    isolated = (squares + 1) // 2
    crowded = 3 * squares * game.movable_weight // 5
    mixed = 3 * (squares - isolated) * game.movable_weight // 5 + isolated * game.isolated_weight
    return np.int64(max(crowded, mixed, 1))


@contract.remaining_plies.implements(Board)
def clobber_remaining_plies(game, state):
    """From random games."""
    own, opp = sides(game, state)
    mobile = size(both(own, neighbours(game, opp))) + size(both(opp, neighbours(game, own)))
    return np.float64(mobile)
