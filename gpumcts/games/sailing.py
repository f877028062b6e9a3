"""Sailing: a boat under a changing wind, one player, chance, and costs in place of wins (Kocsis and Szepesvári 2006,
section 3.2).

The boat starts in the south-west corner of an n x n grid and sails legs to neighbouring squares until it reaches the
north-east corner. A leg costs 1 straight away with the wind, 2 down, 3 across, 4 up the wind (45, 90 and 135 degrees
off); straight into the wind it is forbidden, and so is a leg off the grid. Diagonal legs cost sqrt 2 times as much.
Sailing on the other tack than the leg before costs a delay of 3. After each leg the wind stays or turns by 45 degrees,
with the probabilities of Vanderbei's problem, which Peret and Garcia (2004) took over.

The document says neither whether its wind is named by where it blows to or from, nor what a leg straight away from the
wind, which is on neither tack, does to the tack: both are options.

Costs are exact: a + b sqrt 2 is kept as the integers a and b. Only the score rounds, to the next of SCORE_UNIT's steps:
``score = SCORE_UNIT * (1 - 2 cost / limit)`` with limit = patience * n, and a voyage that has cost as much is given up
with -SCORE_UNIT. So no voyage has more legs than that, and values keep their scale on every grid. Random voyages are
long (they cost about 10 n^2): with the default patience of 16 nearly all are given up on grids above 5 x 5.
Evaluation: on the scale of the score; every square left, diagonals as sqrt 2, is taken to cost 3.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.bits import nth_set_bit, popcount, trailing_zeros
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, NO_MOVE, SCORE_UNIT, move_set, over
from gpumcts.jit import inlined
from gpumcts.rng import draw

U = np.uint64
NAMES = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
TACKS = ("none", "starboard", "port")
DIRECTIONS = 8
LARGEST = 64  # squares a side: coordinates take six bits
TENTHS = 10

# One nibble a direction, N in the lowest.
TURN_BACK = U(0x33344443)  # tenths of the probability that the wind turns by 45 degrees against the clock
STAY = U(0x33323334)  # ... that it stays; what is left is the turn with the clock
LEG_COSTS = U(0x23404321)  # by the angle between leg and wind

# One bit a direction, N in the lowest.
NORTH, EAST, SOUTH, WEST = U(0b10000011), U(0b00001110), U(0b00111000), U(0b11100000)
DIAGONAL = U(0b10101010)

SQRT_2 = U(1554944255988)  # times 2^-40
STRAIGHT, DIAGONALS = U(1), U(1) << U(32)  # one unit of cost of each kind in State.paid


class Sailing(NamedTuple):
    """A voyage across a grid.

    size : squares a side
    patience : a voyage is given up once it has cost so many times the size
    wind_from : the wind is named by where it blows from; else by where it blows to
    keep_tack : a leg straight away from the wind keeps the tack, and the delay of changing it; else it resets it
    """

    size: Annotated[int, Interval(ge=2, le=LARGEST)] = 10
    patience: Annotated[int, Interval(ge=8, le=32)] = 16
    wind_from: bool = False
    keep_tack: bool = False

    MAX_MOVES = 7
    PLAYERS = 1
    LANES = False

    @property
    def MAX_PLIES(self) -> int:  # noqa: N802 (a class attribute of other games)
        """A leg costs at least 1, and every leg is followed by a ply of chance."""
        return 2 * self.patience * self.size


OPTION = Sailing


@contract.state_of(Sailing)
class State(NamedTuple):
    """boat: x in bits 0-5, y in 6-11, wind in 12-14, tack in 15-16, bit 17 where the wind is to be drawn.

    paid: the cost so far, straight units in the low 32 bits, units of sqrt 2 above.
    """

    boat: np.uint64
    paid: np.uint64


@inlined
def boat_word(x, y, wind, tack, drawing):
    """``State.boat`` from its parts, all uint64."""
    return x | (y << U(6)) | (wind << U(12)) | (tack << U(15)) | (drawing << U(17))


@inlined
def parts(boat):
    """x (0 in the west), y (0 in the south), wind, tack of the last leg (0 none, 1 starboard, 2 port), all uint64."""
    return boat & U(63), (boat >> U(6)) & U(63), (boat >> U(12)) & U(7), (boat >> U(15)) & U(3)


@inlined
def is_drawing(boat):
    """Whether the wind is to be drawn."""
    return (boat >> U(17)) != U(0)


@inlined
def nibble(table, direction):
    """Entry of a table of nibbles, uint64."""
    return (table >> (U(4) * direction)) & U(15)


@inlined
def one_way(mask, direction):
    """1 if ``direction`` is in the mask, else 0, uint64."""
    return (mask >> direction) & U(1)


@inlined
def at_goal(game, x, y):
    """Whether (x, y), uint64, is the north-east corner."""
    return (x == U(game.size - 1)) & (y == U(game.size - 1))


@inlined
def blows_to(game, wind):
    """The direction a wind blows to, uint64."""
    return (wind + U(4) * U(game.wind_from)) & U(7)


@inlined
def legs(game, x, y, wind):
    """The legal legs of a boat at (x, y), uint64: a bit a direction, N in the lowest. The goal has some, too."""
    last = U(game.size - 1)
    off = NORTH * U(y == last) | SOUTH * U(y == U(0)) | EAST * U(x == last) | WEST * U(x == U(0))
    return U(255) & ~(off | (U(1) << ((blows_to(game, wind) + U(4)) & U(7))))


@inlined
def leg(game, wind, tack, direction):
    """What a legal leg costs, as ``State.paid`` counts it, and the tack it leaves: (uint64, uint64)."""
    angle = (direction - blows_to(game, wind)) & U(7)
    new = U(0) if angle == U(0) else U(1) + U(angle > U(4))
    delay = U(3) * U((tack != U(0)) & (new != U(0)) & (tack != new))
    cost = nibble(LEG_COSTS, angle) * (DIAGONALS if one_way(DIAGONAL, direction) else STRAIGHT)
    return cost + delay, tack if game.keep_tack and new == U(0) else new


@inlined
def arrival(x, y, direction):
    """Where a leg leads, (x, y) uint64."""
    return (
        x + one_way(EAST, direction) - one_way(WEST, direction),
        y + one_way(NORTH, direction) - one_way(SOUTH, direction),
    )


@inlined
def wind_weight(wind, new):
    """Probability in tenths that ``new`` follows ``wind``, uint64; 0 for all but ``wind`` and its neighbours."""
    turn = (new - wind) & U(7)
    if turn == U(0):
        return nibble(STAY, wind)
    back = nibble(TURN_BACK, wind)
    return back * U(turn == U(7)) + (U(TENTHS) - back - nibble(STAY, wind)) * U(turn == U(1))


@inlined
def next_winds(wind):
    """The winds that may follow, itself and its neighbours, uint64, a bit each."""
    turns = U(7) << ((wind + U(7)) & U(7))  # beyond NW on from N
    return (turns | (turns >> U(8))) & U(255)


@inlined
def cost_40(paid):
    """A cost in units of 2^-40, uint64: sqrt 2's error, below 2^-41 for each of at most 2^12 units, decides nothing."""
    return ((paid & U(0xFFFFFFFF)) << U(40)) + (paid >> U(32)) * SQRT_2


