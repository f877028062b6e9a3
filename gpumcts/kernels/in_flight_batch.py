"""A batch of leaves on its way to the device and back: its memory, its launches, and how long the device was busy."""

import threading
import time
import weakref
from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.kernels import device
from gpumcts.kernels.cuda_kernels import KEYS, MAX_PER_LAUNCH, BatchLayout, Job
from gpumcts.kernels.playout_loop import tally_columns

LAUNCHES_AHEAD = 2  # in the queue of a stream; Ctrl-C waits for as many


class InFlightBatch:
    """Room for a batch of leaves on the host and on the device, ``words`` in all, and its way there and back.

    A ``playout_engine.LeafBatch`` whose playouts are those of ``engine``, a ``cuda.CudaPlayouts``.
    """

    def __init__(self, engine: Any, words: int) -> None:
        # A proxy: memory of both sides goes back with the engine, not when Python looks for circles.
        self._engine = weakref.proxy(engine)
        self._buffer: Any = device.host_device_buffer(words)
        self._begin, self._back = self._buffer.record_event(), self._buffer.record_event()
        self._end: Any = None
        self._before: Any = None  # the end of the batch that the device had before this one
        self._queue = [self._buffer.record_event() for _ in range(LAUNCHES_AHEAD)]
        self._layout = BatchLayout(0, 0, 0, 0)
        self._playouts, self._total = 0, 0  # of a leaf, of the batch
        self._queued, self._first = 0, 0  # launches; the first playout that is not queued
        self._stop: threading.Event | None = None
        self.under_way = False

    def arrays(self, leaves: int, playouts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Views for a batch of leaves, so many playouts each: states uint64[B, W], keys uint64[B], tally int64[B, K].

        K : ``tally_columns``
        """
        states, keys, tally = self.views(self._sums(leaves, playouts))
        return states, keys, tally.view(np.int64)

    def views(self, layout: BatchLayout) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same by a layout: states uint64[rows, W], keys uint64[B], tally uint64[B, K]."""
        host, at = self._buffer.host, layout
        states = host[at.states : at.tally].reshape(at.rows, at.width)
        return states, host[KEYS : at.states], host[at.tally : at.end].reshape(at.leaves, at.columns)

    def _sums(self, leaves: int, playouts: int) -> BatchLayout:
        return BatchLayout(leaves, self._engine.game.WORDS, leaves, tally_columns(self._engine.game, playouts))

    def start(self, leaves: int, playouts: int, stop: threading.Event | None = None) -> float:
        """Send the batch of ``arrays`` off and return at once; of more than a few launches ``finish`` queues the rest.

        Returns the seconds that it took. Launches not yet queued are left out where ``stop`` is set meanwhile. Raises
        BadInput for more playouts of a leaf than a launch may have.
        """
        begin = time.perf_counter()
        self.send(self._sums(leaves, playouts), playouts, stop)
        return time.perf_counter() - begin

    def send(self, layout: BatchLayout, playouts: int, stop: threading.Event | None = None) -> None:
        """The same of ``views(layout)``."""
        if playouts > MAX_PER_LAUNCH:
            raise BadInput(f"playouts of a leaf: {playouts:,}, at most {MAX_PER_LAUNCH:,} on a device")
        self._layout, self._playouts, self._stop = layout, playouts, stop
        self._queued, self._first, self._end = 0, 0, None
        self._total = layout.leaves * playouts
        self._buffer.host[0] = 0
        self.under_way = True
        try:
            self._buffer.upload(0, layout.tally)
            if layout.columns > 1:  # which are added to
                self._buffer.clear(layout.tally, layout.end)
            self._begin.record()
            self._feed(wait=False)
        except device.DeviceLost:
            self._engine.abandon()
            raise
        except BaseException:  # after Ctrl-C too there is something to wait for
            self._total = self._first
            self._close()
            raise

    def finish(self) -> None:
        """Queue what is left and wait until the tally is back; nothing to do where nothing is under way."""
        if not self.under_way:
            return
        try:
            self._feed(wait=True)
            self._back.wait()
            seconds = self._seconds()
        except device.DeviceLost:
            self._engine.abandon()
            raise
        self.under_way = False
        if self._first:
            self._engine.took(self._first, seconds)
        self._engine.note(self._begin, self._end)

    def _feed(self, wait: bool) -> None:
        """Queue launches, LAUNCHES_AHEAD at most; with ``wait`` the rest too, as earlier ones finish."""
        while self._first < self._total and not (self._stop is not None and self._stop.is_set()):
            event = self._queue[self._queued % LAUNCHES_AHEAD]
            if self._queued >= LAUNCHES_AHEAD:
                if not wait:
                    return
                event.wait()
            if self._queued > 0:
                self._buffer.clear(0, 1)
            job = self._job(min(self._engine.playouts_a_launch, self._total - self._first))
            self._engine.launch(job, self._buffer.stream)
            self._first += job.count
            self._queued += 1
            event.record()
        self._close()

    def _job(self, count: int) -> Job:
        """The next launch; ``CudaPlayouts.launch`` sees to how many playouts a warp takes at once."""
        at = self._layout
        stride = at.width if at.rows > 1 else 0
        leaf, number = divmod(self._first, self._playouts)
        return Job(self._buffer.device, at.states, stride, at.tally, at.columns, self._playouts, leaf, number, count, 0)

    def _close(self) -> None:
        """Queue the way back, once."""
        if self._end is not None:
            return
        self._end = self._buffer.record_event()
        self._before = self._engine.follow(self._end)
        self._buffer.download(self._layout.tally, self._layout.end)
        self._back.record()

    def _seconds(self) -> float:
        """How long the device took, without the time in which it was busy with the batch before."""
        seconds, before, self._before = self._end.since(self._begin), self._before, None
        if before is not None:
            before.wait()
            since = self._end.since(before)
            seconds = min(seconds, since) if since > 0 else seconds
        return seconds
