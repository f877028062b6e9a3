"""Makes every kernel that numba links known to the emulated driver, with its PTX translated and compiled.

``standin/sitecustomize.py`` installs this before numba is imported. Numba types, NVVM compiles, nvJitLink links as
ever; the cubin that comes out is what the driver is later asked to load, and by its bytes the driver finds the kernel.
"""

import ctypes
import functools
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from tests.ptx import build
from tests.ptx.cubin import resources

CODEGEN = ("numba.cuda.codegen", "numba_cuda.numba.cuda.codegen")


@functools.cache
def driver() -> Any:
    """The emulated driver's library in this process."""
    library = ctypes.CDLL(build.DRIVER)
    library.emulator_add_image.restype = ctypes.c_char_p
    library.emulator_add_image.argtypes = [
        *(ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p),
        *(ctypes.c_int, ctypes.c_int),
    ]
    return library


def fail(message: str) -> None:
    """End the process with one line, as a fault of a kernel does."""
    driver().emulator_fail(" ".join(message.split()).encode())


@functools.cache
def add(name: str, ptx: str, cubin: bytes) -> None:
    """Make a linked kernel known."""
    try:
        path, found = build.kernel(ptx), resources(cubin)
    except (build.PtxError, build.BuildError, ValueError) as error:
        fail(f"{error} (kernel {name[:200]})")
        raise
    problem = driver().emulator_add_image(cubin, len(cubin), name.encode(), str(path).encode(), *found)
    if problem:
        fail(problem.decode(errors="replace"))


def wrap(codegen: ModuleType) -> None:
    """Let numba's code library tell of each cubin that it links or loads from its cache."""
    real = codegen.CUDACodeLibrary.get_cubin

    @functools.wraps(real)
    def get_cubin(self: Any, cc: Any = None) -> Any:
        cubin = real(self, cc)
        add(self._entry_name, self.get_asm_str(cc=self._ensure_cc(cc)), bytes(cubin.code))
        return cubin

    codegen.CUDACodeLibrary.get_cubin = get_cubin


class Finder:
    """Finds numba's code library as ever, and wraps it once it is imported."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name not in CODEGEN:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_wrap(module: ModuleType) -> None:
            execute(module)
            wrap(module)

        spec.loader.exec_module = execute_and_wrap  # type: ignore[method-assign]
        return spec


def install() -> None:
    """Wait for numba's code library to be imported."""
    sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
