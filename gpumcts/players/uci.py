"""A program outside as a player: it is told positions in UCI and asked for its moves."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gpumcts.players import outside
from gpumcts.players.outside import OutsidePlayer, version_of
from gpumcts.programs.process import Log
from gpumcts.uci.options import Value
from gpumcts.uci.program import Program


class Terms(NamedTuple):
    """How a program is started, and what it is granted.

    command : words, the first is the program; go : what it is told of a move's limit, such as ``depth 3``
    options : UCI options, by name, None for a button
    patience : seconds after which it is told to stop, and what is no answer then counts as a hang
    """

    command: list[str]
    go: str
    options: Mapping[str, Value] = {}
    patience: float = 60.0


class Chair(outside.Chair):
    """One program that speaks UCI; it is told the whole game with every move it is asked for."""

    def __init__(self, game: Any, terms: Terms, log: Log | None = None) -> None:
        self._terms, self._program = terms, Program(terms.command, terms.patience, log)
        super().__init__(game, self._program)
        self._texts: list[str] = []
        try:
            self._program.set_options(terms.options)
            self.clear()
        except BaseException:
            self._program.kill()
            raise

    def version(self) -> str:
        """The program's name and version in its own words."""
        return self._program.name

    def clear(self) -> None:
        """The start of a game."""
        self._program.new_game()
        self._starts()
        self._texts = []

    def follow(self, moves: list[int], stop: threading.Event | None) -> None:
        """Know of the moves that were played; the program hears of them when it is asked."""
        if self.moves != moves[: len(self.moves)]:
            self.clear()
        for move in moves[len(self.moves) :]:
            self._played(move)

    def move(self, state: np.ndarray, stop: threading.Event | None) -> int:
        """The program's move in ``state`` (uint64[W]), where ``follow`` has brought it."""
        position = " ".join(["position startpos", *(["moves", *self._texts] if self._texts else [])])
        move = self._understood(self._program.best_move(position, f"go {self._terms.go}", stop), state)
        self._played(move)
        return move

    def _played(self, move: int) -> None:
        self._texts.append(self._text(move))
        super()._played(move)


class UciPlayer(OutsidePlayer):
    """A program that speaks UCI (see ``OutsidePlayer``)."""

    def __init__(
        self,
        game: Any,
        terms: Terms,
        processes: int = 1,
        name: str = "uci",
        log: Log | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        super().__init__(lambda: Chair(game, terms, log), processes, name, on_progress)


def look_at(game: Any, terms: Terms) -> str:
    """Start the program once and set it up; its name and version. Raises BadInput where that fails."""
    return version_of(lambda: Chair(game, terms), terms.command)
