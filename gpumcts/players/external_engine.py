"""External engines as players of any protocol: sessions with their processes, and games that are given up."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.contract import move_text, parse_move
from gpumcts.kernels.batch import Rules
from gpumcts.players.contract import FORFEITED, RESIGNED
from gpumcts.programs.process import EngineError, Process, readable

SECONDS_ON_THE_WAY = 0.05  # that a move may take beyond its limit: pipes take time, and programs rarely look at clocks


def check_launch_keys(keys: Any, prefix: str) -> None:
    """Refuse commands of several lines, and patience that ends before a move may. Raises BadInput.

    keys : has ``command``, ``seconds``, ``patience``, and perhaps ``setup``; prefix : what stands before their names
    """
    if any("\n" in command for command in (keys.command or "", *getattr(keys, "setup", ()))):
        raise BadInput(f"{prefix}command and {prefix}setup: each command is one line")
    if keys.seconds is not None and keys.seconds >= keys.patience:
        raise BadInput(f"{prefix}patience={keys.patience:g}: must be above {prefix}seconds={keys.seconds:g}")


class EngineSession(ABC):
    """One process and its game: ``game`` is the number of the game or None, ``moves`` are those that it knows of."""

    def __init__(self, game: Any, process: Process) -> None:
        self.limit: float | None = None  # seconds that the engine is granted for a move
        self.took = 0.0  # seconds from the last request for a move to the answer
        self.game: int | None = None
        self.moves: list[int] = []
        self._rules, self._process = Rules(game), process
        self._state = self._rules.starts(1)

    @abstractmethod
    def version(self) -> str:
        """The engine's name and version in its own words."""

    @abstractmethod
    def clear(self, stop: threading.Event | None) -> None:
        """Start a game. As all methods that wait for an answer, raises KeyboardInterrupt where ``stop`` is set."""

    @abstractmethod
    def follow(self, moves: list[int], stop: threading.Event | None) -> None:
        """Bring the engine to the current position, by the moves that it does not know of."""

    def move(self, state: np.ndarray, stop: threading.Event | None) -> int:
        """The engine's move in ``state`` (uint64[W]), where ``follow`` has brought it; RESIGNED where it resigns."""
        begin = time.perf_counter()
        answer = self._answer(state, stop)
        self.took = time.perf_counter() - begin  # of the engine alone: our rules are compiled on first use
        move = self._meant(answer, state)
        if move != RESIGNED:
            self._played(move)
        return move

    @abstractmethod
    def _answer(self, state: np.ndarray, stop: threading.Event | None) -> str:
        """The engine's answer to the request for a move."""

    @abstractmethod
    def _meant(self, answer: str, state: np.ndarray) -> int:
        """The legal move that an answer names, or RESIGNED; raises EngineError where it is neither."""

    def _starts(self) -> None:
        self.moves, self._state = [], self._rules.starts(1)

    def _text(self, move: int) -> str:
        with np.errstate(over="ignore"):
            return str(move_text(self._rules.game, self._rules.state(self._state[0]), move))

    def _played(self, move: int) -> None:
        self._state = self._rules.play(self._state, np.array([move], np.int64))
        self.moves.append(move)

    def _understood(self, answer: str, state: np.ndarray) -> int:
        """The legal move in ``state`` that the engine has answered; raises EngineError where it is none."""
        try:
            with np.errstate(over="ignore"):
                move = int(parse_move(self._rules.game, self._rules.state(state), answer))
        except BadInput as error:
            if answer.strip() in ("", "(none)", "0000"):
                raise EngineError(f"named no move: {readable(answer) or 'nothing'}") from None
            raise EngineError(f"made an illegal move: {readable(answer)} ({readable(str(error))})") from None
        if move not in self._rules.legal_moves(state):
            raise EngineError(f"made an illegal move: {readable(answer)}")
        return move

    def close(self) -> None:
        """Let the engine quit."""
        self._process.close()

    def kill(self) -> None:
        """End the engine at once."""
        self._process.kill()


