"""The device: its memory, pinned buffers, streams, events. The only module that uses CuPy.

Importing it needs neither CuPy nor a GPU, and loads neither. In the simulator the same calls hand out NumPy arrays.
What the driver answers after a fault becomes ``DeviceLost`` here (``gpumcts.kernels.cuda.faults``).
"""

import contextlib
import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from gpumcts.errors import BadInput
from gpumcts.kernels.cuda.captured_graph import CapturedGraph, record_in_graph
from gpumcts.kernels.cuda.driver import DeviceInfo, ask_driver, describe, driver_library, say_device
from gpumcts.kernels.cuda.faults import DeviceFull, DeviceLost, fault_of, lose, lost, telling
from gpumcts.kernels.cuda.simulated_memory import (
    SIMULATED_MEMORY,
    NoRoom,
    SimulatedArrays,
    SimulatedEvent,
    SimulatedHostDeviceBuffer,
    byte_count,
)

__all__ = [
    "Arrays", "DeviceFull", "DeviceInfo", "DeviceLost", "Event", "HostDeviceBuffer", "NoRoom", "SimulatedArrays",
    "SimulatedEvent", "SimulatedHostDeviceBuffer", "address", "arrays", "ask_driver", "checked", "describe",
    "driver_library", "first_line", "free_memory", "host_device_buffer", "lost", "other_device", "release",
    "say_device", "simulated", "telling",
]  # fmt: skip

MAX_PITCH = (1 << 31) - 1  # bytes of a row that the driver copies many of at once (cudaDeviceProp.memPitch)


def simulated() -> bool:
    """Whether kernels run in Numba's simulator."""
    return bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]


class Event:
    """An event of CUDA: a place in a stream."""

    @telling
    def __init__(self, stream: Any) -> None:
        from cupy.cuda import Event as CudaEvent

        self._stream, self._event = stream, CudaEvent()
        self.record()

    @telling
    def record(self) -> None:
        """Take the present end of the stream."""
        self._event.record(self._stream)

    @telling
    def record_in_graph(self) -> None:
        """While the stream is captured: take its end whenever the graph is played."""
        record_in_graph(self.address, int(self._stream.ptr))

    @property
    def address(self) -> int:
        """The event as the driver knows it."""
        return int(self._event.ptr)

    @telling
    def wait(self) -> None:
        """Wait until the device has come here; other Python threads run on meanwhile."""
        self._event.synchronize()

    @telling
    def since(self, earlier: "Event") -> float:
        """Seconds the device took from another event to this one, both waited for."""
        from cupy.cuda import get_elapsed_time

        return get_elapsed_time(earlier._event, self._event) / 1000


