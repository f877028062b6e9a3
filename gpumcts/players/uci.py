"""An external engine as a player: it is told positions in UCI and asked for its moves."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.options import name_of
from gpumcts.players.external_engine import EngineSession, ExternalEnginePlayer, version_of
from gpumcts.programs.process import EngineError, Log, readable
from gpumcts.uci.options import CHESS, VARIANT, Value
from gpumcts.uci.program import UciProgram

SQUARES = 4  # letters of a move before the one of a promotion
CHESS960 = "uci_chess960"  # in lower case
LIMITS = ("depth", "nodes", "seconds")


class UciLaunch(NamedTuple):
    """How an engine is started, and what it is granted.

    command : words, the first is the program; go : what it is told of a move's limit, such as ``depth 3``
    options : UCI options, by name, None for a button
    patience : seconds after which it is told to stop, and what is no answer then counts as a hang
    seconds : wall-clock time a move that ``go`` tells it to keep to, None where it tells of none
    """

    command: list[str]
    go: str
    options: Mapping[str, Value] = {}
    patience: float = 60.0
    seconds: float | None = None


def launch_of(command: list[str], keys: Any, subject: str, prefix: str) -> UciLaunch:
    """How the engine of a player is started.

    keys : has ``options``, ``patience``, and the limits of a move, of which one is not None
    subject, prefix : whose keys they are, and what stands before their names, for error messages

    Raises BadInput for no limit or several, and for castling as Chess960 tells it.
    """
    for name, value in (keys.options or {}).items():
        if name.lower() == CHESS960 and str(value).lower() == "true":
            raise BadInput(f"{prefix}options.{name}={value}: castling is told as in chess (e1g1); leave it false")
    given = [name for name in LIMITS if getattr(keys, name) is not None]
    if len(given) != 1:
        names = ", ".join(f"{prefix}{name}" for name in LIMITS)
        raise BadInput(f"{subject} takes one limit a move of {names}; given: {', '.join(given) or 'none'}")
    go = f"{given[0]} {getattr(keys, given[0])}"
    if keys.seconds is not None:
        go = f"movetime {max(1, round(1000 * keys.seconds))}"
    return UciLaunch(command, go, keys.options or {}, keys.patience, keys.seconds)


class UciSession(EngineSession):
    """One process that speaks UCI; it is told the whole game with every move it is asked for."""

    def __init__(
        self, game: Any, launch: UciLaunch, log: Log | None = None, stop: threading.Event | None = None
    ) -> None:
        self._launch, self._program = launch, UciProgram(launch.command, launch.patience, log, stop)
        super().__init__(game, self._program)
        self.limit = launch.seconds
        self._texts: list[str] = []
        try:
            self._program.set_options({**self._variant(game), **launch.options}, stop)
            self.clear(stop)
        except BaseException:
            self._program.kill()
            raise

    def _variant(self, game: Any) -> dict[str, Value]:
        """The option that names a game that is not chess; raises BadInput where the program does not list it."""
        name = name_of(game)
        if name == CHESS:
            return {}
        option = self._program.options.get(VARIANT.lower())
        if option is None or name not in option.choices:
            raise BadInput(f"it does not play {name}: UCI is for chess, and for what a program lists as {VARIANT}")
        return {VARIANT: name}

    def version(self) -> str:
        """The engine's name and version in its own words."""
        return self._program.name

    def clear(self, stop: threading.Event | None) -> None:
        """The start of a game."""
        self._program.new_game(stop)
        self._starts()
        self._texts = []

    def follow(self, moves: list[int], stop: threading.Event | None) -> None:
        """Note the moves that were played; the engine is told them when it is asked for a move."""
        if self.moves != moves[: len(self.moves)]:
            self.clear(stop)
        for move in moves[len(self.moves) :]:
            self._played(move)

    def _answer(self, state: np.ndarray, stop: threading.Event | None) -> str:
        position = " ".join(["position startpos", *(["moves", *self._texts] if self._texts else [])])
        return self._program.best_move(position, f"go {self._launch.go}", stop)

    def _meant(self, answer: str, state: np.ndarray) -> int:
        """UCI's own form alone, a promotion in either case: other notation (``Nf3``, ``e4!?``) is no answer."""
        move = self._understood(answer, state)
        text = self._text(move)
        if answer[:SQUARES] + answer[SQUARES:].lower() != text:
            raise EngineError(f"made an illegal move: {readable(answer)} (no move of UCI, which has {text})")
        return move

    def _played(self, move: int) -> None:
        self._texts.append(self._text(move))
        super()._played(move)


class UciPlayer(ExternalEnginePlayer):
    """An external engine that speaks UCI (see ``ExternalEnginePlayer``)."""

    def __init__(
        self,
        game: Any,
        launch: UciLaunch,
        processes: int = 1,
        name: str = "uci",
        log: Log | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        super().__init__(lambda stop: UciSession(game, launch, log, stop), processes, name, on_progress)


def probe(game: Any, launch: UciLaunch) -> str:
    """Start the engine once and set it up; its name and version. Raises BadInput where that fails."""
    return version_of(lambda: UciSession(game, launch), launch.command)
