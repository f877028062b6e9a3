"""How many threads a block should have, so that as many as possible are resident: arithmetic, no device needed.

Registers are given to warps, each from its own quarter of a multiprocessor, in units of 256: 184 registers a thread
leave room for 8 warps, not for the 11 that the sum of all registers would hold (CUDA's occupancy calculator agrees).
"""

from typing import NamedTuple

WARP = 32
SIZES = (128, 256, 96, 64, 32)  # threads in a block; the first of equally good ones is taken
QUARTERS = 4  # of a multiprocessor
REGISTERS, UNIT = 1 << 14, 256  # of a quarter, and how many are handed out at once
USUAL_MAX_RESIDENT = (64, 32)  # warps and blocks on a multiprocessor
# The same by compute capability, where they are fewer.
MAX_RESIDENT = {
    (7, 5): (32, 16),
    (8, 6): (48, 16),
    (8, 7): (48, 16),
    (8, 9): (48, 24),
    (12, 0): (48, 24),
    (12, 1): (48, 24),
}
BUSY_WARPS = QUARTERS  # on a multiprocessor that has little to do: with two a quarter, searches are slower
FEWER = 4  # registers that a compiler can usually save without a spill


class Shape(NamedTuple):
    """What a kernel is launched with, for people and benchmarks.

    registers : of a thread; threads : in a block; blocks : on the device at once; warps : on a multiprocessor at once
    """

    registers: int
    threads: int
    blocks: int
    warps: int


def blocks_at_once(registers: int, threads: int, capability: tuple[int, int] = (9, 0)) -> int:
    """Blocks of so many threads, of so many registers each, that a multiprocessor holds at once; one at least."""
    warps = -(-threads // WARP)
    of_a_warp = -(-max(registers, 1) * WARP // UNIT) * UNIT
    max_warps, max_blocks = MAX_RESIDENT.get(capability, USUAL_MAX_RESIDENT)
    held = min(QUARTERS * (REGISTERS // of_a_warp), max_warps)
    return max(1, min(held // warps, max_blocks))


def shape(
    registers: int, multiprocessors: int, threads: int | None = None, capability: tuple[int, int] = (9, 0)
) -> Shape:
    """The shape with most warps on a multiprocessor, or the one with blocks of ``threads`` threads."""
    sizes = SIZES if threads is None else (threads,)
    warps = {size: blocks_at_once(registers, size, capability) * (size // WARP) for size in sizes}
    best = max(sizes, key=warps.__getitem__)
    return Shape(registers, best, warps[best] * WARP // best * multiprocessors, warps[best])


def spread(threads: int, count: int, multiprocessors: int) -> int:
    """Threads in a block where a launch has but ``count`` of them: fewer, so that every multiprocessor has some."""
    warps = -(-count // (WARP * max(1, multiprocessors)))
    return min(threads, WARP * max(1, warps))


def lanes(count: int, multiprocessors: int, warps: int) -> int:
    """Lanes of a warp that have work where there is but ``count`` of it: fewer, so that every quarter has a warp.

    warps : that a multiprocessor holds. Lanes of a warp wait for each other at every branch that they do not take
    together; warps do not. ``docs/performance/h100.md`` has what 4, 8 and 16 warps did.
    """
    most = max(1, multiprocessors * min(warps, BUSY_WARPS))
    return min(WARP, max(1, -(-count // most)))


def tighter(registers: int, capability: tuple[int, int] = (9, 0)) -> int | None:
    """A cap on registers, at most ``FEWER`` below, with which more warps would be resident; None if there is none."""
    usual = blocks_at_once(registers, SIZES[0], capability)
    fewer = range(registers - 1, registers - FEWER - 1, -1)
    return next((cap for cap in fewer if blocks_at_once(cap, SIZES[0], capability) > usual), None)
