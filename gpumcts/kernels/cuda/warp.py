"""Communication within a warp: votes, shuffles, sums; all threads of the warp call these functions together.

Numba's simulator has none of it. There a warp is a block, and its threads write what they tell into a list between two
barriers. The simulator knows ``numba.cuda`` in the file of the kernel alone: what kernels of several files share asks
here. Imports ``numba.cuda``, as ``gpumcts.kernels.cuda.kernels`` does.
"""

import threading
from typing import Any

import numpy as np
from numba import cuda
from numba.extending import overload

from gpumcts.bits import popcount, trailing_zeros
from gpumcts.jit import inlined
from gpumcts.kernels.cuda import device
from gpumcts.verbs import JIT_OPTIONS

U = np.uint64
SIMULATED_WARP = 4  # every simulated thread is one of the operating system
WARP = SIMULATED_WARP if device.simulated() else 32  # threads of a warp
ALL = U(2**WARP - 1)  # every lane; sets of lanes are words
MASK = 2**32 - 1  # the same as instructions take it

_told: list[Any] = [0] * SIMULATED_WARP
_adding = threading.Lock()


def _thread() -> Any:
    """The simulated thread that asks."""
    return threading.current_thread()


def _exchange(value: Any) -> list[Any]:
    """What every simulated lane tells, by lane. Blocks are simulated one after the other."""
    thread = _thread()
    _told[thread.threadIdx.x] = value
    thread.syncthreads()
    told = list(_told)
    thread.syncthreads()
    return told


def warps():
    """How many warps there are, as int64."""
    return np.int64(_thread()._manager._grid_dim[0])


def warp():
    """Number of this thread's warp, as int64."""
    return np.int64(_thread().blockIdx.x)


def lane():
    """Number of this thread in its warp, as int64."""
    return np.int64(_thread().threadIdx.x)


def lanes_below():
    """The lanes before this one, as a set."""
    return (U(1) << U(lane())) - U(1)


def ballot(answer):
    """The lanes that say yes, as a set."""
    return U(sum(1 << i for i, yes in enumerate(_exchange(bool(answer))) if yes))


def shuffle(value, source):
    """The int64 that lane ``source`` holds."""
    return _exchange(value)[int(source)]


def peers(key):
    """The lanes with the same int32, as a set."""
    told = _exchange(int(key))
    return U(sum(1 << i for i, other in enumerate(told) if other == int(key)))


def highest(value):
    """The largest int64 of all lanes."""
    return max(_exchange(value))


def fetch_add(words, index, value):
    """Add to one word (uint64), whoever else does; its value before. Lanes need not call this together."""
    with _adding:
        before = words[index]
        words[index] = before + value
    return before


overload(warps, jit_options=JIT_OPTIONS)(lambda: lambda: np.int64(cuda.gridsize(1) // WARP))
overload(warp, jit_options=JIT_OPTIONS)(lambda: lambda: np.int64(cuda.grid(1) // WARP))
overload(fetch_add, jit_options=JIT_OPTIONS)(
    lambda words, index, value: lambda words, index, value: cuda.atomic.add(words, index, value)
)
overload(lane, jit_options=JIT_OPTIONS)(lambda: lambda: np.int64(cuda.laneid))
overload(lanes_below, jit_options=JIT_OPTIONS)(lambda: lambda: U(np.uint32(cuda.lanemask_lt())))
overload(ballot, jit_options=JIT_OPTIONS)(lambda answer: lambda answer: U(np.uint32(cuda.ballot_sync(MASK, answer))))
overload(shuffle, jit_options=JIT_OPTIONS)(
    lambda value, source: lambda value, source: cuda.shfl_sync(MASK, np.int64(value), np.int32(source))
)
overload(peers, jit_options=JIT_OPTIONS)(lambda key: lambda key: U(np.uint32(cuda.match_any_sync(MASK, np.int32(key)))))


@overload(highest, jit_options=JIT_OPTIONS)
def _highest(value):
    def compiled(value):
        found = np.int64(value)
        for distance in (16, 8, 4, 2, 1):
            found = max(found, cuda.shfl_xor_sync(MASK, found, distance))
        return found

    return compiled


@inlined
def rank(lanes):
    """How many of a set of lanes come before this one, as int64."""
    return np.int64(popcount(lanes & lanes_below()))


@inlined
def sums(same, a, b):
    """The sums of two int64 over this lane's ``peers``, right in the first of them alone.

    A tree over the peers' ranks: in every round those of even rank add what the next one left holds, and the others are
    done. No round where every lane is alone.
    """
    place = rank(same)
    later = same & ~(lanes_below() | (U(1) << U(lane())))
    while ballot(later != U(0)) != U(0):
        following = np.int64(trailing_zeros(later)) if later != U(0) else lane()
        more_a, more_b = shuffle(a, following), shuffle(b, following)
        a += more_a if later != U(0) else np.int64(0)
        b += more_b if later != U(0) else np.int64(0)
        later &= ballot(place & 1 == 0)
        place >>= 1
    return a, b
