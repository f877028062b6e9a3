"""Othello, 8x8: rules on bitboards without a branch, evaluation, text.

Square 0 is a1, square 7 is h1, square 56 is a8 (row 1 on top, as boards are printed). Black moves first. A player who
has no move passes (move 64, written ``pass``) if the opponent has one; the game ends when neither has.

Evaluation: difference in mobility plus ``corner_weight`` times the difference in corners, the two leading terms of the
classical programs (Rosenbloom 1982, *Iago*). The discs themselves do not count before the end.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.bits import leading_zeros, nth_set_bit, popcount, trailing_zeros
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT
from gpumcts.jit import inlined
from gpumcts.rng import draw

U = np.uint64
PASS = 64
INNER = U(0x7E7E7E7E7E7E7E7E)  # files b to g: what a horizontal or diagonal line may run over
CORNERS = U(0x8100000000000081)
START_BLACK, START_WHITE = (1 << 28) | (1 << 35), (1 << 27) | (1 << 36)  # e4 d5, d4 e5
S1, S7, S8, S9 = U(1), U(7), U(8), U(9)
TOP = U(1 << 63)
RAY_1, RAY_7, RAY_8, RAY_9 = (U(sum(1 << s * k for k in range(1, 8))) for s in (1, 7, 8, 9))  # from square 0 upwards
BACK_1, BACK_7, BACK_8, BACK_9 = (U(sum(1 << 63 - s * k for k in range(1, 8))) for s in (1, 7, 8, 9))  # from 63 down
PASSES = U(6)  # bits of State.turn: the last move, and the one before it, was a pass


class Othello(NamedTuple):
    """Othello on 8x8.

    corner_weight : what a corner is worth in the evaluation, in moves of mobility
    """

    corner_weight: Annotated[int, Interval(ge=0, le=100)] = 8

    MAX_PLIES = 128  # 60 moves, at most as many passes, and the two plies after the end
    MAX_MOVES = 60  # empty squares; no reachable position comes near
    PLAYERS = 2
    LANES = True
    CELLS = 64  # squares; a pass is none
    NAMED_MOVES = True


OPTION = Othello


@contract.state_of(Othello)
class State(NamedTuple):
    """own: discs of who is to move; opp: the other's; turn: bit 0 the mover, bits 1-2 the passes just made (PASSES)."""

    own: np.uint64
    opp: np.uint64
    turn: np.uint64


@inlined
def reach_up(own, opp, mask, s):
    """Squares beyond runs of ``mask`` that start next to ``own`` in direction of a left shift by ``s`` (Kogge-Stone).

    A run is up to six long. ``mask`` is ``opp`` without the files that such a line may not cross. Shifting ``opp``
    itself for the pairs is right too (no run reaches a pair over the edge), and shares the shift with the other side's
    moves.
    """
    f = mask & (own << s)
    f |= mask & (f << s)
    pairs = mask & (opp << s)
    f |= pairs & (f << (s + s))
    f |= pairs & (f << (s + s))
    return f << s


@inlined
def reach_down(own, opp, mask, s):
    """The same in the direction of a right shift."""
    f = mask & (own >> s)
    f |= mask & (f >> s)
    pairs = mask & (opp >> s)
    f |= pairs & (f >> (s + s))
    f |= pairs & (f >> (s + s))
    return f >> s


@inlined
def legal(own, opp):
    """Squares on which the owner of ``own`` may put a disc."""
    inner = opp & INNER
    moves = inner + ((own << S1) & inner)  # along a row the carry of an addition runs to the square beyond
    moves |= reach_down(own, opp, inner, S1)
    moves |= reach_up(own, opp, opp, S8) | reach_down(own, opp, opp, S8)
    moves |= reach_up(own, opp, inner, S7) | reach_down(own, opp, inner, S7)
    moves |= reach_up(own, opp, inner, S9) | reach_down(own, opp, inner, S9)
    return moves & ~(own | opp)


@inlined
def flips_up(square, own, mask, ray):
    """Discs turned on ``ray << square``: those below the first square not in ``mask``, if a disc of ours is there."""
    line = ray << square
    stop = line & ~mask
    closing = stop & (U(0) - stop) & own
    return line & (closing - U(closing != U(0)))


