"""What numba-cuda has no option for: code without fused multiply-adds, and tables in global memory.

Both set a name of numba-cuda's NVVM module while a kernel is compiled. One lock serves both: two threads that compile
at once would otherwise restore each other's setting, and one of them would stay for good.

Imports ``numba.cuda`` when it is used.
"""

import contextlib
import functools
import re
import threading
from collections.abc import Iterator

# What rounds once where the CPU rounds twice, and what ptxas may make such, as it does not say how to round (``.rn``).
FUSED = re.compile(
    r"\b(?:(?:fma|mad)\.(?:r[nzmp]\.)?|(?:add|sub|mul)\.)(?:ftz\.)?(?:sat\.)?(?:f16x2|bf16x2|f16|bf16|f32x2|f32|f64)\b"
)

_compiling = threading.RLock()


@contextlib.contextmanager
def unfused() -> Iterator[None]:
    """What this thread compiles meanwhile has no fused multiply-add; other threads wait with their kernels."""
    from numba.cuda.cudadrv import nvvm

    with _compiling:
        real = nvvm.compile_ir
        nvvm.compile_ir = functools.partial(real, fma=False)
        try:
            yield
        finally:
            nvvm.compile_ir = real


@contextlib.contextmanager
def tables_in_memory() -> Iterator[None]:
    """Tables of what this thread compiles meanwhile lie in the device's global memory, which is cached; others wait.

    Numba would put a table into constant memory, which serves one address at a time: a warp whose threads look up
    different entries would wait for one after the other.
    """
    from numba.cuda.cudadrv import nvvm

    with _compiling:
        real = nvvm.ADDRSPACE_CONSTANT
        nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL
        try:
            yield
        finally:
            nvvm.ADDRSPACE_CONSTANT = real
