"""The device: whether one is there, memory on it, pinned buffers, streams, events. The only module that touches CuPy.

Importing it needs neither CuPy nor a GPU, and loads neither. In the simulator the same calls hand out NumPy arrays; a
copy is still a copy there, so that a forgotten one shows.
"""

import contextlib
import ctypes
import functools
import gc
import importlib.util
import math
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np

from gpumcts.errors import BadInput

# CUdevice_attribute of the driver's interface
MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76
SIMULATED_MEMORY = 1 << 30
MOST_PITCH = (1 << 31) - 1  # bytes of a row that the driver copies many of at once (cudaDeviceProp.memPitch)
LIBRARIES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")


class Description(NamedTuple):
    """What there is of a device, and what keeps it from being used: one line, empty if nothing does.

    memory in bytes; capability as (major, minor); driver as the CUDA version it supports, such as ``13.0``
    """

    name: str = ""
    capability: tuple[int, int] = (0, 0)
    multiprocessors: int = 0
    memory: int = 0
    driver: str = ""
    problem: str = ""


@functools.cache
def describe() -> Description:
    """The first device that the driver shows (``CUDA_VISIBLE_DEVICES`` chooses). Asks the driver, and never raises."""
    for library in LIBRARIES:
        try:
            found = ask_driver(ctypes.CDLL(library))
        except (OSError, AttributeError):  # not there, or too old to be asked
            continue
        return found._replace(problem=found.problem or missing_packages(found.driver))
    return Description(
        problem=f"no NVIDIA driver is there ({LIBRARIES[0]}); needed are one and the extra cuda12 or cuda13"
    )


def driver_library() -> Any:
    """The driver's library; OSError where there is none."""
    for library in LIBRARIES:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(library)
    raise OSError(f"no NVIDIA driver is there ({LIBRARIES[0]})")


def ask_driver(driver: Any) -> Description:
    """What a loaded driver library says of its first device."""
    version, count, handle, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t()
    name = ctypes.create_string_buffer(256)
    code = driver.cuInit(0)
    if code == 0:
        code = driver.cuDeviceGetCount(ctypes.byref(count))
    if code != 0 or count.value == 0:
        return Description(problem=f"the NVIDIA driver shows no device (it answers {code})")
    driver.cuDriverGetVersion(ctypes.byref(version))
    driver.cuDeviceGet(ctypes.byref(handle), 0)
    driver.cuDeviceGetName(name, len(name), handle)
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), handle)

    def attribute(number: int) -> int:
        value = ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(value), number, handle)
        return value.value

    return Description(
        name=name.value.decode(errors="replace"),
        capability=(attribute(MAJOR), attribute(MINOR)),
        multiprocessors=attribute(MULTIPROCESSORS),
        memory=memory.value,
        driver=f"{version.value // 1000}.{version.value % 1000 // 10}",
    )


def missing_packages(driver: str) -> str:
    """Packages that CUDA needs and that are missing, with the extra that brings them; empty if none is."""
    missing = [name for name, module in (("numba-cuda", "numba_cuda"), ("CuPy", "cupy")) if not _installed(module)]
    if not missing:
        return ""
    extra = "cuda12" if driver.startswith("12.") else "cuda13"
    return f"{' and '.join(missing)} not installed: pip install 'gpumcts[{extra}]'"


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def simulated() -> bool:
    """Whether kernels run in Numba's simulator."""
    return bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]


class SimulatedMark:
    """A moment; in the simulator whatever was asked for is done at once."""

    def __init__(self) -> None:
        self._moment = time.perf_counter()

    def again(self) -> None:
        """Mark the present moment instead."""
        self._moment = time.perf_counter()

    def wait(self) -> None:
        """Nothing to wait for."""

    def since(self, earlier: "SimulatedMark") -> float:
        """Seconds since another mark."""
        return self._moment - earlier._moment


class SimulatedMirror:
    """``Mirror`` in the simulator: two NumPy arrays."""

    def __init__(self, words: int) -> None:
        self.host, self.device, self.stream = np.zeros(words, np.uint64), np.zeros(words, np.uint64), 0

    def upload(self, begin: int, end: int) -> None:
        """Copy host words [begin, end) to the device."""
        self.device[begin:end] = self.host[begin:end]

    def download(self, begin: int, end: int) -> None:
        """Copy device words [begin, end) to the host."""
        self.host[begin:end] = self.device[begin:end]

    def clear(self, begin: int, end: int) -> None:
        """Fill device words [begin, end) with zeros."""
        self.device[begin:end] = 0

    def mark(self) -> SimulatedMark:
        """This moment."""
        return SimulatedMark()