@inlined
def limit(game):
    """The cost at which a voyage is given up, uint64."""
    return U(game.patience * game.size)


@contract.start.implements(Sailing)
def sailing_start(game):
    return State(U(0), U(0))


@contract.over.implements(Sailing)
def sailing_over(game, state):
    x, y, _, _ = parts(state.boat)
    return at_goal(game, x, y) | (cost_40(state.paid) >= limit(game) << U(40))


@contract.mover.implements(Sailing)
def sailing_mover(game, state):
    return np.int64(CHANCE if is_drawing(state.boat) else 0)


@contract.move_set.implements(Sailing)
def sailing_move_set(game, state):
    if over(game, state):
        return U(0)
    x, y, wind, _ = parts(state.boat)
    if is_drawing(state.boat):
        return next_winds(wind)
    return legs(game, x, y, wind)


@contract.count_moves.implements(Sailing)
def sailing_count_moves(game, state):
    return np.int64(popcount(move_set(game, state)))


@contract.nth_move.implements(Sailing)
def sailing_nth_move(game, state, k):
    return np.int64(nth_set_bit(move_set(game, state), U(k)))


@contract.next_move.implements(Sailing)
def sailing_next_move(game, state, move):
    later = (move_set(game, state) >> U(move + 1)) << U(move + 1)
    return np.int64(trailing_zeros(later)) if later else np.int64(NO_MOVE)


@contract.play.implements(Sailing)
def sailing_play(game, state, move):
    if over(game, state):
        return state
    way = U(move & 7)
    x, y, wind, tack = parts(state.boat)
    if is_drawing(state.boat):
        return State(boat_word(x, y, way, tack, U(0)), state.paid)
    cost, new = leg(game, wind, tack, way)
    x, y = arrival(x, y, way)
    return State(boat_word(x, y, wind, new, U(1)), state.paid + cost)


@contract.chance_weight.implements(Sailing)
def sailing_chance_weight(game, state, move):
    return np.int64(wind_weight(parts(state.boat)[2], U(move)))


