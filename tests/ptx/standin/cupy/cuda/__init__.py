"""Streams, events, graphs, pinned memory."""

import ctypes

from . import _driver, memory, runtime
from ._driver import call

__all__ = [
    "Event",
    "Graph",
    "Stream",
    "alloc_pinned_memory",
    "get_current_stream",
    "get_elapsed_time",
    "memory",
    "runtime",
]


class Stream:
    """A stream of the driver's; ``non_blocking`` ones do not wait for the default one."""

    def __init__(self, null=False, non_blocking=False):
        handle = ctypes.c_void_p()
        if not null:
            call("cuStreamCreate", ctypes.byref(handle), ctypes.c_uint(int(non_blocking)))
        self.ptr = handle.value or 0

    def synchronize(self):
        call("cuStreamSynchronize", ctypes.c_void_p(self.ptr))

    def record(self):
        event = Event()
        event.record(self)
        return event

    def wait_event(self, event):
        call("cuStreamWaitEvent", ctypes.c_void_p(self.ptr), ctypes.c_void_p(event.ptr), ctypes.c_uint(0))

    def begin_capture(self):
        call("cuStreamBeginCapture_v2", ctypes.c_void_p(self.ptr), ctypes.c_int(2))

    def end_capture(self):
        graph = ctypes.c_void_p()
        call("cuStreamEndCapture", ctypes.c_void_p(self.ptr), ctypes.byref(graph))
        return Graph(graph)

    def __del__(self):
        if getattr(self, "ptr", 0):
            call("cuStreamDestroy_v2", ctypes.c_void_p(self.ptr))


class Graph:
    """What was captured, ready to be launched."""

    def __init__(self, graph):
        self._executable = ctypes.c_void_p()
        call("cuGraphInstantiateWithFlags", ctypes.byref(self._executable), graph, ctypes.c_ulonglong(0))
        call("cuGraphDestroy", graph)

    def launch(self, stream):
        call("cuGraphLaunch", self._executable, ctypes.c_void_p(stream.ptr))


class Event:
    """A place in a stream, once it is recorded."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        handle = ctypes.c_void_p()
        call("cuEventCreate", ctypes.byref(handle), ctypes.c_uint(0))
        self.ptr = handle.value

    def record(self, stream):
        call("cuEventRecord", ctypes.c_void_p(self.ptr), ctypes.c_void_p(stream.ptr))

    def synchronize(self):
        call("cuEventSynchronize", ctypes.c_void_p(self.ptr))

    @property
    def done(self):
        return _driver.library.cuEventQuery(ctypes.c_void_p(self.ptr)) == 0

    def __del__(self):
        if getattr(self, "ptr", 0):
            call("cuEventDestroy_v2", ctypes.c_void_p(self.ptr))


def get_current_stream():
    """The default one, in every thread."""
    return Stream(null=True)


def get_elapsed_time(start, end):
    """Milliseconds between two events."""
    found = ctypes.c_float()
    call("cuEventElapsedTime", ctypes.byref(found), ctypes.c_void_p(start.ptr), ctypes.c_void_p(end.ptr))
    return found.value


class _Pinned:
    """Memory of the host that the device copies while the host goes on."""

    def __init__(self, size):
        handle = ctypes.c_void_p()
        call("cuMemHostAlloc", ctypes.byref(handle), ctypes.c_size_t(size), ctypes.c_uint(0))
        self.ptr, self.buffer = handle.value, (ctypes.c_char * size).from_address(handle.value)
        self.buffer._memory = self  # who holds the buffer holds the memory

    def __del__(self):
        if getattr(self, "ptr", 0):
            call("cuMemFreeHost", ctypes.c_void_p(self.ptr))


def alloc_pinned_memory(size):
    """A buffer; it goes when no one holds it."""
    return _Pinned(size).buffer
