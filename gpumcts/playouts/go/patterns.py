"""The 3x3 patterns of MoGo: whether a move answers a hane, cuts, or plays on at the edge.

They are those of Gelly, Wang, Munos and Teytaud 2006, "Modification of UCT with Patterns in Monte-Carlo Go" (RR-6062),
in the drawings below: the move is the point in the middle, the word above a drawing tells who may match it. What was
decided here:

- every drawing stands for its rotations, reflections and both colours (who plays changes colour with the stones);
- a cut of the first kind is the first drawing where neither of the other two is matched, turned and coloured alike;
- ``?`` is a point of the board, so that drawings of the middle match no point on the edge, and none matches a corner.

What is around a point is a code of 16 bits: bits 0 to 7 tell which of the eight points have stones of the player to
move, bits 8 to 15 which have the opponent's, row by row from the lowest, from the left; a point off the board has both.
A table has a bit a code.
"""

import functools
import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.extending import overload

from gpumcts.bits import word_at
from gpumcts.games.go.points import lowest, point_set, shape, sideways
from gpumcts.games.sets import difference, higher, intersection, is_empty, union
from gpumcts.games.sets import lower as moved_lower
from gpumcts.jit import JIT_OPTIONS, inlined

U = np.uint64
OPTIONS: Any = JIT_OPTIONS

HANE = """
    either   either   either   X
    X O X    X O .    X O ?    X O O
    . . .    . . .    X . .    . . .
    ? ? ?    ? . ?    ? . ?    ? . ?
"""
CUT_1 = """
    either   but not  but not
    X O ?    X O ?    X O ?
    O . ?    O . O    O . .
    ? ? ?    ? . ?    ? O ?
"""
CUT_2 = """
    either
    ? X ?
    O . O
    x x x
"""
EDGE = """
    either   either   X        O        O
    X . ?    ? X ?    ? X O    ? X O    ? X O
    O . ?    o . O    ? . ?    ? . o    O . X
    # # #    # # #    # # #    # # #    # # #
"""
# What a sign allows; x and o are a stone of that colour or none.
EMPTY, MINE, THEIRS, OFF = 0, 1, 2, 3
SIGNS = {
    ".": {EMPTY},
    "X": {MINE},
    "O": {THEIRS},
    "x": {MINE, EMPTY},
    "o": {THEIRS, EMPTY},
    "?": {EMPTY, MINE, THEIRS},
    "#": {OFF},
}
OTHER_COLOUR = str.maketrans("XOxo", "OXox")

Drawing = tuple[str, ...]  # the eight signs around the move, row by row from the lowest


def drawings(text: str) -> list[tuple[str, Drawing]]:
    """(who may match it, its signs) of every drawing of a text."""
    columns = zip(*(re.split(r" {2,}", line.strip()) for line in text.strip().splitlines()), strict=True)
    found = []
    for who, *rows in columns:
        signs = [sign for row in reversed(rows) for sign in row.split()]
        found.append((who, tuple(signs[:4] + signs[5:])))
    return found


def views(who: str, drawing: Drawing) -> Iterator[Drawing]:
    """A drawing turned, reflected and, unless it is for X or O alone, in both colours, with X to move."""
    colours = {"X": [False], "O": [True]}.get(who, [False, True])
    for mirrored, turns, swapped in itertools.product((False, True), range(4), colours):
        grid = np.insert(np.array(drawing), 4, "+").reshape(3, 3)
        grid = np.rot90(grid[:, ::-1] if mirrored else grid, turns)
        signs = tuple(str(sign) for sign in np.delete(grid.reshape(9), 4))
        yield tuple(sign.translate(OTHER_COLOUR) for sign in signs) if swapped else signs


def codes(drawing: Drawing) -> set[int]:
    """The codes that signs match, X being the player to move."""
    return {
        sum((point & 1) << k | (point >> 1) << 8 + k for k, point in enumerate(points))
        for points in itertools.product(*(SIGNS[sign] for sign in drawing))
    }


@functools.cache
def matching() -> frozenset[int]:
    """The codes of all patterns."""
    found: set[int] = set()
    for who, drawing in [*drawings(HANE), *drawings(CUT_2), *drawings(EDGE)]:
        found.update(*(codes(view) for view in views(who, drawing)))
    for first, *exceptions in zip(*(views(who, drawing) for who, drawing in drawings(CUT_1)), strict=True):
        found |= codes(first).difference(*(codes(view) for view in exceptions))
    return frozenset(found)


@functools.cache
def table() -> np.ndarray:
    """uint64[1024]: bit ``code % 64`` of word ``code // 64`` is set where a pattern matches."""
    bits = np.zeros(1 << 16, np.uint8)
    bits[list(matching())] = 1
    return np.packbits(bits, bitorder="little").view(np.uint64)


def _word(number):
    """Word ``number`` (uint64) of the table."""
    return table()[int(number)]


@overload(_word, jit_options=OPTIONS)
def _compiled_word(number):
    found = table()  # a constant of the code that looks it up, made when that is compiled
    return lambda number: found[number]


@inlined
def eight_around(game, points):
    """The up to eight points around a set of one (or none), on the board."""
    s = shape(game)
    row = union(points, sideways(game, points))
    rows = union(row, union(intersection(higher(row, s.size), s.board), moved_lower(row, s.size)))
    return difference(rows, points)


@inlined
def window(game, raised, point):
    """Which points around ``point`` are in a set that was moved up by size + 1: eight bits; off the board, anything."""
    words = (raised.a, raised.b, raised.c, raised.d, raised.e, raised.f)
    n, number, shift = shape(game).size, np.int64(point >> U(6)), point & U(63)
    # The next word is only reached by points off the board where there is none.
    bits = (word_at(words, number) >> shift) | ((word_at(words, number + 1) << U(1)) << (U(63) - shift))
    middle = bits >> n
    return (bits & U(7)) | ((middle & U(1)) << U(3)) | ((middle & U(4)) << U(2)) | (((middle >> n) & U(7)) << U(5))


@inlined
def off_board(game, point):
    """Which of the eight points around one are not on the board: eight bits."""
    n = shape(game).size
    row = (point * ((U(65535) + n) // n)) >> U(16)
    column = point - row * n
    sides = (U(0b00101001) if column == U(0) else U(0)) | (U(0b10010100) if column == n - U(1) else U(0))
    return sides | (U(0b00000111) if row == U(0) else U(0)) | (U(0b11100000) if row == n - U(1) else U(0))


@inlined
def pattern_points(game, own, opp, candidates):
    """Those of ``candidates`` (empty points) where the owner of ``own``, who is to move, matches a pattern."""
    raise_by = shape(game).size + U(1)
    mine, theirs = higher(own, raise_by), higher(opp, raise_by)
    left = candidates
    while not is_empty(left):
        point = lowest(game, left)
        stone = point_set(game, point)
        left = difference(left, stone)
        off = off_board(game, point)
        code = (window(game, mine, point) | off) | ((window(game, theirs, point) | off) << U(8))
        if (_word(code >> U(6)) >> (code & U(63))) & U(1) == U(0):
            candidates = difference(candidates, stone)
    return candidates