@contract.chance_move.implements(Sailing)
def sailing_chance_move(game, state, stream):
    wind, side = parts(state.boat)[2], draw(stream, 0, TENTHS)
    winds = next_winds(wind)
    first, others = trailing_zeros(winds), winds & (winds - U(1))
    second, last = trailing_zeros(others), trailing_zeros(others & (others - U(1)))
    below, above = wind_weight(wind, first), U(TENTHS) - wind_weight(wind, last)
    return np.int64(first if side < below else second if side < above else last)


@inlined
def score_of(game, paid):
    """The score of a voyage that has cost ``paid``, int64: linear, and -SCORE_UNIT from the limit on."""
    part = ((cost_40(paid) >> U(20)) * U(2 * SCORE_UNIT)) // (limit(game) << U(20))
    return np.int64(SCORE_UNIT) - np.int64(min(part, U(2 * SCORE_UNIT)))


@contract.score.implements(Sailing)
def sailing_score(game, state):
    return score_of(game, state.paid)


@inlined
def squares_left(game, boat):
    """Straight and diagonal squares of the shortest way to the goal, (uint64, uint64)."""
    x, y, _, _ = parts(boat)
    across, up = U(game.size - 1) - x, U(game.size - 1) - y
    diagonal = min(across, up)
    return max(across, up) - diagonal, diagonal


@contract.evaluation.implements(Sailing)
def sailing_evaluation(game, state):
    straight, diagonal = squares_left(game, state.boat)
    return score_of(game, state.paid + U(3) * (straight * STRAIGHT + diagonal * DIAGONALS))


@contract.evaluation_limit.implements(Sailing)
def sailing_evaluation_limit(game):
    return np.int64(SCORE_UNIT)


@contract.remaining_plies.implements(Sailing)
def sailing_remaining_plies(game, state):
    straight, diagonal = squares_left(game, state.boat)
    return 2.0 * np.float64(straight + diagonal)


# ------------------------------------------------------------------------------------------------------------- text


@contract.move_text.implements(Sailing)
def sailing_move_text(game, state, move):
    """A direction: of the leg, or of the wind that is drawn."""
    return NAMES[move]


@contract.board_text.implements(Sailing)
def sailing_board_text(game, state):
    last, (at_x, at_y, wind, tack) = game.size - 1, parts(state.boat)
    lines = [
        " ".join("@" if (x, y) == (at_x, at_y) else "*" if x == y == last else "." for x in range(game.size))
        for y in range(last, -1, -1)
    ]
    blows = f"the wind blows {'from' if game.wind_from else 'to'} {NAMES[wind]}"
    then = ", and is about to change" if is_drawing(state.boat) else ""
    cost = f"{int(state.paid) & 0xFFFFFFFF} + {int(state.paid) >> 32} sqrt 2"
    return "\n".join([*lines, f"{blows}{then}; tack: {TACKS[tack]}; paid {cost}"])


@contract.position_text.implements(Sailing)
def sailing_position_text(game, state):
    """Column, row (from 1), wind, tack, straight and diagonal units paid, who is next, as ``3,4 ne port 12+5 sail``."""
    (x, y, wind, tack), paid = parts(state.boat), int(state.paid)
    then = "wind" if is_drawing(state.boat) else "sail"
    return f"{int(x) + 1},{int(y) + 1} {NAMES[wind]} {TACKS[tack]} {paid & 0xFFFFFFFF}+{paid >> 32} {then}"


def _two_numbers(text: str, mark: str) -> tuple[int, int]:
    """``3,4`` as (3, 4); (-1, -1) where it is none."""
    parts = text.split(mark)
    plain = len(parts) == 2 and all(part.isascii() and part.isdecimal() and len(part) <= 6 for part in parts)
    return (int(parts[0]), int(parts[1])) if plain else (-1, -1)


@contract.parse_position.implements(Sailing)
def sailing_parse_position(game, text):
    parts = text.lower().split()
    if len(parts) != 5 or parts[1] not in NAMES or parts[2] not in TACKS or parts[4] not in ("sail", "wind"):
        raise BadInput(
            "position: a voyage takes place, wind, tack, cost and who is next, such as '3,4 ne port 12+5 sail'"
        )
    (x, y), (straight, diagonal) = _two_numbers(parts[0], ","), _two_numbers(parts[3], "+")
    if not (1 <= x <= game.size and 1 <= y <= game.size):
        raise BadInput(f"position: the place is a column and a row, 1,1 to {game.size},{game.size}")
    most = 2 * game.patience * game.size
    if not (0 <= straight <= most and 0 <= diagonal <= most):
        raise BadInput(f"position: the cost is units straight and diagonal, 0+0 to {most}+{most}")
    wind, tack, drawing = NAMES.index(parts[1]), TACKS.index(parts[2]), int(parts[4] == "wind")
    return State(boat_word(U(x - 1), U(y - 1), U(wind), U(tack), U(drawing)), U(straight + (diagonal << 32)))
