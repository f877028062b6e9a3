"""Calls of the emulated driver, by ctypes; codes that are not 0 raise what CuPy would raise."""

import ctypes

from . import memory

library = ctypes.CDLL("libcuda.so.1")
OUT_OF_MEMORY, ILLEGAL_ADDRESS = 2, 700


def call(name, *arguments):
    library.emulator_enter_runtime()
    code = ILLEGAL_ADDRESS if library.emulator_lost() else getattr(library, name)(*arguments)
    if code == ILLEGAL_ADDRESS:
        raise memory.CUDADriverError("CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered")
    if code == OUT_OF_MEMORY:
        raise memory.OutOfMemoryError("Out of memory")
    if code:
        raise memory.CUDADriverError(f"{name} answers {code}")


def allocate(size):
    address = ctypes.c_uint64()
    try:
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
    except memory.OutOfMemoryError:
        raise memory.OutOfMemoryError(f"Out of memory allocating {size:,} bytes") from None
    return address.value


def free(address):
    call("cuMemFree_v2", ctypes.c_uint64(address))


def poison(address, size):
    """Memory that no one uses holds nothing that anyone may lean on; as long as something is under way, it stays."""
    if library.emulator_is_idle():
        library.emulator_poison_memory(ctypes.c_uint64(address), ctypes.c_uint64(size))
