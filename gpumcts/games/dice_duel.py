"""A duel with a loaded die: chance moves between the players, and its outcomes are not equally likely.

The players take turns. In a turn the die is thrown (1 with probability 3/6, 2 with 2/6, 3 with 1/6), and the player
keeps the throw or throws once more; the second throw counts. After ``turns`` turns each, whoever has more points wins.

Whether to throw again depends on the standing, so an exact value needs expectation at the die and minimax at the
players; turns of two plies or three make players and chance follow each other in every order.

Evaluation: the points ahead, the die on the table included.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, SCORE_UNIT, mover, over
from gpumcts.rng import draw

U = np.uint64
KEEP, AGAIN = 0, 1
FACES = 3
FIRST_THROW, SECOND_THROW = U(0), U(FACES + 1)  # State.die, where it is not a face


class DiceDuel(NamedTuple):
    """A duel with a loaded die.

    turns : turns of each player
    """

    turns: Annotated[int, Interval(ge=1, le=4)] = 2

    MAX_PLIES = 24  # eight turns of throw, decision, throw
    MAX_MOVES = 3
    PLAYERS = 2
    LANES = False


OPTION = DiceDuel


@contract.state_of(DiceDuel)
class State(NamedTuple):
    """turn: turns finished, of both; first, second: points; die: FIRST_THROW, the face shown, or SECOND_THROW."""

    turn: np.uint64
    first: np.uint64
    second: np.uint64
    die: np.uint64


@contract.start.implements(DiceDuel)
def dice_start(game):
    return State(U(0), U(0), U(0), FIRST_THROW)


@contract.over.implements(DiceDuel)
def dice_over(game, state):
    return state.turn == U(2 * game.turns)


@contract.mover.implements(DiceDuel)
def dice_mover(game, state):
    thrown = state.die != FIRST_THROW and state.die != SECOND_THROW
    if thrown or over(game, state):
        return np.int64(state.turn & U(1))
    return np.int64(CHANCE)


@contract.count_moves.implements(DiceDuel)
def dice_count_moves(game, state):
    if over(game, state):
        return np.int64(0)
    return np.int64(FACES if mover(game, state) == CHANCE else 2)


@contract.nth_move.implements(DiceDuel)
def dice_nth_move(game, state, k):
    return np.int64(k + 1 if mover(game, state) == CHANCE else k)


@contract.play.implements(DiceDuel)
def dice_play(game, state, move):
    if over(game, state):
        return state
    if state.die == FIRST_THROW:
        return State(state.turn, state.first, state.second, U(move))
    if state.die != SECOND_THROW and move == AGAIN:
        return State(state.turn, state.first, state.second, SECOND_THROW)
    points = U(move) if state.die == SECOND_THROW else state.die
    second = (state.turn & U(1)) * points
    return State(state.turn + U(1), state.first + points - second, state.second + second, FIRST_THROW)


@contract.chance_weight.implements(DiceDuel)
def dice_chance_weight(game, state, move):
    return np.int64(FACES + 1 - move)


@contract.chance_move.implements(DiceDuel)
def dice_chance_move(game, state, stream):
    side = draw(stream, 0, 6)  # of six sides three show a 1, two a 2, one a 3
    return np.int64(U(1) + U(side >= U(3)) + U(side >= U(5)))


@contract.score.implements(DiceDuel)
def dice_score(game, state):
    return SCORE_UNIT * (np.int64(state.first > state.second) - np.int64(state.first < state.second))


@contract.evaluation.implements(DiceDuel)
def dice_evaluation(game, state):
    """For the first player where chance moves."""
    ahead = np.int64(state.first) - np.int64(state.second)
    if mover(game, state) == CHANCE:
        return ahead
    return (ahead if state.turn & U(1) == U(0) else -ahead) + np.int64(state.die)


@contract.evaluation_limit.implements(DiceDuel)
def dice_evaluation_limit(game):
    return np.int64(FACES * game.turns)


@contract.remaining_plies.implements(DiceDuel)
def dice_remaining_plies(game, state):
    return np.float64(2.5) * np.float64(U(2 * game.turns) - state.turn)


# ------------------------------------------------------------------------------------------------------------- text


@contract.move_text.implements(DiceDuel)
def dice_move_text(game, state, move):
    return str(move) if mover(game, state) == CHANCE else ("keep", "again")[move]


@contract.board_text.implements(DiceDuel)
def dice_board_text(game, state):
    points = f"turn {int(state.turn)} of {2 * game.turns}; points of A {state.first}, of B {state.second}"
    if over(game, state):
        return f"{points}\nthe duel is over"
    doing = {FIRST_THROW: "is to throw", SECOND_THROW: "throws again"}.get(state.die, f"threw a {state.die}")
    return f"{points}\n{'AB'[int(state.turn) & 1]} {doing}"


@contract.position_text.implements(DiceDuel)
def dice_position_text(game, state):
    """Turns finished, points of A, points of B, and the die: ``-`` before the first throw, a face, ``again``."""
    die = {FIRST_THROW: "-", SECOND_THROW: "again"}.get(state.die, str(state.die))
    return f"{state.turn} {state.first} {state.second} {die}"


@contract.parse_position.implements(DiceDuel)
def dice_parse_position(game, text):
    parts = text.lower().split()
    if len(parts) != 4 or not all(part.isascii() and part.isdecimal() and len(part) < 9 for part in parts[:3]):
        raise BadInput("position: a dice duel takes the turns finished, the points of A and of B, and the die")
    turn, first, second = (int(part) for part in parts[:3])
    if turn > 2 * game.turns:
        raise BadInput(f"position: the turns finished are 0 to {2 * game.turns}")
    for who, points, turns in (("A", first, (turn + 1) // 2), ("B", second, turn // 2)):
        if not turns <= points <= FACES * turns:
            raise BadInput(f"position: after {turn} turns the points of {who} are {turns} to {FACES * turns}")
    dice = {"-": FIRST_THROW, "1": U(1), "2": U(2), "3": U(3), "again": SECOND_THROW}
    if parts[3] not in (dice if turn < 2 * game.turns else "-"):
        raise BadInput("position: the die is -, 1, 2, 3 or again, and - once the duel is over")
    return State(U(turn), U(first), U(second), dice[parts[3]])
