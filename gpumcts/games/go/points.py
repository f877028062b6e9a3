"""Sets of points of the board as bits: point (row, column) is number ``size * row + column``, A1 is 0, the rows go up.

One source for all sizes: a set has six words, and those that a board does not have are the constant 0 there, so that what is
done with them disappears when the code is compiled.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gpumcts.games.go.options import SIZES
from gpumcts.jit import inlined, nth_bit, popcount, trailing_zeros
from gpumcts.verbs import verb

U = np.uint64
WORD = 64
WORDS = 6


class Points(NamedTuple):
    """A set of points, uint64 each: point p is bit p % 64 of word p // 64."""

    a: np.uint64
    b: np.uint64
    c: np.uint64
    d: np.uint64
    e: np.uint64
    f: np.uint64


class Shape(NamedTuple):
    """What a size comes to.

    size, cells : points a side, and in all, uint64; words : of a set of points, uint64
    board, not_first, not_last : all points, those that are not in the first, or in the last column
    rim : points on the first and last row and column
    """

    size: np.uint64
    cells: np.uint64
    words: np.uint64
    board: Points
    not_first: Points
    not_last: Points
    rim: Points


NONE = Points(U(0), U(0), U(0), U(0), U(0), U(0))


def points_of(number: int) -> Points:
    """The set whose points are the bits of a number. Plain Python."""
    return Points(*(U(number >> WORD * i & (1 << WORD) - 1) for i in range(WORDS)))


def number_of(points: Points) -> int:
    """The inverse. Plain Python."""
    return sum(int(word) << WORD * i for i, word in enumerate(points))


