"""The game that a GUI plays: it may continue after a draw by our rules."""

from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.chess.options import MAX_GAME_PLIES
from gpumcts.programs.position import Position

FEN_FIELDS, FEN_CLOCK = 6, 4  # the clock of fifty moves, and the move number after it


def start_of(game: Any, text: str) -> Any:
    """The state that a GUI begins with. Raises BadInput where it is none.

    A move number beyond the longest game of our rules is read as 1: the GUI plays on, and refusal would lose the game.
    """
    *fields, number = text.split() or [""]
    counted = len(fields) + 1 == FEN_FIELDS and number.isascii() and number.isdecimal()
    if counted and (len(number.lstrip("0")) > 4 or int(number) > MAX_GAME_PLIES // 2):
        text = " ".join([*fields, "1"])
    return contract.parse_position(game, text)


class UciPosition(Position):
    """As ``programs.position.Position``, for games whose draws have to be claimed, which our rules do not ask for.

    The third occurrence of a position, and the fifty moves of Chess, end a game only where the GUI says so. While moves
    are asked for it has not: such a position is played on as if it were the first of its kind.
    """

    def __init__(self, game: Any, number: int = 0, start: Any = None) -> None:
        super().__init__(game, number, start)
        self._change_last(self._played_on(self.start))

    @property
    def state(self) -> Any:
        """The position as the game's NamedTuple, with what the game so far forbids, unless that is to go on."""
        seen = super().state
        return seen if self._moves_in(seen) else self._states[-1]

    def push(self, move: int) -> None:
        """Play a legal move of whoever is to move."""
        super().push(move)
        self._change_last(self._played_on(self._states[-1]))

    def _moves_in(self, state: Any) -> int:
        with np.errstate(over="ignore"):
            return int(contract.count_moves(self.game, state))

    def _played_on(self, state: Any) -> Any:
        """``state``; with clock and move number of its FEN as at a start, where only then a move is left."""
        if self._moves_in(state):
            return state
        with np.errstate(over="ignore"):
            fields = str(contract.position_text(self.game, state)).split()
            if len(fields) != FEN_FIELDS:
                return state
            fields[FEN_CLOCK:] = "0", "1"
            try:
                other = contract.parse_position(self.game, " ".join(fields))
            except BadInput:
                return state
        return other if self._moves_in(other) else state
