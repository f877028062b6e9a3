"""The game on a board that GTP talks about: colours, passes that it leaves out, moves taken back, results."""

from typing import Any, Self

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.programs.position import Position

COLOURS = ("black", "white")
PASS = "pass"


def colour_of(game: Any, player: int) -> str:
    """What GTP calls a player: black moves first, or white where the game says so (``FIRST``)."""
    return COLOURS[player ^ COLOURS.index(getattr(game, "FIRST", "black"))]


def player_of(game: Any, colour: str) -> int | None:
    """The player of a colour, ``black`` or ``b``, ``white`` or ``w``, in either case; None where it is none."""
    names = [colour_of(game, player) for player in (0, 1)]
    return next((player for player, name in enumerate(names) if colour.lower() in (name, name[0])), None)


class GtpPosition(Position):
    """As ``programs.position.Position``, for players who are named by their colour and take moves back."""

    def __init__(self, game: Any, number: int = 0, start: Any = None) -> None:
        super().__init__(game, number, start)
        self._marks: list[int] = []  # plies before each command that moved
        self._left_out: set[int] = set()  # plies that are passes which GTP leaves out
        self._ended: dict[int, Any] = {}  # by plies: finished states after two passes, where play went on

    def turn_to(self, player: int) -> None:
        """Let the other pass where it is not ``player``'s turn, as GTP leaves passes out; BadInput if he may not."""
        if self.over:
            raise BadInput("the game is over")
        if player == self.mover:
            return
        try:
            self._push_left_out(self.parse(PASS))
        except BadInput:  # the game has none, or not here
            raise BadInput("it is the other player's turn") from None
        if self.over or player != self.mover:
            self._pop()
            raise BadInput("it is the other player's turn")

    @property
    def played(self) -> tuple[tuple[int, bool], ...]:
        """The moves so far, each with whether it is a pass that GTP left out."""
        return tuple((move, ply in self._left_out) for ply, move in enumerate(self.moves))

    def _push_left_out(self, move: int) -> None:
        """A pass that does not count as one."""
        self._left_out.add(len(self.moves))
        self.push(move)
        with np.errstate(over="ignore"):
            self._change_last(contract.pass_left_out(self.game, self._states[-1]))

    def _pop(self) -> None:
        super()._pop()
        self._left_out.discard(len(self.moves))

    def _go_on(self) -> None:
        """Go on after passes that ended the game, which count no more: players settle what is dead. Else BadInput."""
        with np.errstate(over="ignore"):
            going_on = contract.pass_left_out(self.game, self._states[-1])
            if not contract.count_moves(self.game, going_on):
                raise BadInput("the game is over")
        self._ended[len(self.moves)] = self._states[-1]
        self._change_last(going_on)

    def _back_to(self, ply: int) -> None:
        """The position after so many moves, as it was before a game that was over there went on."""
        while len(self.moves) > ply:
            self._pop()
        if ply in self._ended:
            self._change_last(self._ended.pop(ply))

    def play(self, player: int, move: int | str) -> None:
        """A move of ``player``, after passes that ended the game too; BadInput, and no change, where it is illegal."""
        before = len(self.moves)
        try:
            if self.over:
                self._go_on()
            self.turn_to(player)
            self.push(self.parse(move) if isinstance(move, str) else move)
        except BadInput:
            self._back_to(before)
            raise
        self._marks.append(before)

    def undo(self) -> None:
        """Take the last ``play`` back; raises BadInput where there is none."""
        if not self._marks:
            raise BadInput("cannot undo")
        self._back_to(self._marks.pop())

    def of(self, game: Any) -> Self:
        """The same moves in a game of other terms, such as another komi."""
        fresh = type(self)(game, self.number, self.start)
        for ply, (move, left_out) in enumerate(self.played):
            if ply in self._ended:
                fresh._go_on()
            (fresh._push_left_out if left_out else fresh.push)(move)
        fresh._marks = list(self._marks)
        return fresh

    @classmethod
    def of_record(cls, record: contract.Record, number: int = 0) -> Self:
        """A game from a file; its moves can be taken back one by one."""
        fresh = cls(record.game, number, record.start)
        for move in record.moves:
            fresh._marks.append(len(fresh.moves))
            fresh.push(move)
        return fresh

    def result(self) -> str:
        """The result as GTP writes it: ``B+12``, ``W+3.5``, ``0``; raises BadInput before the end."""
        if not self.over:
            raise BadInput("cannot score: the game is not over")
        with np.errstate(over="ignore"):
            score, lead = int(contract.score(self.game, self.state)), contract.lead(self.game, self.state)
        if not score:
            return "0"
        lead = abs(lead) or abs(score) / SCORE_UNIT
        return f"{colour_of(self.game, int(score < 0))[0].upper()}+{lead:g}"
