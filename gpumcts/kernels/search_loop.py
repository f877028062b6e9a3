"""Informed playouts in lockstep: 8, 16 or 32 playouts, each with its search of a move, advance a search step at a time.

Outcomes are those of ``playout_loop.evaluate_one_by_one``: a search finds the same moves whichever driver makes its
steps. The steps are one loop over lanes without branches, which LLVM turns into vector code. What happens once a ply,
the chosen move and the draws, is scalar.
"""

import functools
from typing import Any

import numpy as np

from gpumcts.bits import popcount, trailing_zeros
from gpumcts.games.contract import (
    CHANCE,
    chance_move,
    move_of_bit,
    move_set,
    mover,
    over,
    overrun,
    play,
    random_move,
    unpack,
)
from gpumcts.jit import inlined
from gpumcts.kernels.playout_loop import VECTOR, WIDTHS, any_flag, lane_count, record
from gpumcts.playouts import steps
from gpumcts.playouts.contract import cut, outcome
from gpumcts.playouts.minimax import random_ply
from gpumcts.rng import PLY_STEP, child_key
from gpumcts.scratch import scratch

U = np.uint64
MIN_FOR_VECTORS = 3  # fewer lanes are faster one by one
NO_MOVES = steps.NO_MOVES


def searched_in_lanes(game: Any, policy: Any) -> bool:
    """Whether this loop plays ``policy``, as it travels into compiled code, on ``game``."""
    return steps.depth(policy) > 0 and game.LANES and move_set.find(type(game)) is not None


@inlined
def step_lane(lanes, replying, game, words, flags, lane):
    """One step of a lane's search; its flag tells whether that is over."""
    stride = lane_count(lanes)
    search = steps.step_search(replying, game, steps.load(game, words, lane, stride))
    steps.store(game, search, words, lane, stride)
    flags[lane] = U(steps.over(search))


@inlined
def step_lanes(lanes, replying, game, words, flags, used):
    """One step of every search in the lanes that are ``used``."""
    if used < MIN_FOR_VECTORS:
        for lane in range(used):
            step_lane(lanes, replying, game, words, flags, lane)
        return
    for lane in range(used // VECTOR * VECTOR):  # must vectorise; nothing is left over for a second copy of it
        step_lane(lanes, replying, game, words, flags, lane)


@inlined
def move_on(game, search, stream):
    """What a search that is over leads to: the state after its move, and the move set and the expected move there."""
    move = steps.chosen(game, search, stream)
    if move == search.best_move:
        return search.best_child, search.best_moves, search.best_answer
    state = play(game, search.root, move_of_bit(game, search.root, trailing_zeros(move)))
    return state, move_set(game, state), NO_MOVES


@inlined
def needs_search(game, policy, state, moves, stream):
    """Whether the policy has something to search for; otherwise the move is chance's, a random one, or the only one."""
    return mover(game, state) != CHANCE and popcount(moves) > U(1) and not random_ply(policy, stream)


@inlined
def drawn_move(game, state, stream):
    """The move where nothing is searched for."""
    if mover(game, state) == CHANCE:
        return chance_move(game, state, stream)
    return random_move(game, state, stream)


@inlined
def search_in_lanes(lanes, game, policy, states, keys, first, playouts, tally):
    """The same as ``evaluate_one_by_one``, in lockstep, for policies and games where ``searched_in_lanes`` is true."""
    size = lane_count(lanes)
    replying = steps.depth(policy) == 2
    limit = cut(policy)
    total = states.shape[0] * playouts
    used = total if total < MIN_FOR_VECTORS else min(size, -(-total // VECTOR) * VECTOR)
    words = scratch((steps.STATES * states.shape[1] + steps.SINGLE_WORDS) * size, np.uint64)
    streams, flags, busy = scratch(size, np.uint64), scratch(size, np.uint64), scratch(size, np.uint64)
    leaves, plies = scratch(size, np.int64), scratch(size, np.int64)
    following, done = 0, 0
    for lane in range(size):
        flags[lane] = U(1)
    while True:
        for lane in range(used):
            if flags[lane] == U(0):
                continue
            flags[lane] = U(0)
            search = steps.load(game, words, lane, size)
            state, moves, hope = move_on(game, search, streams[lane])
            plies[lane] += 1
            streams[lane] += PLY_STEP
            while True:  # until there is something to search for, perhaps in another playout
                playing = busy[lane] != U(0)
                if playing and plies[lane] < limit and not over(game, state):
                    if needs_search(game, policy, state, moves, streams[lane]):
                        steps.store(game, steps.begin(state, moves, hope), words, lane, size)
                        break
                    state = play(game, state, drawn_move(game, state, streams[lane]))
                    plies[lane] += 1
                    streams[lane] += PLY_STEP
                else:
                    if playing:
                        record(tally, leaves[lane], outcome(policy, game, state), plies[lane] - overrun(game, state))
                        done += 1
                    busy[lane] = U(following < total)
                    if following == total:
                        break
                    leaf = following // playouts
                    state = unpack(game, states[leaf], 0, 1)
                    streams[lane] = child_key(keys[leaf], U(first + following - leaf * playouts))
                    leaves[lane], plies[lane] = leaf, 0
                    following += 1
                moves, hope = move_set(game, state), NO_MOVES
        if done == total:
            return
        while not any_flag(flags, busy, used):
            step_lanes(lanes, replying, game, words, flags, used)


@functools.cache
def searching_in_lanes(lanes: int) -> Any:
    """``search_in_lanes`` with so many lanes, a key of WIDTHS: a function to be compiled."""
    kind = WIDTHS[lanes]

    def evaluate_searching(game, policy, states, keys, first, playouts, tally):
        search_in_lanes(kind(), game, policy, states, keys, first, playouts, tally)

    evaluate_searching.__qualname__ += f"_{lanes}"
    return evaluate_searching