@inlined
def flips_down(square, own, mask, ray):
    """The same on ``ray >> (63 - square)``, above the first such square; with the closing disc, which is not turned."""
    line = ray >> (U(63) - square)
    stop = (line & ~mask) | U(1)  # not 0; where bit 0 is on the line, it is a disc of ours or none
    closing = (TOP >> leading_zeros(stop)) & line & own
    return line & (U(0) - closing)


@inlined
def flips(square, own, opp):
    """Discs of ``opp`` that turn when the owner of ``own`` puts a disc on ``square`` (0 to 63).

    Rays that run over the edge of the board need no clipping: files a and h are not in ``inner``.
    """
    inner = opp & INNER
    f = flips_up(square, own, inner, RAY_1) | flips_down(square, own, inner, BACK_1)
    f |= flips_up(square, own, opp, RAY_8) | flips_down(square, own, opp, BACK_8)
    f |= flips_up(square, own, inner, RAY_7) | flips_down(square, own, inner, BACK_7)
    f |= flips_up(square, own, inner, RAY_9) | flips_down(square, own, inner, BACK_9)
    return f & opp


@contract.start.implements(Othello)
def othello_start(game):
    return State(U(START_BLACK), U(START_WHITE), U(0))


@contract.mover.implements(Othello)
def othello_mover(game, state):
    return np.int64(state.turn & U(1))


@contract.count_moves.implements(Othello)
def othello_count_moves(game, state):
    moves = legal(state.own, state.opp)
    if moves != U(0):
        return np.int64(popcount(moves))
    return np.int64(legal(state.opp, state.own) != U(0))


@contract.nth_move.implements(Othello)
def othello_nth_move(game, state, k):
    moves = legal(state.own, state.opp)
    return np.int64(nth_set_bit(moves, U(k))) if moves != U(0) else np.int64(PASS)


@contract.next_move.implements(Othello)
def othello_next_move(game, state, move):
    moves = legal(state.own, state.opp)
    if moves == U(0):
        if move < PASS and legal(state.opp, state.own) != U(0):
            return np.int64(PASS)
        return np.int64(NO_MOVE)
    above = moves & ~(((U(1) << U(move & 63)) << U(1)) - U(1)) if move >= 0 else moves
    return np.int64(trailing_zeros(above)) if above != U(0) else np.int64(NO_MOVE)


@contract.move_set.implements(Othello)
def othello_move_set(game, state):
    """A pass is the bit of an occupied square, which no other move is."""
    moves, theirs = legal(state.own, state.opp), legal(state.opp, state.own)
    discs = state.own | state.opp
    passing = discs & (U(0) - discs) if theirs != U(0) else U(0)
    return moves if moves != U(0) else passing


@contract.move_of_bit.implements(Othello)
def othello_move_of_bit(game, state, bit):
    return np.int64(PASS) if ((state.own | state.opp) >> bit) & U(1) != U(0) else np.int64(bit)  # both signed: no float


@contract.play.implements(Othello)
def othello_play(game, state, move):
    moved = U(0) - U(move < PASS)
    square = U(move & 63)
    disc = (U(1) << square) & moved
    turned = flips(square, state.own, state.opp) & moved
    mover = (state.turn ^ U(1)) & U(1)
    passes = ((state.turn << S1) | U(2)) & PASSES & ~moved
    return State(state.opp & ~turned, state.own | turned | disc, mover | passes)


@contract.random_move.implements(Othello)
def othello_random_move(game, state, stream):
    moves = legal(state.own, state.opp)
    square = nth_set_bit(moves, draw(stream, 0, popcount(moves)))
    return np.int64(square if moves != U(0) else U(PASS))


@contract.over.implements(Othello)
def othello_over(game, state):
    """After two passes, so that a step need not ask whether the opponent could move."""
    return (state.turn & PASSES) == PASSES


@contract.overrun.implements(Othello)
def othello_overrun(game, state):
    """Of a playout that was cut after one pass too: that pass is past the end where the other player has no move."""
    passes = np.int64(popcount(state.turn & PASSES))
    return passes if passes != 1 else np.int64(legal(state.own, state.opp) == U(0))