class ExternalEnginePlayer:
    """An external engine in at most ``processes`` processes, one for each game in flight as long as there are enough.

    A game whose engine crashes, hangs, says what is no answer, refuses a move or makes an illegal one is forfeited,
    with the reason. The process is killed, and the next game has a new one. Where more games are in flight than
    processes, a free process is told the game anew.

    make : starts a session without a game; raises EngineError or BadInput where that fails, KeyboardInterrupt where the
        event is set meanwhile
    on_progress : called with the moves found since the last call
    """

    trusted = True  # every move is checked against the legal ones
    concurrent = True
    remembers = False
    iterations = 0
    playouts = 0

    def __init__(
        self,
        make: Callable[[threading.Event | None], EngineSession],
        processes: int,
        name: str,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        if processes < 1:
            raise BadInput(f"player.processes={processes} is not at least 1")
        self.name, self.seconds = name, 0.0
        self.longest, self.over_time = 0.0, 0  # seconds of the longest move, and how many took longer than was granted
        self._make, self._on_progress = make, on_progress
        self._free: list[EngineSession | None] = [None] * processes  # None: a session that is not started yet
        self._changed = threading.Condition()
        self._pool = ThreadPoolExecutor(processes, f"program-{name}")

    def choose_after(
        self,
        moves: list[list[int]],
        states: np.ndarray,
        keys: np.ndarray,
        games: np.ndarray,
        stop: threading.Event | None = None,
    ) -> tuple[np.ndarray, list[str]]:
        """The engine's moves after ``moves``, and why it gives games up (see ``ExternalPlayer``)."""
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
        session, reason, move = self._take(game), "", FORFEITED
        try:
            if session is not None and session.game != game:
                session = self._cleared(session, stop)
            if session is None:
                session = self._started(stop)
            session.game = game
            session.follow(moves, stop)
            move = session.move(state, stop)
            self._took(session.took, session.limit)
            if move == RESIGNED:
                reason = "resigned"
        except EngineError as error:
            reason = str(error)
        finally:
            if session is not None and move == FORFEITED:
                session.kill()
                session = None
            self._give_back(session)
        if self._on_progress is not None:
            self._on_progress(1.0)
        return move, reason

    def _took(self, seconds: float, limit: float | None) -> None:
        with self._changed:
            self.longest = max(self.longest, seconds)
            self.over_time += limit is not None and seconds > limit + SECONDS_ON_THE_WAY

    @staticmethod
    def _cleared(session: EngineSession, stop: threading.Event | None) -> EngineSession | None:
        """The session at the start of a game; None where its process has died, or hangs, since its last game."""
        try:
            session.clear(stop)
            return session
        except EngineError:
            session.kill()
            return None

    def _started(self, stop: threading.Event | None) -> EngineSession:
        try:
            return self._make(stop)
        except (EngineError, BadInput) as error:
            raise EngineError(f"did not start: {error}") from None

    def _take(self, game: int) -> EngineSession | None:
        """The session that holds the game, else one that holds none, else the one that was free longest."""
        with self._changed:
            while not self._free:
                self._changed.wait()

            def order(session: EngineSession | None) -> int:
                if session is None:
                    return 2
                return 0 if session.game == game else 1 if session.game is None else 3

            best = min(self._free, key=order)
            self._free.remove(best)
            return best

    def _give_back(self, session: EngineSession | None) -> None:
        with self._changed:
            self._free.append(session)
            self._changed.notify()

    def forget(self, games: np.ndarray) -> None:
        """Sessions that hold one of ``games`` (int64[K]) are free for others."""
        over = set(games.tolist())
        with self._changed:
            for session in self._free:
                if session is not None and session.game in over:
                    session.game = None

    def close(self) -> None:
        """End all processes; none may be asked meanwhile."""
        self._pool.shutdown()
        with self._changed:
            for index, session in enumerate(self._free):
                if session is not None:
                    session.close()
                    self._free[index] = None


def version_of(make: Callable[[], EngineSession], command: list[str]) -> str:
    """Start the engine of ``command`` once and set it up; its name and version. Raises BadInput where that fails."""
    try:
        session = make()
    except EngineError as error:
        raise BadInput(f"{command[0]} {error}") from None
    try:
        return session.version()
    except EngineError as error:
        raise BadInput(f"{command[0]} {error}") from None
    finally:
        session.close()
