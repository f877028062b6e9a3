"""Evaluation of a position of Go, and the expected length of a game.

A player controls his stones and the empty points that fewer steps over empty points lead to from his stones than from
the opponent's, up to REACH steps: control of area by dilation, as in Zobrist's influence and Bouzy's dilations. Being
by distance, it takes every stone for alive; what tells weak stones from strong ones here is how many liberties a side
has, each point once. In half points, for the player to move:

    area_weight * (2 * (own area - other area) + komi in half points, for White)
    + liberty_weight * 2 * (own - other liberties)
"""

import numpy as np

from gpumcts.games import contract
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import NO_POINTS, neighbours, shape
from gpumcts.games.go.rules import empty_points, longest
from gpumcts.games.go.setup import SECOND, opened, plies_of
from gpumcts.games.sets import difference, intersection, size, union
from gpumcts.jit import inlined

U = np.uint64
REACH = 4  # steps from a stone; further off nobody controls anything
PLIES_AN_EMPTY_POINT = 1.3  # until the end of a random game


@inlined
def control(game, own, opp):
    """The points that each side controls: (own Points, opp Points). What both reach in as many steps is neither's."""
    mine, other, neither = own, opp, NO_POINTS
    for _ in range(REACH):
        free = difference(difference(shape(game).board, union(mine, other)), neither)
        to_me, to_other = intersection(neighbours(game, mine), free), intersection(neighbours(game, other), free)
        mine, other = union(mine, difference(to_me, to_other)), union(other, difference(to_other, to_me))
        neither = union(neither, intersection(to_me, to_other))
    return mine, other


@contract.evaluation.implements(Board)
def go_evaluation(game, state):
    own, opp, _, turn = opened(game, state)
    mine, other = control(game, own, opp)
    empty = empty_points(game, own, opp)
    area = np.int64(size(mine)) - np.int64(size(other))
    komi = game.half_points if turn & SECOND != U(0) else -game.half_points
    own_liberties = np.int64(size(intersection(neighbours(game, own), empty)))
    opp_liberties = np.int64(size(intersection(neighbours(game, opp), empty)))
    liberties = own_liberties - opp_liberties
    return game.area_weight * (2 * area + komi) + game.liberty_weight * 2 * liberties


@contract.evaluation_limit.implements(Board)
def go_evaluation_limit(game):
    """An upper bound: no side has more area or liberties than there are points."""
    cells = np.int64(shape(game).cells)
    return game.area_weight * (2 * cells + abs(game.half_points)) + game.liberty_weight * 2 * cells


@contract.remaining_plies.implements(Board)
def go_remaining_plies(game, state):
    own, opp, _, turn = opened(game, state)
    left = np.float64(longest(game) - plies_of(turn))
    return min(left, 2.0 + PLIES_AN_EMPTY_POINT * np.float64(size(empty_points(game, own, opp))))
