"""The rules where an amazon's move and her arrow are two plies, in a row by the same player.

An amazon's move is numbered by her square and the code of where she goes, an arrow by its code.
"""

import numpy as np

from gpumcts.bits import blend
from gpumcts.games import contract
from gpumcts.games.amazons.lines import NO_CODE, code_from, nth_code, runs, square_at, total
from gpumcts.games.amazons.moves import (
    CODE,
    CODE_BITS,
    NO_TURN,
    after_move,
    arrows,
    choice,
    choices,
    moved_square,
    or_stuck,
)
from gpumcts.games.amazons.options import Split
from gpumcts.games.amazons.pieces import MOVED, MOVER, SQUARE, STUCK, amazons_of, side_to_move, with_moved
from gpumcts.games.amazons.squares import free_squares, square_set, turned
from gpumcts.games.contract import NO_MOVE, next_move
from gpumcts.games.sets import difference
from gpumcts.jit import inlined

U = np.uint64


@inlined
def is_shot(pieces):
    """Whether the next ply is an arrow."""
    moved = moved_square(pieces)
    return (moved != U(0)) & (moved != STUCK)


@inlined
def shooter(pieces):
    """The square of the amazon that moved; 127 where none has (added, so that LLVM makes no test of a borrow)."""
    return (moved_square(pieces) + SQUARE) & SQUARE


@inlined
def shot_runs(game, state):
    """The runs of the amazon that has moved."""
    free = free_squares(game, state)
    return runs(game, free, turned(game, free), shooter(state.pieces))


@contract.count_moves.implements(Split)
def count_plies(game, state):
    if is_shot(state.pieces):
        return np.int64(total(shot_runs(game, state)))
    return np.int64(choices(game, state).count)


@contract.nth_move.implements(Split)
def nth_ply(game, state, k):
    if is_shot(state.pieces):
        return np.int64(nth_code(shot_runs(game, state), U(k)))
    origin, code = choice(choices(game, state), U(k))
    return np.int64((origin << CODE_BITS) | code)


@contract.next_move.implements(Split)
def next_ply(game, state, move):
    least = U(move + 1)
    if is_shot(state.pieces):
        found = code_from(shot_runs(game, state), least) if least < NO_CODE else NO_CODE
        return np.int64(found) if found != NO_CODE else np.int64(NO_MOVE)
    free = free_squares(game, state)
    back = turned(game, free)
    origin, code = least >> CODE_BITS, least & CODE
    amazons = amazons_of(state.pieces, side_to_move(state.pieces))
    for i in range(4):
        q = (amazons >> (U(i) * CODE_BITS)) & CODE
        if q >= origin:
            found = code_from(runs(game, free, back, q), code if q == origin else U(0))
            if found != NO_CODE:
                return np.int64((q << CODE_BITS) | found)
    return np.int64(NO_MOVE)


@contract.move_after.implements(Split)
def ply_after(game, state, move, k):
    return next_move(game, state, move)


@contract.play.implements(Split)
def play_ply(game, state, move):
    """Both kinds of ply at once: the one that it is not plays on a square that stands for none."""
    shoots, number = is_shot(state.pieces), U(move)
    origin = blend(shoots, shooter(state.pieces), number >> CODE_BITS)
    to = square_at(game, origin, number & CODE)
    free = free_squares(game, state)
    walked, shot = after_move(game, free, origin, to), difference(free, square_set(game, to))
    on = blend(shoots, U(0), to)
    waiting = with_moved(state.pieces, origin, on) | ((to + U(1)) << MOVED)
    done = (state.pieces & ((U(1) << MOVED) - U(1))) ^ (U(1) << MOVER)
    return or_stuck(game, move != NO_TURN, state, blend(shoots, shot, walked), blend(shoots, done, waiting))


@contract.move_weight.implements(Split)
def weight_of_ply(game, state, move):
    """A move of an amazon weighs as much as there are arrows after it, so that random turns are uniform."""
    if is_shot(state.pieces):
        return np.int64(1)
    origin = U(move) >> CODE_BITS
    return np.int64(arrows(game, choices(game, state), origin, square_at(game, origin, U(move) & CODE)))
