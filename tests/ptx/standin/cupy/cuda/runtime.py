"""Copies and fills, by the names that CuPy has for the runtime's calls."""

import ctypes

from ._driver import call
from .memory import CUDADriverError as CUDARuntimeError

__all__ = ["CUDARuntimeError", "getDevice", "memGetInfo", "memcpy2DAsync", "memcpyAsync", "memsetAsync"]

memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
ON_DEVICE = 2  # CUmemorytype


def _address(value):
    return ctypes.c_uint64(int(value))


def memcpyAsync(dst, src, size, kind, stream):
    names = {
        memcpyHostToDevice: "cuMemcpyHtoDAsync_v2",
        memcpyDeviceToHost: "cuMemcpyDtoHAsync_v2",
        memcpyDeviceToDevice: "cuMemcpyDtoDAsync_v2",
    }
    call(names[kind], _address(dst), _address(src), ctypes.c_size_t(size), ctypes.c_void_p(int(stream)))


class _Rectangle(ctypes.Structure):
    """CUDA_MEMCPY2D."""

    _fields_ = [
        *(("from_x", ctypes.c_size_t), ("from_y", ctypes.c_size_t), ("from_kind", ctypes.c_int)),
        *(("from_host", ctypes.c_void_p), ("from_device", ctypes.c_uint64), ("from_array", ctypes.c_void_p)),
        *(("from_pitch", ctypes.c_size_t), ("to_x", ctypes.c_size_t), ("to_y", ctypes.c_size_t)),
        *(("to_kind", ctypes.c_int), ("to_host", ctypes.c_void_p), ("to_device", ctypes.c_uint64)),
        *(("to_array", ctypes.c_void_p), ("to_pitch", ctypes.c_size_t)),
        *(("width", ctypes.c_size_t), ("rows", ctypes.c_size_t)),
    ]


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    if kind != memcpyDeviceToDevice:
        raise CUDARuntimeError("copies of rows are emulated on the device alone")
    rectangle = _Rectangle(
        from_kind=ON_DEVICE, from_device=int(src), from_pitch=spitch, to_kind=ON_DEVICE,
        to_device=int(dst), to_pitch=dpitch, width=width, rows=height,
    )  # fmt: skip
    call("cuMemcpy2DAsync_v2", ctypes.byref(rectangle), ctypes.c_void_p(int(stream)))


def memsetAsync(ptr, value, size, stream):
    call("cuMemsetD8Async", _address(ptr), ctypes.c_ubyte(value), ctypes.c_size_t(size), ctypes.c_void_p(int(stream)))


def getDevice():
    """The number of this thread's current device."""
    found = ctypes.c_int()
    call("cuCtxGetDevice", ctypes.byref(found))
    return found.value


def memGetInfo():
    """Bytes that are free, and all of them."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value
