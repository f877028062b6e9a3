"""What can be chosen about Chess, and the classes that evaluations and rules of repetition become in compiled code."""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games.contract import state_of

MAX_GAME_PLIES = 2048


class Chess(NamedTuple):
    """Chess by the rules of FIDE; draws need no claim.

    evaluation : ``michniewski`` (simplified evaluation function) or ``pesto`` (tapered piece-square tables)
    max_plies : plies, counted from the move number of the position, after which a game is a draw
    repetition : ``played``: the third occurrence of a position draws games that are played, and playouts know nothing
        of it; ``everywhere``: playouts look back too, as far as their own beginning
    """

    evaluation: Literal["michniewski", "pesto"] = "michniewski"
    max_plies: Annotated[int, Interval(ge=2, le=MAX_GAME_PLIES)] = MAX_GAME_PLIES
    repetition: Literal["played", "everywhere"] = "played"

    PLAYERS = 2
    LANES = True

    def compiled(self) -> Any:
        """Evaluation and repetition as a class. Raises BadInput for another text."""
        if self.evaluation not in ("michniewski", "pesto"):
            raise BadInput(f"game.evaluation={self.evaluation}: must be michniewski or pesto")
        if self.repetition not in ("played", "everywhere"):
            raise BadInput(f"game.repetition={self.repetition}: must be played, or everywhere, in playouts too")
        return KINDS[self.evaluation, self.repetition](self.max_plies)


class Board(NamedTuple):
    """What Chess becomes in compiled code."""

    max_plies: int

    TITLE = "Chess"
    MAX_PLIES = MAX_GAME_PLIES + 1  # a ply more finds that there is no move (see ``rules``)
    MAX_MOVES = 218  # of a position with sixteen men a side or fewer (Petrovic 1964); none with more is known
    PLAYERS = 2
    FIRST = "white"
    LANES = True


class Michniewski(Board):
    """Judged by Michniewski's simplified evaluation function."""


class Pesto(Board):
    """Judged by PeSTO's tapered tables."""


class LooksBack:
    """Playouts draw at the third occurrence of a position."""

    __slots__ = ()


class MichniewskiLooksBack(LooksBack, Michniewski):
    """Michniewski's evaluation, repetition everywhere."""


class PestoLooksBack(LooksBack, Pesto):
    """PeSTO's evaluation, repetition everywhere."""


KINDS: dict[tuple[str, str], type[Board]] = {
    ("michniewski", "played"): Michniewski,
    ("michniewski", "everywhere"): MichniewskiLooksBack,
    ("pesto", "played"): Pesto,
    ("pesto", "everywhere"): PestoLooksBack,
}


@state_of(Board)
class State(NamedTuple):
    """A position as the player to move sees it: square 0 is a1 for White and a8 for Black, so that both move upwards.

    own : his pieces
    low, middle, high : the bits of the kind of piece on each square, 0 where it is empty (see ``pieces``)
    turn : who moves, rights, clocks (see ``pieces``)
    """

    own: np.uint64
    low: np.uint64
    middle: np.uint64
    high: np.uint64
    turn: np.uint64
