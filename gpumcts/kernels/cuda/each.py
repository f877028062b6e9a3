"""Any plain function of (number, task) as a CUDA kernel, one thread for each number, with the arithmetic of the CPU.

By default NVVM fuses a product into the sum that it feeds, which rounds once where the CPU rounds twice. Here it must
not: what is left in PTX are ``add.rn``, ``sub.rn``, ``mul.rn``, ``div.rn`` and ``sqrt.rn``, which IEEE 754 defines to
the last bit and which ptxas leaves as they are (``code_options.unfused``). Code that shows a fused operation all the
same, or one without ``.rn``, which ptxas might fuse, is refused.

Imports ``numba.cuda``, as ``gpumcts.kernels.cuda.kernels`` does.
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba import cuda

from gpumcts.compiling.messages import announced
from gpumcts.kernels.cuda import device
from gpumcts.kernels.cuda.code_options import FUSED, tables_in_memory, unfused
from gpumcts.kernels.cuda.kernels import jit
from gpumcts.kernels.cuda.occupancy import Shape, lanes, shape, spread
from gpumcts.kernels.cuda.warp import WARP


def each_kernel(body: Callable[[int, Any], None], registers: int | None = None) -> Callable[[Any], None]:
    """The kernel that calls ``body`` (decorated with ``inlined``) with a number and the task.

    The kernel's second argument is how many lanes of each warp have a number. ``registers`` becomes part of its name,
    by which the cache knows it.
    """

    def kernel(task, of_a_warp):
        thread = cuda.grid(1)
        warp, lane = thread // WARP, thread % WARP
        if lane < of_a_warp:
            body(warp * of_a_warp + lane, task)

    if registers is not None:
        kernel.__qualname__ += f"_{registers}_registers"
    return kernel


@functools.cache
@device.telling  # code is loaded where it is compiled
def _compiled(body: Callable[[int, Any], None], signature: tuple, name: str, registers: int | None = None) -> Any:
    """The kernel of ``body`` for a type of tasks: compiled, or loaded from the cache, once a process."""
    if device.simulated():
        return jit(signature)(each_kernel(body))
    with announced(name), unfused(), tables_in_memory():
        kernel = jit(signature, registers)(each_kernel(body, registers))
    # Not ``inspect_asm``, which compiles anew where the device's architecture has a suffix (sm_90a).
    if any(FUSED.search(overload.library.get_asm_str()) for overload in kernel.overloads.values()):
        raise RuntimeError(f"{name}: this numba-cuda fuses products into sums, so results would not be the CPU's")
    return kernel


class ForEachKernel:
    """``body(number, task)`` on the device for numbers from 0; ``body`` returns at once where there is no such number.

    body : decorated with ``inlined``
    task : of the type of all tasks: numbers, bools, arrays and NamedTuples of them; NumPy arrays stand for the device's
    name : what to call it while it is compiled
    threads : in a block, at most; None for as many as suit the kernel's registers
    registers : of a thread, at most (more threads are resident, what does not fit is spilled); None for what it needs
    shape : what the kernel is launched with
    spans : set to a list, it is told for how many seconds the device was busy with each launch
    pace : (numbers, steps) of a launch that lasted as long as one should, for who launches again; (0, 0) before
    """

    def __init__(
        self,
        body: Callable[[int, Any], None],
        task: Any,
        name: str,
        threads: int | None = None,
        registers: int | None = None,
    ) -> None:
        self._kernel = _compiled(body, (numba.typeof(task), numba.int64), name, registers)
        if device.simulated():
            self.shape = Shape(0, WARP, 1, 1)
        else:
            device.say_device()
            found, used = device.describe(), self._kernel.get_regs_per_thread()
            self.shape = shape(used, found.multiprocessors, threads, found.capability)
        self.spans: list[float] | None = None
        self.pace = (0, 0)

    @device.telling
    def launch(self, task: Any, count: int, stream: Any) -> None:
        """Queue the numbers 0 to ``count`` - 1 in a stream."""
        if not device.simulated():
            multiprocessors = device.describe().multiprocessors
            of_a_warp = lanes(count, multiprocessors, self.shape.warps)
            wanted = -(-count // of_a_warp) * WARP
            threads = spread(self.shape.threads, wanted, multiprocessors)
            self._kernel[-(-wanted // threads), threads, stream](task, of_a_warp)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's scalars say so when a product wraps around
            self._kernel[-(-count // WARP), WARP](task, WARP)
