"""Othello, 8x8: rules on bitboards without a branch, evaluation, text.

Square 0 is a1, square 7 is h1, square 56 is a8 (row 1 on top, as boards are printed). Black moves first. A player who has no
move passes (move 64, written ``pass``) if the opponent has one; the game ends when neither has.

Evaluation: difference in mobility plus ``corner_weight`` times the difference in corners, the two leading terms of the
classical programs (Rosenbloom 1982, *Iago*). The discs themselves do not count before the end.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT
from gpumcts.jit import inlined, nth_set_bit, popcount, trailing_zeros
from gpumcts.rng import draw

U = np.uint64
PASS = 64
INNER = U(0x7E7E7E7E7E7E7E7E)  # files b to g: what a horizontal or diagonal line may run over
CORNERS = U(0x8100000000000081)
START_BLACK, START_WHITE = (1 << 28) | (1 << 35), (1 << 27) | (1 << 36)  # e4 d5, d4 e5
S1, S7, S8, S9 = U(1), U(7), U(8), U(9)
PASSES = U(6)  # bits of State.turn: the last move, and the one before it, was a pass


class Othello(NamedTuple):
    """Othello on 8x8.

    corner_weight : what a corner is worth in the evaluation, in moves of mobility
    """

    corner_weight: Annotated[int, Interval(ge=0, le=100)] = 8

    WORDS = 3
    MAX_PLIES = 128  # 60 moves, at most as many passes, and the two plies after the end
    MAX_MOVES = 60  # empty squares; no reachable position comes near
    PLAYERS = 2
    LANES = True


OPTION = Othello


class State(NamedTuple):
    """own: discs of the player to move; opp: the other's; turn: bit 0 the mover, bits 1-2 the passes just made (PASSES)."""

    own: np.uint64
    opp: np.uint64
    turn: np.uint64


@inlined
def fill_up(own, mask, s):
    """Runs of ``mask`` that start next to ``own`` in the direction of a left shift by ``s``, up to six long (Kogge-Stone)."""
    f = mask & (own << s)
    f |= mask & (f << s)
    pairs = mask & (mask << s)
    f |= pairs & (f << (s + s))
    return f | (pairs & (f << (s + s)))


@inlined
def fill_down(own, mask, s):
    """The same in the direction of a right shift."""
    f = mask & (own >> s)
    f |= mask & (f >> s)
    pairs = mask & (mask >> s)
    f |= pairs & (f >> (s + s))
    return f | (pairs & (f >> (s + s)))


@inlined
def legal(own, opp):
    """Squares on which the owner of ``own`` may put a disc."""
    inner = opp & INNER
    moves = (fill_up(own, inner, S1) << S1) | (fill_down(own, inner, S1) >> S1)
    moves |= (fill_up(own, opp, S8) << S8) | (fill_down(own, opp, S8) >> S8)
    moves |= (fill_up(own, inner, S7) << S7) | (fill_down(own, inner, S7) >> S7)
    moves |= (fill_up(own, inner, S9) << S9) | (fill_down(own, inner, S9) >> S9)
    return moves & ~(own | opp)


@inlined
def flips_up(disc, own, mask, s):
    """Discs turned in one direction: the run counts only if a disc of ours closes it."""
    f = fill_up(disc, mask, s)
    return f & (U(0) - U((own & (f << s)) != U(0)))


@inlined
def flips_down(disc, own, mask, s):
    """The same in the direction of a right shift."""
    f = fill_down(disc, mask, s)
    return f & (U(0) - U((own & (f >> s)) != U(0)))


@inlined
def flips(disc, own, opp):
    """Discs of ``opp`` that turn when ``disc`` (one bit, or none) is put down."""
    inner = opp & INNER
    f = flips_up(disc, own, inner, S1) | flips_down(disc, own, inner, S1)
    f |= flips_up(disc, own, opp, S8) | flips_down(disc, own, opp, S8)
    f |= flips_up(disc, own, inner, S7) | flips_down(disc, own, inner, S7)
    return f | flips_up(disc, own, inner, S9) | flips_down(disc, own, inner, S9)


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


@contract.play.implements(Othello)
def othello_play(game, state, move):
    moved = U(0) - U(move < PASS)
    disc = (U(1) << U(move & 63)) & moved
    turned = flips(disc, state.own, state.opp)
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
    return np.int64(popcount(state.turn & PASSES))


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


@contract.unpack.implements(Othello)
def othello_unpack(game, words, at, stride):
    return State(words[at], words[at + stride], words[at + 2 * stride])


# ------------------------------------------------------------------------------------------------------------- text


@contract.move_text.implements(Othello)
def othello_move_text(game, state, move):
    return "pass" if move == PASS else "abcdefgh"[move % 8] + str(move // 8 + 1)


def _discs(state):
    black, white = (state.opp, state.own) if int(state.turn) & 1 else (state.own, state.opp)
    return int(black), int(white)


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
        raise BadInput("position: Othello takes 64 characters X, O or - (a1 b1 ... h8), a space and the player to move, X or O")
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
