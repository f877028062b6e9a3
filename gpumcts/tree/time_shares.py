"""How wall-clock time is shared out among searches that go on at once on the same threads.

A search that waits for the threads of another one takes no time of them. So a second is counted once: it is of the
searches that threads work for, in proportion to these threads. Where no thread works, as between the steps of a
search, it is of all searches that go on, in equal parts. A search that goes on alone takes all seconds from its
beginning to its end.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass
class Turn:
    """What a search took so far.

    seconds : of the wall clock, its part where others went on meanwhile
    core_seconds : of processor time, of the thread that asked for it and of those that worked for it
    working : threads that work for it now
    """

    seconds: float = 0.0
    core_seconds: float = 0.0
    working: int = 0


class TimeShares:
    """Shares out the time of the searches that go on. A search is known by the thread that asked for it.

    clock : seconds
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._turns: dict[int, Turn] = {}
        self._latest = 0.0

    @contextlib.contextmanager
    def turn(self) -> Iterator[Turn]:
        """A search that this thread asks for goes on meanwhile; what it took is known at the end."""
        turn, asking, begin = Turn(), threading.get_ident(), time.thread_time()
        with self._lock:
            self._share_out()
            self._turns[asking] = turn
        try:
            yield turn
        finally:
            with self._lock:
                self._share_out()
                del self._turns[asking]
                turn.core_seconds += time.thread_time() - begin

    @contextlib.contextmanager
    def working(self, asked_by: int) -> Iterator[None]:
        """This thread works meanwhile for the search that the thread ``asked_by`` (``threading.get_ident``) asked for.

        Nothing is counted for who has no turn.
        """
        turn = self._turns.get(asked_by)
        if turn is None:
            yield
            return
        begin = time.thread_time()
        with self._lock:
            self._share_out()
            turn.working += 1
        try:
            yield
        finally:
            with self._lock:
                self._share_out()
                turn.working -= 1
                if threading.get_ident() != asked_by:  # whose time the turn counts by itself
                    turn.core_seconds += time.thread_time() - begin

    def _share_out(self) -> None:
        """Share out what has passed since the last call, in which nothing changed."""
        now = self._clock()
        passed, self._latest = now - self._latest, now
        working = sum(turn.working for turn in self._turns.values())
        for turn in self._turns.values():
            turn.seconds += passed * (turn.working / working if working else 1 / len(self._turns))
