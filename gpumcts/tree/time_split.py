"""How the time of a search is split: selection, growth, playouts, back-up and waiting, in seconds of its threads.

Compiled steps add nanoseconds to ``ticks``, int64[PARTS]. Reading the clock costs more than a small batch takes. So one
batch in several is timed (``timing_interval``), and its shares stand for all. A ``Stopwatch`` adds up what the threads
of one search bring.
"""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gpumcts.jit import inlined
from gpumcts.monotonic import NANOSECONDS, now

SELECTION, GROWTH, PLAYOUTS, BACKUP, WAITING = range(5)
PARTS = 5
NAMED_PARTS = ("selection", "growth", "playouts", "backup", "waiting", "other")
PLAYOUTS_PER_TIMED_BATCH = 256  # for a batch that is timed: then clocks cost less than 0.2 % (docs/many_leaves.md)
LINE = 8  # words of int64 that the ticks of a thread take, where several threads write their own: a line of the cache


class TimeSplit(NamedTuple):
    """Where the time of a search went, in seconds of its threads: the parts add up to ``threads`` times ``seconds``.

    seconds : from the beginning of the search to its end; threads : of the CPU that the search may use
    selection : ways down the trees; in a table, with the look for the positions' entries
    growth : moves played on the ways down, new nodes, and memory for them; in a table 0, which does not grow
    playouts : of leaves; where a device plays them, what a thread takes to send them there
    backup : what playouts came to goes up the trees, or into the table
    waiting : threads with nothing to do while others work, and all of them while a device does
    other : the rest: Python between the steps, what the root has found
    device : seconds in which a device was at work on this search; None without one
    """

    seconds: float
    threads: int
    selection: float
    growth: float
    playouts: float
    backup: float
    waiting: float
    other: float
    device: float | None = None

    def parts(self) -> dict[str, float]:
        """Seconds of each part, from ``selection`` to ``other``."""
        return {name: getattr(self, name) for name in NAMED_PARTS}

    def shares(self) -> dict[str, float]:
        """The shares of the parts in all seconds of all threads, each in [0, 1]."""
        whole = max(sum(self.parts().values()), 1e-12)
        return {name: seconds / whole for name, seconds in self.parts().items()}


# ------------------------------------------------------------------------------------------------------- compiled


@inlined
def timing_interval(rows, playouts):
    """Batches from one that is timed to the next, where they have so many rows and playouts a row."""
    return max(np.int64(1), np.int64(PLAYOUTS_PER_TIMED_BATCH) // (rows * playouts))


@inlined
def clock_if_timed(ticks, timed):
    """Nanoseconds, or 0 where the batch is not timed, or there are no ticks (None): so on the device."""
    if ticks is None:
        return np.int64(0)
    return now() if timed else np.int64(0)


@inlined
def lap(ticks, part, begin, timed):
    """Add what has passed since ``begin`` to a part, where there are ticks and the batch is timed; the time by now."""
    if ticks is None:
        return np.int64(0)
    if not timed:
        return np.int64(0)
    end = now()
    ticks[part] += end - begin
    return end


# ------------------------------------------------------------------------------------------------------ on the host


def no_ticks() -> np.ndarray:
    """Ticks of a thread before it begins."""
    return np.zeros(PARTS, np.int64)


class Stopwatch:
    """Adds up the seconds of a search that begins now on so many threads; any of them may call."""

    def __init__(self, threads: int) -> None:
        self._threads, self._begin = threads, time.perf_counter()
        self._lock = threading.Lock()
        self._parts, self._timed = np.zeros(PARTS), np.zeros(PARTS)
        self._sampled, self._device = 0.0, None

    def add(self, part: int, seconds: float) -> None:
        """So many seconds of a thread were a part's."""
        with self._lock:
            self._parts[part] += seconds

    def add_ticks(self, ticks: np.ndarray) -> None:
        """The same of all parts, from the ticks of a thread; they are 0 afterwards."""
        with self._lock:
            self._parts += ticks / NANOSECONDS
        ticks[:] = 0

    def add_sampled(self, ticks: np.ndarray, seconds: float) -> None:
        """So many seconds of threads went as the ticks of the batches that were timed, int64[PARTS]."""
        with self._lock:
            self._timed += ticks
            self._sampled += seconds

    def add_device(self, seconds: float) -> None:
        """A device was at work for so long."""
        with self._lock:
            self._device = (self._device or 0.0) + seconds

    @contextlib.contextmanager
    def part(self, part: int) -> Iterator[None]:
        """What this thread does meanwhile is a part's."""
        begin = time.perf_counter()
        yield
        self.add(part, time.perf_counter() - begin)

    @contextlib.contextmanager
    def on_all_threads(self) -> Iterator[None]:
        """All threads are there for what goes on meanwhile: seconds that none of them adds to a part are waiting."""
        begin, before = time.perf_counter(), self._added()
        yield
        if self._threads > 1:
            seconds = self._threads * (time.perf_counter() - begin)
            self.add(WAITING, max(0.0, seconds - (self._added() - before)))

    @contextlib.contextmanager
    def on_device(self) -> Iterator[None]:
        """All threads wait meanwhile."""
        begin = time.perf_counter()
        yield
        self.add(WAITING, self._threads * (time.perf_counter() - begin))

    def _added(self) -> float:
        with self._lock:
            return float(self._parts.sum()) + self._sampled

    def split(self) -> TimeSplit:
        """The split up to now."""
        seconds = time.perf_counter() - self._begin
        with self._lock:
            timed = self._timed.sum()
            parts = self._parts + (self._sampled * self._timed / timed if timed else 0.0)
        selection, growth, playouts, backup, waiting = parts.tolist()
        other = max(0.0, self._threads * seconds - float(parts.sum()))
        return TimeSplit(seconds, self._threads, selection, growth, playouts, backup, waiting, other, self._device)
