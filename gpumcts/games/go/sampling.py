"""Random moves: uniform over the legal points that are no eye of the player's own; a pass only where there is none.

Draw number j of a ply picks one of the points that are left, by its place among them; where it is suicide it is struck
out and draw j + 1 picks again. So all that remain are equally likely, and no engine needs to know all legal points at
once. The other legal moves, eyes and mostly the pass, have weight 0.
"""

import numpy as np

from gpumcts.games import contract
from gpumcts.games.go.eyes import own_eyes
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import neighbours, nth_point, point_set, shape
from gpumcts.games.go.rules import breathes, empty_points, legal_points
from gpumcts.games.go.setup import opened
from gpumcts.games.sets import difference, has, intersection, is_empty, size
from gpumcts.jit import inlined
from gpumcts.rng import draw

U = np.uint64


@inlined
def number_of_draw(j):
    """The number of the j-th draw (uint64, from 0) of a ply in its stream: those from 1 to 2^32 are policies'."""
    return j + (U(1 << 32) if j != U(0) else U(0))


@contract.random_move.implements(Board)
def go_random_move(game, state, stream):
    own, opp, banned, _ = opened(game, state)
    empty = empty_points(game, own, opp)
    left = difference(difference(empty, banned), own_eyes(game, own, opp, empty))
    count, j = size(left), U(0)
    while count != U(0):
        point = nth_point(game, left, draw(stream, number_of_draw(j), count))
        stone = point_set(game, point)
        if not is_empty(intersection(neighbours(game, stone), empty)) or breathes(game, own, opp, empty, stone):
            return np.int64(point)
        left = difference(left, stone)
        count -= U(1)
        j += U(1)
    return np.int64(shape(game).cells)


@contract.move_weight.implements(Board)
def go_move_weight(game, state, move):
    """1 for legal points but the player's own eyes, and for a pass where there is no such point; 0 for the rest."""
    position = opened(game, state)
    own, opp = position.own, position.opp
    eyes = own_eyes(game, own, opp, empty_points(game, own, opp))
    if U(move) < shape(game).cells:
        return np.int64(not has(eyes, U(move)))
    return np.int64(is_empty(difference(legal_points(game, position), eyes)))
