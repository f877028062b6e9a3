"""Dots and Boxes on a few dots: who completes a box moves again, so that two plies in a row may have one mover.

    1 +---+---+     The line that completes a box (or two) gives its player the boxes and another move. When all lines
      |   |         are drawn, whoever has more boxes wins. On 2 x 2 boxes, drawn here, the first player wins by 3 to 1
    2 +   +---+     if the first line is one of the outer eight, and the inner four give a draw; on 1 x 2 perfect play
          |         is a draw, and only the line in the middle holds it.
    3 +   +   +
      a   b   c     A search that took the mover to change at every ply would err in most positions of 2 x 2.

Evaluation: the boxes ahead, and those with three sides, which the mover may take at once.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.bits import nth_set_bit, popcount
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.jit import inlined

U = np.uint64
VERTICAL = 32  # horizontal lines are bits 0 to 31, vertical ones bits 32 to 63
LOW = U(0xFFFFFFFF)
MAX_ROWS_OF_DOTS = 5


class DotsAndBoxes(NamedTuple):
    """Dots and Boxes.

    rows, columns : how many boxes
    """

    rows: Annotated[int, Interval(ge=1, le=4)] = 2
    columns: Annotated[int, Interval(ge=1, le=4)] = 2

    MAX_PLIES = 40  # the lines of 4 x 4 boxes
    MAX_MOVES = 40
    PLAYERS = 2
    LANES = True
    NAMED_MOVES = True
    CELLS = 63  # numbers of lines, of which the last bit is none: a line is drawn once, as a stone is placed


OPTION = DotsAndBoxes


@contract.state_of(DotsAndBoxes)
class State(NamedTuple):
    """lines: the lines drawn; line (row, column) is bit row * (columns + 1) + column of its half.

    tally: bit 0 the mover, above it the number of boxes that the first player has.
    """

    lines: np.uint64
    tally: np.uint64


@inlined
def grid(rows, columns, stride):
    """Bits row * stride + column of a rectangle of cells."""
    row = (U(1) << U(columns)) - U(1)
    cells = U(0)
    for i in range(MAX_ROWS_OF_DOTS):
        cells |= (row << (U(i) * U(stride))) * U(i < rows)
    return cells


@inlined
def free_lines(game, state):
    """The lines not drawn yet."""
    stride = game.columns + 1
    horizontal = grid(game.rows + 1, game.columns, stride)
    vertical = grid(game.rows, game.columns + 1, stride)
    return (horizontal | (vertical << U(VERTICAL))) & ~state.lines


@inlined
def sides(game, lines):
    """Whether the upper, lower, left and right sides of the boxes are drawn: four masks, a box at its corner."""
    horizontal, vertical = lines & LOW, lines >> U(VERTICAL)
    return horizontal, horizontal >> U(game.columns + 1), vertical, vertical >> U(1)


@inlined
def full_boxes(game, lines):
    """Number of boxes with four sides."""
    up, down, left, right = sides(game, lines)
    return popcount(up & down & left & right)


@contract.start.implements(DotsAndBoxes)
def dots_start(game):
    return State(U(0), U(0))


@contract.mover.implements(DotsAndBoxes)
def dots_mover(game, state):
    return np.int64(state.tally & U(1))


@contract.count_moves.implements(DotsAndBoxes)
def dots_count_moves(game, state):
    return np.int64(popcount(free_lines(game, state)))


@contract.nth_move.implements(DotsAndBoxes)
def dots_nth_move(game, state, k):
    return np.int64(nth_set_bit(free_lines(game, state), U(k)))


@contract.move_set.implements(DotsAndBoxes)
def dots_move_set(game, state):
    return free_lines(game, state)


@contract.play.implements(DotsAndBoxes)
def dots_play(game, state, move):
    line = (U(1) << U(move & 63)) & free_lines(game, state)  # none where the game is over
    lines = state.lines | line
    gained = full_boxes(game, lines) - full_boxes(game, state.lines)
    mover = state.tally & U(1)
    passes_on = U(gained == U(0))
    return State(lines, (state.tally + U(2) * gained * (U(1) - mover)) ^ passes_on)


@inlined
def lead(game, state):
    """Boxes of the player to move minus the other's, int64."""
    first = np.int64(state.tally >> U(1))
    ahead = 2 * first - np.int64(full_boxes(game, state.lines))
    return ahead * (1 - 2 * np.int64(state.tally & U(1)))


