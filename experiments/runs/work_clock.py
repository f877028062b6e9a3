"""Seconds of work: wall-clock time, without that in which numba compiles or loads code."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

COMPILING = "numba:compiler_lock"  # held while a function is compiled, and while it is loaded from the disk cache


class WorkClock:
    """Adds up the seconds of the blocks that run under it; ``now`` is a clock in seconds."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self.seconds, self._now = 0.0, now

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the block, however it ends, without the seconds in which a thread compiles or waits for a compiler."""
        compiling = _Compiling(self._now)
        with event.install_listener(COMPILING, compiling):
            begin = self._now()
            try:
                yield
            finally:
                self.seconds += max(0.0, self._now() - begin - compiling.seconds)


class _Compiling(event.Listener):
    """Seconds in which at least one thread was compiling; numba's own listener counts threads without a lock."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.seconds, self._now = 0.0, now
        self._lock, self._threads, self._begin = threading.Lock(), 0, 0.0

    def on_start(self, event: Any) -> None:
        with self._lock:
            if self._threads == 0:
                self._begin = self._now()
            self._threads += 1

    def on_end(self, event: Any) -> None:
        with self._lock:
            if self._threads == 0:  # it had begun before the block
                return
            self._threads -= 1
            if self._threads == 0:
                self.seconds += self._now() - self._begin
