"""The rules: moves in order, a random one, a ply, the end of a game.

Drawn by themselves, without a claim: fifty moves of both sides without a capture or a move of a pawn, the third
occurrence of a position in games that are played (``repetition``), positions in which no series of moves mates, the
last ply of ``max_plies``. Mate on the last of the fifty moves wins. That a player has no move is found a ply late,
where playouts ask for one: ``random_move`` answers NO_MOVE, and playing it only marks the state.
"""

import numpy as np

from gpumcts.bits import blend, popcount, trailing_zeros, word_at
from gpumcts.games import contract
from gpumcts.games.chess.moves import (
    CLASSES,
    PROMOTIONS,
    SETS,
    in_check,
    legal,
    legal_noinline,
    pick,
    size,
    source_of,
    target_of,
)
from gpumcts.games.chess.options import Board, State
from gpumcts.games.chess.pieces import (
    BLACK,
    CLOCK,
    ENDED,
    OTHER_KING,
    OTHER_QUEEN,
    OWN_KING,
    OWN_QUEEN,
    PASSANT,
    PLY,
    REPEATED,
    clock,
    occupied,
    passant,
    pieces_of,
    ply,
    turned_round,
)
from gpumcts.games.chess.squares import NO_SQUARES, NOT_A, NOT_H, S1, S8
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT
from gpumcts.jit import inlined
from gpumcts.rng import draw

U = np.uint64
FIFTY = U(100)  # plies
BACK_RANK = (6, 2, 5, 7, 3, 5, 2, 6)  # kinds of pieces on files a to h
LIGHT = U(0x55AA55AA55AA55AA)
A1, E1, H1, A8, H8 = U(1), U(1 << 4), U(1 << 7), U(1 << 56), U(1 << 63)
ROOK_KING, ROOK_QUEEN = U(1 << 7 | 1 << 5), U(1 | 1 << 3)  # where the rook goes from and to
PASSANT_RANK = U(24)  # bit of the first square of the fourth rank


def _plane(bit: int) -> int:
    men = [*BACK_RANK, *[1] * 8, *[0] * 32, *[1] * 8, *BACK_RANK]
    return sum((kind >> bit & 1) << square for square, kind in enumerate(men))


START = (0xFFFF, _plane(0), _plane(1), _plane(2), int(OWN_KING | OWN_QUEEN | OTHER_KING | OTHER_QUEEN))


@contract.start.implements(Board)
def chess_start(game):
    return State(U(START[0]), U(START[1]), U(START[2]), U(START[3]), U(START[4]))


@contract.mover.implements(Board)
def chess_mover(game, state):
    return np.int64(state.turn & BLACK)


# ------------------------------------------------------------------------------------------------------------ the end


@inlined
def cannot_mate(state):
    """Whether no series of moves mates: bare kings, one knight or bishop more, or bishops all on one colour."""
    bishops = state.high & state.low & ~state.middle
    knights = state.middle & ~state.low & ~state.high
    others = (state.low & ~state.middle & ~state.high) | (state.high & state.middle)
    one_colour = (bishops & LIGHT == NO_SQUARES) | (bishops & ~LIGHT == NO_SQUARES)
    return (others == NO_SQUARES) & ((popcount(occupied(state)) <= U(3)) | ((knights == NO_SQUARES) & one_colour))


@inlined
def drawn(game, state):
    """Whether a rule has ended the game, mate or not."""
    late = (clock(state) >= FIFTY) | (ply(state) >= U(game.max_plies))
    return late | (state.turn & REPEATED != NO_SQUARES) | cannot_mate(state)


@contract.over.implements(Board)
def chess_over(game, state):
    """A player who has no move is found to have none a ply later."""
    return (state.turn & ENDED != NO_SQUARES) | drawn(game, state)


@contract.overrun.implements(Board)
def chess_overrun(game, state):
    return np.int64(state.turn & ENDED != NO_SQUARES)


@contract.score.implements(Board)
def chess_score(game, state):
    mated = in_check(state) and size(legal_noinline(state)) == NO_SQUARES
    won = np.int64(SCORE_UNIT) if state.turn & BLACK != NO_SQUARES else np.int64(-SCORE_UNIT)
    return won if mated else np.int64(0)


# -------------------------------------------------------------------------------------------------------------- moves


@contract.count_moves.implements(Board)
def chess_count_moves(game, state):
    return np.int64(0) if contract.over(game, state) else np.int64(size(legal_noinline(state)))


@contract.nth_move.implements(Board)
def chess_nth_move(game, state, k):
    kind, bit = pick(legal_noinline(state), U(k))
    return np.int64(kind << U(6) | bit)


@inlined
def first_from(sets, kind, bits):
    """The first move of class ``kind`` (int64) among ``bits`` of its set, or of a class after it."""
    while bits == NO_SQUARES and kind + 1 < CLASSES:
        kind += 1
        bits = word_at(sets, min(kind, np.int64(PROMOTIONS)))
    return (kind << 6) + np.int64(trailing_zeros(bits)) if bits != NO_SQUARES else np.int64(NO_MOVE)


