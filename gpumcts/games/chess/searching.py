"""Verbs of Chess for searches: all moves at once, and which of them are captures and promotions."""

import numpy as np

from gpumcts.bits import trailing_zeros
from gpumcts.games import contract
from gpumcts.games.chess.evaluation import kind_at
from gpumcts.games.chess.moves import PROMOTIONS, legal_noinline, source_of, target_of
from gpumcts.games.chess.options import Board
from gpumcts.games.chess.pieces import PAWN, QUEEN, occupied, passant
from gpumcts.games.chess.squares import NO_SQUARES
from gpumcts.jit import inlined

U = np.uint64
UNDER = np.int64(1)  # the noise of promotions to less than a queen


@inlined
def write_class(out, at, kind, bits):
    """Write the moves of a class (int64), whose set is ``bits``, into ``out[at:]``; returns where the next one goes."""
    while bits != NO_SQUARES:
        out[at] = (kind << 6) | np.int64(trailing_zeros(bits))
        bits &= bits - U(1)
        at += 1
    return at


@contract.write_moves.implements(Board)
def chess_write_moves(game, state, count, out, at):
    s = legal_noinline(state)
    at = write_class(out, write_class(out, write_class(out, write_class(out, at, 0, s[0]), 1, s[1]), 2, s[2]), 3, s[3])
    at = write_class(out, write_class(out, write_class(out, write_class(out, at, 4, s[4]), 5, s[5]), 6, s[6]), 7, s[7])
    for kind in range(8, 16):
        bits = s[8]
        bits = s[9] if kind == 9 else bits
        bits = s[10] if kind == 10 else bits
        bits = s[11] if kind == 11 else bits
        bits = s[12] if kind == 12 else bits
        bits = s[13] if kind == 13 else bits
        bits = s[14] if kind == 14 else bits
        bits = s[15] if kind == 15 else bits
        at = write_class(out, at, kind, bits)
    for kind in range(PROMOTIONS, PROMOTIONS + 3):
        at = write_class(out, at, kind, s[16])


@contract.noisy.implements(Board)
def chess_noisy(game, state, move):
    """Captures and promotions: the most valuable victim first, then the least valuable attacker.

    The numbers of the kinds of pieces stand for their worth (a king is no victim, and counts as a light attacker).
    """
    kind, bit = U(move >> 6), U(move & 63)
    square = target_of(kind, bit)
    target, source = U(1) << square, source_of(state, kind, bit)
    attacker = np.int64(kind_at(state, trailing_zeros(source)))
    pawn = attacker == PAWN
    passes = pawn & (target == passant(state)) & (target != NO_SQUARES)
    victim = (
        np.int64(PAWN) if passes else np.int64(kind_at(state, square)) if target & occupied(state) != NO_SQUARES else 0
    )
    if kind >= U(PROMOTIONS):
        return UNDER + victim
    crowned = np.int64(QUEEN) if pawn & (target >> U(56) != NO_SQUARES) else np.int64(0)
    worth = victim + crowned
    return 16 * worth + 8 - attacker if worth > 0 else np.int64(0)