class HostDeviceBuffer:
    """An array of 64-bit words on the host, pinned, and on the device, with a stream of their own.

    host : uint64[n], NumPy; device : uint64[n], what kernels take; stream : Numba's, for launches. Copies return at
    once and queue up behind what is in the stream. Raises BadInput where memory does not suffice.
    """

    @telling
    def __init__(self, words: int) -> None:
        import cupy
        from numba import cuda

        self._stream = _stream()
        try:
            self._memory = cupy.empty(words, np.uint64)
            self._pinned = cupy.cuda.alloc_pinned_memory(_pinned_bytes(words))
        except (MemoryError, cupy.cuda.runtime.CUDARuntimeError) as error:
            if fault := fault_of(error):
                raise lose(fault) from error
            size, why = f"{8 * words / 2**20:,.1f} MiB", first_line(error)
            raise BadInput(f"engine=cuda: cannot get {size} of device memory and of pinned memory: {why}") from error
        # The memory goes back to its pool: nothing may still write to it. A ``__del__`` may run after the stream's.
        weakref.finalize(self, _waited_for, self._stream)
        _after_others(self._stream)
        self.host = np.frombuffer(self._pinned, np.uint64, words)
        self.device = cuda.as_cuda_array(self._memory, sync=False)
        self.stream = cuda.external_stream(int(self._stream.ptr))

    @telling
    def upload(self, begin: int, end: int) -> None:
        """Copy host words [begin, end) to the device."""
        from cupy.cuda import runtime

        if begin >= end:
            return
        source, target = self.host.ctypes.data + 8 * begin, self._memory.data.ptr + 8 * begin
        runtime.memcpyAsync(target, source, 8 * (end - begin), runtime.memcpyHostToDevice, self._stream.ptr)

    @telling
    def download(self, begin: int, end: int) -> None:
        """Copy device words [begin, end) to the host."""
        from cupy.cuda import runtime

        if begin >= end:
            return
        source, target = self._memory.data.ptr + 8 * begin, self.host.ctypes.data + 8 * begin
        runtime.memcpyAsync(target, source, 8 * (end - begin), runtime.memcpyDeviceToHost, self._stream.ptr)

    @telling
    def clear(self, begin: int, end: int) -> None:
        """Fill device words [begin, end) with zeros."""
        from cupy.cuda import runtime

        if end > begin:
            runtime.memsetAsync(self._memory.data.ptr + 8 * begin, 0, 8 * (end - begin), self._stream.ptr)

    def record_event(self) -> Event:
        """An event at the present end of the stream."""
        return Event(self._stream)

    @property
    def address(self) -> int:
        """The stream as the driver knows it."""
        return int(self._stream.ptr)

    @telling
    def captured(self, queue: Callable[[], None]) -> CapturedGraph:
        """What queues once more, as a graph, what ``queue`` queues in the stream."""
        return CapturedGraph(self.address, queue)


def _pinned_bytes(words: int) -> int:
    """Of a buffer: a power of two, since CuPy's pool keeps what is given back for requests of its very size."""
    return 1 << max(8 * words - 1, 0).bit_length()


def other_device() -> str:
    """What is wrong where this thread's current device is not the first; empty if nothing is, or CuPy cannot tell."""
    try:
        from cupy.cuda import runtime

        number = runtime.getDevice()
    except (ImportError, RuntimeError):  # no CuPy, or no device: what is used next says so
        return ""
    if not number:
        return ""
    return (
        f"this thread's current CUDA device is number {number}, and a process plays on number 0: "
        "make that current, or choose by CUDA_VISIBLE_DEVICES"
    )


def _stream() -> Any:
    """A stream of CuPy's, of the first device. BadInput where this thread's current device is another."""
    from cupy.cuda import Stream

    if problem := other_device():
        raise BadInput(problem)
    return Stream(non_blocking=True)


def _after_others(stream: Any) -> None:
    """Let a stream wait for CuPy's current one: what CuPy's pool gives may be in use there until that is done."""
    from cupy.cuda import get_current_stream

    stream.wait_event(get_current_stream().record())


def _waited_for(stream: Any) -> None:
    with contextlib.suppress(Exception):  # the device is lost, or Python is ending
        stream.synchronize()


def host_device_buffer(words: int) -> HostDeviceBuffer | SimulatedHostDeviceBuffer:
    """A ``HostDeviceBuffer`` of so many words, in the simulator one of NumPy."""
    return SimulatedHostDeviceBuffer(words) if simulated() else HostDeviceBuffer(words)


# ------------------------------------------------------------------------------------------------------------- arrays


@telling
def free_memory() -> int:
    """Bytes that arrays on the device may take now, those of the pool that no one uses included."""
    if simulated():
        return SIMULATED_MEMORY
    import cupy

    return cupy.cuda.runtime.memGetInfo()[0] + cupy.get_default_memory_pool().free_bytes()


