"""What a launch costs: the host's time to queue one, and the time until a batch of a few leaves is back."""

import time
from collections.abc import Callable

import numpy as np
from numba import types

from benchmarks.measure import Bench, Row, row_of
from benchmarks.ours import keys
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cuda import device
from gpumcts.kernels.cuda.launch_cost import costs
from gpumcts.kernels.engines import playout_engine
from gpumcts.playouts.uniform import Uniform

LAUNCHES, WORDS = 200, 64
BATCHES, LEAVES = 100, (1, 32, 1024)


def suite(bench: Bench) -> list[Row]:
    """Microseconds a launch of a kernel of a few words, and a batch of a few leaves from start to finish."""
    engine = playout_engine(
        bench.engine, bench.game, Uniform(), bench.threads
    )  # which sets the simulator on, where asked for
    rows = [_row("a launch, queued", _queue(), bench.repeats), _row("a launch, waited for", _wait(), bench.repeats)]
    rows += [] if device.simulated() else _routes(bench)
    for leaves in LEAVES:
        rows.append(_row(f"a batch of {leaves} uniform playouts", _batch(bench, engine, leaves), bench.repeats))
    return rows


def _routes(bench: Bench) -> list[Row]:
    """An empty kernel by numba's dispatcher, by the driver, as a graph: the host's time, and the whole."""
    found = costs(bench.game, Uniform())
    hosts = [row_of("launch", f"an empty launch by {cost.route}, queued", "us", [1e6 * cost.host]) for cost in found]
    return hosts + [row_of("launch", f"an empty launch by {cost.route}", "us", [1e6 * cost.whole]) for cost in found]


def _row(what: str, turn: Callable[[], float], repeats: int) -> Row:
    turn()
    return row_of("launch", what, "us", [1e6 * turn() for _ in range(repeats)])


def _launched() -> tuple[Callable[[], None], device.HostDeviceBuffer | device.SimulatedHostDeviceBuffer]:
    from gpumcts.kernels.cuda.kernels import jit, trial_kernel

    kernel, buffer = jit((types.uint64[::1], types.uint64))(trial_kernel), device.host_device_buffer(WORDS)
    shape = (2, 32) if device.simulated() else (2, 32, buffer.stream)
    return lambda: kernel[shape](buffer.device, np.uint64(1)), buffer


def _queue() -> Callable[[], float]:
    """Seconds of the host a launch, many of them in the stream."""
    launch, buffer = _launched()

    def turn() -> float:
        begin = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
        seconds = time.perf_counter() - begin
        buffer.record_event().wait()
        return seconds / LAUNCHES

    return turn


def _wait() -> Callable[[], float]:
    """Seconds of a launch that is waited for."""
    launch, buffer = _launched()

    def turn() -> float:
        begin = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
            buffer.record_event().wait()
        return (time.perf_counter() - begin) / LAUNCHES

    return turn


def _batch(bench: Bench, engine, leaves: int) -> Callable[[], float]:
    """Seconds of a batch: to the device, its playouts, and back."""
    (in_flight, *_) = engine.in_flight_batches(leaves)
    states, leaf_keys, _ = in_flight.arrays(leaves, 1)
    states[:], leaf_keys[:] = Rules(bench.game).starts(leaves), keys(leaves)

    def turn() -> float:
        begin = time.perf_counter()
        for _ in range(BATCHES):
            in_flight.start(leaves, 1)
            in_flight.finish()
        return (time.perf_counter() - begin) / BATCHES

    return turn
