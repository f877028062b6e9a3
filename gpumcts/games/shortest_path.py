"""A walk across a 5 x 5 field with a toll in every square: one player, and costs in place of wins.

The walker starts in the upper left corner (a1) and goes east, south, or south-east until the lower right corner (e5);
every square entered costs its toll of 1 to 4, a diagonal step 1 more. A walk costs 8 to 32 in any field.

Costs become scores linearly, and the cheaper the better: ``score = SCORE_UNIT * (16 - cost) / 16``, so that a cost of 0
is +SCORE_UNIT (value 1), 16 is 0 (value 1/2), and 32 is -SCORE_UNIT (value 0). There is no opponent: values never flip.

The default field deceives on purpose: the cheapest walk (11, the only one) begins south, where random walks cost 19.8
on the average, against 16.9 in the east; always taking the cheapest next square costs 15.
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
SIDE = 5
EAST_EDGE = sum(1 << row * SIDE + SIDE - 1 for row in range(SIDE))  # the squares of the last column, as bits
EAST, SOUTH, SOUTH_EAST = 0, 1, 2
MOVES = ("e", "s", "se")
MIDDLE = 16  # the cost whose score is 0
DEAREST = 4  # the highest toll


class ShortestPath(NamedTuple):
    """A walk across a field of tolls.

    terrain : the tolls minus 1, two bits a square, a1 in the lowest bits, then b1 ... e5
    """

    terrain: Annotated[int, Interval(ge=0, lt=1 << 50)] = 0x2FB83DE343407

    MAX_PLIES = 2 * (SIDE - 1)
    MAX_MOVES = 3
    PLAYERS = 1
    LANES = True


OPTION = ShortestPath


@contract.state_of(ShortestPath)
class State(NamedTuple):
    """square: row * 5 + column, row 0 in the north; cost: tolls paid so far."""

    square: np.uint64
    cost: np.uint64


@inlined
def ways(square):
    """Bits EAST, SOUTH and SOUTH_EAST of the steps that stay on the field; none at the goal."""
    east = ~(U(EAST_EDGE) >> square) & U(1)  # a remainder by five would keep the step out of vector registers
    south = U(square < U(SIDE * (SIDE - 1)))
    return (east << U(EAST)) | (south << U(SOUTH)) | ((east & south) << U(SOUTH_EAST))


@inlined
def toll(game, square):
    """What it costs to enter a square, uint64 from 1 to 4."""
    return ((U(game.terrain) >> (U(2) * square)) & U(3)) + U(1)


@contract.start.implements(ShortestPath)
def path_start(game):
    return State(U(0), U(0))


@contract.mover.implements(ShortestPath)
def path_mover(game, state):
    return np.int64(0)


@contract.count_moves.implements(ShortestPath)
def path_count_moves(game, state):
    return np.int64(popcount(ways(state.square)))


@contract.nth_move.implements(ShortestPath)
def path_nth_move(game, state, k):
    return np.int64(nth_set_bit(ways(state.square), U(k)))


@contract.move_set.implements(ShortestPath)
def path_move_set(game, state):
    return ways(state.square)


@contract.play.implements(ShortestPath)
def path_play(game, state, move):
    goes = (ways(state.square) >> U(move & 63)) & U(1)  # 0 at the goal
    diagonal = U(move == SOUTH_EAST)
    square = state.square + goes * (U(1) + U(SIDE - 1) * U(move == SOUTH) + U(SIDE) * diagonal)
    return State(square, state.cost + goes * (toll(game, square) + diagonal))


@contract.score.implements(ShortestPath)
def path_score(game, state):
    return (MIDDLE - np.int64(state.cost)) * (SCORE_UNIT // MIDDLE)


@inlined
def steps_left(square):
    """Steps to the goal along the diagonal, int64."""
    row, column = np.int64(square // U(SIDE)), np.int64(square % U(SIDE))
    return SIDE - 1 - min(row, column)


@contract.evaluation.implements(ShortestPath)
def path_evaluation(game, state):
    """In units of cost, on the scale of the score: every step left is taken to cost two."""
    return MIDDLE - np.int64(state.cost) - 2 * steps_left(state.square)


@contract.evaluation_limit.implements(ShortestPath)
def path_evaluation_limit(game):
    return np.int64(MIDDLE)


@contract.remaining_plies.implements(ShortestPath)
def path_remaining_plies(game, state):
    return np.float64(steps_left(state.square))


# ------------------------------------------------------------------------------------------------------------- text


@contract.move_text.implements(ShortestPath)
def path_move_text(game, state, move):
    return MOVES[move]


@contract.board_text.implements(ShortestPath)
def path_board_text(game, state):
    lines = ["  " + " ".join("abcde")]
    for row in range(SIDE):
        squares = (U(row * SIDE + column) for column in range(SIDE))
        lines.append(f"{row + 1} " + " ".join("@" if s == state.square else str(toll(game, s)) for s in squares))
    return "\n".join([*lines, f"the walker is at @; paid {state.cost}"])


@contract.position_text.implements(ShortestPath)
def path_position_text(game, state):
    """The square and the cost so far, such as ``c3 7``."""
    row, column = divmod(int(state.square), SIDE)
    return f"{'abcde'[column]}{row + 1} {state.cost}"


@contract.parse_position.implements(ShortestPath)
def path_parse_position(game, text):
    parts = text.split()
    square = parts[0].lower() if parts else ""
    if len(parts) != 2 or len(square) != 2 or square[0] not in "abcde" or square[1] not in "12345":
        raise BadInput("position: a walk takes a square, a1 to e5, and the cost so far, such as 'c3 7'")
    row, column = int(square[1]) - 1, "abcde".index(square[0])
    most = DEAREST * (row + column)
    if not (parts[1].isascii() and parts[1].isdecimal()) or len(parts[1]) > 8 or int(parts[1]) > most:
        raise BadInput(f"position: the cost so far at {square} is 0 to {most}")
    return State(U(row * SIDE + column), U(int(parts[1])))
