"""The game an engine has on its board, move by move and back. Plain Python: it is there before anything is compiled."""

from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
"""Whose move, as GTP writes it: black is whoever moves first."""
PASS = "pass"


class Position:
    """The current position of a game, and those before it; ``game`` is an option value.

    number : of the game, from 0; start : the state it begins with (None: the game's own); moves : played so far
    """

    def __init__(self, game: Any, number: int = 0, start: Any = None) -> None:
        self.game, self.number = game, number
        self.moves: list[int] = []
        self.start = contract.start(game) if start is None else start
        self._states = [self.start]
        self._marks: list[int] = []  # plies before each command that moved
        self._looks_back = contract.has_history(game)
        self._seen: Any = None  # the last state as ``with_history`` gives it, once someone has asked

    @property
    def state(self) -> Any:
        """The position as the game's NamedTuple, with what the game so far forbids (superko)."""
        if not self._looks_back:
            return self._states[-1]
        if self._seen is None:
            earlier = np.stack([self._packed(state) for state in self._states])[:-1]
            with np.errstate(over="ignore"):
                self._seen = contract.with_history(self.game, self._states[-1], earlier)
        return self._seen

    @property
    def mover(self) -> int:
        """Who moves: 0 or 1."""
        return int(contract.mover(self.game, self.state))

    @property
    def legal(self) -> list[int]:
        """The legal moves; none where the game is over."""
        with np.errstate(over="ignore"):
            count = int(contract.count_moves(self.game, self.state))
            return [int(contract.nth_move(self.game, self.state, k)) for k in range(count)]

    @property
    def only_move(self) -> int | None:
        """The legal move, where there is but one."""
        with np.errstate(over="ignore"):
            if int(contract.count_moves(self.game, self.state)) != 1:
                return None
            return int(contract.nth_move(self.game, self.state, 0))

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        with np.errstate(over="ignore"):
            return int(contract.count_moves(self.game, self.state)) == 0

    def turn_to(self, colour: int) -> None:
        """Let the other player pass where it is not ``colour``'s turn and he may, as GTP leaves passes out; else BadInput."""
        if self.over:
            raise BadInput("the game is over")
        if colour == self.mover:
            return
        self.push(self.parse(PASS))
        if self.over or colour != self.mover:
            self._pop()
            raise BadInput("it is the other player's turn")

    def parse(self, text: str) -> int:
        """The legal move that ``text`` names; raises BadInput where it names none."""
        with np.errstate(over="ignore"):
            return int(contract.parse_move(self.game, self.state, text))

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

    def push(self, move: int) -> None:
        """Play a legal move of whoever is to move; ``undo`` does not know of it."""
        with np.errstate(over="ignore"):
            self._states.append(contract.play(self.game, self._states[-1], move))
        self.moves.append(move)
        self._seen = None

    def _pop(self) -> None:
        self._states.pop()
        self.moves.pop()
        self._seen = None

    def of(self, game: Any) -> "Position":
        """The same moves in a game of other terms, such as another komi."""
        fresh = Position(game, self.number, self.start)
        for move in self.moves:
            fresh.push(move)
        fresh._marks = list(self._marks)
        return fresh

    @classmethod
    def of_record(cls, record: contract.Record, number: int = 0) -> "Position":
        """A game from a file; its moves can be taken back one by one."""
        fresh = cls(record.game, number, record.start)
        for move in record.moves:
            fresh._marks.append(len(fresh.moves))
            fresh.push(move)
        return fresh

    # ------------------------------------------------------------------------------------------------------ text

    def text(self, move: int) -> str:
        """A legal move."""
        with np.errstate(over="ignore"):
            return str(contract.move_text(self.game, self.state, move))

    def line(self, moves: list[int]) -> list[str]:
        """A line of moves from here."""
        state, texts = self.state, []
        with np.errstate(over="ignore"):
            for move in moves:
                texts.append(str(contract.move_text(self.game, state, move)))
                state = contract.play(self.game, state, move)
        return texts

    def board(self) -> str:
        """The board drawn, several lines."""
        with np.errstate(over="ignore"):
            return str(contract.board_text(self.game, self.state))

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

    def moves_left(self) -> float:
        """An estimate of how many moves the player to move has yet."""
        with np.errstate(over="ignore"):
            return max(1.0, float(contract.remaining_plies(self.game, self.state)) / 2)

    def words(self) -> np.ndarray:
        """The position packed, uint64[W]."""
        return self._packed(self.state)

    def _packed(self, state: Any) -> np.ndarray:
        words = np.empty(self.game.WORDS, np.uint64)
        contract.pack(self.game, state, words, 0, 1)
        return words
