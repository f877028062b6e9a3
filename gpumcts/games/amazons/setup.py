"""States put together from squares, as starts and positions in text are: plain Python, never compiled."""

import numpy as np

from gpumcts.games.amazons.pieces import MOVED, MOVER, SIDE_BITS, SQUARE_BITS
from gpumcts.games.amazons.squares import with_squares
from gpumcts.games.boards import RectangularBoard
from gpumcts.games.sets import Two

U = np.uint64


def geometry_of(board) -> RectangularBoard:
    """The squares of a board: a row takes a bit more than it has squares (see ``squares``)."""
    return RectangularBoard(board.SIZE, board.SIZE, row_step=board.SIZE + 1)


def square_number(board, name: str) -> int:
    """The number of a square such as d10 on a board, which it must be on."""
    number = geometry_of(board).named(name)
    assert number is not None, name
    return number


def free_and_pieces(board, white: list[int], black: list[int], arrows: list[int], mover: int, waiting: int) -> tuple:
    """The free squares as a number, and the word of the pieces, whose MOVED is ``waiting``; plain Python."""
    taken = sum(1 << square for square in {*white, *black, *arrows})
    free = geometry_of(board).bits() & ~taken
    pieces = mover << int(MOVER) | waiting << int(MOVED)
    for side, squares in enumerate((white, black)):
        for i, s in enumerate(sorted(squares)):
            pieces |= s << side * SIDE_BITS + i * SQUARE_BITS
    return free, pieces


def state_of(game, *parts):
    """The state of what ``free_and_pieces`` takes."""
    free, pieces = free_and_pieces(game, *parts)
    return with_squares(game, Two(U(free & (2**64 - 1)), U(free >> 64)), U(pieces))
