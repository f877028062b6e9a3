"""How good a position is for the player to move, in hundredths of a pawn, by one of two published evaluations.

Michniewski: what each piece is worth on its square; the king's table changes in the end game, which begins when neither side has
a queen, or each that has one has beside it no rook and at most one knight or bishop.

PeSTO: two tables a piece, for the middle game and the end game, mixed by the pieces left on the board.
"""

import numpy as np

from gpumcts.games import contract
from gpumcts.games.chess import tables
from gpumcts.games.chess.options import Board, Michniewski, Pesto
from gpumcts.games.chess.pieces import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, occupied
from gpumcts.games.chess.squares import NONE
from gpumcts.jit import inlined, popcount, trailing_zeros

U = np.uint64
KINDS = {"P": PAWN, "N": KNIGHT, "B": BISHOP, "R": ROOK, "Q": QUEEN, "K": KING}
LATE_KING = 4  # no kind of piece; where the king's table of the end game stands
FULL_PHASE = 24


def _by_kind(worth, squares):
    """A table int16[8 * 64], kind by kind, square 0 being a1, of a piece's worth and its squares as they are printed."""
    table = np.zeros((8, 8, 8), np.int16)
    for name, kind in KINDS.items():
        table[kind] = worth.get(name, 0) + np.array(squares[name], np.int16).reshape(8, 8)[::-1]
    return table


def _michniewski():
    table = _by_kind(tables.MICHNIEWSKI_WORTH, tables.MICHNIEWSKI)
    table[LATE_KING] = np.array(tables.MICHNIEWSKI["K in the end game"], np.int16).reshape(8, 8)[::-1]
    return table.reshape(-1)


MICHNIEWSKI = _michniewski()
PESTO_MIDDLE = _by_kind(tables.PESTO_WORTH_MIDDLE, tables.PESTO_MIDDLE).reshape(-1)
PESTO_END = _by_kind(tables.PESTO_WORTH_END, tables.PESTO_END).reshape(-1)
PHASES = np.array([tables.PESTO_PHASE.get({k: n for n, k in KINDS.items()}.get(kind, ""), 0) for kind in range(8)])


@inlined
def kind_at(state, square):
    """The kind of the piece on ``square`` (uint64, 0 to 63), as uint64."""
    low, middle, high = state.low >> square, state.middle >> square, state.high >> square
    return (low & U(1)) | ((middle & U(1)) << U(1)) | ((high & U(1)) << U(2))


@inlined
def worth_on(game, kind, late, square):
    """What a piece of a kind is worth to its side on ``square``, as that side sees it, for Michniewski; int64."""
    row = U(LATE_KING) if (kind == U(KING)) & late else kind
    return np.int64(MICHNIEWSKI[np.int64((row << U(6)) | square)])


@inlined
def end_game(state):
    """Whether Michniewski's end game has begun."""
    queens = state.low & state.middle & state.high
    rooks = state.middle & state.high & ~state.low
    minor = (state.middle & ~state.low & ~state.high) | (state.low & state.high & ~state.middle)
    return lean(queens & state.own, rooks & state.own, minor & state.own) & lean(
        queens & ~state.own, rooks & ~state.own, minor & ~state.own
    )


@inlined
def lean(queens, rooks, minor):
    """Whether a side has no queen, or one with at most one knight or bishop beside her."""
    return (queens == NONE) | ((rooks == NONE) & (popcount(minor) <= U(1)) & (popcount(queens) == U(1)))


@contract.evaluation.implements(Michniewski)
def michniewski_evaluation(game, state):
    late, total, left = end_game(state), np.int64(0), occupied(state)
    while left != NONE:
        square = trailing_zeros(left)
        left &= left - U(1)
        ours = (state.own >> square) & U(1) != NONE
        worth = worth_on(game, kind_at(state, square), late, square if ours else square ^ U(56))
        total += worth if ours else -worth
    return total


@contract.evaluation.implements(Pesto)
def pesto_evaluation(game, state):
    middle, end, phase, left = np.int64(0), np.int64(0), np.int64(0), occupied(state)
    while left != NONE:
        square = trailing_zeros(left)
        left &= left - U(1)
        kind, ours = kind_at(state, square), (state.own >> square) & U(1) != NONE
        entry = np.int64((kind << U(6)) | (square if ours else square ^ U(56)))
        middle += np.int64(PESTO_MIDDLE[entry]) if ours else -np.int64(PESTO_MIDDLE[entry])
        end += np.int64(PESTO_END[entry]) if ours else -np.int64(PESTO_END[entry])
        phase += np.int64(PHASES[np.int64(kind)])
    phase = min(phase, np.int64(FULL_PHASE))
    mixed = middle * phase + end * (FULL_PHASE - phase)
    size = abs(mixed) // FULL_PHASE  # rounded towards zero for either side
    return size if mixed >= 0 else -size


@contract.evaluation_limit.implements(Michniewski)
def michniewski_limit(game):
    return np.int64(MICHNIEWSKI_LIMIT)


@contract.evaluation_limit.implements(Pesto)
def pesto_limit(game):
    return np.int64(PESTO_LIMIT)


# The largest of all positions, not over, of 10,000 uniformly random games (3.4 million; the side ahead has two to four queens).
# Of the 12,059 of 120 games of grandmasters it is 1,240 and 1,294.
MICHNIEWSKI_LIMIT, PESTO_LIMIT = 3720, 3891


@contract.remaining_plies.implements(Board)
def chess_remaining_plies(game, state):
    """By the pieces left: two straight lines through the means of 10,000 random games, right to a tenth with 5 pieces or more.

    Means: 335 plies with 32 pieces, 240 with 16, 165 with 8, 91 with 5, 56 with 4, 41 with 3.
    """
    pieces = np.int64(popcount(occupied(state)))
    return np.float64(min(25 * pieces - 30, 108 + 7 * pieces))
