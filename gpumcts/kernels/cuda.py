"""Playouts on CUDA: one thread plays one playout after another, state in registers, with the CPU's rules and policies.

Set ``numba.config.ENABLE_CUDASIM = 1`` before this module is first imported to run the same kernel in Numba's simulator
(``gpumcts.kernels.engines`` does).
"""

import functools
import threading
import warnings
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import cuda, types

from gpumcts.games.contract import over, overrun, unpack
from gpumcts.jit import inlined
from gpumcts.kernels import device
from gpumcts.kernels.cpu import Tally
from gpumcts.kernels.playout_loop import DRAWS, PLIES, SCORE, TALLY_COLUMNS, WINS
from gpumcts.options import compiled
from gpumcts.playouts.contract import cut, outcome, step
from gpumcts.rng import PLY_STEP, child_key

U = np.uint64
THREADS = 128  # threads in a block
REGISTERS = 1 << 16  # of a multiprocessor, since compute capability 5.0
MOST_BLOCKS = 16  # resident on a multiprocessor: 2048 threads
SECONDS_A_LAUNCH = 0.1  # Ctrl-C waits for two launches at most
LEAVES_A_FLIGHT = 1 << 16
SIMULATED_THREADS, SIMULATED_BLOCKS = 4, 2  # every simulated thread is a thread of the operating system
LONGEST = np.int64(1 << 30)  # no playout is longer; plies are counted in 32 bits


class Job(NamedTuple):
    """A launch: playouts [begin, end) of ``leaves`` times ``playouts``, those of one leaf side by side.

    ``words`` holds the states (leaves times ``width`` words), then the keys (a word each), then the tally (TALLY_COLUMNS each,
    int64 in two's complement). One array, since every array is seven kernel arguments.
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

    All threads of a warp meet at the step, once a ply; whose playout is over has taken the next one before that.
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
        state = step(game, policy, state, stream)
        stream += PLY_STEP
        plies = np.int32(plies + 1)
