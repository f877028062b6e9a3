"""The CPU's playout loops over one source of rules and policies: one playout at a time, and many in lockstep.

Both give the same outcomes, since every draw is addressed by the key of its playout. The lockstep loop keeps 8, 16 or
32 games as struct of arrays and advances all of them by one ply with the branch-free step; LLVM turns that loop into
vector code. A lane whose game is over takes the next playout.

How many lanes is told by a type (``Lanes16``), so that it is a constant wherever it is used: numba optimises every
function for itself before it inlines it, and a loop whose stride is an argument by then is scalar for good.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from gpumcts.games.contract import over, overrun, pack, unpack
from gpumcts.jit import inlined
from gpumcts.playouts.contract import cut, keep, kept_playout, kept_words, outcome, step
from gpumcts.rng import PLY_STEP, child_key
from gpumcts.scratch import scratch
from gpumcts.verbs import verb

U = np.uint64
LANE_COUNT = 16  # unless another number is asked for
VECTOR = 8  # lanes that the widest registers take; numbers of lanes are multiples of it
MIN_FOR_LANES = 5  # below this, stepping all lanes costs more than the playouts one by one
SCORE, WINS, DRAWS, PLIES = 0, 1, 2, 3
TALLY_COLUMNS = 4


class Lanes8(NamedTuple):
    """Eight games in lockstep: the widest registers hold one word of each."""


class Lanes16(NamedTuple):
    """Sixteen games in lockstep."""


class Lanes32(NamedTuple):
    """Thirty-two games in lockstep."""


WIDTHS: dict[int, type] = {8: Lanes8, 16: Lanes16, 32: Lanes32}


@verb("lanes")
def lane_count(lanes):
    """How many lanes there are, as int64, a constant of the compiled code."""


@lane_count.implements(Lanes8)
def lane_count_8(lanes):
    return 8


@lane_count.implements(Lanes16)
def lane_count_16(lanes):
    return 16


@lane_count.implements(Lanes32)
def lane_count_32(lanes):
    return 32


def tally_columns(game: Any, playouts: int) -> int:
    """Columns of a tally of so many playouts a leaf: the sums, and with traces what is kept of each playout."""
    return TALLY_COLUMNS + playouts * int(kept_words(game))


@inlined
def kept_at(game, number):
    """The column where what is kept of playout ``number`` begins in a leaf's row of the tally."""
    return TALLY_COLUMNS + number * kept_words(game)


@inlined
def record(tally, leaf, score, plies):
    """Add one playout to a row of the tally, int64[B, 4 + P K].

    The first columns are score sum, wins, draws and plies, all for the first player. The K columns of each of the P
    playouts are ``contract.keep``'s; there are none without traces.
    """
    tally[leaf, SCORE] += score
    tally[leaf, WINS] += np.int64(score > 0)
    tally[leaf, DRAWS] += np.int64(score == 0)
    tally[leaf, PLIES] += plies


@inlined
def evaluate_one_by_one(game, policy, states, keys, first, playouts, tally):
    """Play ``playouts`` playouts, number ``first`` and on, from each of ``states`` and add their outcomes to ``tally``.

    states : uint64[B, W]; keys : uint64[B]
    """
    for leaf in range(states.shape[0]):
        state = unpack(game, states[leaf], 0, 1)
        for number in range(first, first + playouts):
            key = child_key(keys[leaf], U(number))
            score, plies = kept_playout(game, policy, state, key, tally[leaf], kept_at(game, number))
            record(tally, leaf, score, plies)


@inlined
def lockstep(lanes, used, game, policy, words, streams, deadlines, flags, now):
    """Advance every lane by one ply; ``flags`` tell which are over or due. The loop that must vectorise.

    ``used`` lanes, a multiple of VECTOR: LLVM leaves a loop that it knows to be shorter than sixteen as it is.
    """
    stride = lane_count(lanes)
    for lane in range(used // VECTOR * VECTOR):
        state = step(game, policy, unpack(game, words, lane, stride), streams[lane])
        pack(game, state, words, lane, stride)
        streams[lane] += PLY_STEP
        flags[lane] = U(over(game, state)) | U(now >= deadlines[lane])


@inlined
def any_flag(flags, busy, used):
    """Whether the flag of a busy lane is set; the flags of idle lanes are cleared."""
    found = U(0)
    for lane in range(used):
        flags[lane] &= U(busy[lane])
        found |= flags[lane]
    return found != U(0)


@inlined
def play_in_lanes(lanes, game, policy, states, keys, first, playouts, tally):
    """The same as ``evaluate_one_by_one``, in lockstep; ``lanes`` is one of the values of WIDTHS."""
    limit = cut(policy)
    total = states.shape[0] * playouts
    if total < MIN_FOR_LANES or limit == 0:
        evaluate_one_by_one(game, policy, states, keys, first, playouts, tally)
        return
    size = lane_count(lanes)
    used = min(size, -(-total // VECTOR) * VECTOR)
    batch, width = states.reshape(-1), states.shape[1]
    words = scratch(width * size, np.uint64)
    streams, flags = scratch(size, np.uint64), scratch(size, np.uint64)
    leaves, numbers, begins = scratch(size, np.int64), scratch(size, np.int64), scratch(size, np.int64)
    deadlines = scratch(size, np.int64)
    busy = scratch(size, np.bool_)
    following, done, now = 0, 0, 0
    for lane in range(size):
        flags[lane] = U(1)
    while True:
        for lane in range(used):
            if flags[lane] == U(0):
                continue
            if busy[lane]:
                last = unpack(game, words, lane, size)
                score = outcome(policy, game, last)
                record(tally, leaves[lane], score, now - begins[lane] - overrun(game, last))
                keep(game, last, score, tally[leaves[lane]], kept_at(game, numbers[lane]))
                busy[lane] = False
                done += 1
            if following < total:
                leaf = following // playouts
                state = unpack(game, batch, leaf * width, 1)
                pack(game, state, words, lane, size)
                numbers[lane] = first + following - leaf * playouts
                streams[lane] = child_key(keys[leaf], U(numbers[lane]))
                leaves[lane], begins[lane], deadlines[lane] = leaf, now, now + limit
                flags[lane] = U(over(game, state))  # a leaf may be over already
                busy[lane] = True
                following += 1
        if done == total:
            return
        while not any_flag(flags, busy, used):
            now += 1
            lockstep(lanes, used, game, policy, words, streams, deadlines, flags, now)


@functools.cache
def playing_in_lanes(lanes: int) -> Any:
    """``evaluate_one_by_one`` with so many lanes, a key of WIDTHS: a function to be compiled."""
    kind = WIDTHS[lanes]

    def evaluate_in_lanes(game, policy, states, keys, first, playouts, tally):
        play_in_lanes(kind(), game, policy, states, keys, first, playouts, tally)

    evaluate_in_lanes.__qualname__ += f"_{lanes}"  # by which numba keeps compiled code and the linker finds it
    return evaluate_in_lanes