@contract.score.implements(DotsAndBoxes)
def dots_score(game, state):
    ahead = lead(game, state) * (1 - 2 * np.int64(state.tally & U(1)))
    return SCORE_UNIT * (np.int64(ahead > 0) - np.int64(ahead < 0))


@contract.evaluation.implements(DotsAndBoxes)
def dots_evaluation(game, state):
    up, down, left, right = sides(game, state.lines)
    three = ((up & down) & (left ^ right)) | ((up ^ down) & (left & right))
    boxes = grid(game.rows, game.columns, game.columns + 1)
    return lead(game, state) + np.int64(popcount(three & boxes))


@contract.evaluation_limit.implements(DotsAndBoxes)
def dots_evaluation_limit(game):
    return np.int64(game.rows * game.columns)


@contract.noisy.implements(DotsAndBoxes)
def dots_noisy(game, state, move):
    """The boxes that a line completes, 0 to 2."""
    line = U(1) << U(move & 63)
    return np.int64(full_boxes(game, state.lines | line) - full_boxes(game, state.lines))


@contract.remaining_plies.implements(DotsAndBoxes)
def dots_remaining_plies(game, state):
    return np.float64(popcount(free_lines(game, state)))


# ------------------------------------------------------------------------------------------------------------- text


def _dot(row, column):
    return "abcde"[column] + str(row + 1)


@contract.move_text.implements(DotsAndBoxes)
def dots_move_text(game, state, move):
    """The two dots that the line joins: ``a1b1`` lies, ``a1a2`` stands."""
    row, column = divmod(int(move) % VERTICAL, game.columns + 1)
    stands = move >= VERTICAL
    return _dot(row, column) + (_dot(row + 1, column) if stands else _dot(row, column + 1))


def _rows(game):
    """The bits of the lines, row by row as they are drawn: a row that lies, a row that stands, and so on."""
    for row in range(game.rows + 1):
        first = row * (game.columns + 1)
        yield range(first, first + game.columns)
        if row < game.rows:
            yield range(VERTICAL + first, VERTICAL + first + game.columns + 1)


@contract.board_text.implements(DotsAndBoxes)
def dots_board_text(game, state):
    picture = []
    for number, bits in enumerate(_rows(game)):
        drawn = [int(state.lines) >> bit & 1 for bit in bits]
        if number % 2 == 0:
            picture.append(f"{number // 2 + 1} +" + "+".join("---" if line else "   " for line in drawn) + "+")
        else:
            picture.append("  " + "   ".join("|" if line else " " for line in drawn).rstrip())
    picture.append("  " + "   ".join("abcde"[: game.columns + 1]))
    first = int(state.tally) >> 1
    second = int(full_boxes(game, state.lines)) - first
    return "\n".join([*picture, f"{'AB'[int(state.tally) & 1]} to move; boxes of A {first}, of B {second}"])


@contract.position_text.implements(DotsAndBoxes)
def dots_position_text(game, state):
    """Rows of lines (``-`` or ``|``, ``.`` where none is) joined by ``/``, the boxes of A, and who moves, A or B."""
    rows = (
        "".join("-|"[number % 2] if int(state.lines) >> bit & 1 else "." for bit in bits)
        for number, bits in enumerate(_rows(game))
    )
    return f"{'/'.join(rows)} {int(state.tally) >> 1} {'AB'[int(state.tally) & 1]}"


@contract.parse_position.implements(DotsAndBoxes)
def dots_parse_position(game, text):
    parts = text.split()
    rows = parts[0].split("/") if parts else []
    wanted = list(_rows(game))
    if [len(row) for row in rows] != [len(bits) for bits in wanted] or len(parts) != 3:
        lengths = "/".join("x" * len(bits) for bits in wanted)
        raise BadInput(f"position: Dots and Boxes takes rows of lines {lengths}, the boxes of A, and who moves, A or B")
    lines = 0
    for number, (row, bits) in enumerate(zip(rows, wanted, strict=True)):
        sign = "-|"[number % 2]
        if set(row) - {sign, "."}:
            raise BadInput(f"position: row {row!r} takes {sign} for a line and . for none")
        lines |= sum(1 << bit for character, bit in zip(row, bits, strict=True) if character == sign)
    full = int(full_boxes(game, U(lines)))
    counted = parts[1].isascii() and parts[1].isdecimal() and len(parts[1]) < 9 and int(parts[1]) <= full
    if not counted or parts[2].upper() not in ("A", "B"):
        raise BadInput(f"position: after the lines come the boxes of A, 0 to {full} here, and who moves, A or B")
    return State(U(lines), U(2 * int(parts[1]) + (parts[2].upper() == "B")))
