"""Programs outside as players, whatever they speak: chairs for their processes, and games that are given up."""

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
from gpumcts.programs.process import Process, Trouble, readable

SECONDS_ON_THE_WAY = 0.05  # that a move may take beyond its limit: pipes take time, and programs rarely look at clocks


class Chair(ABC):
    """One program and the game that it holds: ``game`` is its number or None, ``moves`` those that it knows of."""

    def __init__(self, game: Any, process: Process) -> None:
        self.limit: float | None = None  # seconds that it was granted for a move
        self.took = 0.0  # seconds from the last question for a move to its answer
        self.game: int | None = None
        self.moves: list[int] = []
        self._rules, self._process = Rules(game), process
        self._state = self._rules.starts(1)

    @abstractmethod
    def version(self) -> str:
        """The program's name and version in its own words."""

    @abstractmethod
    def clear(self, stop: threading.Event | None) -> None:
        """The start of a game; raises KeyboardInterrupt where ``stop`` is set, as all that waits for an answer does."""

    @abstractmethod
    def follow(self, moves: list[int], stop: threading.Event | None) -> None:
        """Bring the program to where the game is, by the moves that it does not know of."""

    def move(self, state: np.ndarray, stop: threading.Event | None) -> int:
        """The program's move in ``state`` (uint64[W]), where ``follow`` has brought it; RESIGNED where it resigns."""
        begin = time.perf_counter()
        answer = self._answer(state, stop)
        self.took = time.perf_counter() - begin  # of the program alone: our rules are compiled as they are first asked
        move = self._meant(answer, state)
        if move != RESIGNED:
            self._played(move)
        return move

    @abstractmethod
    def _answer(self, state: np.ndarray, stop: threading.Event | None) -> str:
        """What the program says when it is asked for its move."""

    @abstractmethod
    def _meant(self, answer: str, state: np.ndarray) -> int:
        """The legal move that an answer is, or RESIGNED; raises Trouble where it is neither."""

    def _starts(self) -> None:
        self.moves, self._state = [], self._rules.starts(1)

    def _text(self, move: int) -> str:
        with np.errstate(over="ignore"):
            return str(move_text(self._rules.game, self._rules.state(self._state[0]), move))

    def _played(self, move: int) -> None:
        self._state = self._rules.play(self._state, np.array([move], np.int64))
        self.moves.append(move)

    def _understood(self, answer: str, state: np.ndarray) -> int:
        """The legal move in ``state`` that the program has answered; raises Trouble where it is none."""
        try:
            with np.errstate(over="ignore"):
                move = int(parse_move(self._rules.game, self._rules.state(state), answer))
        except BadInput as error:
            if answer.strip() in ("", "(none)", "0000"):
                raise Trouble(f"named no move: {readable(answer) or 'nothing'}") from None
            raise Trouble(f"made an illegal move: {readable(answer)} ({readable(str(error))})") from None
        if move not in self._rules.legal_moves(state):
            raise Trouble(f"made an illegal move: {readable(answer)}")
        return move

    def close(self) -> None:
        """Let the program quit."""
        self._process.close()

    def kill(self) -> None:
        """End the program at once."""
        self._process.kill()


class OutsidePlayer:
    """A program started ``processes`` times at most, one process for each game in flight as long as there are enough.

    A game whose program crashes, hangs, says what is no answer, refuses a move or makes an illegal one is forfeited,
    with the reason; the process is killed, and the next game has a new one. Where more games are in flight than
    processes, a process that is free is told the game anew.

    make : starts a process, in a chair without a game; raises Trouble or BadInput where that fails, KeyboardInterrupt
        where the event is set meanwhile
    on_progress : called with the moves found since the last call
    """

    trusted = True  # every move is held against the legal ones
    concurrent = True
    remembers = False
    iterations = 0
    playouts = 0

    def __init__(
        self,
        make: Callable[[threading.Event | None], Chair],
        processes: int,
        name: str,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        if processes < 1:
            raise BadInput(f"player.processes={processes} is not at least 1")
        self.name, self.seconds = name, 0.0
        self.longest, self.over_time = 0.0, 0  # seconds of the longest move, and how many took longer than was granted
        self._make, self._on_progress = make, on_progress
        self._free: list[Chair | None] = [None] * processes  # None: a process that is not started yet
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
            if chair is not None and chair.game != game:
                chair = self._cleared(chair, stop)
            if chair is None:
                chair = self._started(stop)
            chair.game = game
            chair.follow(moves, stop)
            move = chair.move(state, stop)
            self._took(chair.took, chair.limit)
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

    def _took(self, seconds: float, limit: float | None) -> None:
        with self._changed:
            self.longest = max(self.longest, seconds)
            self.over_time += limit is not None and seconds > limit + SECONDS_ON_THE_WAY

    @staticmethod
    def _cleared(chair: Chair, stop: threading.Event | None) -> Chair | None:
        """A process at the start of a game; None for one that has died or hangs since its last game, which is over."""
        try:
            chair.clear(stop)
            return chair
        except Trouble:
            chair.kill()
            return None

    def _started(self, stop: threading.Event | None) -> Chair:
        try:
            return self._make(stop)
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


def version_of(make: Callable[[], Chair], command: list[str]) -> str:
    """Start the program of ``command`` once and set it up; its name and version. Raises BadInput where that fails."""
    try:
        chair = make()
    except Trouble as error:
        raise BadInput(f"{command[0]} {error}") from None
    try:
        return chair.version()
    except Trouble as error:
        raise BadInput(f"{command[0]} {error}") from None
    finally:
        chair.close()
