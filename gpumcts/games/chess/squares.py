"""Sets of squares: a word, square ``8 * rank + file``. Steps in eight directions, and what sliding pieces reach.

    56 57 58 ... 63    Directions go round as a clock does: north (up) is 0, north-east 1, ..., north-west 7.
     ...
     0  1  2 ...  7

A line of sight goes over empty squares up to the first piece, that one included. It is found for all pieces of a set at
once, by doubling (Kogge and Stone): lines of different pieces in one direction have no square in common, since each
ends at the next piece. So moves are counted by direction, without a look at single pieces, without a table and without
a branch.
"""

import numpy as np

from gpumcts.jit import inlined

U = np.uint64
ALL = U(0xFFFFFFFFFFFFFFFF)
NO_SQUARES = U(0)
FILE_A = U(0x0101010101010101)
FILE_H = FILE_A << U(7)
NOT_A, NOT_H = ~FILE_A, ~FILE_H
NOT_AB, NOT_GH = ~(FILE_A | FILE_A << U(1)), ~(FILE_H | FILE_H >> U(1))
RANK_3, RANK_8 = U(0xFF) << U(16), U(0xFF) << U(56)

S1, S6, S7, S8, S9, S10, S15, S17 = (U(s) for s in (1, 6, 7, 8, 9, 10, 15, 17))


@inlined
def sight_up(pieces, empty, s, entered):
    """Lines of sight of ``pieces`` towards higher squares, ``s`` apart; ``entered``: squares a step may come to."""
    free = empty & entered
    line = pieces | (free & (pieces << s))
    free &= free << s
    line |= free & (line << (s + s))
    free &= free << (s + s)
    line |= free & (line << (s + s + s + s))
    return (line << s) & entered


@inlined
def sight_down(pieces, empty, s, entered):
    """The same towards lower squares."""
    free = empty & entered
    line = pieces | (free & (pieces >> s))
    free &= free >> s
    line |= free & (line >> (s + s))
    free &= free >> (s + s)
    line |= free & (line >> (s + s + s + s))
    return (line >> s) & entered


@inlined
def sights(north, rising, east, falling, empty):
    """Lines of sight in all directions, of a set of pieces each: along files, south-west to north-east, and so on."""
    return (
        sight_up(north, empty, S8, ALL),
        sight_up(rising, empty, S9, NOT_A),
        sight_up(east, empty, S1, NOT_A),
        sight_down(falling, empty, S7, NOT_A),
        sight_down(north, empty, S8, ALL),
        sight_down(rising, empty, S9, NOT_H),
        sight_down(east, empty, S1, NOT_H),
        sight_up(falling, empty, S7, NOT_H),
    )


@inlined
def steps(pieces):
    """Squares a step away, in all directions."""
    return (
        pieces << S8,
        (pieces << S9) & NOT_A,
        (pieces << S1) & NOT_A,
        (pieces >> S7) & NOT_A,
        pieces >> S8,
        (pieces >> S9) & NOT_H,
        (pieces >> S1) & NOT_H,
        (pieces << S7) & NOT_H,
    )


@inlined
def jumps(knights):
    """Squares that knights reach, in all directions: the jump nearest to north first, then round as a clock does."""
    return (
        (knights << S17) & NOT_A,
        (knights << S10) & NOT_AB,
        (knights >> S6) & NOT_AB,
        (knights >> S15) & NOT_A,
        (knights >> S17) & NOT_H,
        (knights >> S10) & NOT_GH,
        (knights << S6) & NOT_GH,
        (knights << S15) & NOT_H,
    )


@inlined
def union(sets):
    """All squares of eight sets."""
    return sets[0] | sets[1] | sets[2] | sets[3] | sets[4] | sets[5] | sets[6] | sets[7]


@inlined
def rotated(squares, by):
    """A word rotated to the left by ``by`` (uint64, 1 to 63)."""
    return (squares << by) | (squares >> (U(64) - by))


STEP_BACK = U(sum((64 - s) % 64 << 8 * i for i, s in enumerate((8, 9, 1, 57, 56, 55, 63, 7))))
JUMP_BACK = U(sum((64 - s) % 64 << 8 * i for i, s in enumerate((17, 10, 58, 49, 47, 54, 6, 15))))


@inlined
def back_along(square, direction, empty):
    """The first piece seen from ``square`` (a set of one) against ``direction`` (uint64, 0 to 7); it must be there.

    Since it is, the line never comes to an edge of the board, and words may be rotated.
    """
    by = (STEP_BACK >> (direction << U(3))) & U(63)
    line = square | (empty & rotated(square, by))
    free = empty & rotated(empty, by)
    twice = (by + by) & U(63)
    line |= free & rotated(line, twice)
    free &= rotated(free, twice)
    line |= free & rotated(line, (twice + twice) & U(63))
    return rotated(line, by) & ~empty


@inlined
def jump_back(square, direction):
    """The square from which a knight jumps to ``square`` in ``direction`` (uint64, 0 to 7)."""
    return rotated(square, (JUMP_BACK >> (direction << U(3))) & U(63))
