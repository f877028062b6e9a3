"""The part of CuPy that gpumcts uses, over the emulated driver: arrays without arithmetic, and pools that keep memory.

An array has exactly the bytes that it is asked for, so that an access beyond them is seen. Memory that goes back to the
pool is given out again, to an array of the same size; it is poison then, as far as nothing is under way that may still
use it.
"""

import math

import numpy as np

from . import cuda
from .cuda import _driver

__version__ = "0 (stand-in)"


class _Pool:
    """The device's memory: blocks that no array uses, by size."""

    def __init__(self):
        self._blocks, self._total, self._free = {}, 0, 0

    def take(self, size):
        if kept := self._blocks.get(size):
            self._free -= size
            return kept.pop()
        try:
            address = _driver.allocate(size)
        except cuda.memory.OutOfMemoryError:
            self.free_all_blocks()
            address = _driver.allocate(size)
        self._total += size
        return address

    def give_back(self, address, size):
        _driver.poison(address, size)
        self._blocks.setdefault(size, []).append(address)
        self._free += size

    def free_all_blocks(self):
        for size, addresses in self._blocks.items():
            for address in addresses:
                _driver.free(address)
                self._total -= size
        self._blocks, self._free = {}, 0

    def free_bytes(self):
        return self._free

    def used_bytes(self):
        return self._total - self._free

    def total_bytes(self):
        return self._total


class _PinnedPool:
    def free_all_blocks(self):
        pass


_pool, _pinned = _Pool(), _PinnedPool()


def get_default_memory_pool():
    return _pool


def get_default_pinned_memory_pool():
    return _pinned


class _Memory:
    def __init__(self, size):
        self.size, self.ptr = size, _pool.take(size) if size else 0

    def __del__(self):
        if getattr(self, "ptr", 0):
            _pool.give_back(self.ptr, self.size)


class ndarray:
    """What ``empty`` gives: shape, dtype, ``data.ptr``, and the interface by which numba takes it."""

    def __init__(self, shape, dtype=float):
        self.shape = (int(shape),) if np.isscalar(shape) else tuple(int(n) for n in shape)
        self.dtype = np.dtype(dtype)
        self.size = math.prod(self.shape)
        self.nbytes = self.size * self.dtype.itemsize
        self.data = _Memory(self.nbytes)

    @property
    def __cuda_array_interface__(self):
        description = {"shape": self.shape, "typestr": self.dtype.str, "descr": self.dtype.descr, "version": 3}
        return {**description, "strides": None, "data": (self.data.ptr, False), "stream": None}


def empty(shape, dtype=float):
    return ndarray(shape, dtype)
