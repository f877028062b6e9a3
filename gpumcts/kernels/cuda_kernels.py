"""The CUDA kernel: one thread plays one playout after another, state in registers, with the CPU's rules and policies.

Imports ``numba.cuda``: ``numba.config.ENABLE_CUDASIM = 1`` must be set before, where the simulator is wanted
(``gpumcts.kernels.engines`` does).
"""

import functools
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import cuda, types

from gpumcts.games.contract import over, overrun, unpack
from gpumcts.jit import announced, inlined
from gpumcts.kernels import device
from gpumcts.kernels.playout_loop import DRAWS, PLIES, SCORE, TALLY_COLUMNS, WINS
from gpumcts.playouts.contract import cut, outcome, step
from gpumcts.rng import PLY_STEP, child_key

U = np.uint64
THREADS = 128  # threads in a block
REGISTERS = 1 << 16  # of a multiprocessor
MOST_BLOCKS = 16  # on a multiprocessor: 2048 threads
BURST = 8  # plies between two looks for threads that are through: fewer cost looks, more keep them waiting
LONGEST = np.int64(1 << 30)  # no playout is longer; plies are counted in 32 bits
MOST_PLAYOUTS_A_THREAD = 8192  # in one launch, so that sums of plies fit in 32 bits

# A search with few leaves has small launches, and that is right.
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # type: ignore[attr-defined]


class Job(NamedTuple):
    """A launch: playouts [begin, end) of ``leaves`` times ``playouts``, those of a leaf side by side.

    ``words`` holds the states (``width`` words a leaf), the keys (one a leaf) and the tally (TALLY_COLUMNS a leaf,
    int64 in two's complement), one after the other. One array, since every array costs seven kernel arguments.
    """

    words: np.ndarray  # uint64
    width: int
    leaves: int
    playouts: int
    begin: int
    end: int


@inlined
def load(game, job, leaf, number):
    """The state of a leaf and the stream of its playout ``number``."""
    state = unpack(game, job.words, leaf * job.width, 1)
    return state, child_key(job.words[job.leaves * job.width + leaf], U(number))


def playout_kernel(game, policy, job):
    """Every thread plays a run of consecutive playouts and adds up in registers until the leaf changes.

    The threads of a warp step together for a burst of plies; then those whose playout is over take the next one.
    """
    threads = cuda.gridsize(1)
    share = (job.end - job.begin + threads - 1) // threads
    begin = job.begin + cuda.grid(1) * share
    left = np.int32(min(share, job.end - begin))
    if left <= 0:
        return
    limit = np.int32(min(cut(policy), LONGEST))
    tally = job.leaves * (job.width + 1)
    leaf = np.int32(begin // job.playouts)
    number = np.int32(begin - leaf * job.playouts)
    state, stream = load(game, job, leaf, number)
    plies, wins, draws, plies_sum, score_sum = np.int32(0), np.int32(0), np.int32(0), np.int32(0), np.int64(0)
    while True:
        while plies >= limit or over(game, state):
            score = outcome(game, state)
            score_sum += score
            wins = np.int32(wins + np.int32(score > 0))
            draws = np.int32(draws + np.int32(score == 0))
            plies_sum = np.int32(plies_sum + plies - overrun(game, state))
            plies = np.int32(0)
            left = np.int32(left - 1)
            number = np.int32(number + 1)
            if number == job.playouts or left == 0:
                row = tally + leaf * TALLY_COLUMNS
                cuda.atomic.add(job.words, row + SCORE, U(score_sum))
                cuda.atomic.add(job.words, row + WINS, U(wins))
                cuda.atomic.add(job.words, row + DRAWS, U(draws))
                cuda.atomic.add(job.words, row + PLIES, U(plies_sum))
                if left == 0:
                    return
                wins, draws, plies_sum, score_sum = np.int32(0), np.int32(0), np.int32(0), np.int64(0)
                leaf, number = np.int32(leaf + 1), np.int32(0)
            state, stream = load(game, job, leaf, number)
        until = np.int32(min(plies + BURST, limit))
        while plies < until and not over(game, state):
            state = step(game, policy, state, stream)
            stream += PLY_STEP
            plies = np.int32(plies + 1)


# ---------------------------------------------------------------------------------------------------------- compilation


def kernel_signature(game: Any, policy: Any) -> tuple:
    """The types of ``playout_kernel``'s arguments for a game and a policy as it travels into compiled code."""
    job = Job(np.zeros(1, np.uint64), 0, 0, 0, 0, 0)
    return numba.typeof(game), numba.typeof(policy), numba.typeof(job)


def jit(signature: tuple) -> Any:
    """``cuda.jit`` with our options, which the simulator does not know.

    Without ``lto``, what runs on the device is what ``gpumcts.kernels.compile_check`` looks at.
    """
    options: dict[str, Any] = {} if device.simulated() else {"cache": True, "lto": False}
    return cuda.jit(signature, **options)


@functools.cache
def compiled_kernel(signature: tuple) -> Any:
    """``playout_kernel`` for the types of a game and a policy: compiled, or loaded from the cache, once a process."""
    game, policy = (getattr(t, "instance_class", t) for t in signature[:2])
    with announced(f"CUDA playouts of {policy.__name__} on {game.__name__}"):
        return jit(signature)(playout_kernel)


def resident_blocks(registers: int, multiprocessors: int) -> int:
    """Blocks of THREADS threads that fit on the device at once, for a kernel of so many registers a thread."""
    rounded = -(-max(registers, 1) // 8) * 8
    return multiprocessors * max(1, min(MOST_BLOCKS, REGISTERS // (rounded * THREADS)))


def trial_kernel(words, number):
    """Add ``number`` to every word."""
    i = cuda.grid(1)
    if i < words.shape[0]:
        words[i] += number


@functools.cache
def trial() -> str:
    """Compile, load and run a small kernel: what goes wrong, on one line; empty if nothing does.

    A device may be there and useless, for instance with packages newer than its driver.
    """
    try:
        kernel = jit((types.uint64[::1], types.uint64))(trial_kernel)
        mirror = device.mirror(64)
        mirror.host[:] = np.arange(64, dtype=np.uint64)
        mirror.upload(0, 64)
        kernel[2, 32, mirror.stream](mirror.device, U(5))
        mirror.download(0, 64)
        mirror.mark().wait()
    except Exception as error:  # whatever it is, it is the environment's, and belongs in front of the user
        return f"a first kernel failed: {type(error).__name__}: {device.first_line(error)}"
    return "" if np.array_equal(mirror.host, np.arange(5, 69, dtype=np.uint64)) else "a first kernel gave wrong results"
