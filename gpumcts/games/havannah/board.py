"""Boards of Havannah: the options, the class that a base becomes in compiled code, and the tables of a board.

Cells are numbered row by row; in a state cell c is bit c % 64 of word c // 64 of a side. Row r and column c, both from
0 to 2 base - 2, exist together where they differ by less than the base. The neighbours of a cell are, going round,
(r - 1, c - 1), (r - 1, c), (r, c + 1), (r + 1, c + 1), (r + 1, c), (r, c - 1).

Where chains are kept, a side is a row of bits a row of the board: column c is bit c + 1 of word r + 1, so that the rows
above and below and the columns beside exist for all cells. The *place* of a cell there is (r + 1) << ``row_bits`` | c.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.verbs import verb

U = np.uint64
LEAST, MOST = 4, 10
AROUND = (-1, -1), (-1, 0), (0, 1), (1, 1), (1, 0), (0, -1)
SIDES, CORNERS_AT = 6, 6  # touched sides are bits 0 to 5, touched corners bits 6 to 11
TOUCHED_BITS = 12
WORD = 64


class Havannah(NamedTuple):
    """Havannah, as it is configured.

    base : cells a side of the hexagon, 3 base (base - 1) + 1 in all
    swap : whether the second player may, in place of his first stone, take over the first player's: the move whose
        number is the number of cells. The stone becomes his where it is, and the first player is to move.
    side_weight, corner_weight : what a chain is worth in the evaluation that touches one side, one corner
    two_sides_weight : what it is worth besides if it touches two sides
    link_weight : what a pair of neighbouring stones is worth in it
    """

    base: Annotated[int, Interval(ge=LEAST, le=MOST)] = 8
    swap: bool = False
    side_weight: Annotated[int, Interval(ge=0, le=100)] = 4
    two_sides_weight: Annotated[int, Interval(ge=0, le=100)] = 12
    corner_weight: Annotated[int, Interval(ge=0, le=100)] = 8
    link_weight: Annotated[int, Interval(ge=0, le=100)] = 1

    PLAYERS = 2
    LANES = False

    def compiled(self) -> "Board":
        """The board as it travels into compiled code. Raises BadInput for another base."""
        if self.base not in KINDS:
            raise BadInput(f"game.base={self.base}: Havannah is played with {LEAST} to {MOST} cells a side")
        return KINDS[self.base](*self[1:])


class Board(NamedTuple):
    """A board of Havannah as it travels into compiled code: its base is its class.

    swap, side_weight, two_sides_weight, corner_weight, link_weight : as configured
    """

    swap: bool
    side_weight: int
    two_sides_weight: int
    corner_weight: int
    link_weight: int

    TITLE = "Havannah"
    PLAYERS = 2
    LANES = False
    NAMED_MOVES = True
    BASE = 0
    CELLS = 0  # a move below CELLS puts a stone on that cell; the only other one, CELLS, takes the first stone over

    @property
    def MAX_PLIES(self) -> int:
        """Every cell is filled once; taking a stone over is a ply more."""
        return self.CELLS + self.swap

    @property
    def MAX_MOVES(self) -> int:
        """Of the start."""
        return self.CELLS


class Base4(Board):
    """37 cells."""

    BASE, CELLS = 4, 37


class Base5(Board):
    """61 cells."""

    BASE, CELLS = 5, 61


class Base6(Board):
    """91 cells."""

    BASE, CELLS = 6, 91


class Base7(Board):
    """127 cells."""

    BASE, CELLS = 7, 127


class Base8(Board):
    """169 cells."""

    BASE, CELLS = 8, 169


class Base9(Board):
    """217 cells."""

    BASE, CELLS = 9, 217


class Base10(Board):
    """271 cells."""

    BASE, CELLS = 10, 271


KINDS: dict[int, Any] = {kind.BASE: kind for kind in (Base4, Base5, Base6, Base7, Base8, Base9, Base10)}


class Shape(NamedTuple):
    """What a base comes to, uint64 each: constants of the compiled code.

    cells : of the board; words : a side of a state has
    row_bits : bits of the column in a place; last : the cells of the last word of a side
    rim : cells that touch a side; remaining : plies that a random game lasts from the start, in hundredths
    """

    cells: np.uint64
    words: np.uint64
    row_bits: np.uint64
    last: np.uint64
    rim: np.uint64
    remaining: np.uint64


class Tables(NamedTuple):
    """Tables of a board, made in plain Python. ``beside`` is of cells, the others are for the board in rows.

    beside : uint16[C * 8], the six cells around a cell, 64 * words where there is none
    spots : uint32[C], the place of a cell in its low half, what it touches in its high half
    arcs : uint32[128], by the stones around a cell (``chains.around``): where its arcs of stones are (``chains``)
    """

    beside: np.ndarray
    spots: np.ndarray
    arcs: np.ndarray


@verb("game")
def shape(game):
    """The Shape of a board."""


@verb("game")
def cell_beside(game, cell, direction):
    """The cell (uint64) beside a cell in a direction; 64 * words, a bit that no state sets, where there is none."""


@verb("game")
def spot(game, cell):
    """The place of a cell, and what it touches 16 bits above it: uint64."""


@verb("game")
def arcs_around(game, stones):
    """What ``chains`` says of an arrangement of stones around a cell in rows: uint64."""


# ------------------------------------------------------------------------------------------------ made in plain Python


def exists(base: int, r: int, c: int) -> bool:
    """Whether a row and a column meet on the board."""
    return 0 <= r <= 2 * base - 2 and 0 <= c <= 2 * base - 2 and abs(r - c) < base


def cells_of(base: int) -> list[tuple[int, int]]:
    """Row and column of every cell, in the order of their numbers."""
    return [(r, c) for r in range(2 * base - 1) for c in range(2 * base - 1) if exists(base, r, c)]


def touched(base: int, r: int, c: int) -> int:
    """The sides and corners that a cell touches, as bits."""
    end = 2 * base - 2
    on = [r == 0, c - r == base - 1, c == end, r == end, r - c == base - 1, c == 0]
    if sum(on) < 2:
        return sum(bit << i for i, bit in enumerate(on))
    return 1 << CORNERS_AT + [i for i in range(6) if on[i] and on[i - 1]][0]


class Arcs(NamedTuple):
    """The first direction of every arc of stones around a cell, and the directions in which three in a row begin."""

    begins: list[int]
    threes: list[int]


def arcs_of(stones: int) -> Arcs:
    """The arcs of six bits, one a direction."""
    has = [bool(stones >> i & 1) for i in range(6)]
    begins = [i for i in range(6) if has[i] and not has[i - 1]] or ([0] if stones else [])
    return Arcs(begins, [i for i in range(6) if has[i] and has[(i + 1) % 6] and has[(i + 2) % 6]])


ROW_PATTERN = (0, 1, 4, 6, 5, 2)  # bits of a direction in ``chains.around``
ARC_BITS, JOINS_AT, THREES_AT = 7, 21, 23


def arc_word(stones: int, distances: tuple[int, ...]) -> int:
    """Up to three arcs by ``distances``, one a direction, missing ones as the first; for none at all the last distance.

    Bits JOINS_AT and up: one for a second arc, one for a third, then a bit a direction in which three in a row begin.
    """
    begins, threes = arcs_of(stones)
    where = [distances[i] for i in begins] or [distances[6]]
    word = sum(where[i if i < len(where) else 0] << ARC_BITS * i for i in range(3))
    word |= (len(begins) > 1) << JOINS_AT | (len(begins) > 2) << JOINS_AT + 1
    return word | sum(1 << THREES_AT + i for i in threes)


def tables(base: int) -> Tables:
    """The Tables of a base."""
    cells, bits = cells_of(base), row_bits(base)
    number, no_cell = {cell: i for i, cell in enumerate(cells)}, WORD * words_of(base)
    beside, spots = np.full((len(cells), 8), no_cell, np.uint16), np.zeros(len(cells), np.uint32)
    for i, (r, c) in enumerate(cells):
        beside[i, :6] = [number.get((r + down, c + right), no_cell) for down, right in AROUND]
        spots[i] = (r + 1 << bits | c) | touched(base, r, c) << 16
    # Distances are counted from the neighbour before all others, so that none is negative; the last is the cell's own.
    distances = tuple((down + 1 << bits) + right + 1 for down, right in (*AROUND, (0, 0)))
    arcs = np.zeros(1 << 7, np.uint32)
    for stones in range(64):
        arcs[sum((stones >> i & 1) << ROW_PATTERN[i] for i in range(6))] = arc_word(stones, distances)
    return Tables(beside.reshape(-1), spots, arcs)


def words_of(base: int) -> int:
    """Words of a side of a state."""
    return -(-len(cells_of(base)) // WORD)


def row_bits(base: int) -> int:
    """Bits of the column in a place."""
    return 4 if 2 * base - 1 <= 16 else 5


def places(base: int) -> int:
    """Places of a board, those that are no cells included."""
    return 2 * base << row_bits(base)


RANDOM_PLIES = {4: 2795, 5: 4656, 6: 6870, 7: 9340, 8: 12_050, 9: 14_930, 10: 18_060}  # of random games, in hundredths


def _register(kind: Any, base: int) -> None:
    beside, spots, arcs = tables(base)
    cells, words = kind.CELLS, words_of(base)
    last = (1 << cells - WORD * (words - 1)) - 1
    value = Shape(*(U(number) for number in (cells, words, row_bits(base), last, 6 * (base - 2), RANDOM_PLIES[base])))

    @shape.implements(kind)
    def constants(game):
        return value

    @cell_beside.implements(kind)
    def cell_of_table(game, cell, direction):
        return U(beside[cell * U(8) + direction])

    @spot.implements(kind)
    def spot_of_table(game, cell):
        return U(spots[cell])

    @arcs_around.implements(kind)
    def arcs_of_table(game, stones):
        return U(arcs[stones])


for _base, _kind in KINDS.items():
    _register(_kind, _base)
