"""What a stream captured, as a graph: it is queued again by one call of the driver, from Python or compiled code.

A batch goes to the device, is played, and comes back by some eight calls, one of them numba's launch. The same batch
with other leaves is the same calls, so they are captured once. The graph is queued by one call, and compiled code
needs no Python for it.
"""

import ctypes
import weakref
from collections.abc import Callable

import numpy as np

from gpumcts.kernels.cuda.driver import driver_library
from gpumcts.kernels.cuda.faults import check_answer

RELAXED = 2  # CUstreamCaptureMode: other streams and threads go on as usual
EXTERNAL = 1  # CUevent_record_flags: the event is recorded whenever the graph is played
WORDS = 10
LAUNCH, RECORD, WAIT, ELAPSED, GRAPH, STREAM, BEGIN, END, BACK, PLAYED = range(WORDS)
"""The words of a graph that compiled code takes: four functions of the driver, then what they are called with.

The graph and its stream; the events before and after its kernel, and the one after all of it. The last word is 1 where
compiled code has waited for the graph since it was sent.
"""
FUNCTIONS = ("cuGraphLaunch", "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime")


class CapturedGraph:
    """What ``queue`` puts into a stream, to be queued again; streams and events are given by their addresses.

    Raises ``DriverRefusal`` where the driver refuses.
    """

    def __init__(self, stream: int, queue: Callable[[], None]) -> None:
        self._driver, self._stream = driver_library(), ctypes.c_void_p(stream)
        graph, self._graph = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            check_answer(self._driver.cuStreamBeginCapture_v2(self._stream, RELAXED), "cuStreamBeginCapture")
            queue()
        except BaseException:  # after Ctrl-C too the stream is to be of use
            self._driver.cuStreamEndCapture(self._stream, ctypes.byref(graph))
            if graph:
                self._driver.cuGraphDestroy(graph)
            raise
        check_answer(self._driver.cuStreamEndCapture(self._stream, ctypes.byref(graph)), "cuStreamEndCapture")
        flags = ctypes.c_ulonglong(0)
        answer = self._driver.cuGraphInstantiateWithFlags(ctypes.byref(self._graph), graph, flags)
        self._driver.cuGraphDestroy(graph)
        check_answer(answer, "cuGraphInstantiate")
        weakref.finalize(self, self._driver.cuGraphExecDestroy, self._graph)

    def launch(self) -> int:
        """Queue it; the driver's answer, 0 where all is well."""
        return self._driver.cuGraphLaunch(self._graph, self._stream)

    def words(self, begin: int, end: int, back: int) -> np.ndarray:
        """What compiled code needs to queue it and to wait for it, int64[WORDS]; the events by their addresses.

        The graph is to live as long.
        """
        functions = [ctypes.cast(getattr(self._driver, name), ctypes.c_void_p).value for name in FUNCTIONS]
        handles = [self._graph.value, self._stream.value or 0, begin, end, back]
        return np.array([*functions, *handles, 0], np.int64)


def record_in_graph(event: int, stream: int) -> None:
    """Record an event, while a stream is captured, whenever the graph is played: so that it can be waited for."""
    driver = driver_library()
    answer = driver.cuEventRecordWithFlags(ctypes.c_void_p(event), ctypes.c_void_p(stream), ctypes.c_uint(EXTERNAL))
    check_answer(answer, "cuEventRecordWithFlags")
