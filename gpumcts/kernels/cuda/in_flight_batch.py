"""A batch of leaves on its way to the device and back: its memory, its launches, and how long the device was busy.

A batch that is sent off again with as many leaves and playouts goes as a graph: one call of the driver in place of
eight, and of numba's launch.
"""

import threading
import time
import weakref
from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import device
from gpumcts.kernels.cuda.captured_graph import PLAYED, CapturedGraph
from gpumcts.kernels.cuda.faults import DriverRefusal, check_answer
from gpumcts.kernels.cuda.kernels import KEYS, MAX_PER_LAUNCH, BatchLayout, Job
from gpumcts.kernels.playout_loop import tally_columns

LAUNCHES_AHEAD = 2  # in the queue of a stream; Ctrl-C waits for as many
MAX_GRAPHS = 16  # of a batch, for different numbers of leaves and playouts


class BatchGraph(NamedTuple):
    """A batch captured: the graph of its way there and back, and the events around its kernel.

    words : int64[WORDS], of ``captured_graph``
    playouts : of the batch
    """

    graph: CapturedGraph
    begin: Any
    end: Any
    words: np.ndarray
    playouts: int


class InFlightBatch:
    """Room for a batch of leaves on the host and on the device, ``words`` in all, and its way there and back.

    A ``playout_engine.LeafBatch`` whose playouts are those of ``engine``, a ``cuda.CudaPlayouts``.
    """

    def __init__(self, engine: Any, words: int) -> None:
        # A proxy: memory of both sides goes back with the engine, not when Python looks for circles.
        self._engine = weakref.proxy(engine)
        self._buffer: Any = device.host_device_buffer(words)
        self._begin, self._end, self._back = (self._buffer.record_event() for _ in range(3))
        self._queue = [self._buffer.record_event() for _ in range(LAUNCHES_AHEAD)]
        self._layout = BatchLayout(0, 0, 0, 0)
        self._playouts, self._total = 0, 0  # of a leaf, of the batch
        self._queued, self._first = 0, 0  # launches; the first playout that is not queued
        self._closed = False  # whether its way back is queued
        self._stop: threading.Event | None = None
        self._graphs: dict[tuple[BatchLayout, int], BatchGraph] = {}
        self._graph: BatchGraph | None = None  # as which it was sent off
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
        begin, layout = time.perf_counter(), self._sums(leaves, playouts)
        found = self._captured(layout, playouts)
        if found is None:
            self.send(layout, playouts, stop)
        else:
            self._send_graph(found)
        return time.perf_counter() - begin

    def send(self, layout: BatchLayout, playouts: int, stop: threading.Event | None = None) -> None:
        """The same of ``views(layout)``, call by call."""
        if playouts > MAX_PER_LAUNCH:
            raise BadInput(f"playouts of a leaf: {playouts:,}, at most {MAX_PER_LAUNCH:,} on a device")
        self._layout, self._playouts, self._stop = layout, playouts, stop
        self._queued, self._first, self._closed, self._graph = 0, 0, False, None
        self._total = layout.leaves * playouts
        self.under_way = True
        try:
            self._there()
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
            if self._graph is None:
                self._feed(wait=True)
            self._back.wait()
            self._tell()
        except device.DeviceLost:
            self._engine.abandon()
            raise
        self.under_way = False

    def _tell(self) -> None:
        """Tell the engine of playouts that are back and when the device was busy with them."""
        found = self._graph
        if found is None:
            if self._first:
                self._engine.took(self._first, self._begin, self._end)
        elif found.words[PLAYED]:  # who took turns in compiled code has told the clock of it
            self._engine.learn(found.playouts, found.end.since(found.begin))
        else:
            self._engine.took(found.playouts, found.begin, found.end)

    # ------------------------------------------------------------------------------------------------- call by call

    def _there(self) -> None:
        """Queue the way to the device."""
        self._buffer.host[0] = 0
        self._buffer.upload(0, self._layout.tally)
        if self._layout.columns > 1:  # which are added to
            self._buffer.clear(self._layout.tally, self._layout.end)

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
        if self._closed:
            return
        self._closed = True
        self._end.record()
        self._buffer.download(self._layout.tally, self._layout.end)
        self._back.record()

    # -------------------------------------------------------------------------------------------------- as a graph

    def _captured(self, layout: BatchLayout, playouts: int) -> BatchGraph | None:
        """The graph of a batch that was sent off before and that one launch plays; None of another."""
        total = layout.leaves * playouts
        if device.simulated() or not 0 < total <= self._engine.playouts_a_launch:
            return None
        key = layout, playouts
        if key not in self._graphs and key == (self._layout, self._playouts):
            if len(self._graphs) == MAX_GRAPHS:
                self._graphs.clear()
            self._graphs[key] = self._capture(total)
        return self._graphs.get(key)

    def _capture(self, total: int) -> BatchGraph:
        """The graph of the batch that was sent off last, of ``total`` playouts."""
        begin, end = self._buffer.record_event(), self._buffer.record_event()
        self._first = 0

        def queue() -> None:
            self._there()
            begin.record_in_graph()
            self._engine.launch(self._job(total), self._buffer.stream)
            end.record_in_graph()
            self._buffer.download(self._layout.tally, self._layout.end)

        graph = self._buffer.captured(queue)
        words = graph.words(begin.address, end.address, self._back.address)
        return BatchGraph(graph, begin, end, words, total)

    def _send_graph(self, found: BatchGraph) -> None:
        self._begin.record()  # by CUDA's runtime: it gives a thread the context that the driver's own calls need
        self._graph, self.under_way = found, True
        found.words[PLAYED] = 0
        try:
            self.check_graph(found.graph.launch())
            self._back.record()
        except (device.DeviceLost, DriverRefusal):
            self.under_way = False
            raise
        except BaseException:  # after Ctrl-C too there is something to wait for
            self._back.record()
            raise

    def check_graph(self, answer: int) -> None:
        """Raise ``DeviceLost``, or DriverRefusal, where the driver's answer to a call for a graph is not 0.

        After a refusal the device goes on: batches that are under way are to be waited for.
        """
        try:
            _check(answer)
        except device.DeviceLost:
            self._engine.abandon()
            raise

    def use_here(self) -> None:
        """Let compiled code of this thread call the driver: it has a context once it has called CUDA's runtime."""
        self._begin.record()

    def sent_again(self) -> None:
        """Compiled code has sent off the graph that was sent last."""
        self.under_way = True

    def graph_words(self) -> np.ndarray | None:
        """What compiled code needs to send the batch off again as it was sent last, and to wait for it.

        As ``captured_graph`` has it, int64[WORDS]; None where it was not sent as a graph. Compiled code writes there
        too, so it is no copy.
        """
        return self._graph.words if self.under_way and self._graph is not None else None


@device.telling
def _check(answer: int) -> None:
    check_answer(answer, "a graph")