@contract.next_move.implements(Board)
def chess_next_move(game, state, move):
    if move < 0 and contract.over(game, state):
        return np.int64(NO_MOVE)
    sets = legal_noinline(state)
    if move < 0:
        return first_from(sets, np.int64(0), sets[0])
    kind, above = np.int64(move >> 6), ~((U(2) << U(move & 63)) - U(1))
    return first_from(sets, kind, word_at(sets, min(kind, np.int64(PROMOTIONS))) & above)


@contract.move_after.implements(Board)
def chess_move_after(game, state, move, k):
    return contract.next_move(game, state, move)


@contract.random_move.implements(Board)
def chess_random_move(game, state, stream):
    sets = legal(state)
    count = size(sets)
    kind, bit = pick(sets, draw(stream, 0, count))
    return np.int64(kind << U(6) | bit) if count != NO_SQUARES else np.int64(NO_MOVE)


# -------------------------------------------------------------------------------------------------------------- plies


@inlined
def rights_after(turn, touched):
    """The bits of rights for the player to move next, after pieces went from or to the squares ``touched``."""
    kept = turn & ~(OWN_KING if touched & (E1 | H1) != NO_SQUARES else NO_SQUARES)
    kept &= ~(OWN_QUEEN if touched & (E1 | A1) != NO_SQUARES else NO_SQUARES)
    kept &= ~(OTHER_KING if touched & H8 != NO_SQUARES else NO_SQUARES)
    kept &= ~(OTHER_QUEEN if touched & A8 != NO_SQUARES else NO_SQUARES)
    return ((kept & (OWN_KING | OWN_QUEEN)) << U(2)) | ((kept & (OTHER_KING | OTHER_QUEEN)) >> U(2))


@inlined
def passant_file(state, source, target, pawn):
    """The file of a pawn that has gone two squares where another stands beside it, as the word's bits have it."""
    beside = ((target << S1) & NOT_A) | ((target >> S1) & NOT_H)
    met = beside & pieces_of(state, ~state.own).pawns
    return (
        (target >> PASSANT_RANK) << PASSANT if pawn & (source << U(16) == target) & (met != NO_SQUARES) else NO_SQUARES
    )


@inlined
def rook_of_castling(source, target, king):
    """Where a rook goes from and to beside the king, or nothing."""
    leaps = king & (source == E1)
    rook = ROOK_KING if target == source << U(2) else NO_SQUARES
    rook |= ROOK_QUEEN if target == source >> U(2) else NO_SQUARES
    return rook if leaps else NO_SQUARES


@inlined
def after(game, state, move):
    """The state after a legal move."""
    kind, bit = U(move >> 6), U(move & 63)
    source, target = source_of(state, kind, bit), U(1) << target_of(kind, bit)
    low, middle, high = (
        state.low & source != NO_SQUARES,
        state.middle & source != NO_SQUARES,
        state.high & source != NO_SQUARES,
    )
    pawn, king = low & ~middle & ~high, low & middle & ~high
    taken = target | (target >> S8 if pawn & (target == passant(state)) else NO_SQUARES)
    captures = taken & occupied(state) & ~state.own != NO_SQUARES
    rook = rook_of_castling(source, target, king)
    crowned, below = pawn & (target >> U(56) != NO_SQUARES), kind >= U(PROMOTIONS)
    # A queen has all three bits; classes 16 to 18 are a rook (middle, high), a bishop (low, high), a knight (middle).
    low &= ~(crowned & below & (kind != U(PROMOTIONS + 1)))
    middle |= crowned & (kind != U(PROMOTIONS + 1))
    high |= crowned & (kind != U(PROMOTIONS + 2))
    left = ~(source | taken)
    new_low = (state.low & left) | (target if low else NO_SQUARES)
    new_middle = ((state.middle & left) | (target if middle else NO_SQUARES)) ^ rook
    new_high = ((state.high & left) | (target if high else NO_SQUARES)) ^ rook
    own = ((state.own & ~source) | target) ^ rook
    rights = rights_after(state.turn, source | target)
    passed = passant_file(state, source, target, pawn)
    plies = ((ply(state) + U(1)) << PLY) | (NO_SQUARES if pawn | captures else (clock(state) + U(1)) << CLOCK)
    turn = ((state.turn & BLACK) ^ BLACK) | rights | passed | plies
    other = (new_low | new_middle | new_high) & ~own
    return turned_round(other, new_low, new_middle, new_high, turn)


@contract.play.implements(Board)
def chess_play(game, state, move):
    done, stuck = contract.over(game, state), move < 0
    stays = State(state.own, state.low, state.middle, state.high, state.turn | (ENDED if stuck & ~done else NO_SQUARES))
    return blend(done | stuck, stays, after(game, state, max(move, np.int64(0))))


assert SETS == PROMOTIONS + 1
