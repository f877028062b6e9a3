"""PTX by hand on the emulated driver, without numba, to test the emulator: in a process that ``running`` starts."""

import ctypes
import hashlib
from typing import Any

import numpy as np

from tests.ptx import build, linking

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
REGISTERS = ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .b64 %rd<19>; .reg .f64 %fd<9>;"


def written(body: str, parameters: int = 1, before: str = "") -> str:
    """A kernel ``test`` of so many words; they are in %rd1 and up, the thread's number in the launch in %r1, %rd18."""
    names = [f"test_param_{i}" for i in range(parameters)]
    listed = ", ".join(f".param .u64 {name}" for name in names)
    loads = "\n".join(f"ld.param.u64 %rd{i + 1}, [{name}];" for i, name in enumerate(names))
    number = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r1, %r2, %r3, %r1;"
    widened = "cvt.u64.u32 %rd18, %r1;"
    return (
        f"{HEAD}{before}\n.visible .entry test({listed})\n{{\n{REGISTERS}\n{loads}\n{number} {widened}\n"
        f"{body}\nret;\n}}\n"
    )


def call(name: str, *arguments: Any) -> None:
    """A call of the driver's that must succeed."""
    code = getattr(linking.driver(), name)(*arguments)
    if code:
        raise RuntimeError(f"{name} answers {code}")


class Kernel:
    """A kernel of a PTX text, which takes words."""

    def __init__(self, ptx: str, name: str = "test", registers: int = 32) -> None:
        self._image = hashlib.sha256(ptx.encode()).digest()  # stands for the cubin
        image = ctypes.c_char_p(self._image)
        problem = linking.driver().emulator_add_image(
            self._image, len(self._image), name.encode(), str(build.kernel(ptx)).encode(), registers, 0
        )
        if problem:
            raise RuntimeError(problem.decode())
        library, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuLibraryLoadData", ctypes.byref(library), image, None, None, 0, None, None, 0)
        call("cuLibraryGetKernel", ctypes.byref(self.handle), library, name.encode())

    def __call__(self, blocks: int, threads: int, *words: int, stream: Any = None, waits: bool = True) -> None:
        """Launch it, and wait for it."""
        values = [ctypes.c_uint64(word) for word in words]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        call("cuLaunchKernel", self.handle, blocks, 1, 1, threads, 1, 1, 0, stream, pointers, None)
        if waits:
            call("cuStreamSynchronize", stream)


class Memory:
    """An array of words on the device."""

    def __init__(self, words: Any, dtype: Any = np.uint64) -> None:
        """``words``: their number, unwritten; or their values."""
        self.dtype = np.dtype(dtype)
        values = None if isinstance(words, int) else np.ascontiguousarray(words, self.dtype)
        self.count = words if values is None else values.size
        address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(self.count * self.dtype.itemsize))
        self.address = address.value
        if values is not None:
            call(
                "cuMemcpyHtoD_v2",
                ctypes.c_uint64(self.address),
                ctypes.c_void_p(values.ctypes.data),
                ctypes.c_size_t(values.nbytes),
            )

    def values(self) -> np.ndarray:
        """What it holds, once the default stream is through."""
        host = np.zeros(self.count, self.dtype)
        call(
            "cuMemcpyDtoH_v2",
            ctypes.c_void_p(host.ctypes.data),
            ctypes.c_uint64(self.address),
            ctypes.c_size_t(host.nbytes),
        )
        return host

    def free(self) -> None:
        """Give it back."""
        call("cuMemFree_v2", ctypes.c_uint64(self.address))


def begin(run: int) -> None:
    """Another order of threads, another poison."""
    linking.driver().emulator_begin(ctypes.c_uint64(run), ctypes.c_ubyte((0xA5, 0x5A)[run % 2]))
