"""What can be chosen about the game, and the classes that its sizes and its kinds of plies become."""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games.contract import state_of

AMAZONS = 4  # of a player


class Amazons(NamedTuple):
    """The Game of the Amazons.

    size : squares a side: 6, 8 or 10
    turn : ``full``: a ply is a turn, 2,176 moves at the start on 10x10; ``split``: the amazon's move and her arrow are
        plies of their own, two in a row by the same player
    queen_territory, king_territory : what a square is worth in the evaluation to who reaches it in fewer moves of a
        queen, of a king
    contested : what a square is worth to the player to move that both reach in equally many moves of a queen
    mobility : what a move of an amazon, its arrow apart, is worth
    """

    size: Annotated[int, Interval(ge=6, le=10)] = 10
    turn: Literal["full", "split"] = "full"
    queen_territory: Annotated[int, Interval(ge=0, le=1000)] = 8
    king_territory: Annotated[int, Interval(ge=0, le=1000)] = 2
    contested: Annotated[int, Interval(ge=0, le=1000)] = 1
    mobility: Annotated[int, Interval(ge=0, le=1000)] = 1

    PLAYERS = 2
    LANES = True

    def compiled(self) -> Any:
        """Size and kind of plies as a class, the weights as its fields. Raises BadInput for another size or kind."""
        if self.size not in SIZES:
            raise BadInput(f"game.size={self.size}: Amazons is played on 6, 8 or 10 squares a side")
        if self.turn not in ("full", "split"):
            raise BadInput(f"game.turn={self.turn}: must be full, a ply a turn, or split, two plies a turn")
        return SIZES[self.size][self.turn](*self[2:])


class Board(NamedTuple):
    """What Amazons becomes in compiled code: the weights of the evaluation."""

    queen_territory: int
    king_territory: int
    contested: int
    mobility: int

    TITLE = "Amazons"
    PLAYERS = 2
    FIRST = "white"
    LANES = True  # play, mover, over and staged_move are written without branches; random_move is not


class Full:
    """A ply is a turn."""

    __slots__ = ()


class Split:
    """A ply is an amazon's move, or her arrow."""

    __slots__ = ()


def most_queen_moves(size: int) -> int:
    """Of a queen in the middle of an empty board with an even side."""
    return 4 * size - 5


def turns_of_a_game(size: int) -> int:
    """A turn fills a square; one ply more finds that there is no move (see ``turns``)."""
    return size * size - 2 * AMAZONS + 1


class Board6(Board):
    """6x6; a row of squares is seven bits, so the board takes 42 bits of one word."""

    SIZE, WHITE, BLACK = 6, "a2 b1 e1 f2", "a5 b6 e6 f5"


class Board8(Board):
    """8x8; rows of nine bits, 72 bits."""

    SIZE, WHITE, BLACK = 8, "a3 c1 f1 h3", "a6 c8 f8 h6"


class Board10(Board):
    """10x10; rows of eleven bits, 110 bits."""

    SIZE, WHITE, BLACK = 10, "a4 d1 g1 j4", "a7 d10 g10 j7"


class Full6(Full, Board6):
    """6x6, a ply a turn."""

    MAX_PLIES, MAX_MOVES = turns_of_a_game(6), AMAZONS * most_queen_moves(6) ** 2


class Full8(Full, Board8):
    """8x8, a ply a turn."""

    MAX_PLIES, MAX_MOVES = turns_of_a_game(8), AMAZONS * most_queen_moves(8) ** 2


class Full10(Full, Board10):
    """10x10, a ply a turn."""

    MAX_PLIES, MAX_MOVES = turns_of_a_game(10), AMAZONS * most_queen_moves(10) ** 2


class Split6(Split, Board6):
    """6x6, two plies a turn."""

    MAX_PLIES, MAX_MOVES = 2 * turns_of_a_game(6), AMAZONS * most_queen_moves(6)


class Split8(Split, Board8):
    """8x8, two plies a turn."""

    MAX_PLIES, MAX_MOVES = 2 * turns_of_a_game(8), AMAZONS * most_queen_moves(8)


class Split10(Split, Board10):
    """10x10, two plies a turn."""

    MAX_PLIES, MAX_MOVES = 2 * turns_of_a_game(10), AMAZONS * most_queen_moves(10)


SIZES: dict[int, dict[str, type]] = {
    6: {"full": Full6, "split": Split6},
    8: {"full": Full8, "split": Split8},
    10: {"full": Full10, "split": Split10},
}


@state_of(Board8, Board10)
class State(NamedTuple):
    """low, high: the free squares; pieces: where the amazons are, and whose turn it is (see ``pieces``)."""

    low: np.uint64
    high: np.uint64
    pieces: np.uint64


@state_of(Board6)
class SmallState(NamedTuple):
    """low: the free squares; pieces: where the amazons are, and whose turn it is."""

    low: np.uint64
    pieces: np.uint64
