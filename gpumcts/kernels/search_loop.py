"""Informed playouts in lockstep: LANES playouts, each with its search of a move, go on by one step of the search at a time.

Outcomes are those of ``playout_loop.evaluate_one_by_one``: a search finds the same moves whichever driver makes its steps.
The steps are one loop over lanes without branches, which LLVM turns into vector code. What happens once a ply, the chosen
move and the draws, is scalar.
"""

from typing import Any

import numpy as np
from numba import njit

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
from gpumcts.jit import inlined, popcount, trailing_zeros
from gpumcts.kernels.playout_loop import record
from gpumcts.playouts import steps
from gpumcts.playouts.contract import cut, outcome
from gpumcts.playouts.minimax import random_ply
from gpumcts.rng import PLY_STEP, child_key

U = np.uint64
LANES = 16
VECTOR = 8  # lanes that the widest registers take
FEWEST_FOR_VECTORS = 3  # fewer lanes are faster one by one
NONE = steps.NONE


def searched_in_lanes(game: Any, policy: Any) -> bool:
    """Whether this loop plays ``policy``, as it travels into compiled code, on ``game``."""
    return steps.depth(policy) > 0 and game.LANES and move_set.find(type(game)) is not None


@inlined
def look_in_lane(replying, game, words, flags, lane):
    """One step of a lane's search; its flag tells whether that is over."""
    search = steps.look(replying, game, steps.load(game, words, lane, LANES))
    steps.store(game, search, words, lane, LANES)
    flags[lane] = U(steps.over(search))


@inlined
def look_in_lanes(replying, game, words, flags, lanes):
    """One step of every lane's search."""
    if lanes < FEWEST_FOR_VECTORS:
        for lane in range(lanes):
            look_in_lane(replying, game, words, flags, lane)
        return
    for lane in range(lanes // VECTOR * VECTOR):  # must vectorise; nothing is left over for a second copy of it
        look_in_lane(replying, game, words, flags, lane)


@inlined
def any_flag(flags, busy, lanes):
    """Whether a busy lane's search is over; the flags of idle lanes are cleared."""
    found = U(0)
    for lane in range(lanes):
        flags[lane] &= busy[lane]
        found |= flags[lane]
    return found != U(0)


@njit(error_model="numpy")
def evaluate_searching(game, policy, states, keys, playouts, tally):
    """The same as ``evaluate_one_by_one``, in lockstep; the policy is one of ``Minimax`` of depth 1 or 2."""
    replying = steps.depth(policy) == 2
    limit = cut(policy)
    total = states.shape[0] * playouts
    words = np.zeros((3 * states.shape[1] + steps.SINGLE_WORDS) * LANES, np.uint64)
    streams, flags, busy = np.zeros(LANES, np.uint64), np.ones(LANES, np.uint64), np.zeros(LANES, np.uint64)
    leaves, plies = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
    following, done = 0, 0
    lanes = total if total < FEWEST_FOR_VECTORS else min(LANES, -(-total // VECTOR) * VECTOR)
    while True:
        for lane in range(lanes):
            if flags[lane] == U(0):
                continue
            flags[lane] = U(0)
            search = steps.load(game, words, lane, LANES)
            state, moves, hope = search.best_child, search.best_moves, search.best_answer
            if busy[lane] != U(0):
                move = steps.chosen(game, search, streams[lane])
                if move != search.best_move:
                    state = play(game, search.root, move_of_bit(game, search.root, trailing_zeros(move)))
                    moves, hope = move_set(game, state), NONE
                plies[lane] += 1
                streams[lane] += PLY_STEP
            # On to the next position with something to search, perhaps of another playout.
            while True:
                if busy[lane] == U(0) or plies[lane] >= limit or over(game, state):
                    if busy[lane] != U(0):
                        record(tally, leaves[lane], outcome(game, state), plies[lane] - overrun(game, state))
                        done += 1
                        busy[lane] = U(0)
                    if following == total:
                        break
                    leaf = following // playouts
                    state = unpack(game, states[leaf], 0, 1)
                    streams[lane] = child_key(keys[leaf], U(following - leaf * playouts))
                    leaves[lane], plies[lane], busy[lane] = leaf, 0, U(1)
                    following += 1
                else:
                    chance = mover(game, state) == CHANCE
                    if not chance and popcount(moves) > U(1) and not random_ply(policy, streams[lane]):
                        search = steps.begin(state, moves, hope)
                        steps.store(game, search, words, lane, LANES)
                        break
                    if chance:
                        move = chance_move(game, state, streams[lane])
                    else:
                        move = random_move(game, state, streams[lane])
                    state = play(game, state, move)
                    plies[lane] += 1
                    streams[lane] += PLY_STEP
                moves, hope = move_set(game, state), NONE
        if done == total:
            return
        while not any_flag(flags, busy, lanes):
            look_in_lanes(replying, game, words, flags, lanes)
