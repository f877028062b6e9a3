"""The rules where a ply is a turn: counting, listing and playing turns.

Arrows are counted for every move of an amazon, eight moves at a time: the loops below have no branch and no order, and
LLVM turns them into vector code.
"""

import numpy as np

from gpumcts.bits import blend
from gpumcts.games import contract
from gpumcts.games.amazons.lines import NO_CODE, code_from, nth_code, runs, square_at
from gpumcts.games.amazons.moves import (
    CODE,
    CODE_BITS,
    NO_TURN,
    after_move,
    arrow_runs,
    arrows,
    choice,
    choices,
    numbered,
    or_stuck,
)
from gpumcts.games.amazons.options import Board6, Board8, Board10, Full
from gpumcts.games.amazons.pieces import MOVER, amazons_of, side_to_move, with_moved
from gpumcts.games.amazons.setup import free_and_pieces, square_number
from gpumcts.games.amazons.squares import free_squares, square_set, turned, with_squares
from gpumcts.games.contract import NO_MOVE, next_move
from gpumcts.games.sets import Two, difference
from gpumcts.jit import inlined

U = np.uint64
BLOCK = 16  # moves of amazons whose arrows are counted together; LLVM leaves shorter loops as they are


@inlined
def arrows_of(game, c, k):
    """The arrows after the k-th of the choices, as uint64; 0 where there is none."""
    there = k < c.count
    origin, code = choice(c, blend(there, k, U(0)))
    found = arrows(game, c, origin, square_at(game, origin, code))
    return blend(there, found, U(0))


@inlined
def turns_among(game, c, first, past):
    """The turns of choices ``first`` to ``past`` (int64), as uint64; ``past - first`` is a multiple of eight."""
    found = U(0)
    for k in range((past - first) // 8 * 8):
        found += arrows_of(game, c, U(first + k))
    return found


def _register_start(kind: type) -> None:
    white, black = ([square_number(kind, name) for name in names.split()] for names in (kind.WHITE, kind.BLACK))
    free, pieces = free_and_pieces(kind, white, black, [], 0, 0)
    low, high, word = U(free & (2**64 - 1)), U(free >> 64), U(pieces)

    @contract.start.implements(kind)
    def start(game):
        return with_squares(game, Two(low, high), word)


for _kind in (Board6, Board8, Board10):
    _register_start(_kind)


@contract.count_moves.implements(Full)
def count_turns(game, state):
    c = choices(game, state)
    return np.int64(turns_among(game, c, 0, (np.int64(c.count) + 7) // 8 * 8))


@contract.nth_move.implements(Full)
def nth_turn(game, state, k):
    c = choices(game, state)
    k, first = U(k), 0
    for first in range(0, np.int64(c.count), BLOCK):
        found = turns_among(game, c, first, first + BLOCK)
        if k < found:
            break
        k -= found
    j = U(first)
    found = arrows_of(game, c, j)
    while k >= found and j < c.count:
        k -= found
        j += U(1)
        found = arrows_of(game, c, j)
    origin, code = choice(c, j)
    return numbered(origin, code, nth_code(arrow_runs(game, c, origin, square_at(game, origin, code)), k))


@contract.next_move.implements(Full)
def next_turn(game, state, move):
    """The next turn has the same amazon and code, or the first arrow of the next code, or of the next amazon."""
    free = free_squares(game, state)
    back = turned(game, free)
    least = U(move + 1)
    origin, code, arrow = least >> (CODE_BITS + CODE_BITS), (least >> CODE_BITS) & CODE, least & CODE
    amazons = amazons_of(state.pieces, side_to_move(state.pieces))
    for i in range(4):
        q = (amazons >> (U(i) * CODE_BITS)) & CODE
        if q < origin:
            continue
        reached = runs(game, free, back, q)
        found = code_from(reached, code if q == origin else U(0))
        while found != NO_CODE:
            to = square_at(game, q, found)
            after = after_move(game, free, q, to)
            shot = code_from(
                runs(game, after, turned(game, after), to), arrow if (q == origin) & (found == code) else U(0)
            )
            if shot != NO_CODE:
                return numbered(q, found, shot)
            found = code_from(reached, found + U(1))
    return np.int64(NO_MOVE)


@contract.move_after.implements(Full)
def turn_after(game, state, move, k):
    return next_move(game, state, move)


@contract.play.implements(Full)
def play_turn(game, state, move):
    number = U(move)
    origin = number >> (CODE_BITS + CODE_BITS)
    to = square_at(game, origin, (number >> CODE_BITS) & CODE)
    arrow = square_at(game, to, number & CODE)
    free = difference(after_move(game, free_squares(game, state), origin, to), square_set(game, arrow))
    pieces = with_moved(state.pieces, origin, to) ^ (U(1) << MOVER)
    return or_stuck(game, move != NO_TURN, state, free, pieces)
