"""Memory of a device in Numba's simulator: NumPy arrays. A copy is a copy there too, so that a forgotten one shows."""

import math
import time
import weakref
from typing import Any

import numpy as np

SIMULATED_MEMORY = 1 << 30


class NoRoom(MemoryError):
    """The device has no memory for what was asked for; the message says for how much."""


def byte_count(shape: tuple[int, ...], dtype: Any) -> int:
    """Bytes of an array."""
    return math.prod(shape) * np.dtype(dtype).itemsize


class SimulatedEvent:
    """An event in the simulator, a moment: whatever was asked for is done at once."""

    def __init__(self) -> None:
        self._moment = time.perf_counter()

    def record(self) -> None:
        """Take the present moment."""
        self._moment = time.perf_counter()

    def wait(self) -> None:
        """Nothing to wait for."""

    def since(self, earlier: "SimulatedEvent") -> float:
        """Seconds since another event."""
        return self._moment - earlier._moment


class SimulatedHostDeviceBuffer:
    """``HostDeviceBuffer`` in the simulator: two NumPy arrays."""

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

    def record_event(self) -> SimulatedEvent:
        """An event at this moment."""
        return SimulatedEvent()


class SimulatedArrays:
    """``Arrays`` in the simulator: NumPy arrays, and no more of them than fit in SIMULATED_MEMORY."""

    def __init__(self) -> None:
        self.stream, self._taken = 0, 0

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array of zeros."""
        size = byte_count(shape, dtype)
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

    def record_event(self) -> SimulatedEvent:
        """An event at this moment."""
        return SimulatedEvent()
