"""An external engine as a player: it is told the moves of a game in GTP and asked for its own."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpumcts.games.contract import gtp_setup
from gpumcts.gtp.position import colour_of
from gpumcts.gtp.program import GtpProgram, Refused
from gpumcts.players.contract import RESIGNED
from gpumcts.players.external_engine import EngineSession, ExternalEnginePlayer, version_of
from gpumcts.programs.process import EngineError, Log, readable


class GtpLaunch(NamedTuple):
    """How an engine is started, and what it is granted.

    command : words, the first is the program; setup : GTP commands it is sent at its start
    seconds : wall-clock time a move it is told to keep to (``time_settings``), None for no word of it
    patience : seconds after which an answer counts as a hang
    """

    command: list[str]
    setup: Sequence[str] = ()
    seconds: int | None = None
    patience: float = 60.0


class GtpSession(EngineSession):
    """One process that speaks GTP, set up for the game; it is told the moves one by one."""

    def __init__(
        self, game: Any, launch: GtpLaunch, log: Log | None = None, stop: threading.Event | None = None
    ) -> None:
        self._launch, self._program = launch, GtpProgram(launch.command, launch.patience, log)
        super().__init__(game, self._program)
        self.limit = launch.seconds
        try:
            for command in (*launch.setup, *gtp_setup(self._rules.game), *self._time_settings()):
                self._begin(command, stop)
            self.sends_time_left = launch.seconds is not None and self._begin("known_command time_left", stop) == "true"
            self.clear(stop)
        except BaseException:
            self._program.kill()
            raise

    def _time_settings(self) -> list[str]:
        seconds = self._launch.seconds
        return [] if seconds is None else [f"time_settings 0 {seconds} 1"]

    def _begin(self, command: str, stop: threading.Event | None) -> str:
        try:
            return self._program.ask(command, stop)
        except Refused as error:
            raise EngineError(f"refused {command}: {readable(str(error))}") from None

    def version(self) -> str:
        """The engine's name and version in its own words; what it does not tell is left out."""
        said = []
        for command in ("name", "version"):
            try:
                said.append(readable(self._program.ask(command)))
            except Refused:
                continue
        return " ".join(filter(None, said))

    def clear(self, stop: threading.Event | None) -> None:
        """An empty board: the start of a game."""
        self._begin("clear_board", stop)
        self._starts()

    def follow(self, moves: list[int], stop: threading.Event | None) -> None:
        """Bring the engine to the current position, by the moves that it does not know of."""
        if self.moves != moves[: len(self.moves)]:
            self.clear(stop)
        for move in moves[len(self.moves) :]:
            colour = self._colour(self._state)
            command = f"play {colour} {self._text(move)}"
            try:
                self._program.ask(command, stop)
            except Refused as error:
                # Engines of games with forced passes (gtp-rhino) pass by themselves, and some refuse to be told so.
                if self._text(move) != "pass" or self._rules.count_moves(self._state)[0] > 1:
                    raise EngineError(f"refused {command}: {readable(str(error))}") from None
            self._played(move)

    def _colour(self, words: np.ndarray) -> str:
        """Who moves in a position, uint64[1, W], as GTP has it."""
        return colour_of(self._rules.game, int(self._rules.movers(words)[0]))

    def _answer(self, state: np.ndarray, stop: threading.Event | None) -> str:
        colour = self._colour(state.reshape(1, -1))
        try:
            if self.sends_time_left:
                self._program.ask(f"time_left {colour} {self._launch.seconds} 1", stop)
            return self._program.ask(f"genmove {colour}", stop)
        except Refused as error:
            raise EngineError(f"refused to move: {readable(str(error))}") from None

    def _meant(self, answer: str, state: np.ndarray) -> int:
        return RESIGNED if answer.lower() == "resign" else self._understood(answer, state)


class GtpPlayer(ExternalEnginePlayer):
    """An external engine that speaks GTP (see ``ExternalEnginePlayer``)."""

    def __init__(
        self,
        game: Any,
        launch: GtpLaunch,
        processes: int = 1,
        name: str = "gtp",
        log: Log | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        super().__init__(lambda stop: GtpSession(game, launch, log, stop), processes, name, on_progress)


def probe(game: Any, launch: GtpLaunch) -> str:
    """Start the engine once and set it up; its name and version. Raises BadInput where that fails."""
    return version_of(lambda: GtpSession(game, launch), launch.command)
