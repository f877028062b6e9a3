"""Sets of points of the board as bits: point (row, column) is number ``size * row + column``, A1 is 0, the rows go up.

One source for all sizes: a set has six words, and those that a board does not have are the constant 0 there, so that
what is done with them disappears when the code is compiled.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gpumcts.bits import nth_bit, trailing_zeros
from gpumcts.games.boards import WITHOUT_I, RectangularBoard
from gpumcts.games.go.options import SIZES, Board9, Board13, Board19
from gpumcts.games.sets import (
    WORD,
    Two,
    difference,
    from_number,
    higher,
    int_of,
    intersection,
    is_empty,
    lower,
    same,
    set_of,
    single,
    union,
    word_of_nth,
)
from gpumcts.games.sets import lowest as lowest_number
from gpumcts.jit import inlined
from gpumcts.verbs import verb

U = np.uint64


class Three(NamedTuple):
    """A set of points on a board of three words."""

    a: np.uint64
    b: np.uint64
    c: np.uint64


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


NO_POINTS = Points(U(0), U(0), U(0), U(0), U(0), U(0))


def points_of(number: int) -> Points:
    """The set whose points are the bits of a number. Plain Python."""
    return set_of(Points, number)


def number_of(points: Points) -> int:
    """The inverse. Plain Python."""
    return int_of(points)


def geometry(n: int) -> RectangularBoard:
    """The board of a size, its columns named as people do, without I."""
    return RectangularBoard(n, n, row_step=n, letters=WITHOUT_I)


def _shape_of(n: int) -> Shape:
    board = geometry(n)
    not_first, not_last = board.bits(lambda row, column: column > 0), board.bits(lambda row, column: column < n - 1)
    sets = (points_of(number) for number in (board.bits(), not_first, not_last, board.bits(board.is_rim)))
    return Shape(U(n), U(n * n), U(-(-n * n // WORD)), *sets)


@verb("game")
def shape(game):
    """The Shape of a board: constants in compiled code."""


@verb("game")
def on_board(game, x):
    """The words of a set that the board has, as a set of its own."""


@verb("game")
def words_of_set(game):
    """Words of a set that the board has, as int64, a constant of the compiled code."""


@verb("game")
def read_points(game, words, at, stride):
    """The set whose words on the board are ``words[at + i * stride]`` (uint64[n])."""


@on_board.implements(Board9)
def two_words(game, x):
    return Two(x.a, x.b)


@on_board.implements(Board13)
def three_words(game, x):
    return Three(x.a, x.b, x.c)


@on_board.implements(Board19)
def six_words(game, x):
    return x


@words_of_set.implements(Board9)
def two(game):
    return 2


@words_of_set.implements(Board13)
def three(game):
    return 3


@words_of_set.implements(Board19)
def six(game):
    return 6


@read_points.implements(Board9)
def read_9(game, words, at, stride):
    return Points(words[at], words[at + stride], U(0), U(0), U(0), U(0))


@read_points.implements(Board13)
def read_13(game, words, at, stride):
    return Points(words[at], words[at + stride], words[at + 2 * stride], U(0), U(0), U(0))


@read_points.implements(Board19)
def read_19(game, words, at, stride):
    return Points(
        words[at],
        words[at + stride],
        words[at + 2 * stride],
        words[at + 3 * stride],
        words[at + 4 * stride],
        words[at + 5 * stride],
    )


def _always(value: Shape) -> Callable:
    return lambda game: value


for _size, _kind in SIZES.items():
    shape.implements(_kind)(_always(_shape_of(_size)))


@inlined
def point_set(game, point):
    """The set of one point, given by its number (uint64); no point where it is beyond the board."""
    return intersection(single(NO_POINTS, point), shape(game).board)


@inlined
def nth_point(game, x, n):
    """Number (uint64) of the n-th point (uint64) of a set, from the lowest; n is below its size."""
    word, start, rest = word_of_nth(on_board(game, x), n)
    return start + trailing_zeros(nth_bit(word, rest))


@inlined
def lowest(game, x):
    """The number (uint64) of the lowest point of a set that is not empty."""
    return lowest_number(on_board(game, x))


@inlined
def above(game, x, point):
    """The points of ``x`` whose numbers are greater than ``point`` (int64, -1 or more)."""
    return from_number(x, np.int64(point) + 1)


@inlined
def sideways(game, x):
    """The points to the left and to the right of these."""
    s = shape(game)
    return union(intersection(higher(x, U(1)), s.not_first), intersection(lower(x, U(1)), s.not_last))


@inlined
def neighbours(game, x):
    """The points next to these, on the board."""
    s = shape(game)
    vertical = intersection(higher(x, s.size), s.board)
    return union(union(vertical, lower(x, s.size)), sideways(game, x))


@inlined
def flood(game, seeds, through):
    """The points of ``through`` that are connected, within it, with those of them that are in ``seeds``."""
    reached = intersection(seeds, through)
    while True:
        more = union(reached, intersection(neighbours(game, reached), through))
        if same(more, reached):
            return reached
        reached = more


@inlined
def flood_until(game, seeds, through, wanted):
    """``flood``, which ends as soon as all of ``wanted`` is reached; the points reached by then."""
    reached = intersection(seeds, through)
    while not is_empty(difference(wanted, reached)):
        more = union(reached, intersection(neighbours(game, reached), through))
        if same(more, reached):
            break
        reached = more
    return reached


@inlined
def connects(game, seeds, through, others):
    """Whether a point of ``seeds`` and one of ``others`` are connected within ``through``."""
    reached, goal = intersection(seeds, through), intersection(others, through)
    while is_empty(intersection(reached, goal)):
        more = union(reached, intersection(neighbours(game, reached), through))
        if same(more, reached):
            return False
        reached = more
    return True
