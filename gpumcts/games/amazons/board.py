"""Sets of squares, lines from a square, and the word that holds the amazons.

A row of n squares takes n + 1 bits, a1 is bit 0; the bit after the last square of a row is never free. So a line that
leaves the board meets a square that is not free, whatever its direction, and no line needs a mask of files. To look
from square s, the free squares are shifted so that s is bit 0; the four directions of rising bits are rays from there,
and a subtraction finds what lies before the first square that is not free. The other four are the same on the board
turned round, its bits reversed.

On 10x10 that is about 100 operations for the eight directions, on two words; they have no branch and no table, so that
eight squares go through vector registers at once.

What a square sees is kept as *runs*: a word whose byte d is the number of free squares in direction d. A multiplication
sums the bytes, and finds the k-th square. A line's square is named by a *code*, 16 d + distance; codes are numbered by
direction and distance, not by square, so that the k-th legal move needs no set of squares put together.

The word of the pieces: bits 0 to 27 the squares of White's amazons, 7 bits each in rising order, bits 28 to 55
Black's, bit 56 who moves; bits 57 to 63 are MOVED: 0, or 1 + the square of the amazon that has moved and is to shoot,
or STUCK.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.games.amazons.options import Board, Board6, Board8, Board10, SmallState, State
from gpumcts.games.contract import pack, unpack
from gpumcts.jit import bit_reverse, blend, inlined, popcount, trailing_zeros
from gpumcts.verbs import verb

U = np.uint64
DIRECTIONS = 8
SQUARE_BITS, SIDE_BITS = 7, 28
SQUARE, SIDE = U(127), U((1 << SIDE_BITS) - 1)
MOVER, MOVED, STUCK = U(56), U(57), U(127)
ONES, HIGHS, BYTE = U(0x0101010101010101), U(0x8080808080808080), U(255)
NO_CODE = U(128)


class Squares(NamedTuple):
    """A set of squares as two words; the second is 0 on boards of one word."""

    low: np.uint64
    high: np.uint64


# ----------------------------------------------------------------------------------------------- what sizes differ in


@verb("game")
def geometry(game):
    """(rays, strides, width): the rays of the four directions of rising bits from bit 0, as eight words, low and high by turns;
    what a step of these directions adds, a byte each; the bits of a row. All uint64, constants of the compiled code."""


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
    return Squares(state.low, state.high)


@free_squares.implements(Board6)
def one_word(game, state):
    return Squares(state.low, U(0))


@with_squares.implements(Board)
def state_of_two(game, free, pieces):
    return State(free.low, free.high, pieces)


@with_squares.implements(Board6)
def state_of_one(game, free, pieces):
    return SmallState(free.low, pieces)


@unpack.implements(Board)
def unpack_two(game, words, at, stride):
    return State(words[at], words[at + stride], words[at + 2 * stride])


@unpack.implements(Board6)
def unpack_one(game, words, at, stride):
    return SmallState(words[at], words[at + stride])


@pack.implements(Board)
def pack_two(game, state, words, at, stride):
    words[at], words[at + stride], words[at + 2 * stride] = state.low, state.high, state.pieces


@pack.implements(Board6)
def pack_one(game, state, words, at, stride):
    words[at], words[at + stride] = state.low, state.pieces


@shifted.implements(Board)
def shifted_two(game, squares, s):
    within, beyond = s & U(63), s >= U(64)
    first = blend(beyond, squares.high, squares.low)
    second = blend(beyond, U(0), squares.high)
    return Squares((first >> within) | ((second << U(1)) << (U(63) - within)), second >> within)


@shifted.implements(Board6)
def shifted_one(game, squares, s):
    return Squares(squares.low >> (s & U(63)), U(0))


@square_set.implements(Board)
def square_of_two(game, s):
    one, beyond = U(1) << (s & U(63)), s >= U(64)
    return Squares(blend(beyond, U(0), one), blend(beyond, one, U(0)))


@square_set.implements(Board6)
def square_of_one(game, s):
    return Squares(U(1) << (s & U(63)), U(0))


@turned.implements(Board)
def turned_two(game, squares):
    return Squares(bit_reverse(squares.high), bit_reverse(squares.low))


@turned.implements(Board6)
def turned_one(game, squares):
    return Squares(bit_reverse(squares.low), U(0))


@turned_square.implements(Board)
def turned_in_two(game, s):
    return U(127) - s


@turned_square.implements(Board6)
def turned_in_one(game, s):
    return U(63) - s


# ------------------------------------------------------------------------------------------------- lines from a square


@inlined
def union(a, b):
    """Squares in either set."""
    return Squares(a.low | b.low, a.high | b.high)


@inlined
def without(a, b):
    """Squares of ``a`` that are not in ``b``."""
    return Squares(a.low & ~b.low, a.high & ~b.high)


@inlined
def raised(squares, n):
    """The squares moved up by n bits, 0 < n < 64."""
    return Squares(squares.low << n, (squares.high << n) | (squares.low >> (U(64) - n)))


@inlined
def lowered(squares, n):
    """The squares moved down by n bits, 0 < n < 64."""
    return Squares((squares.low >> n) | (squares.high << (U(64) - n)), squares.high >> n)


@inlined
def line(free, low, high):
    """The squares of a ray (two words) before the first that is not in ``free``, which is on it."""
    stop_low, stop_high = low & ~free.low, high & ~free.high
    before_low = low & ~stop_low & (stop_low - U(1))
    # Whether the subtraction borrows, asked so that LLVM does not make one instruction of both that vector units have not.
    before_high = high & ~stop_high & (stop_high - U(before_low == low))
    return Squares(before_low, before_high)


@inlined
def lines(game, free):
    """The squares on the four rays from bit 0, each up to the first that is not free."""
    rays = geometry(game)[0]
    found = union(line(free, rays[0], rays[1]), line(free, rays[2], rays[3]))
    return union(found, union(line(free, rays[4], rays[5]), line(free, rays[6], rays[7])))


@inlined
def size_of(squares):
    """How many squares a set has, as uint64."""
    return popcount(squares.low) + popcount(squares.high)


@inlined
def reach(game, free, back, s):
    """How many squares a queen on ``s`` can go to, as uint64; ``free`` are the free squares, ``back`` the same turned."""
    ahead = lines(game, shifted(game, free, s))
    behind = lines(game, shifted(game, back, turned_square(game, s)))
    return size_of(ahead) + size_of(behind)


@inlined
def runs_ahead(game, free):
    """The lengths of the four rays from bit 0, a byte each."""
    rays = geometry(game)[0]
    found = size_of(line(free, rays[0], rays[1])) | (size_of(line(free, rays[2], rays[3])) << U(8))
    found |= size_of(line(free, rays[4], rays[5])) << U(16)
    return found | (size_of(line(free, rays[6], rays[7])) << U(24))


@inlined
def runs(game, free, back, s):
    """The free squares before the first that is not free in each of the eight directions from ``s``, a byte a direction."""
    ahead = runs_ahead(game, shifted(game, free, s))
    return ahead | (runs_ahead(game, shifted(game, back, turned_square(game, s))) << U(32))


@inlined
def total(runs):
    """The sum of the bytes, at most 35 here."""
    return (runs * ONES) >> U(56)


@inlined
def nth_code(runs, k):
    """The code of the k-th square of these runs (uint64), k < total; some code where there is none."""
    sums = runs * ONES  # byte d: the squares of directions 0 to d
    passed = (
        ((k * ONES) | HIGHS) - sums
    ) & HIGHS  # a high bit for each direction whose squares are all before the k-th
    direction = popcount(passed) & U(7)
    before = ((sums << U(8)) >> (direction << U(3))) & BYTE
    return (direction << U(4)) | ((k - before + U(1)) & U(15))


@inlined
def code_from(runs, code):
    """The smallest code of these runs that is not below ``code`` (uint64, at most 127); NO_CODE if there is none."""
    direction, distance = code >> U(4), code & U(15)
    here = (runs >> (direction << U(3))) & BYTE
    wanted = max(distance, U(1))
    further = runs & above(direction)
    first = trailing_zeros(further) >> U(3)
    beyond = blend(further == U(0), NO_CODE, (first << U(4)) | U(1))
    return blend(wanted <= here, (direction << U(4)) | wanted, beyond)


@inlined
def above(direction):
    """The bytes above that of a direction, as a mask."""
    return ((~U(0)) << (direction << U(3))) << U(8)


@inlined
def square_at(game, s, code):
    """The square that ``code`` names from ``s``."""
    stride = (geometry(game)[1] >> ((code >> U(1)) & U(24))) & BYTE
    way, back = stride * (code & U(15)), U(0) - (code >> U(6))  # back: all ones in directions 4 to 7
    return s + ((way ^ back) - back)


# ------------------------------------------------------------------------------------------------------------ pieces


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


def square_number(board, name: str) -> int:
    """The number of a square such as d10 on a board, which it must be on."""
    return (int(name[1:]) - 1) * (board.SIZE + 1) + ord(name[0]) - ord("a")


def free_and_pieces(board, white: list[int], black: list[int], arrows: list[int], mover: int, waiting: int) -> tuple:
    """The free squares as a number, and the word of the pieces, whose MOVED is ``waiting``; plain Python."""
    width = board.SIZE + 1
    taken = {*white, *black, *arrows}
    free = sum(1 << s for s in range(board.SIZE * width) if s % width < board.SIZE and s not in taken)
    pieces = mover << int(MOVER) | waiting << int(MOVED)
    for side, squares in enumerate((white, black)):
        for i, s in enumerate(sorted(squares)):
            pieces |= s << side * SIDE_BITS + i * SQUARE_BITS
    return free, pieces


def state_of(game, *parts):
    """The state of what ``free_and_pieces`` takes."""
    free, pieces = free_and_pieces(game, *parts)
    return with_squares(game, Squares(U(free & (2**64 - 1)), U(free >> 64)), U(pieces))
