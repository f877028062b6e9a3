"""The word of the pieces: where the amazons are, who moves, and what kind of ply is next.

Bits 0 to 27 are the squares of White's amazons, 7 bits each in rising order, bits 28 to 55 Black's, bit 56 who moves;
bits 57 to 63 are MOVED: 0, or 1 + the square of the amazon that has moved and is to shoot, or STUCK.
"""

import numpy as np

from gpumcts.bits import blend
from gpumcts.games.amazons.squares import square_set
from gpumcts.games.sets import union
from gpumcts.jit import inlined

U = np.uint64
SQUARE_BITS, SIDE_BITS = 7, 28
SQUARE, SIDE = U(127), U((1 << SIDE_BITS) - 1)
MOVER, MOVED, STUCK = U(56), U(57), U(127)


@inlined
def side_to_move(pieces):
    """0 for White, 1 for Black, as uint64."""
    return (pieces >> MOVER) & U(1)


@inlined
def amazons_of(pieces, side):
    """Four squares in rising order, 7 bits each, of a side (uint64)."""
    return (pieces >> (side * U(SIDE_BITS))) & SIDE


@inlined
def four(amazons):
    """The four squares."""
    return (
        amazons & SQUARE,
        (amazons >> U(SQUARE_BITS)) & SQUARE,
        (amazons >> U(2 * SQUARE_BITS)) & SQUARE,
        amazons >> U(3 * SQUARE_BITS),
    )


@inlined
def moved(amazons, origin, to):
    """The four with the one on ``origin`` gone to ``to``, in order again."""
    q0, q1, q2, q3 = four(amazons)
    a = blend(origin > q0, q0, q1)
    b = blend(origin > q1, q1, q2)
    c = blend(origin > q2, q2, q3)
    first, second = min(a, to), max(a, min(b, to))
    third, fourth = max(b, min(c, to)), max(c, to)
    return first | (second << U(SQUARE_BITS)) | (third << U(2 * SQUARE_BITS)) | (fourth << U(3 * SQUARE_BITS))


@inlined
def with_moved(pieces, origin, to):
    """The pieces with an amazon of the player to move gone from ``origin`` to ``to``."""
    side = side_to_move(pieces)
    amazons = amazons_of(pieces, side)
    return pieces ^ ((amazons ^ moved(amazons, origin, to)) << (side * U(SIDE_BITS)))


@inlined
def squares_of(game, amazons):
    """Four amazons as a set."""
    q0, q1, q2, q3 = four(amazons)
    return union(union(square_set(game, q0), square_set(game, q1)), union(square_set(game, q2), square_set(game, q3)))
