"""The words of a state: kinds of pieces, rights and clocks.

The kind of the piece on a square is a number of three bits, which stand in the words ``low``, ``middle`` and ``high``:

    1 pawn    2 knight    3 king    5 bishop    6 rook    7 queen

so sliding pieces have the high bit, those that go diagonally the low one too, those that go straight the middle one.

Bits of ``turn``: 0 who moves; 1 and 2 his rights to castle on the side of the king and of the queen, 3 and 4 the
other's; ENDED, a ply was played after the end; REPEATED, the position has come for the third time; from PASSANT on the
file on which he may take en passant, as a set; from CLOCK on the plies since a pawn moved or a piece was taken; from
PLY on those of the game.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import byte_swap
from gpumcts.games.chess.options import State
from gpumcts.jit import inlined

U = np.uint64
PAWN, KNIGHT, KING, BISHOP, ROOK, QUEEN = 1, 2, 3, 5, 6, 7
BLACK, OWN_KING, OWN_QUEEN, OTHER_KING, OTHER_QUEEN = U(1), U(2), U(4), U(8), U(16)
RIGHTS = OWN_KING | OWN_QUEEN | OTHER_KING | OTHER_QUEEN
ENDED, REPEATED = U(32), U(64)
PASSANT, CLOCK, PLY = U(8), U(16), U(32)
FIELD, BYTE = U(0xFFFF), U(0xFF)


class Pieces(NamedTuple):
    """The pieces of one side by how they move; queens are among straight and diagonal."""

    pawns: np.uint64
    knights: np.uint64
    king: np.uint64
    straight: np.uint64
    diagonal: np.uint64


@inlined
def occupied(state):
    """All squares with a piece."""
    return state.low | state.middle | state.high


@inlined
def pieces_of(state, side):
    """The Pieces on the squares ``side``."""
    low, middle, high = state.low & side, state.middle & side, state.high & side
    return Pieces(low & ~middle & ~high, middle & ~low & ~high, low & middle & ~high, high & middle, high & low)


@inlined
def clock(state):
    """Plies since a pawn moved or a piece was taken, as uint64."""
    return (state.turn >> CLOCK) & FIELD


@inlined
def ply(state):
    """Plies of the game so far, as uint64."""
    return (state.turn >> PLY) & FIELD


@inlined
def passant(state):
    """The square on which a pawn may be taken en passant, as a set."""
    return ((state.turn >> PASSANT) & BYTE) << U(40)


@inlined
def turned_round(own, low, middle, high, turn):
    """The state with the board turned round for the other player; ``own`` are the pieces of who is to move then."""
    return State(byte_swap(own), byte_swap(low), byte_swap(middle), byte_swap(high), turn)


def kind_on(state, square: int) -> int:
    """The kind of the piece on a square, 0 where it is empty. Plain Python."""
    low, middle, high = int(state.low) >> square & 1, int(state.middle) >> square & 1, int(state.high) >> square & 1
    return low | middle << 1 | high << 2
