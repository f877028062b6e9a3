"""Positional superko: the points on which a stone would bring back a position of the board that the game has had.

Who was to move then does not count, and a pass is always allowed. Where nothing is captured, the position before must
have had just the stones of now and the new one; so all such points are found by going through the game once. Moves that
capture are few, and each is played.
"""

import numpy as np

from gpumcts.bits import blend
from gpumcts.games.contract import unpack, with_history
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import NO_POINTS, lowest, neighbours, point_set
from gpumcts.games.go.rules import captured_by, empty_points, legal_points
from gpumcts.games.go.setup import SECOND, GoPosition, closed, opened
from gpumcts.games.sets import difference, intersection, is_empty, same, size, union
from gpumcts.jit import inlined

U = np.uint64


@inlined
def seen_by(game, state, words, at):
    """The stones of an earlier state at ``words[at]``: (those of who is to move in ``state``, those of the other)."""
    then = opened(game, unpack(game, words, at, 1))
    turned = ((then.turn ^ state.turn) & SECOND) != U(0)
    return blend(turned, then.opp, then.own), blend(turned, then.own, then.opp)


@inlined
def was_there(game, state, own, opp, earlier):
    """Whether a position of the board is among the earlier ones."""
    words, width = earlier.reshape(-1), earlier.shape[1]
    found = False
    for i in range(earlier.shape[0]):
        own_then, opp_then = seen_by(game, state, words, i * width)
        found |= same(own, own_then) & same(opp, opp_then)
    return found


@inlined
def repeated_by_a_stone(game, state, earlier):
    """The points on which a stone that captures nothing would bring back an earlier position."""
    position, banned = opened(game, state), NO_POINTS
    words, width = earlier.reshape(-1), earlier.shape[1]
    for i in range(earlier.shape[0]):
        own_then, opp_then = seen_by(game, state, words, i * width)
        more = difference(own_then, position.own)
        if same(opp_then, position.opp) and is_empty(difference(position.own, own_then)) and size(more) == U(1):
            banned = union(banned, more)
    return banned


@with_history.implements(Board)
def ban_superko(game, state, earlier):
    position = opened(game, state)
    own, opp = position.own, position.opp
    empty = empty_points(game, own, opp)
    quiet, banned = repeated_by_a_stone(game, state, earlier), position.banned
    left = intersection(legal_points(game, position), union(neighbours(game, opp), quiet))
    while not is_empty(left):
        stone = point_set(game, lowest(game, left))
        left = difference(left, stone)
        captured = captured_by(game, opp, difference(empty, stone), neighbours(game, stone))
        if is_empty(captured):
            banned = union(banned, intersection(quiet, stone))
        elif was_there(game, state, union(own, stone), difference(opp, captured), earlier):
            banned = union(banned, stone)
    return closed(game, GoPosition(own, opp, banned, position.turn))
