"""A program outside as a player: it is told the moves of a game in GTP and asked for its own."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.contract import gtp_setup, move_text, parse_move
from gpumcts.gtp.program import Log, Program, Refused, Trouble, readable
from gpumcts.kernels.batch import Rules
from gpumcts.players.contract import FORFEITED, RESIGNED

COLOURS = ("black", "white")
"""By the game's mover: whoever moves first is black to GTP."""


class Terms(NamedTuple):
    """How a program is started, and what it is granted.

    command : words, the first is the program; setup : GTP commands it is sent at its start
    seconds : wall-clock time a move it is told to keep to (``time_settings``), None for no word of it
    patience : seconds after which an answer counts as a hang
    """

    command: list[str]
    setup: Sequence[str] = ()
    seconds: int | None = None
    patience: float = 60.0


class Chair:
    """One program and the game that it holds: ``game`` is its number or None, ``moves`` those that it knows of."""

    def __init__(self, game: Any, terms: Terms, log: Log | None = None) -> None:
        self.game: int | None = None
        self.moves: list[int] = []
        self._rules, self._terms = Rules(game), terms
        self._program = Program(terms.command, terms.patience, log)
        try:
            for command in (*terms.setup, *gtp_setup(self._rules.game), *self._time_settings()):
                self._begin(command)
            self.sends_time_left = terms.seconds is not None and self._begin("known_command time_left") == "true"
            self.clear()
        except BaseException:
            self._program.kill()
            raise

    def _time_settings(self) -> list[str]:
        seconds = self._terms.seconds
        return [] if seconds is None else [f"time_settings 0 {seconds} 1"]

    def _begin(self, command: str) -> str:
        try:
            return self._program.ask(command)
        except Refused as error:
            raise Trouble(f"refused {command}: {readable(str(error))}") from None

    def version(self) -> str:
        """The program's name and version in its own words; what it does not tell is left out."""
        said = []
        for command in ("name", "version"):
            try:
                said.append(readable(self._program.ask(command)))
            except Refused:
                continue
        return " ".join(said)

    def clear(self) -> None:
        """An empty board: the start of a game."""
        self._begin("clear_board")
        self.moves, self._state = [], self._rules.starts(1)

    def follow(self, moves: list[int], stop: threading.Event | None) -> None:
        """Bring the program to where the game is, by the moves that it does not know of."""
        if self.moves != moves[: len(self.moves)]:
            self.clear()
        for move in moves[len(self.moves) :]:
            colour = COLOURS[int(self._rules.movers(self._state)[0])]
            command = f"play {colour} {self._text(move)}"
            try:
                self._program.ask(command, stop)
            except Refused as error:
                # Programs of games in which a pass is forced (gtp-rhino) pass by themselves, and some take no word of it.
                if self._text(move) != "pass" or self._rules.count_moves(self._state)[0] > 1:
                    raise Trouble(f"refused {command}: {readable(str(error))}") from None
            self._played(move)

    def move(self, state: np.ndarray, stop: threading.Event | None) -> int:
        """The program's move in ``state`` (uint64[W]), where ``follow`` has brought it; RESIGNED where it resigns."""
        words = state.reshape(1, -1)
        colour = COLOURS[int(self._rules.movers(words)[0])]
        try:
            if self.sends_time_left:
                self._program.ask(f"time_left {colour} {self._terms.seconds} 1", stop)
            answer = self._program.ask(f"genmove {colour}", stop)
        except Refused as error:
            raise Trouble(f"refused to move: {readable(str(error))}") from None
        if answer.lower() == "resign":
            return RESIGNED
        try:
            with np.errstate(over="ignore"):
                move = int(parse_move(self._rules.game, self._rules.state(state), answer))
        except BadInput:
            raise Trouble(f"made an illegal move: {readable(answer) or 'nothing'}") from None
        if move not in self._rules.legal_moves(state):
            raise Trouble(f"made an illegal move: {readable(answer)}")
        self._played(move)
        return move

    def _text(self, move: int) -> str:
        with np.errstate(over="ignore"):
            return str(move_text(self._rules.game, self._rules.state(self._state[0]), move))

    def _played(self, move: int) -> None:
        self._state = self._rules.play(self._state, np.array([move], np.int64))
        self.moves.append(move)

    def close(self) -> None:
        """Let the program quit."""
        self._program.close()

    def kill(self) -> None:
        """End the program at once."""
        self._program.kill()


