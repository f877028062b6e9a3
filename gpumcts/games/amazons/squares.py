"""Sets of squares, the words of a state that hold them, and what else the sizes of the board differ in.

A row of n squares takes n + 1 bits, a1 is bit 0; the bit after the last square of a row is never free. So a line that
leaves the board meets a square that is not free, whatever its direction, and no line needs a mask of files. A board of
6x6 has one word, and every high word of its sets is the constant 0.
"""

import numpy as np

from gpumcts.bits import bit_reverse, blend
from gpumcts.games.amazons.options import Board, Board6, Board8, Board10, SmallState, State
from gpumcts.games.sets import Two
from gpumcts.verbs import verb

U = np.uint64


# ----------------------------------------------------------------------------------------------- what sizes differ in


@verb("game")
def geometry(game):
    """(rays, strides, width) of a board, all uint64, constants of the compiled code.

    rays : those of the four directions of rising bits from bit 0, as eight words, low and high by turns
    strides : what a step of these directions adds, a byte each; width : the bits of a row
    """


@verb("game")
def free_squares(game, state):
    """The free squares of a state."""


@verb("game")
def with_squares(game, free, pieces):
    """The state of these free squares and this word of pieces."""


@verb("game")
def shifted(game, squares, s):
    """The squares with square ``s`` (uint64) moved to bit 0; those below are gone."""


@verb("game")
def square_set(game, s):
    """The set of one square, uint64."""


@verb("game")
def turned(game, squares):
    """The squares in reverse order; square s comes to ``turned_square``."""


@verb("game")
def turned_square(game, s):
    """Where square s is on the turned board."""


def _register_geometry(kind: type, size: int) -> None:
    width = size + 1
    strides = (1, width - 1, width, width + 1)
    lines = [sum(1 << stride * k for k in range(1, size + 1)) for stride in strides]
    rays = tuple(U(half) for line in lines for half in (line & (2**64 - 1), line >> 64))
    steps, bits = U(sum(stride << 8 * i for i, stride in enumerate(strides))), U(width)

    @geometry.implements(kind)
    def constants(game):
        return rays, steps, bits


for _kind in (Board6, Board8, Board10):
    _register_geometry(_kind, _kind.SIZE)


@free_squares.implements(Board)
def two_words(game, state):
    return Two(state.low, state.high)


@free_squares.implements(Board6)
def one_word(game, state):
    return Two(state.low, U(0))


@with_squares.implements(Board)
def state_of_two(game, free, pieces):
    return State(free.low, free.high, pieces)


@with_squares.implements(Board6)
def state_of_one(game, free, pieces):
    return SmallState(free.low, pieces)


@shifted.implements(Board)
def shifted_two(game, squares, s):
    within, beyond = s & U(63), s >= U(64)
    first = blend(beyond, squares.high, squares.low)
    second = blend(beyond, U(0), squares.high)
    return Two((first >> within) | ((second << U(1)) << (U(63) - within)), second >> within)


@shifted.implements(Board6)
def shifted_one(game, squares, s):
    return Two(squares.low >> (s & U(63)), U(0))


@square_set.implements(Board)
def square_of_two(game, s):
    one, beyond = U(1) << (s & U(63)), s >= U(64)
    return Two(blend(beyond, U(0), one), blend(beyond, one, U(0)))


@square_set.implements(Board6)
def square_of_one(game, s):
    return Two(U(1) << (s & U(63)), U(0))


@turned.implements(Board)
def turned_two(game, squares):
    return Two(bit_reverse(squares.high), bit_reverse(squares.low))


@turned.implements(Board6)
def turned_one(game, squares):
    return Two(bit_reverse(squares.low), U(0))


@turned_square.implements(Board)
def turned_in_two(game, s):
    return U(127) - s


@turned_square.implements(Board6)
def turned_in_one(game, s):
    return U(63) - s
