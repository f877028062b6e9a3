"""The amazons' moves of the player to move, the arrows after each of them, and what a turn does to the position."""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import blend
from gpumcts.games import contract
from gpumcts.games.amazons.lines import nth_code, reach, runs, total
from gpumcts.games.amazons.options import Board
from gpumcts.games.amazons.pieces import MOVED, STUCK, amazons_of, four, side_to_move
from gpumcts.games.amazons.squares import free_squares, square_set, turned, turned_square, with_squares
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.sets import Two, difference, union
from gpumcts.jit import inlined

U = np.uint64
CODE_BITS, CODE = U(7), U(127)
NO_TURN = 0
"""The number that stands for a move where there is none."""


class Choices(NamedTuple):
    """The amazons' moves of the player to move, all uint64.

    free, back : the free squares, and the same turned
    q0 to q3, r0 to r3 : the squares of the amazons in rising order, and their runs
    b1, b2, b3, count : moves of the first amazon, of the first two, of the first three, of all
    """

    free: Two
    back: Two
    q0: np.uint64
    q1: np.uint64
    q2: np.uint64
    q3: np.uint64
    r0: np.uint64
    r1: np.uint64
    r2: np.uint64
    r3: np.uint64
    b1: np.uint64
    b2: np.uint64
    b3: np.uint64
    count: np.uint64


@inlined
def choices(game, state):
    """The amazons' moves of the player to move."""
    free = free_squares(game, state)
    back = turned(game, free)
    q0, q1, q2, q3 = four(amazons_of(state.pieces, side_to_move(state.pieces)))
    r0, r1 = runs(game, free, back, q0), runs(game, free, back, q1)
    r2, r3 = runs(game, free, back, q2), runs(game, free, back, q3)
    b1 = total(r0)
    b2 = b1 + total(r1)
    b3 = b2 + total(r2)
    return Choices(free, back, q0, q1, q2, q3, r0, r1, r2, r3, b1, b2, b3, b3 + total(r3))


@inlined
def choice(c, k):
    """(square of the amazon, code) of the k-th of the choices, k < count; something where there is none."""
    in1, in2, in3 = k >= c.b1, k >= c.b2, k >= c.b3
    origin = blend(in3, c.q3, blend(in2, c.q2, blend(in1, c.q1, c.q0)))
    reached = blend(in3, c.r3, blend(in2, c.r2, blend(in1, c.r1, c.r0)))
    before = blend(in3, c.b3, blend(in2, c.b2, blend(in1, c.b1, U(0))))
    return origin, nth_code(reached, k - before)


@inlined
def arrows(game, c, origin, to):
    """How many arrows an amazon may shoot that has gone from ``origin`` to ``to``, as uint64."""
    free = union(c.free, square_set(game, origin))
    back = union(c.back, square_set(game, turned_square(game, origin)))
    return reach(game, free, back, to)


@inlined
def arrow_runs(game, c, origin, to):
    """The runs of these arrows."""
    free = union(c.free, square_set(game, origin))
    back = union(c.back, square_set(game, turned_square(game, origin)))
    return runs(game, free, back, to)


@inlined
def numbered(origin, code, arrow):
    """A turn as a number, int64; the order is by amazon, then by her code, then by the arrow's."""
    return np.int64((origin << (CODE_BITS + CODE_BITS)) | (code << CODE_BITS) | arrow)


@inlined
def after_move(game, free, origin, to):
    """The free squares after an amazon has moved."""
    return difference(union(free, square_set(game, origin)), square_set(game, to))


@inlined
def or_stuck(game, real, state, free, pieces):
    """The state of ``free`` and ``pieces`` where ``real``, else the given one, its mover stuck, without a branch."""
    stuck = state.pieces | (STUCK << MOVED)
    return with_squares(game, blend(real, free, free_squares(game, state)), blend(real, pieces, stuck))


@inlined
def moved_square(pieces):
    """MOVED: 0, or 1 + the square of the amazon that is to shoot, or STUCK; as uint64."""
    return pieces >> MOVED


@contract.mover.implements(Board)
def amazons_mover(game, state):
    return np.int64(side_to_move(state.pieces))


@contract.over.implements(Board)
def amazons_over(game, state):
    """After a ply by a player who could not move, so that no other ply need look for a move."""
    return moved_square(state.pieces) == STUCK


@contract.overrun.implements(Board)
def amazons_overrun(game, state):
    return np.int64(moved_square(state.pieces) == STUCK)


@contract.score.implements(Board)
def amazons_score(game, state):
    """Who is to move has lost."""
    return (2 * np.int64(side_to_move(state.pieces)) - 1) * SCORE_UNIT
