"""Boards of Clobber: their options, and the class that a width becomes in compiled code, where shifts are constants.

A word holds whole rows, the top one first, square (row, column) at bit ``row * columns + column``. A board of up to 64
squares has one word a side, a larger one two: the first 64 // columns rows in the low word, the others in the high.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games.boards import RectangularBoard
from gpumcts.verbs import verb

U = np.uint64
MOST = 10  # rows or columns
WORD = 64
STEP_BASE, STEP_BITS = 16, 8  # of Shape.steps


class Clobber(NamedTuple):
    """Clobber, as it is configured.

    rows, columns : of the board, which has two squares at least
    movable_weight : what a stone with a move is worth in the evaluation
    backed_weight : what it is worth besides if a stone of its own stands next to it
    isolated_weight : what a stone without any neighbour costs in the evaluation
    """

    rows: Annotated[int, Interval(ge=1, le=MOST)] = 8
    columns: Annotated[int, Interval(ge=1, le=MOST)] = 8
    movable_weight: Annotated[int, Interval(ge=0, le=100)] = 1
    backed_weight: Annotated[int, Interval(ge=0, le=100)] = 2
    isolated_weight: Annotated[int, Interval(ge=0, le=100)] = 1

    def compiled(self) -> "Board":
        """The board as it travels into compiled code; raises BadInput for a board of one square."""
        if self.rows * self.columns < 2:
            raise BadInput("game.rows=1, game.columns=1: a board of Clobber has two squares at least")
        kinds = ONE_WORD if self.rows * self.columns <= WORD else TWO_WORDS
        return kinds[self.columns](self.rows, self.movable_weight, self.backed_weight, self.isolated_weight)


class Board(NamedTuple):
    """A board of Clobber as it travels into compiled code: its width is its class.

    rows : of the board; movable_weight, backed_weight, isolated_weight : as configured
    """

    rows: int
    movable_weight: int
    backed_weight: int
    isolated_weight: int

    TITLE = "Clobber"
    PLAYERS = 2
    FIRST = "white"
    LANES = True
    NAMED_MOVES = True

    @property
    def columns(self) -> int:
        """Of the board."""
        return int(shape(self).columns)

    @property
    def MAX_PLIES(self) -> int:
        """A move removes a stone, and the last one cannot be removed."""
        return self.rows * self.columns - 1

    @property
    def MAX_MOVES(self) -> int:
        """The pairs of neighbouring squares, of which each is a move if enemies stand there."""
        return self.rows * (self.columns - 1) + self.columns * (self.rows - 1)


class OneWord(Board):
    """Boards of up to 64 squares."""


class TwoWords(Board):
    """Larger boards."""


class Shape(NamedTuple):
    """What a width comes to, uint64 each.

    columns : of the board
    squares : in the low word
    last_row : bit at which the last row of the low word begins
    not_left, not_right : squares of a word that are not in the first, or in the last column
    steps : what the directions up, right, down and left add to a square, plus STEP_BASE, STEP_BITS each
    """

    columns: np.uint64
    squares: np.uint64
    last_row: np.uint64
    not_left: np.uint64
    not_right: np.uint64
    steps: np.uint64


def geometry(rows: int, columns: int) -> RectangularBoard:
    """The board of so many rows and columns, the top row first."""
    return RectangularBoard(rows, columns, row_step=columns, top_first=True)


def _shape_of(columns: int) -> Shape:
    rows = WORD // columns
    word = geometry(rows, columns)
    sides = word.bits(lambda row, column: column > 0), word.bits(lambda row, column: column < columns - 1)
    steps = (STEP_BASE + step << STEP_BITS * i for i, step in enumerate((-columns, 1, columns, -1)))
    words = (columns, columns * rows, columns * (rows - 1), *sides, sum(steps))
    return Shape(*(U(word) for word in words))


@verb("game")
def shape(game):
    """The Shape of a board: constants in compiled code."""


def _always(value: Shape) -> Callable:
    return lambda game: value


def _of_width(base: type, columns: int) -> Any:
    """The class of the boards of this width; it must be found by its name, since compiled code is kept by it."""
    kind = type(f"{base.__name__}{columns}", (base,), {"__module__": __name__, "__doc__": f"{columns} columns."})
    shape.implements(kind)(_always(_shape_of(columns)))
    return globals().setdefault(kind.__name__, kind)


ONE_WORD = {columns: _of_width(OneWord, columns) for columns in range(1, MOST + 1)}
TWO_WORDS = {columns: _of_width(TwoWords, columns) for columns in range(-(-(WORD + 1) // MOST), MOST + 1)}
