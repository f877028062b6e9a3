"""An external engine that speaks UCI: it introduces itself, takes options, and names the best move of a position."""

import threading
import time
from collections.abc import Mapping

from gpumcts.programs.process import EngineError, EngineTimeout, Log, Process, readable
from gpumcts.uci.options import Option, Value, command_of, parse_option

MAX_NOISE = 1 << 16
MAX_INFO = 1 << 24
SECONDS_TO_STOP = 2.0


class UciProgram(Process):
    """One running program that speaks UCI.

    name : what it calls itself; options : those it lists, by their names in lower case
    Raises BadInput where it cannot be started at all, EngineError where it does not introduce itself, and
    KeyboardInterrupt where ``stop`` is set meanwhile; it is killed then.
    """

    def __init__(
        self, command: list[str], patience: float, log: Log | None = None, stop: threading.Event | None = None
    ) -> None:
        super().__init__(command, patience, log)
        self.name, self.options = "", dict[str, Option]()
        try:
            self.send("uci", stop)
            self._wait_for("uciok", "uci", stop)
        except BaseException:
            self.kill()
            raise

    def set_options(self, values: Mapping[str, Value], stop: threading.Event | None = None) -> None:
        """Set options; raises BadInput, and sets none, where the program does not list one or take its value."""
        for command in [command_of(self.options, name, value) for name, value in values.items()]:
            self.send(command, stop)
        self.ready(stop)

    def new_game(self, stop: threading.Event | None = None) -> None:
        """What follows belongs to another game than what was before."""
        self.send("ucinewgame", stop)
        self.ready(stop)

    def ready(self, stop: threading.Event | None = None) -> None:
        """Wait for ``readyok``; what it has said before that is discarded."""
        self.send("isready", stop)
        self._wait_for("readyok", "isready", stop)

    def best_move(self, position: str, go: str, stop: threading.Event | None = None) -> str:
        """Its move after a ``position`` command, by a ``go`` command; empty where it names none.

        A program that does not answer in time is told once to stop. Raises EngineError where it crashed, hangs all the
        same, or floods us, and KeyboardInterrupt where ``stop`` is set meanwhile. After either it is of no more use.
        """
        self.send(position, stop)
        self.ready(stop)
        self.send(go, stop)
        try:
            words = self._wait_for("bestmove", go, stop)
        except EngineTimeout as timeout:
            self.send("stop", stop)
            try:
                words = self._wait_for("bestmove", "stop", stop, SECONDS_TO_STOP)
            except EngineTimeout:
                raise EngineError(f"{timeout}, nor to stop within {SECONDS_TO_STOP:g} s") from None
        return words[1] if len(words) > 1 else ""

    def _wait_for(
        self, word: str, asked: str, stop: threading.Event | None = None, seconds: float | None = None
    ) -> list[str]:
        """The line that begins with ``word``, as words. A few others do not count, as the protocol has it."""
        end = time.monotonic() + (self.patience if seconds is None else seconds)
        info = noise = 0
        while True:
            line = self._line(asked, end, stop)
            words = line.decode("utf-8", "replace").split()
            if words[:1] == [word]:
                return words
            if words[:1] == ["info"]:
                info += len(line) + 1
            else:
                noise += len(line) + 1
                self._hear(words)
            if noise > MAX_NOISE or info > MAX_INFO:
                kind = f"{MAX_NOISE >> 10} KiB" if noise > MAX_NOISE else f"{MAX_INFO >> 20} MiB of info"
                raise EngineError(f"answered {asked} with more than {kind}")

    def _hear(self, words: list[str]) -> None:
        """What it tells of itself."""
        if words[:2] == ["id", "name"]:
            self.name = readable(" ".join(words[2:]))
        elif option := parse_option(" ".join(words)):
            self.options[option.name.lower()] = option
