"""Playouts in lockstep whose plies are made in attempts: 8, 16 or 32 games, each at an attempt of a ply of its own.

Outcomes are those of ``playout_loop.evaluate_one_by_one``. The three parts of an attempt are a loop over lanes each,
without branches, which LLVM turns into vector code. What happens once a playout is scalar.
"""

import functools
from typing import Any

import numpy as np

from gpumcts.games.contract import over, overrun, pack, unpack
from gpumcts.jit import inlined
from gpumcts.kernels.playout_loop import VECTOR, WIDTHS, any_flag, evaluate_one_by_one, lane_count, record
from gpumcts.playouts.attempts import (
    FIRST,
    SECOND,
    attempt_words,
    decide,
    load_attempt,
    load_refused,
    look,
    look_further,
    makes_attempts,
    store_attempt,
    store_progress,
    store_refused,
    under_way,
)
from gpumcts.playouts.contract import cut, outcome
from gpumcts.playouts.traces import Traced
from gpumcts.rng import PLY_STEP, child_key
from gpumcts.scratch import scratch

U = np.uint64
MANY_WORDS = 20  # of a state and an attempt: beyond them, eight lanes at a time are the fastest


def attempted_in_lanes(game: Any, policy: Any) -> bool:
    """Whether this loop plays ``policy`` on ``game``, both as they travel into compiled code. Plain Python."""
    return not isinstance(game, Traced) and makes_attempts(policy, game)


@inlined
def look_in_lanes(lanes, used, game, policy, words, tries, streams, open_lanes):
    """Begin an attempt in every lane; ``open_lanes`` tell whose first search is under way."""
    stride = lane_count(lanes)
    for lane in range(used // VECTOR * VECTOR):
        refused = load_refused(game, tries, lane, stride)
        attempt = look(policy, game, unpack(game, words, lane, stride), refused, streams[lane])
        store_attempt(game, attempt, tries, lane, stride)
        open_lanes[lane] = U(under_way(FIRST, game, attempt))


@inlined
def look_further_in_lanes(search, lanes, used, game, words, tries, open_lanes):
    """Go one step further in every lane; ``open_lanes`` tell in which this search is under way."""
    stride = lane_count(lanes)
    for lane in range(used // VECTOR * VECTOR):
        attempt = load_attempt(game, tries, lane, stride)
        attempt = look_further(search, game, unpack(game, words, lane, stride), attempt)
        store_progress(game, attempt, tries, lane, stride)
        open_lanes[lane] = U(under_way(search, game, attempt))


@inlined
def decide_in_lanes(lanes, used, game, words, tries, streams, plies, limit, flags):
    """End the attempt of every lane; ``flags`` tell whose playout is over."""
    stride = lane_count(lanes)
    for lane in range(used // VECTOR * VECTOR):
        refused, attempt = load_refused(game, tries, lane, stride), load_attempt(game, tries, lane, stride)
        state, refused, made = decide(game, unpack(game, words, lane, stride), refused, attempt)
        pack(game, state, words, lane, stride)
        store_refused(game, refused, tries, lane, stride)
        streams[lane] += PLY_STEP if made else U(0)
        plies[lane] += np.int64(made)
        flags[lane] = U(over(game, state)) | U(plies[lane] >= limit)


@inlined
def any_of(flags, used):
    """Whether one of the flags is set."""
    found = U(0)
    for lane in range(used):
        found |= flags[lane]
    return found != U(0)


@inlined
def attempt_in_lanes(lanes, game, policy, states, keys, first, playouts, tally):
    """The same as ``evaluate_one_by_one``, in lockstep; ``lanes`` is one of the values of WIDTHS."""
    limit = cut(policy)
    total = states.shape[0] * playouts
    if total < VECTOR or limit == 0:
        evaluate_one_by_one(game, policy, states, keys, first, playouts, tally)
        return
    size = lane_count(lanes)
    used = VECTOR if states.shape[1] + attempt_words(game) > MANY_WORDS else min(size, total // VECTOR * VECTOR)
    words, tries = scratch(states.shape[1] * size, np.uint64), scratch(attempt_words(game) * size, np.uint64)
    streams, flags, open_lanes = scratch(size, np.uint64), scratch(size, np.uint64), scratch(size, np.uint64)
    leaves, plies, busy = scratch(size, np.int64), scratch(size, np.int64), scratch(size, np.bool_)
    following, done = 0, 0
    for lane in range(size):
        flags[lane] = U(1)
    while True:
        for lane in range(used):
            if flags[lane] == U(0):
                continue
            if busy[lane]:
                last = unpack(game, words, lane, size)
                record(tally, leaves[lane], outcome(policy, game, last), plies[lane] - overrun(game, last))
                busy[lane] = False
                done += 1
            if following < total:
                leaf = following // playouts
                state = unpack(game, states[leaf], 0, 1)
                pack(game, state, words, lane, size)
                streams[lane] = child_key(keys[leaf], U(first + following - leaf * playouts))
                leaves[lane], plies[lane] = leaf, 0
                flags[lane] = U(over(game, state))  # a leaf may be over already
                busy[lane] = True
                following += 1
        if done == total:
            return
        while not any_flag(flags, busy, used):
            look_in_lanes(lanes, used, game, policy, words, tries, streams, open_lanes)
            while any_of(open_lanes, used):
                look_further_in_lanes(FIRST, lanes, used, game, words, tries, open_lanes)
            open_lanes[0] = U(1)  # a first step of the second search tells where it is under way
            while any_of(open_lanes, used):
                look_further_in_lanes(SECOND, lanes, used, game, words, tries, open_lanes)
            decide_in_lanes(lanes, used, game, words, tries, streams, plies, limit, flags)


@functools.cache
def attempting_in_lanes(lanes: int) -> Any:
    """``attempt_in_lanes`` with so many lanes, a key of WIDTHS: a function to be compiled."""
    kind = WIDTHS[lanes]

    def evaluate_attempting(game, policy, states, keys, first, playouts, tally):
        attempt_in_lanes(kind(), game, policy, states, keys, first, playouts, tally)

    evaluate_attempting.__qualname__ += f"_{lanes}"
    return evaluate_attempting
