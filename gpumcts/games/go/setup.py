"""States taken apart and put together: stones of both sides, banned points, and the word of the turn.

The turn tells who moves, passes, plies and the last two moves, which playouts go by that answer them. So one board
reached by other moves is another state, and tables (``search.table``) find fewer transpositions.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.games.go.options import Board9, Board13, Board19, State9, State13, State19
from gpumcts.games.go.points import Points, point_set
from gpumcts.jit import inlined
from gpumcts.verbs import verb

U = np.uint64
SECOND = U(1)  # bits of the turn: White is to move
PASSES, ONE_PASS, TWO_PASSES = U(6), U(2), U(4)  # passes just made, 0 to 2
PLIES, PLIES_MASK = U(3), U((1 << 13) - 1)  # where the plies played so far begin
LAST = U(16)  # where the last move begins: number of the point plus 1, 0 for a pass or none
BEFORE = U(32)  # where the one before it begins
POINT_MASK = U((1 << 9) - 1)


class GoPosition(NamedTuple):
    """own : stones of the player to move; opp : the other's; banned : points he may not take; turn : see above."""

    own: Points
    opp: Points
    banned: Points
    turn: np.uint64


@inlined
def plies_of(turn):
    """Plies played so far, uint64."""
    return (turn >> PLIES) & PLIES_MASK


@inlined
def following(turn, point, passed):
    """The turn after a stone on ``point`` (uint64), or after a pass."""
    passes = (turn & PASSES) + ONE_PASS if passed else U(0)
    moves = (U(0) if passed else (point + U(1)) << LAST) | (((turn >> LAST) & POINT_MASK) << BEFORE)
    return ((turn & SECOND) ^ SECOND) | passes | ((plies_of(turn) + U(1)) << PLIES) | moves


@inlined
def last_point(game, turn):
    """The point of the last move, a set of one; none after a pass, or where it is not known."""
    return point_set(game, ((turn >> LAST) & POINT_MASK) - U(1))


@inlined
def point_before(game, turn):
    """The same of the move before it."""
    return point_set(game, ((turn >> BEFORE) & POINT_MASK) - U(1))


@verb("game")
def opened(game, state):
    """The GoPosition of a state."""


@verb("game")
def closed(game, position):
    """The state of a GoPosition."""


@opened.implements(Board9)
def open_9(game, state):
    s = state
    z = U(0)
    own, opp = Points(s.own_0, s.own_1, z, z, z, z), Points(s.opp_0, s.opp_1, z, z, z, z)
    return GoPosition(own, opp, Points(s.banned_0, s.banned_1, z, z, z, z), s.turn)


@opened.implements(Board13)
def open_13(game, state):
    s = state
    z = U(0)
    own, opp = Points(s.own_0, s.own_1, s.own_2, z, z, z), Points(s.opp_0, s.opp_1, s.opp_2, z, z, z)
    return GoPosition(own, opp, Points(s.banned_0, s.banned_1, s.banned_2, z, z, z), s.turn)


@opened.implements(Board19)
def open_19(game, state):
    s = state
    own = Points(s.own_0, s.own_1, s.own_2, s.own_3, s.own_4, s.own_5)
    opp = Points(s.opp_0, s.opp_1, s.opp_2, s.opp_3, s.opp_4, s.opp_5)
    banned = Points(s.banned_0, s.banned_1, s.banned_2, s.banned_3, s.banned_4, s.banned_5)
    return GoPosition(own, opp, banned, s.turn)


@closed.implements(Board9)
def close_9(game, position):
    p = position
    return State9(p.own.a, p.own.b, p.opp.a, p.opp.b, p.banned.a, p.banned.b, p.turn)


@closed.implements(Board13)
def close_13(game, position):
    p = position
    x, y, z = p.own, p.opp, p.banned
    return State13(x.a, x.b, x.c, y.a, y.b, y.c, z.a, z.b, z.c, p.turn)


@closed.implements(Board19)
def close_19(game, position):
    p = position
    x, y, z = p.own, p.opp, p.banned
    return State19(
        x.a, x.b, x.c, x.d, x.e, x.f, y.a, y.b, y.c, y.d, y.e, y.f, z.a, z.b, z.c, z.d, z.e, z.f, p.turn
    )  # fmt: skip
