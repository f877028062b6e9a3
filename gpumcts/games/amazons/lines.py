"""Lines from a square: what a queen there can go to, and the names of these squares.

To look from square s, the free squares are shifted so that s is bit 0; the four directions of rising bits are rays from
there, and a subtraction finds what lies before the first square that is not free. The other four are the same on the
board turned round, its bits reversed.

On 10x10 that is about 100 operations for the eight directions, on two words; they have no branch and no table, so that
eight squares go through vector registers at once.

What a square sees is kept as *runs*: a word whose byte d is the number of free squares in direction d. A multiplication
sums the bytes, and finds the k-th square. A line's square is named by a *code*, 16 d + distance; codes are numbered by
direction and distance, not by square, so that the k-th legal move needs no set of squares put together.
"""

import numpy as np

from gpumcts.bits import blend, popcount, trailing_zeros
from gpumcts.games.amazons.squares import geometry, shifted, turned_square
from gpumcts.games.sets import Two, size, union
from gpumcts.jit import inlined

U = np.uint64
DIRECTIONS = 8
ONES, HIGHS, BYTE = U(0x0101010101010101), U(0x8080808080808080), U(255)
NO_CODE = U(128)


@inlined
def line(free, low, high):
    """The squares of a ray (two words) before the first that is not in ``free``, which is on it."""
    stop_low, stop_high = low & ~free.low, high & ~free.high
    before_low = low & ~stop_low & (stop_low - U(1))
    # Whether the subtraction borrows, asked so that LLVM makes no single instruction of both, which vector units lack.
    before_high = high & ~stop_high & (stop_high - U(before_low == low))
    return Two(before_low, before_high)


@inlined
def lines(game, free):
    """The squares on the four rays from bit 0, each up to the first that is not free."""
    rays = geometry(game)[0]
    found = union(line(free, rays[0], rays[1]), line(free, rays[2], rays[3]))
    return union(found, union(line(free, rays[4], rays[5]), line(free, rays[6], rays[7])))


@inlined
def reach(game, free, back, s):
    """How many squares a queen on ``s`` can go to, uint64; ``free`` are the free squares, ``back`` the same turned."""
    ahead = lines(game, shifted(game, free, s))
    behind = lines(game, shifted(game, back, turned_square(game, s)))
    return size(ahead) + size(behind)


@inlined
def runs_ahead(game, free):
    """The lengths of the four rays from bit 0, a byte each."""
    rays = geometry(game)[0]
    found = size(line(free, rays[0], rays[1])) | (size(line(free, rays[2], rays[3])) << U(8))
    found |= size(line(free, rays[4], rays[5])) << U(16)
    return found | (size(line(free, rays[6], rays[7])) << U(24))


@inlined
def runs(game, free, back, s):
    """The free squares before the first that is not, in each of the eight directions from ``s``, a byte a direction."""
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
