"""Connect Four, 7 columns of 6 squares: rules on one word a side without a branch, evaluation, text.

Players drop discs into columns in turn; a disc falls to the lowest free square. Whoever first has four in a row, along
a column, a row or a diagonal, wins; a full board is a draw. Allis (1988) and Allen (1988) solved the game: the first
player wins, by the column in the middle alone.

Square (row, column) is number 7 * column + row, row 0 below. The seventh bit of a column is never a square: there a
carry ends that adds a disc to a full column, and lines of bits that leave the board meet it.

Evaluation: the squares that would complete a four of a player, and discs in the column in the middle.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.bits import popcount
from gpumcts.errors import BadInput
from gpumcts.games import contract, moves
from gpumcts.games.boards import RectangularBoard, sign_of
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.jit import inlined

U = np.uint64
ROWS, COLUMNS = 6, 7
BOARD = RectangularBoard(ROWS, COLUMNS, row_step=1, column_step=ROWS + 1)
SQUARES = U(BOARD.bits())
BOTTOM = U(BOARD.bits(lambda row, column: row == 0))
MIDDLE = U(BOARD.bits(lambda row, column: column == COLUMNS // 2))
WON = U(1 << 63)  # of State.opp: the player who is not to move has four in a row
UP, FALLING, ALONG, RISING = (U(step) for step in (1, 6, 7, 8))  # what a step of a line adds to the number of a square
MAX_THREATS = 16
SIGNS = "xo"


class ConnectFour(NamedTuple):
    """Connect Four on 7 columns of 6 squares.

    threat_weight : what a free square is worth in the evaluation that completes a four, in discs in the middle
    """

    threat_weight: Annotated[int, Interval(ge=0, le=100)] = 4

    MAX_PLIES = ROWS * COLUMNS
    MAX_MOVES = COLUMNS
    PLAYERS = 2
    LANES = True
    NAMED_MOVES = True
    CELLS = COLUMNS * (ROWS + 1)  # a move is the square on which the disc comes to lie


OPTION = ConnectFour


@contract.state_of(ConnectFour)
class State(NamedTuple):
    """own: discs of the player to move; opp: the other's, and WON."""

    own: np.uint64
    opp: np.uint64


@inlined
def in_line(discs, s):
    """Whether four discs stand in a line of step ``s``: the squares at which such lines begin."""
    pairs = discs & (discs >> s)
    return pairs & (pairs >> (s + s))


@inlined
def has_four(discs):
    """WON where a side has four in a row, else 0."""
    fours = in_line(discs, UP) | in_line(discs, FALLING) | in_line(discs, ALONG) | in_line(discs, RISING)
    return WON if fours != U(0) else U(0)


@inlined
def completing(discs, s):
    """The squares that complete four in a line of step ``s``, those with a disc and those off the board included."""
    below, above = (discs << s) & (discs << (s + s)), (discs >> s) & (discs >> (s + s))
    three_below, three_above = below & (discs << (s + s + s)), above & (discs >> (s + s + s))
    return three_below | three_above | (below & (discs >> s)) | (above & (discs << s))


@inlined
def threats(discs, free):
    """How many of the free squares complete four in a row, as int64."""
    up = (discs << UP) & (discs << (UP + UP)) & (discs << (UP + UP + UP))
    others = completing(discs, FALLING) | completing(discs, ALONG) | completing(discs, RISING)
    return np.int64(popcount((up | others) & free))


@contract.start.implements(ConnectFour)
def connect_four_start(game):
    return State(U(0), U(0))


@contract.mover.implements(ConnectFour)
def connect_four_mover(game, state):
    return np.int64(popcount((state.own | state.opp) & SQUARES) & U(1))


@moves.from_word(ConnectFour)
def landings(game, state):
    """The square in each column on which a disc comes to lie; none once the game is over."""
    discs = (state.own | state.opp) & SQUARES
    return ((discs + BOTTOM) & SQUARES) if state.opp < WON else U(0)


@contract.play.implements(ConnectFour)
def connect_four_play(game, state, move):
    disc = (U(1) << U(move & 63)) & landings(game, state)  # none where the game is over
    discs = state.own | disc
    after = State(state.opp, discs | has_four(discs))
    return after if disc != U(0) else state


@contract.over.implements(ConnectFour)
def connect_four_over(game, state):
    return (state.opp >= WON) | ((state.own | state.opp) & SQUARES == SQUARES)


@contract.score.implements(ConnectFour)
def connect_four_score(game, state):
    loss = -SCORE_UNIT if state.opp >= WON else 0  # of the player to move
    return np.int64(-loss if popcount((state.own | state.opp) & SQUARES) & U(1) else loss)


@contract.evaluation.implements(ConnectFour)
def connect_four_evaluation(game, state):
    opp = state.opp & SQUARES
    free = SQUARES & ~(state.own | opp)
    ahead = min(max(threats(state.own, free) - threats(opp, free), -MAX_THREATS), MAX_THREATS)
    return game.threat_weight * ahead + np.int64(popcount(state.own & MIDDLE)) - np.int64(popcount(opp & MIDDLE))


@contract.evaluation_limit.implements(ConnectFour)
def connect_four_evaluation_limit(game):
    return np.int64(MAX_THREATS * game.threat_weight + ROWS)


@contract.remaining_plies.implements(ConnectFour)
def connect_four_remaining_plies(game, state):
    return np.float64(popcount(SQUARES & ~(state.own | state.opp)))


# ------------------------------------------------------------------------------------------------------------- text


def _sides(state):
    """The discs of the first and of the second player, with their signs."""
    own, opp = int(state.own & SQUARES), int(state.opp & SQUARES)
    return list(zip((own, opp) if (own | opp).bit_count() % 2 == 0 else (opp, own), SIGNS, strict=True))


@contract.move_text.implements(ConnectFour)
def connect_four_move_text(game, state, move):
    """The column, 1 to 7, as solvers write games."""
    return str(BOARD.square(move)[1] + 1)


@contract.board_text.implements(ConnectFour)
def connect_four_board_text(game, state):
    lines = BOARD.lines(lambda number: sign_of(_sides(state), number))
    numbers = " ".join(str(column + 1) for column in range(COLUMNS))
    to_move = SIGNS[int(connect_four_mover(game, state))]
    return "\n".join([*map(" ".join, lines), numbers, f"{to_move} to move"])


@contract.position_text.implements(ConnectFour)
def connect_four_position_text(game, state):
    """The rows from the top joined by ``/``, x the first player, o the second and . for free; who moves follows."""
    return "/".join(BOARD.lines(lambda number: sign_of(_sides(state), number)))


@contract.parse_position.implements(ConnectFour)
def connect_four_parse_position(game, text):
    sides = BOARD.read(text.strip().lower(), SIGNS + ".")
    first, second = sides["x"], sides["o"]
    discs = first | second
    if any(
        discs >> at & 2 and not discs >> at & 1 for at in range(COLUMNS * (ROWS + 1)) if BOARD.square(at)[0] < ROWS - 1
    ):
        raise BadInput("position: a disc of Connect Four lies on the bottom or on another disc")
    if first.bit_count() - second.bit_count() not in (0, 1):
        raise BadInput("position: x has as many discs as o, or one more")
    own, opp = (U(first), U(second)) if first.bit_count() == second.bit_count() else (U(second), U(first))
    if has_four(own) != U(0):
        raise BadInput("position: the player to move has four in a row already")
    return State(own, opp | has_four(opp))
