"""What a launch costs before the device has done anything: by numba's dispatcher, by the driver itself, as a graph.

``costs`` measures it, for benchmarks; all it launches is an empty kernel with the arguments of a playout kernel.
Importing this needs no device.
"""

import ctypes
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import device

LAUNCHES = 400  # in a row: fewer than a stream's queue holds, so that the host never waits for the device
REPEATS = 7


class LaunchCost(NamedTuple):
    """Seconds of one launch: ``host`` until the host can go on, ``whole`` until the device is through with it.

    Medians over rows of LAUNCHES, so ``whole`` is the larger of what host and device need for each.
    """

    route: str
    host: float
    whole: float


def costs(game: Any, policy: Any) -> list[LaunchCost]:
    """The cost of a launch by every route, with the arguments of playouts of ``policy`` on ``game`` (option values).

    Raises BadInput where there is no device.
    """
    from gpumcts.kernels.engines import cuda_problem

    if problem := cuda_problem():
        raise BadInput(f"the cost of a launch: {problem}")
    from gpumcts.kernels.cuda.kernels import Job, compiled_kernel, empty_kernel, kernel_signature
    from gpumcts.options import compiled

    game, policy, buffer = compiled(game), compiled(policy), device.HostDeviceBuffer(64)
    kernel = compiled_kernel(empty_kernel, kernel_signature(game, policy))
    arguments = game, policy, Job(buffer.device, 2, 1, 3, 4, 1, 0, 0, 1, 32)

    def by_numba() -> None:
        kernel[1, 32, buffer.stream](*arguments)

    by_numba()  # loads it
    function = next(iter(kernel.overloads.values()))._codelibrary.get_cufunc()
    packed = Packed(int(function.handle), arguments)
    routes = {
        "numba": by_numba,
        "driver": lambda: packed.launch(1, 32, buffer.address),
        "graph": buffer.captured(by_numba).launch,
    }
    return [_measured(route, launch, buffer) for route, launch in routes.items()]


def _measured(route: str, launch: Callable[[], None], buffer: Any) -> LaunchCost:
    hosts, wholes = [], []
    for _ in range(REPEATS):
        buffer.record_event().wait()
        begin = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
        hosts.append((time.perf_counter() - begin) / LAUNCHES)
        buffer.record_event().wait()
        wholes.append((time.perf_counter() - begin) / LAUNCHES)
    return LaunchCost(route, statistics.median(hosts), statistics.median(wholes))


def flattened(value: Any) -> list[Any]:
    """Arguments of a kernel in ctypes, as numba's kernels take them: tuples by their parts, arrays in 7 words or more.

    For an array: two words that count references, unused; elements, their size, the address; lengths and strides.
    """
    if isinstance(value, tuple):
        return [word for part in value for word in flattened(part)]
    if isinstance(value, bool):
        return [ctypes.c_uint8(value)]
    if isinstance(value, (int, np.integer)):
        return [ctypes.c_int64(int(value))]
    if isinstance(value, float):
        return [ctypes.c_double(value)]
    size, count = value.dtype.itemsize, int(np.prod(value.shape))
    words = [0, 0, count, size, device.address(value), *value.shape, *value.strides]
    return [ctypes.c_uint64(word) for word in words]


class Packed:
    """A kernel of numba's and its arguments, ready for the driver: a launch is one call; numbers change in place."""

    def __init__(self, function: int, arguments: tuple) -> None:
        self._function = ctypes.c_void_p(function)
        self.words = flattened(arguments)
        self._pointers = (ctypes.c_void_p * len(self.words))(*(ctypes.addressof(word) for word in self.words))
        self._driver = device.driver_library()

    def launch(self, blocks: int, threads: int, stream: int) -> None:
        """Queue the kernel in a stream, given by its address."""
        code = self._driver.cuLaunchKernel(
            self._function, blocks, 1, 1, threads, 1, 1, 0, ctypes.c_void_p(stream), self._pointers, None
        )
        if code:
            raise RuntimeError(f"the driver refuses a launch: it answers {code}")