class Mark:
    """A place in a stream."""

    def __init__(self, stream: Any) -> None:
        from cupy.cuda import Event

        self._stream, self._event = stream, Event()
        self.again()

    def again(self) -> None:
        """Mark the present end of the stream instead."""
        self._event.record(self._stream)

    def wait(self) -> None:
        """Wait until the device has come here; other Python threads run on meanwhile."""
        self._event.synchronize()

    def since(self, earlier: "Mark") -> float:
        """Seconds the device took from another mark to this one, both waited for."""
        from cupy.cuda import get_elapsed_time

        return get_elapsed_time(earlier._event, self._event) / 1000


class Mirror:
    """An array of 64-bit words on the host, pinned, and on the device, with a stream of their own.

    host : uint64[n], NumPy; device : uint64[n], what kernels take; stream : Numba's, for launches. Copies return at
    once and queue up behind what is in the stream. Raises BadInput where memory does not suffice.
    """

    def __init__(self, words: int) -> None:
        import cupy
        from numba import cuda

        try:
            self._memory = cupy.empty(words, np.uint64)
            self._pinned = cupy.cuda.alloc_pinned_memory(8 * words)
        except (MemoryError, cupy.cuda.runtime.CUDARuntimeError) as error:
            size, why = f"{8 * words / 2**20:,.1f} MiB", first_line(error)
            raise BadInput(f"engine=cuda: cannot get {size} of device memory and of pinned memory: {why}") from error
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self.host = np.frombuffer(self._pinned, np.uint64, words)
        self.device = cuda.as_cuda_array(self._memory, sync=False)
        self.stream = cuda.external_stream(int(self._stream.ptr))

    def upload(self, begin: int, end: int) -> None:
        """Copy host words [begin, end) to the device."""
        from cupy.cuda import runtime

        if begin >= end:
            return
        source, target = self.host.ctypes.data + 8 * begin, self._memory.data.ptr + 8 * begin
        runtime.memcpyAsync(target, source, 8 * (end - begin), runtime.memcpyHostToDevice, self._stream.ptr)

    def download(self, begin: int, end: int) -> None:
        """Copy device words [begin, end) to the host."""
        from cupy.cuda import runtime

        if begin >= end:
            return
        source, target = self._memory.data.ptr + 8 * begin, self.host.ctypes.data + 8 * begin
        runtime.memcpyAsync(target, source, 8 * (end - begin), runtime.memcpyDeviceToHost, self._stream.ptr)

    def clear(self, begin: int, end: int) -> None:
        """Fill device words [begin, end) with zeros."""
        from cupy.cuda import runtime

        if end > begin:
            runtime.memsetAsync(self._memory.data.ptr + 8 * begin, 0, 8 * (end - begin), self._stream.ptr)

    def mark(self) -> Mark:
        """The present end of the stream."""
        return Mark(self._stream)

    @property
    def address(self) -> int:
        """The stream as the driver knows it."""
        return int(self._stream.ptr)

    def replayed(self, queue: Callable[[], None]) -> Callable[[], None]:
        """What queues once more, as a graph, what ``queue`` queues in the stream."""
        self._stream.begin_capture()
        try:
            queue()
        finally:
            graph = self._stream.end_capture()
        return lambda: graph.launch(self._stream)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # half made, or Python is ending
            self._stream.synchronize()  # the memory goes back to its pool: nothing may still write to it


def mirror(words: int) -> Mirror | SimulatedMirror:
    """A ``Mirror`` of so many words, in the simulator one of NumPy."""
    return SimulatedMirror(words) if simulated() else Mirror(words)


# ------------------------------------------------------------------------------------------------------------- arrays


class NoRoom(MemoryError):
    """The device has no memory for what was asked for; the message says for how much."""


def free_memory() -> int:
    """Bytes that arrays on the device may take now, those of the pool that no one uses included."""
    if simulated():
        return SIMULATED_MEMORY
    import cupy

    return cupy.cuda.runtime.memGetInfo()[0] + cupy.get_default_memory_pool().free_bytes()


