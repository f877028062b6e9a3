"""The CPU's playout loops over one source of rules and policies: one playout at a time, and many in lockstep.

Both give the same outcomes, since every draw is addressed by the key of its playout. The lockstep loop keeps LANES games as
struct of arrays and advances all of them by one ply with the branch-free step; LLVM turns that loop into vector code. A lane
whose game is over takes the next playout.
"""

import numpy as np
from numba import njit

from gpumcts.games.contract import over, overrun, pack, unpack
from gpumcts.jit import inlined
from gpumcts.playouts.contract import cut, outcome, play_out, step
from gpumcts.rng import PLY_STEP, child_key

U = np.uint64
LANES = 16
FEWEST_FOR_LANES = 5  # below this, stepping sixteen lanes costs more than the playouts one by one
SCORE, WINS, DRAWS, PLIES = 0, 1, 2, 3
TALLY_COLUMNS = 4


@inlined
def record(tally, leaf, score, plies):
    """Add one playout to a row of the tally (int64[B, 4]: score sum, wins, draws, plies, all for the first player)."""
    tally[leaf, SCORE] += score
    tally[leaf, WINS] += np.int64(score > 0)
    tally[leaf, DRAWS] += np.int64(score == 0)
    tally[leaf, PLIES] += plies


@njit(error_model="numpy")
def evaluate_one_by_one(game, policy, states, keys, playouts, tally):
    """Play ``playouts`` playouts from each of ``states`` (uint64[B, W]) under ``keys`` (uint64[B]) into ``tally``."""
    for leaf in range(states.shape[0]):
        state = unpack(game, states[leaf], 0, 1)
        for number in range(playouts):
            last, plies = play_out(game, policy, state, child_key(keys[leaf], U(number)))
            record(tally, leaf, outcome(game, last), plies - overrun(game, last))


@inlined
def lockstep(game, policy, words, streams, deadlines, flags, now):
    """Advance every lane by one ply; ``flags`` tell which are over or due. The loop that must vectorise."""
    for lane in range(LANES):
        state = step(game, policy, unpack(game, words, lane, LANES), streams[lane])
        pack(game, state, words, lane, LANES)
        streams[lane] += PLY_STEP
        flags[lane] = U(over(game, state)) | U(now >= deadlines[lane])


@inlined
def any_flag(flags, busy):
    """Whether a busy lane is over or due; the flags of idle lanes are cleared."""
    found = U(0)
    for lane in range(LANES):
        flags[lane] &= U(busy[lane])
        found |= flags[lane]
    return found != U(0)


@njit(error_model="numpy")
def evaluate_in_lanes(game, policy, states, keys, playouts, tally):
    """The same as ``evaluate_one_by_one``, in lockstep."""
    limit = cut(policy)
    total = states.shape[0] * playouts
    if total < FEWEST_FOR_LANES or limit == 0:
        evaluate_one_by_one(game, policy, states, keys, playouts, tally)
        return
    batch, width = states.reshape(-1), states.shape[1]
    words = np.zeros(width * LANES, np.uint64)
    streams, flags = np.zeros(LANES, np.uint64), np.zeros(LANES, np.uint64)
    leaves, begins = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
    deadlines = np.zeros(LANES, np.int64)
    busy = np.zeros(LANES, np.bool_)
    following, done, now = 0, 0, 0
    for lane in range(LANES):
        flags[lane] = U(1)
    while True:
        for lane in range(LANES):
            if flags[lane] == U(0):
                continue
            if busy[lane]:
                last = unpack(game, words, lane, LANES)
                record(tally, leaves[lane], outcome(game, last), now - begins[lane] - overrun(game, last))
                busy[lane] = False
                done += 1
            if following < total:
                leaf = following // playouts
                state = unpack(game, batch, leaf * width, 1)
                pack(game, state, words, lane, LANES)
                streams[lane] = child_key(keys[leaf], U(following - leaf * playouts))
                leaves[lane], begins[lane], deadlines[lane] = leaf, now, now + limit
                flags[lane] = U(over(game, state))  # a leaf may be over already
                busy[lane] = True
                following += 1
        if done == total:
            return
        while not any_flag(flags, busy):
            now += 1
            lockstep(game, policy, words, streams, deadlines, flags, now)
