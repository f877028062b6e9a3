"""The rules on bitboards: legal moves, captures, ko, the end, the score. For trees and matches; playouts keep chains.

Nothing is kept of chains: they are flooded where an answer hangs on them. A stone next to an empty point needs no such
answer, so that most moves cost a few shifts.
"""

import numpy as np

from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT, next_move
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import (
    NO_POINTS,
    above,
    connects,
    flood,
    flood_until,
    lowest,
    neighbours,
    nth_point,
    point_set,
    shape,
)
from gpumcts.games.go.setup import PASSES, SECOND, TWO_PASSES, GoPosition, closed, following, opened, plies_of
from gpumcts.games.sets import difference, intersection, is_empty, same, size, union
from gpumcts.jit import inlined

U = np.uint64


@inlined
def longest(game):
    """The length cap in plies, uint64."""
    return U(2) * shape(game).cells


@inlined
def ended(game, turn):
    """Whether the game is over: after two passes, or at the length cap."""
    return ((turn & PASSES) == TWO_PASSES) | (plies_of(turn) >= longest(game))


@inlined
def empty_points(game, own, opp):
    """Points without a stone."""
    return difference(shape(game).board, union(own, opp))


@inlined
def captured_by(game, opp, empty, near):
    """The stones of ``opp`` without liberties; ``empty`` is what a new stone left, ``near`` the points next to it."""
    air, touched = neighbours(game, empty), intersection(near, opp)
    if is_empty(difference(touched, air)):
        return NO_POINTS
    reached = flood_until(game, air, opp, touched)
    return NO_POINTS if is_empty(difference(touched, reached)) else difference(opp, reached)


@inlined
def breathes(game, own, opp, empty, stone):
    """Whether ``own`` has a liberty on an empty point (a set of one) without empty neighbours, be it by capture."""
    near, left = neighbours(game, stone), difference(empty, stone)
    if connects(game, near, own, neighbours(game, left)):
        return True
    return not is_empty(captured_by(game, opp, left, near))


@inlined
def legal_points(game, position):
    """The points that the player to move may take."""
    own, opp, banned, _ = position
    empty = empty_points(game, own, opp)
    open_points = intersection(empty, neighbours(game, empty))
    legal, doubtful = difference(open_points, banned), difference(difference(empty, open_points), banned)
    while not is_empty(doubtful):
        stone = point_set(game, lowest(game, doubtful))
        doubtful = difference(doubtful, stone)
        if breathes(game, own, opp, empty, stone):
            legal = union(legal, stone)
    return legal


@inlined
def may_take(game, position, stone):
    """Whether the player to move may take a point (a set of one): ``legal_points`` of it alone."""
    own, opp, banned, _ = position
    empty = empty_points(game, own, opp)
    if is_empty(intersection(stone, difference(empty, banned))):
        return False
    return (not is_empty(intersection(neighbours(game, stone), empty))) or breathes(game, own, opp, empty, stone)


@inlined
def ko_after(game, own, opp, stone, captured):
    """The point that the opponent may not take back: a lone stone has captured one, and that is its only liberty."""
    if is_empty(captured) or size(captured) != U(1):
        return NO_POINTS
    return captured if same(difference(neighbours(game, stone), opp), captured) else NO_POINTS


@inlined
def after_stone(game, position, point):
    """The GoPosition after a stone on a legal point (uint64)."""
    stone = point_set(game, point)
    own, opp = union(position.own, stone), position.opp
    captured = captured_by(game, opp, empty_points(game, own, opp), neighbours(game, stone))
    opp = difference(opp, captured)
    return GoPosition(opp, own, ko_after(game, own, opp, stone, captured), following(position.turn, point, False))


@inlined
def areas(game, own, opp):
    """The stones of each side with the empty regions that touch no others: (own Points, opp Points)."""
    empty = empty_points(game, own, opp)
    near_own, near_opp = flood(game, neighbours(game, own), empty), flood(game, neighbours(game, opp), empty)
    return union(own, difference(near_own, near_opp)), union(opp, difference(near_opp, near_own))


@inlined
def score_of(game, own, opp, colour):
    """The score for Black where a player of a colour (0 or 1) has ``own`` and the other ``opp``."""
    mine, other = areas(game, own, opp)
    lead = np.int64(size(mine)) - np.int64(size(other))
    twice = 2 * (lead if colour == 0 else -lead) - game.half_points
    return SCORE_UNIT * (np.int64(twice > 0) - np.int64(twice < 0))


@contract.start.implements(Board)
def go_start(game):
    return closed(game, GoPosition(NO_POINTS, NO_POINTS, NO_POINTS, U(0)))


@contract.mover.implements(Board)
def go_mover(game, state):
    return np.int64(state.turn & SECOND)


@contract.count_moves.implements(Board)
def go_count_moves(game, state):
    if ended(game, state.turn):
        return np.int64(0)
    return np.int64(size(legal_points(game, opened(game, state)))) + 1


@contract.nth_move.implements(Board)
def go_nth_move(game, state, k):
    legal = legal_points(game, opened(game, state))
    if U(k) >= size(legal):
        return np.int64(shape(game).cells)
    return np.int64(nth_point(game, legal, U(k)))


@contract.next_move.implements(Board)
def go_next_move(game, state, move):
    cells = np.int64(shape(game).cells)
    if move >= cells or ended(game, state.turn):
        return np.int64(NO_MOVE)
    rest = above(game, legal_points(game, opened(game, state)), move)
    return cells if is_empty(rest) else np.int64(lowest(game, rest))


@contract.move_after.implements(Board)
def go_move_after(game, state, move, k):
    return next_move(game, state, move)


@contract.play.implements(Board)
def go_play(game, state, move):
    """A finished game stays as it is."""
    if ended(game, state.turn):
        return state
    position = opened(game, state)
    if U(move) >= shape(game).cells:
        passed = GoPosition(position.opp, position.own, NO_POINTS, following(position.turn, U(move), True))
        return closed(game, passed)
    return closed(game, after_stone(game, position, U(move)))


@contract.pass_left_out.implements(Board)
def go_pass_left_out(game, state):
    own, opp, banned, turn = opened(game, state)
    return closed(game, GoPosition(own, opp, banned, turn & ~PASSES))


@contract.over.implements(Board)
def go_over(game, state):
    return ended(game, state.turn)


@contract.score.implements(Board)
def go_score(game, state):
    own, opp, _, turn = opened(game, state)
    return score_of(game, own, opp, np.int64(turn & SECOND))
