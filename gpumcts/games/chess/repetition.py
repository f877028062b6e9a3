"""The third occurrence of a position, with the same rights and the same player to move, is a draw.

Games that are played look back at all their states (``with_history``). Playouts do so where
``game.repetition=everywhere`` says so, over the plies since a pawn moved or a piece was taken, as far as their own
beginning: they do not know what was before; and a pawn that might be taken en passant but for a pin makes a position
another one there.
"""

import numpy as np

from gpumcts.games.chess.moves import passant_is_legal
from gpumcts.games.chess.options import Board, LooksBack, State
from gpumcts.games.chess.pieces import BLACK, BYTE, PASSANT, REPEATED, RIGHTS, clock
from gpumcts.games.contract import over, overrun, unpack, with_history
from gpumcts.jit import inlined
from gpumcts.playouts.contract import cut, outcome, step, whole_playout
from gpumcts.rng import PLY_STEP, mix
from gpumcts.scratch import scratch

U = np.uint64
SAME = BLACK | RIGHTS | (BYTE << PASSANT)  # bits of ``turn`` that make a position another one
NEAREST = 4  # plies after which a position can come again


@inlined
def same_position(a, b):
    """Whether two states are the same position for the rule."""
    pieces = (a.own ^ b.own) | (a.low ^ b.low) | (a.middle ^ b.middle) | (a.high ^ b.high)
    return pieces | ((a.turn ^ b.turn) & SAME) == U(0)


@inlined
def with_real_passant(state):
    """The state without a right to take en passant that no legal move uses."""
    turn = state.turn if passant_is_legal(state) else state.turn & ~(BYTE << PASSANT)
    return State(state.own, state.low, state.middle, state.high, turn)


@with_history.implements(Board)
def mark_third(game, state, earlier):
    """The state without a right to take en passant that no legal move uses, and REPEATED if it has been there twice."""
    state, seen = with_real_passant(state), 0
    words, width = earlier.reshape(-1), earlier.shape[1]
    known = earlier.shape[0]
    first = max(0, known - np.int64(clock(state)))
    for i in range(first, known):
        before = unpack(game, words, i * width, 1)
        seen += same_position(state, with_real_passant(before) if i == first else before)
    turn = state.turn | REPEATED if seen >= 2 else state.turn
    return State(state.own, state.low, state.middle, state.high, turn)


@inlined
def fingerprint(state):
    """64 bits that tell positions apart but for one pair in 2^64."""
    pieces = mix(state.own + mix(state.low + mix(state.middle + mix(state.high))))
    return mix(pieces + (state.turn & SAME))


@whole_playout.implements(object, LooksBack)
def playout_that_looks_back(policy, game, state, key):
    seen = scratch(128, np.uint64)  # by the clock of fifty moves; it ends at 100
    stream, plies, limit = key, np.int64(0), cut(policy)
    first = np.int64(clock(state)) & 127
    while not over(game, state):
        now = np.int64(clock(state)) & 127
        first = min(first, now)
        seen[now] = fingerprint(state)
        times = 0
        for i in range(now - NEAREST, first - 1, -2):
            times += seen[i] == seen[now]
        if times >= 2:
            return np.int64(0), plies
        if plies >= limit:  # a game that is drawn by then is not judged by its evaluation
            break
        state = step(game, policy, state, stream)
        stream += PLY_STEP
        plies += 1
    return np.int64(outcome(policy, game, state)), np.int64(plies - overrun(game, state))
