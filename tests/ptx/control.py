"""The emulated device's switches, for code run inside (``running``): order and poison, memory, failures, counts."""

import contextlib
import ctypes
import gc
from collections.abc import Iterator

from tests.ptx.linking import driver

POISONS = (0xA5, 0x5A)  # each the other's complement: whatever bit something unwritten lends a result, it changes


def begin(run: int) -> None:
    """From now on threads run in another order, what is not written is another poison, and memory in no use goes."""
    from gpumcts.kernels.cuda import device

    device.release()
    gc.freeze()  # the releases of this case look at what is new alone, not at all that numba has compiled
    driver().emulator_begin(ctypes.c_uint64(run), ctypes.c_ubyte(POISONS[run % len(POISONS)]))


def limit_steps(jumps: int) -> None:
    """A thread that jumps back more often than this is endless."""
    driver().emulator_limit_steps(ctypes.c_uint64(jumps))


@contextlib.contextmanager
def memory(total: int, told: int | None = None) -> Iterator[None]:
    """A device with so many bytes, which says that ``told`` are free."""
    _limit(total, 2**64 - 1 if told is None else told)
    try:
        yield
    finally:
        _limit(8 << 30, 2**64 - 1)


def _limit(total: int, told: int) -> None:
    driver().emulator_limit_memory(ctypes.c_uint64(total), ctypes.c_uint64(told))


def fail_allocation(after: int) -> None:
    """Refuse one allocation, after so many that succeed."""
    driver().emulator_fail_allocation(ctypes.c_long(after))


def refuse_launch(after: int) -> None:
    """Refuse one launch for want of memory, after so many that succeed; those of graphs do not count."""
    driver().emulator_refuse_launch(ctypes.c_long(after))


def counts() -> tuple[int, int]:
    """Launches and meetings of warps since the process began."""
    launches, meetings = ctypes.c_uint64(), ctypes.c_uint64()
    driver().emulator_counts(ctypes.byref(launches), ctypes.byref(meetings))
    return launches.value, meetings.value
