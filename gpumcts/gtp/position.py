"""The game on a board that GTP talks about: colours, passes that it leaves out, moves taken back, results."""

from typing import Any, Self

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.programs import position

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
"""Whose move, as GTP writes it: black is whoever moves first."""
PASS = "pass"


class Position(position.Position):
    """As ``programs.position.Position``, for players who are named by their colour and take moves back."""

    def __init__(self, game: Any, number: int = 0, start: Any = None) -> None:
        super().__init__(game, number, start)
        self._marks: list[int] = []  # plies before each command that moved
        self._left_out: set[int] = set()  # plies that are passes which GTP leaves out

    def turn_to(self, colour: int) -> None:
        """Let the other player pass where it is not ``colour``'s turn and he may, as GTP leaves passes out; else BadInput."""
        if self.over:
            raise BadInput("the game is over")
        if colour == self.mover:
            return
        try:
            self._push_left_out(self.parse(PASS))
        except BadInput:  # the game has none, or not here
            raise BadInput("it is the other player's turn") from None
        if self.over or colour != self.mover:
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

    def play(self, colour: int, move: int | str) -> None:
        """A move of ``colour``; raises BadInput, and changes nothing, where it is not legal."""
        before = len(self.moves)
        try:
            self.turn_to(colour)
            self.push(self.parse(move) if isinstance(move, str) else move)
        except BadInput:
            while len(self.moves) > before:
                self._pop()
            raise
        self._marks.append(before)

    def undo(self) -> None:
        """Take the last ``play`` back; raises BadInput where there is none."""
        if not self._marks:
            raise BadInput("cannot undo")
        before = self._marks.pop()
        while len(self.moves) > before:
            self._pop()

    def of(self, game: Any) -> Self:
        """The same moves in a game of other terms, such as another komi."""
        fresh = type(self)(game, self.number, self.start)
        for move, left_out in self.played:
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
        return f"{'B' if score > 0 else 'W'}+{lead:g}"