class Arrays:
    """Arrays on the device of any shape and type, and a stream of their own in which all that is asked for queues up.

    What kernels take are Numba's device arrays; memory goes back to the pool with the last reference to its array, so
    wait for an event before the last one goes. Where memory does not suffice NoRoom is raised. Arrays without elements
    have no address: nothing is filled or copied there.
    """

    @telling
    def __init__(self) -> None:
        from numba import cuda

        self._stream = _stream()
        self.stream = cuda.external_stream(int(self._stream.ptr))

    @telling
    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array of zeros."""
        import cupy
        from cupy.cuda import runtime
        from numba import cuda

        size = byte_count(shape, dtype)
        try:
            memory = cupy.empty(shape, dtype)
        except (MemoryError, runtime.CUDARuntimeError) as error:
            if fault := fault_of(error):
                raise lose(fault) from error
            raise NoRoom(f"no {size / 2**20:,.1f} MiB of device memory") from error
        if size:
            _after_others(self._stream)
            runtime.memsetAsync(memory.data.ptr, 0, size, self._stream.ptr)
        return checked(cuda.as_cuda_array(memory, sync=False))

    @telling
    def upload(self, host: np.ndarray, array: Any) -> None:
        """Copy an array of the host (pageable: it may change on return) into one of its shape and type."""
        from cupy.cuda import runtime

        if not host.size:
            return
        host = np.ascontiguousarray(host)
        kind = runtime.memcpyHostToDevice
        runtime.memcpyAsync(address(array), host.ctypes.data, host.nbytes, kind, self._stream.ptr)
        self._stream.synchronize()

    @telling
    def fetch(self, array: Any, host: np.ndarray) -> None:
        """Copy all of an array into a contiguous one of the host; it is there on return."""
        from cupy.cuda import runtime

        if not host.size:
            return
        kind = runtime.memcpyDeviceToHost
        runtime.memcpyAsync(host.ctypes.data, address(array), host.nbytes, kind, self._stream.ptr)
        self._stream.synchronize()

    @telling
    def widened(self, array: Any, size: int) -> Any:
        """A copy whose second axis has the given size, zeros at its end; the array may go on return."""
        from cupy.cuda import runtime

        wide = self.zeros((array.shape[0], size, *array.shape[2:]), array.dtype)
        to_pitch, from_pitch = (byte_count(a.shape[1:], a.dtype) for a in (wide, array))
        rows, kind = array.shape[0], runtime.memcpyDeviceToDevice
        stream = self._stream.ptr
        if array.size and to_pitch <= MAX_PITCH:
            runtime.memcpy2DAsync(address(wide), to_pitch, address(array), from_pitch, from_pitch, rows, kind, stream)
        elif array.size:
            for row in range(rows):
                to, source = address(wide) + row * to_pitch, address(array) + row * from_pitch
                runtime.memcpyAsync(to, source, from_pitch, kind, stream)
        self._stream.synchronize()  # another thread's stream may be given the array's memory next
        return wide

    def record_event(self) -> Event:
        """An event at the present end of the stream."""
        return Event(self._stream)


def arrays() -> Arrays | SimulatedArrays:
    """``Arrays``, in the simulator of NumPy."""
    return SimulatedArrays() if simulated() else Arrays()


def checked(array: Any) -> Any:
    """An array of the device as kernels are compiled for, elements side by side; RuntimeError for another.

    Numba compiles a kernel for a layout, and takes one array for another where its shape is odd, as with an axis of
    length 0.
    """
    layout = numba.typeof(array).layout
    if layout != "C":
        raise RuntimeError(
            f"numba-cuda takes an array of shape {array.shape} for one of layout {layout}, kernels take C"
        )
    return array


def address(array: Any) -> int:
    """Where an array of the device lies."""
    return array.__cuda_array_interface__["data"][0]


def first_line(error: BaseException) -> str:
    """The first line of what an exception says, or its name if it says nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def release() -> None:
    """Give back the device and pinned memory that no one uses any more; between the jobs of a sweep."""
    gc.collect()
    if "cupy" in sys.modules and not lost():  # a driver that has met a fault refuses this too
        import cupy

        cupy.get_default_memory_pool().free_all_blocks()
        cupy.get_default_pinned_memory_pool().free_all_blocks()
