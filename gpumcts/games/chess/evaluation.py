"""How good a position is for the player to move, in hundredths of a pawn, by one of two published evaluations.

Both weigh each piece on its square by two tables, for the middle game and for the end game, and mix the two sums by the
stage of the game. PeSTO goes over from one to the other by the pieces left. With Michniewski only the king has two
tables, and the end game begins at once: when neither side has a queen, or each that has one has with her no rook and at
most one knight or bishop.

A weight holds both tables' entries in one int64, MIDDLE in the low half, so that sums of weights are sums of both.
"""

import numpy as np

from gpumcts.bits import popcount, trailing_zeros
from gpumcts.games import contract
from gpumcts.games.chess import tables
from gpumcts.games.chess.options import Board, Michniewski, Pesto
from gpumcts.games.chess.pieces import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, occupied
from gpumcts.games.chess.squares import NO_SQUARES
from gpumcts.jit import inlined
from gpumcts.verbs import verb

U = np.uint64
KINDS = {"P": PAWN, "N": KNIGHT, "B": BISHOP, "R": ROOK, "Q": QUEEN, "K": KING}
FULL_PHASE = 24
HALF = np.int64(1 << 31)


def _by_kind(worth: dict[str, int], squares: dict[str, tuple[int, ...]]) -> np.ndarray:
    """int64[8, 64] by kind and square, a1 first, of a piece's worth and its squares as they are printed."""
    table = np.zeros((8, 8, 8), np.int64)
    for name, kind in KINDS.items():
        table[kind] = worth.get(name, 0) + np.array(squares[name], np.int64).reshape(8, 8)[::-1]
    return table.reshape(8, 64)


def _weights(middle: np.ndarray, end: np.ndarray) -> np.ndarray:
    return (middle + (end << 32)).reshape(-1)


_LATE = {**tables.MICHNIEWSKI, "K": tables.MICHNIEWSKI["K in the end game"]}
MICHNIEWSKI = _weights(
    _by_kind(tables.MICHNIEWSKI_WORTH, tables.MICHNIEWSKI), _by_kind(tables.MICHNIEWSKI_WORTH, _LATE)
)
PESTO = _weights(
    _by_kind(tables.PESTO_WORTH_MIDDLE, tables.PESTO_MIDDLE), _by_kind(tables.PESTO_WORTH_END, tables.PESTO_END)
)


@verb("game")
def weight(game, entry):
    """The weight, int64, of ``entry`` (int64): 64 times a kind plus a square as its side sees it; 0 for no kind."""


@verb("game")
def stage_without(game, state, gone):
    """The stage of the game, int64, without the pieces on the squares ``gone``; its meaning is up to the evaluation."""


@verb("game")
def mixed(game, weights, stage):
    """The evaluation, int64, that a sum of weights comes to at a stage; its negative for the negative sum."""


@inlined
def middle_of(weights):
    """The sum for the middle game in a sum of weights."""
    return ((weights + HALF) & np.int64(0xFFFFFFFF)) - HALF


@inlined
def end_of(weights):
    """The sum for the end game."""
    return (weights + HALF) >> np.int64(32)


@weight.implements(Michniewski)
def michniewski_weight(game, entry):
    return np.int64(MICHNIEWSKI[entry])


@weight.implements(Pesto)
def pesto_weight(game, entry):
    return np.int64(PESTO[entry])


@inlined
def lean(queens, rooks, minor):
    """Whether a side has no queen, or one with no rook and at most one knight or bishop beside her."""
    return (queens == NO_SQUARES) | ((rooks == NO_SQUARES) & (popcount(minor) <= U(1)) & (popcount(queens) == U(1)))


@stage_without.implements(Michniewski)
def michniewski_stage(game, state, gone):
    """1 in the end game, 0 before."""
    low, middle, high = state.low & ~gone, state.middle & ~gone, state.high & ~gone
    queens, rooks, minor = low & middle & high, middle & high & ~low, (middle & ~low & ~high) | (low & high & ~middle)
    ours = lean(queens & state.own, rooks & state.own, minor & state.own)
    return np.int64(ours & lean(queens & ~state.own, rooks & ~state.own, minor & ~state.own))


@stage_without.implements(Pesto)
def pesto_stage(game, state, gone):
    """The pieces left: 1 for a knight or a bishop, 2 for a rook, 4 for a queen."""
    low, middle, high = state.low & ~gone, state.middle & ~gone, state.high & ~gone
    minor, rooks, queens = (middle & ~low & ~high) | (low & high & ~middle), middle & high & ~low, low & middle & high
    return np.int64(popcount(minor) + U(2) * popcount(rooks) + U(4) * popcount(queens))


@mixed.implements(Michniewski)
def michniewski_mixed(game, weights, stage):
    return end_of(weights) if stage != 0 else middle_of(weights)


@mixed.implements(Pesto)
def pesto_mixed(game, weights, stage):
    phase = min(stage, np.int64(FULL_PHASE))  # more after an early promotion
    total = middle_of(weights) * phase + end_of(weights) * (FULL_PHASE - phase)
    size = abs(total) // FULL_PHASE  # rounded towards zero for either side
    return size if total >= 0 else -size


@inlined
def kind_at(state, square):
    """The kind of the piece on ``square`` (uint64, 0 to 63), int64; 0 where there is none."""
    low, middle, high = (state.low >> square) & U(1), (state.middle >> square) & U(1), (state.high >> square) & U(1)
    return np.int64(low | (middle << U(1)) | (high << U(2)))


@inlined
def weights_of(game, state):
    """The sum of weights, those of the player to move less those of the other."""
    total, left = np.int64(0), occupied(state)
    while left != NO_SQUARES:
        square = trailing_zeros(left)
        left &= left - U(1)
        ours = (state.own >> square) & U(1) != NO_SQUARES
        one = weight(game, (kind_at(state, square) << 6) + np.int64(square if ours else square ^ U(56)))
        total += one if ours else -one
    return total


@contract.evaluation.implements(Board)
def chess_evaluation(game, state):
    return mixed(game, weights_of(game, state), stage_without(game, state, NO_SQUARES))


@contract.evaluation_unit.implements(Board)
def chess_evaluation_unit(game):
    """A pawn."""
    return 100


@contract.evaluation_limit.implements(Michniewski)
def michniewski_limit(game):
    return np.int64(MICHNIEWSKI_LIMIT)


@contract.evaluation_limit.implements(Pesto)
def pesto_limit(game):
    return np.int64(PESTO_LIMIT)


# The largest of all positions, not over, of 10,000 uniformly random games of seed 1 (3.4 million; the side ahead has
# several queens); a slow test plays them again. Five other seeds have 3,885 to 4,235 and 4,076 to 4,424. Of the 12,059
# positions of 120 games of grandmasters it is 1,240 and 1,294.
MICHNIEWSKI_LIMIT, PESTO_LIMIT = 4030, 4240


@contract.remaining_plies.implements(Board)
def chess_remaining_plies(game, state):
    """By the pieces left: two lines through the means of 10,000 random games, right to a tenth with 5 pieces or more.

    Means: 335 plies with 32 pieces, 240 with 16, 165 with 8, 91 with 5, 56 with 4, 41 with 3.
    """
    pieces = np.int64(popcount(occupied(state)))
    return np.float64(min(25 * pieces - 30, 108 + 7 * pieces))