class SimulatedArrays:
    """``Arrays`` in the simulator: NumPy arrays, and no more of them than fit in SIMULATED_MEMORY."""

    def __init__(self) -> None:
        self.stream, self._taken = 0, 0

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array of zeros."""
        size = _bytes(shape, dtype)
        if self._taken + size > SIMULATED_MEMORY:
            raise NoRoom(f"no {size / 2**20:,.1f} MiB of device memory")
        self._taken += size
        array = np.zeros(shape, dtype)
        weakref.finalize(array, self._give_back, size)
        return array

    def _give_back(self, size: int) -> None:
        self._taken -= size

    def upload(self, host: np.ndarray, array: np.ndarray) -> None:
        """Copy an array of the host into one of its shape and type."""
        array[...] = host

    def fetch(self, array: np.ndarray, host: np.ndarray) -> None:
        """Copy all of an array to the host."""
        host[...] = array

    def widened(self, array: np.ndarray, size: int) -> np.ndarray:
        """A copy whose second axis has the given size, zeros at its end."""
        wide = self.zeros((array.shape[0], size, *array.shape[2:]), array.dtype)
        wide[:, : array.shape[1]] = array
        return wide

    def mark(self) -> SimulatedMark:
        """This moment."""
        return SimulatedMark()


class Arrays:
    """Arrays on the device of any shape and type, and a stream of their own in which all that is asked for queues up.

    What kernels take are Numba's device arrays; memory goes back to the pool with the last reference to its array, so
    wait for a mark before the last one goes. Where memory does not suffice NoRoom is raised. Arrays without elements have no
    address: nothing is filled or copied there.
    """

    def __init__(self) -> None:
        import cupy
        from numba import cuda

        self._stream = cupy.cuda.Stream(non_blocking=True)
        self.stream = cuda.external_stream(int(self._stream.ptr))

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array of zeros."""
        import cupy
        from cupy.cuda import runtime
        from numba import cuda

        size = _bytes(shape, dtype)
        try:
            memory = cupy.empty(shape, dtype)
        except (MemoryError, runtime.CUDARuntimeError) as error:
            raise NoRoom(f"no {size / 2**20:,.1f} MiB of device memory") from error
        if size:
            runtime.memsetAsync(memory.data.ptr, 0, size, self._stream.ptr)
        return checked(cuda.as_cuda_array(memory, sync=False))

    def upload(self, host: np.ndarray, array: Any) -> None:
        """Copy an array of the host (pageable: it may change on return) into one of its shape and type."""
        from cupy.cuda import runtime

        if not host.size:
            return
        host = np.ascontiguousarray(host)
        kind = runtime.memcpyHostToDevice
        runtime.memcpyAsync(address(array), host.ctypes.data, host.nbytes, kind, self._stream.ptr)
        self._stream.synchronize()

    def fetch(self, array: Any, host: np.ndarray) -> None:
        """Copy all of an array into a contiguous one of the host; it is there on return."""
        from cupy.cuda import runtime

        if not host.size:
            return
        kind = runtime.memcpyDeviceToHost
        runtime.memcpyAsync(host.ctypes.data, address(array), host.nbytes, kind, self._stream.ptr)
        self._stream.synchronize()

    def widened(self, array: Any, size: int) -> Any:
        """A copy whose second axis has the given size, zeros at its end."""
        from cupy.cuda import runtime

        wide = self.zeros((array.shape[0], size, *array.shape[2:]), array.dtype)
        to_pitch, from_pitch = (_bytes(a.shape[1:], a.dtype) for a in (wide, array))
        rows, kind = array.shape[0], runtime.memcpyDeviceToDevice
        stream = self._stream.ptr
        if array.size and to_pitch <= MOST_PITCH:
            runtime.memcpy2DAsync(address(wide), to_pitch, address(array), from_pitch, from_pitch, rows, kind, stream)
        elif array.size:
            for row in range(rows):
                to, source = address(wide) + row * to_pitch, address(array) + row * from_pitch
                runtime.memcpyAsync(to, source, from_pitch, kind, stream)
        return wide

    def mark(self) -> Mark:
        """The present end of the stream."""
        return Mark(self._stream)


def arrays() -> Arrays | SimulatedArrays:
    """``Arrays``, in the simulator of NumPy."""
    return SimulatedArrays() if simulated() else Arrays()


def checked(array: Any) -> Any:
    """An array of the device as kernels are compiled for, elements side by side; RuntimeError for another.

    Numba compiles a kernel for a layout, and takes one array for another where its shape is odd, an axis of length 0 say.
    """
    layout = numba.typeof(array).layout
    if layout != "C":
        raise RuntimeError(
            f"numba-cuda takes an array of shape {array.shape} for one of layout {layout}, kernels take C"
        )
    return array


def _bytes(shape: tuple[int, ...], dtype: Any) -> int:
    return math.prod(shape) * np.dtype(dtype).itemsize


def address(array: Any) -> int:
    """Where an array of the device lies."""
    return array.__cuda_array_interface__["data"][0]


def first_line(error: BaseException) -> str:
    """The first line of what an exception says, or its name if it says nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def release() -> None:
    """Give back the device and pinned memory that no one uses any more; between the jobs of a sweep."""
    gc.collect()
    if "cupy" in sys.modules:
        import cupy

        cupy.get_default_memory_pool().free_all_blocks()
        cupy.get_default_pinned_memory_pool().free_all_blocks()
