"""Uniform playouts of Havannah with chains kept along the way: the moves and outcomes of play ply by ply, which follows
them anew after every stone.
"""

from typing import Any

import numpy as np

from gpumcts.bits import nth_bit, popcount, trailing_zeros
from gpumcts.games.contract import SCORE_UNIT, mover, over, play, random_move, score
from gpumcts.games.havannah.board import KINDS, places, shape, words_of
from gpumcts.games.havannah.chains import ROWS, fill, put
from gpumcts.games.havannah.rules import empty_cells, stones_of
from gpumcts.jit import inlined
from gpumcts.playouts.contract import mark, ply_by_ply, traced_playout, traced_ply_by_ply, whole_playout
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import PLY_STEP, draw
from gpumcts.scratch import scratch

U = np.uint64


@inlined
def count_empty(game, state, empty, before):
    """The empty cells of a state as words, and how many there are before each of these."""
    total = U(0)
    for i in range(shape(game).words):
        empty[U(i)] = empty_cells(game, state, U(i))
        before[U(i)] = total
        total += popcount(empty[U(i)])


@inlined
def take_nth(words, empty, before, k):
    """Take number ``k`` (uint64) out of the empty cells: the cell. No branch; words behind it count one less."""
    word, rank = U(words - 1), k
    for i in range(1, words):
        behind = k < before[U(i)]
        rank = rank if behind else k - before[U(i)]
        before[U(i)] -= U(behind)
        word -= U(behind)
    cell = nth_bit(empty[word], rank)
    empty[word] ^= cell
    return word << U(6) | trailing_zeros(cell)


@inlined
def play_with_chains(words, game, state, key, plies, rows, parent, chain, empty, before, trace):
    """The rest of a playout of which ``plies`` are gone, from a position that nobody has won; ``trace`` may be None."""
    fill(game, state, rows, parent, chain)
    count_empty(game, state, empty, before)
    left, side, stream = shape(game).cells - stones_of(state), U(mover(game, state)), key
    while left > U(0):
        cell = take_nth(words, empty, before, draw(stream, 0, left))
        mark(trace, np.int64(side), np.int64(cell))
        plies += 1
        if put(game, rows, parent, chain, side, cell):
            return np.int64(SCORE_UNIT) - np.int64(2 * SCORE_UNIT) * np.int64(side), plies
        side ^= U(1)
        left -= U(1)
        stream += PLY_STEP
    return np.int64(0), plies


def _register(kind: Any, base: int) -> None:
    words, count = words_of(base), places(base)

    @inlined
    def with_room(game, state, key, plies, trace):
        """The arrays come first: only so are they of a size that the compiler knows, in the frame of whoever calls."""
        rows, empty, before = scratch(ROWS, np.uint64), scratch(words, np.uint64), scratch(words, np.uint64)
        parent, chain = scratch(count, np.uint16), scratch(count, np.uint32)
        return play_with_chains(words, game, state, key, plies, rows, parent, chain, empty, before, trace)

    @inlined
    def uniform_with_chains(game, state, key, trace):
        plies = np.int64(0)
        while game.swap and stones_of(state) < U(2) and plies < 2:  # the first stone may change hands
            move = random_move(game, state, key)
            mark(trace, np.int64(mover(game, state)), move)
            state = play(game, state, move)
            key += PLY_STEP
            plies += 1
        if over(game, state):
            return np.int64(score(game, state)), plies
        return with_room(game, state, key, plies, trace)

    @whole_playout.implements(Uniform, kind)
    def uniform_playout(policy, game, state, key):
        if policy.truncate > 0:
            return ply_by_ply(policy, game, state, key)
        return uniform_with_chains(game, state, key, None)

    @traced_playout.implements(Uniform, kind)
    def uniform_traced(policy, game, state, key, trace):
        if policy.truncate > 0:
            return traced_ply_by_ply(policy, game, state, key, trace)
        return uniform_with_chains(game, state, key, trace)


for _base, _kind in KINDS.items():
    _register(_kind, _base)
