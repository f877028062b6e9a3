"""The device: whether one is there, memory on it, pinned buffers, streams, events. The only module that touches CuPy.

Importing it needs neither CuPy nor a GPU, and loads neither. In the simulator the same calls hand out NumPy arrays; a
copy is still a copy there, so that a forgotten one shows.
"""

import contextlib
import ctypes
import functools
import gc
import importlib.util
import sys
import time
from typing import Any, NamedTuple

import numba
import numpy as np

from gpumcts.errors import BadInput

# CUdevice_attribute of the driver's interface
MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76
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

        self._event = Event()
        self._event.record(stream)

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

        source, target = self.host.ctypes.data + 8 * begin, self._memory.data.ptr + 8 * begin
        runtime.memcpyAsync(target, source, 8 * (end - begin), runtime.memcpyHostToDevice, self._stream.ptr)

    def download(self, begin: int, end: int) -> None:
        """Copy device words [begin, end) to the host."""
        from cupy.cuda import runtime

        source, target = self._memory.data.ptr + 8 * begin, self.host.ctypes.data + 8 * begin
        runtime.memcpyAsync(target, source, 8 * (end - begin), runtime.memcpyDeviceToHost, self._stream.ptr)

    def clear(self, begin: int, end: int) -> None:
        """Fill device words [begin, end) with zeros."""
        from cupy.cuda import runtime

        runtime.memsetAsync(self._memory.data.ptr + 8 * begin, 0, 8 * (end - begin), self._stream.ptr)

    def mark(self) -> Mark:
        """The present end of the stream."""
        return Mark(self._stream)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # half made, or Python is ending
            self._stream.synchronize()  # the memory goes back to its pool: nothing may still write to it


def mirror(words: int) -> Mirror | SimulatedMirror:
    """A ``Mirror`` of so many words, in the simulator one of NumPy."""
    return SimulatedMirror(words) if simulated() else Mirror(words)


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