class GtpPlayer:
    """A program that is started ``processes`` times at most, one process for each game in flight as long as there are enough.

    A game whose program crashes, hangs, says what is no answer, refuses a move or makes an illegal one is forfeited, with the
    reason; the process is killed, and the next game has a new one. Where more games are in flight than processes, a process
    that is free is told the game anew.

    on_progress : called with the moves found since the last call
    """

    trusted = True  # every move is held against the legal ones
    concurrent = True
    remembers = False
    iterations = 0
    playouts = 0

    def __init__(
        self,
        game: Any,
        terms: Terms,
        processes: int = 1,
        name: str = "gtp",
        log: Log | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        if processes < 1:
            raise BadInput(f"player.processes={processes} is not at least 1")
        self.name, self.seconds = name, 0.0
        self._game, self._terms, self._log, self._on_progress = game, terms, log, on_progress
        self._free: list[Chair | None] = [None] * processes  # None: a process that is not started yet
        self._changed = threading.Condition()
        self._pool = ThreadPoolExecutor(processes, f"gtp-{name}")

    def choose_after(
        self,
        moves: list[list[int]],
        states: np.ndarray,
        keys: np.ndarray,
        games: np.ndarray,
        stop: threading.Event | None = None,
    ) -> tuple[np.ndarray, list[str]]:
        """The program's moves after ``moves``, and why it gives games up (see ``Outsider``)."""
        begin = time.perf_counter()
        rows = zip(games.tolist(), moves, states, strict=True)
        asked = [self._pool.submit(self._choose, game, before, state, stop) for game, before, state in rows]
        found: list[tuple[int, str]] = []
        try:
            found = [future.result() for future in asked]
        finally:
            for future in asked:
                future.cancel()
        with self._changed:
            self.seconds += time.perf_counter() - begin
        return np.array([move for move, _ in found], np.int64), [reason for _, reason in found]

    def _choose(self, game: int, moves: list[int], state: np.ndarray, stop: threading.Event | None) -> tuple[int, str]:
        chair, reason, move = self._take(game), "", FORFEITED
        try:
            if chair is None or chair.game != game:
                chair = self._ready(chair)
                chair.game = game
            chair.follow(moves, stop)
            move = chair.move(state, stop)
            if move == RESIGNED:
                reason = "resigned"
        except Trouble as error:
            reason = str(error)
        finally:
            if chair is not None and move == FORFEITED:
                chair.kill()
                chair = None
            self._give_back(chair)
        if self._on_progress is not None:
            self._on_progress(1.0)
        return move, reason

    def _ready(self, chair: Chair | None) -> Chair:
        """A process at the start of a game; a new one for one that has died or hangs since its last game, which is over."""
        if chair is not None:
            try:
                chair.game = None
                chair.clear()
                return chair
            except Trouble:
                chair.kill()
        try:
            return Chair(self._game, self._terms, self._log)
        except (Trouble, BadInput) as error:
            raise Trouble(f"did not start: {error}") from None

    def _take(self, game: int) -> Chair | None:
        """The process that holds the game, else one that holds none, else the one that was free longest."""
        with self._changed:
            while not self._free:
                self._changed.wait()

            def order(chair: Chair | None) -> int:
                holds = None if chair is None else chair.game
                return 0 if holds == game else 1 if chair is not None and holds is None else 2 if chair is None else 3

            best = min(self._free, key=order)
            self._free.remove(best)
            return best

    def _give_back(self, chair: Chair | None) -> None:
        with self._changed:
            self._free.append(chair)
            self._changed.notify()

    def forget(self, games: np.ndarray) -> None:
        """Processes that hold one of ``games`` (int64[K]) are free for others."""
        over = set(games.tolist())
        with self._changed:
            for chair in self._free:
                if chair is not None and chair.game in over:
                    chair.game = None

    def close(self) -> None:
        """End all processes; none may be asked meanwhile."""
        self._pool.shutdown()
        with self._changed:
            for place, chair in enumerate(self._free):
                if chair is not None:
                    chair.close()
                    self._free[place] = None


def look_at(game: Any, terms: Terms) -> str:
    """Start the program once and set it up; its name and version. Raises BadInput where that fails."""
    try:
        chair = Chair(game, terms)
    except Trouble as error:
        raise BadInput(f"{terms.command[0]} {error}") from None
    try:
        return chair.version()
    except Trouble as error:
        raise BadInput(f"{terms.command[0]} {error}") from None
    finally:
        chair.close()