def _shape_of(n: int) -> Shape:
    first = sum(1 << n * row for row in range(n))
    board = (1 << n * n) - 1
    last, row = first << n - 1, (1 << n) - 1
    rim = first | last | row | row << n * (n - 1)
    sets = (points_of(number) for number in (board, board ^ first, board ^ last, rim))
    return Shape(U(n), U(n * n), U(-(-n * n // WORD)), *sets)


@verb("game")
def shape(game):
    """The Shape of a board: constants in compiled code."""


def _always(value: Shape) -> Callable:
    return lambda game: value


for _size, _kind in SIZES.items():
    shape.implements(_kind)(_always(_shape_of(_size)))


@inlined
def both(x, y):
    """Points in both sets."""
    return Points(x.a & y.a, x.b & y.b, x.c & y.c, x.d & y.d, x.e & y.e, x.f & y.f)


@inlined
def either(x, y):
    """Points in one of the sets."""
    return Points(x.a | y.a, x.b | y.b, x.c | y.c, x.d | y.d, x.e | y.e, x.f | y.f)


@inlined
def less(x, y):
    """Points of ``x`` that are not in ``y``."""
    return Points(x.a & ~y.a, x.b & ~y.b, x.c & ~y.c, x.d & ~y.d, x.e & ~y.e, x.f & ~y.f)


@inlined
def is_empty(x):
    """Whether there is no point in the set."""
    return (x.a | x.b | x.c | x.d | x.e | x.f) == U(0)


@inlined
def same(x, y):
    """Whether the sets are equal."""
    return ((x.a ^ y.a) | (x.b ^ y.b) | (x.c ^ y.c) | (x.d ^ y.d) | (x.e ^ y.e) | (x.f ^ y.f)) == U(0)


@inlined
def size(x):
    """How many points, as uint64."""
    return (popcount(x.a) + popcount(x.b)) + (popcount(x.c) + popcount(x.d)) + (popcount(x.e) + popcount(x.f))


@inlined
def point_set(game, point):
    """The set of one point, given by its number (uint64); no point where it is beyond the board."""
    word, bit, board = point >> U(6), U(1) << (point & U(63)), shape(game).board
    return Points(
        bit & board.a & (U(0) - U(word == U(0))),
        bit & board.b & (U(0) - U(word == U(1))),
        bit & board.c & (U(0) - U(word == U(2))),
        bit & board.d & (U(0) - U(word == U(3))),
        bit & board.e & (U(0) - U(word == U(4))),
        bit & board.f & (U(0) - U(word == U(5))),
    )


@inlined
def has(game, x, point):
    """Whether the point of this number (uint64) is in the set."""
    return not is_empty(both(x, point_set(game, point)))


@inlined
def nth_point(game, x, n):
    """Number (uint64) of the n-th point (uint64) of a set, from the lowest; n is below its size."""
    words = shape(game).words
    first = popcount(x.a)
    past = n >= first
    word, start, n = (x.b if past else x.a), (U(64) if past else U(0)), (n - first if past else n)
    if words > U(2):
        word, start, n = _next_word(word, x.c, start, U(64), n)
    if words > U(3):
        word, start, n = _next_word(word, x.d, start, U(128), n)
        word, start, n = _next_word(word, x.e, start, U(192), n)
        word, start, n = _next_word(word, x.f, start, U(256), n)
    return start + trailing_zeros(nth_bit(word, n))


@inlined
def _next_word(word, following, start, last, n):
    """From the word looked at, if it is the last so far and too few points are left in it, to the following one."""
    count = popcount(word)
    past = (start == last) & (n >= count)
    return following if past else word, start + U(64) if past else start, n - count if past else n


@inlined
def lowest(game, x):
    """The number (uint64) of the lowest point of a set that is not empty."""
    s = shape(game)
    found = trailing_zeros(x.b) + U(64) if x.a == U(0) else trailing_zeros(x.a)
    if s.words > U(2):
        found = trailing_zeros(x.c) + U(128) if found == U(128) else found
    if s.words > U(3):
        found = trailing_zeros(x.d) + U(192) if found == U(192) else found
        found = trailing_zeros(x.e) + U(256) if found == U(256) else found
        found = trailing_zeros(x.f) + U(320) if found == U(320) else found
    return found


@inlined
def above(game, x, point):
    """The points of ``x`` whose numbers are greater than ``point`` (int64, -1 or more)."""
    n = np.int64(point) + 1
    return Points(
        x.a & _from_bit(n),
        x.b & _from_bit(n - 64),
        x.c & _from_bit(n - 128),
        x.d & _from_bit(n - 192),
        x.e & _from_bit(n - 256),
        x.f & _from_bit(n - 320),
    )


@inlined
def _from_bit(n):
    """A word whose bits from number ``n`` (int64) on are set."""
    lower = U(min(max(n, 0), 63))
    ones = (U(0) - U(1)) << lower
    return ones if n < 64 else U(0)


@inlined
def higher(x, n):
    """The set with every point moved up by ``n`` (uint64, 1 to 63) numbers."""
    m = U(64) - n
    return Points(
        x.a << n,
        (x.b << n) | (x.a >> m),
        (x.c << n) | (x.b >> m),
        (x.d << n) | (x.c >> m),
        (x.e << n) | (x.d >> m),
        (x.f << n) | (x.e >> m),
    )


@inlined
def lower(x, n):
    """The set with every point moved down by ``n`` (uint64, 1 to 63) numbers."""
    m = U(64) - n
    return Points(
        (x.a >> n) | (x.b << m),
        (x.b >> n) | (x.c << m),
        (x.c >> n) | (x.d << m),
        (x.d >> n) | (x.e << m),
        (x.e >> n) | (x.f << m),
        x.f >> n,
    )


@inlined
def sideways(game, x):
    """The points to the left and to the right of these."""
    s = shape(game)
    return either(both(higher(x, U(1)), s.not_first), both(lower(x, U(1)), s.not_last))


@inlined
def neighbours(game, x):
    """The points next to these, on the board."""
    s = shape(game)
    vertical = both(higher(x, s.size), s.board)
    return either(either(vertical, lower(x, s.size)), sideways(game, x))


@inlined
def flood(game, seeds, through):
    """The points of ``through`` that are connected, within it, with those of them that are in ``seeds``."""
    reached = both(seeds, through)
    while True:
        more = either(reached, both(neighbours(game, reached), through))
        if same(more, reached):
            return reached
        reached = more