@contract.score.implements(Othello)
def othello_score(game, state):
    lead = np.int64(popcount(state.own)) - np.int64(popcount(state.opp))
    sign = np.int64(lead > 0) - np.int64(lead < 0)
    return sign * SCORE_UNIT * (1 - 2 * np.int64(state.turn & U(1)))


@contract.evaluation.implements(Othello)
def othello_evaluation(game, state):
    own, opp = state.own, state.opp
    mobility = np.int64(popcount(legal(own, opp))) - np.int64(popcount(legal(opp, own)))
    corners = np.int64(popcount(own & CORNERS)) - np.int64(popcount(opp & CORNERS))
    return mobility + game.corner_weight * corners


@contract.evaluation_limit.implements(Othello)
def othello_evaluation_limit(game):
    return np.int64(32 + 4 * game.corner_weight)


@contract.remaining_plies.implements(Othello)
def othello_remaining_plies(game, state):
    return np.float64(U(64) - popcount(state.own | state.opp))


# ------------------------------------------------------------------------------------------------------------- text


@contract.move_text.implements(Othello)
def othello_move_text(game, state, move):
    return "pass" if move == PASS else "abcdefgh"[move % 8] + str(move // 8 + 1)


def _discs(state):
    black, white = (state.opp, state.own) if int(state.turn) & 1 else (state.own, state.opp)
    return int(black), int(white)


@contract.gtp_setup.implements(Othello)
def othello_gtp_setup(game):
    return ["boardsize 8"]


@contract.lead.implements(Othello)
def othello_lead(game, state):
    """In discs on the board."""
    black, white = _discs(state)
    return black.bit_count() - white.bit_count()


@contract.board_text.implements(Othello)
def othello_board_text(game, state):
    black, white = _discs(state)
    legal_squares = int(legal(state.own, state.opp))
    lines = ["  a b c d e f g h"]
    for row in range(8):
        cells = (8 * row + column for column in range(8))
        lines.append(f"{row + 1} " + " ".join(_disc(black, white, legal_squares, cell) for cell in cells))
    to_move = "White (O)" if int(state.turn) & 1 else "Black (X)"
    lines.append(f"{to_move} to move; X {black.bit_count()}, O {white.bit_count()}")
    return "\n".join(lines)


def _disc(black, white, legal_squares, cell):
    for discs, sign in ((black, "X"), (white, "O"), (legal_squares, "*")):
        if discs >> cell & 1:
            return sign
    return "."


@contract.position_text.implements(Othello)
def othello_position_text(game, state):
    """64 characters X (Black), O (White), - (empty), a1 b1 ... h8, then the player to move: the usual one-line form."""
    black, white = _discs(state)
    board = "".join(_disc(black, white, 0, cell).replace(".", "-") for cell in range(64))
    passes = int(state.turn & PASSES).bit_count()
    return f"{board} {'O' if int(state.turn) & 1 else 'X'}" + (f" {passes}" if passes else "")


@contract.parse_position.implements(Othello)
def othello_parse_position(game, text):
    parts = text.split()
    board = parts[0].upper().replace("B", "X").replace("W", "O").replace(".", "-") if parts else ""
    if len(board) != 64 or set(board) - set("XO-"):
        raise BadInput(
            "position: Othello takes 64 characters X, O or - (a1 b1 ... h8), a space and the player to move, X or O"
        )
    if len(parts) not in (2, 3) or parts[1].upper() not in ("X", "O"):
        raise BadInput("position: after the 64 squares comes a space and the player to move, X or O")
    if len(parts) == 3 and parts[2] not in ("0", "1", "2"):
        raise BadInput("position: the third part, passes just made, is 0, 1 or 2")
    discs = {sign: U(sum(1 << i for i, c in enumerate(board) if c == sign)) for sign in "XO"}
    mover = parts[1].upper() == "O"
    own, opp = (discs["O"], discs["X"]) if mover else (discs["X"], discs["O"])
    passes = int(parts[2]) if len(parts) == 3 else 0
    if (passes > 0 and legal(opp, own)) or (passes > 1 and legal(own, opp)):
        raise BadInput(f"position: passes just made cannot be {passes} where a player who passed has a move")
    return State(own, opp, U(mover) | U((0, 2, 6)[passes]))
