"""What can be chosen about Go, and the classes that its sizes become in compiled code."""

from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games.contract import state_of

MAX_KOMI = 400  # points; more than any board has


class Go(NamedTuple):
    """Go by area, without suicide, with positional superko.

    size : points a side: 9, 13 or 19
    komi : points that White gets, in halves; at a whole number games may be drawn
    area_weight : what a point of a player's area, stones included, is worth in the evaluation
    liberty_weight : what a liberty of a player's stones is worth there
    """

    size: Literal[9, 13, 19] = 9
    komi: Annotated[float, Interval(ge=-MAX_KOMI, le=MAX_KOMI)] = 7.5
    area_weight: Annotated[int, Interval(ge=1, le=1000)] = 4
    liberty_weight: Annotated[int, Interval(ge=0, le=1000)] = 1

    PLAYERS = 2
    LANES = False

    def compiled(self) -> "Board":
        """Size as a class, komi in half points. Raises BadInput for another size, or for a third of a point."""
        if self.size not in SIZES:
            raise BadInput(f"game.size={self.size}: Go is played on 9, 13 or 19 points a side")
        if self.komi * 2 != int(self.komi * 2):
            raise BadInput(f"game.komi={self.komi}: komi is a number of whole or half points, as 7.5")
        return SIZES[self.size](int(self.komi * 2), self.area_weight, self.liberty_weight)


class Board(NamedTuple):
    """What Go becomes in compiled code: its size is its class.

    half_points : the komi, in half points; area_weight, liberty_weight : as configured

    A move below CELLS puts a stone on the point of that number, the move CELLS is a pass.
    """

    half_points: int
    area_weight: int
    liberty_weight: int

    TITLE = "Go"
    CELLS = 0  # points; of a board without a size there are none
    PLAYERS = 2
    LANES = False  # captures are loops
    NAMED_MOVES = True
    WHOLE_ON_DEVICE = False  # ``whole_playout`` keeps chains in local memory, at addresses that differ by lane


def plies_of_a_game(size: int) -> int:
    """The length cap, 2 n^2 plies as OpenSpiel has it: a game that comes there is scored as it stands."""
    return 2 * size * size


class Board9(Board):
    """9x9: two words a set of points."""

    SIZE, CELLS = 9, 81
    MAX_PLIES, MAX_MOVES = plies_of_a_game(9), 82


class Board13(Board):
    """13x13: three words a set of points."""

    SIZE, CELLS = 13, 169
    MAX_PLIES, MAX_MOVES = plies_of_a_game(13), 170


class Board19(Board):
    """19x19: six words a set of points."""

    SIZE, CELLS = 19, 361
    MAX_PLIES, MAX_MOVES = plies_of_a_game(19), 362


SIZES: dict[int, type[Board]] = {9: Board9, 13: Board13, 19: Board19}


@state_of(Board9)
class State9(NamedTuple):
    """A position on 9x9, as words of 64 points each, point p at bit p % 64 of word p // 64.

    own : stones of the player to move; opp : the other's; banned : points that he may not take, a ko or, in a game that
    is played, what superko forbids; turn : who moves, passes, plies and the last two moves (see ``setup``)
    """

    own_0: np.uint64
    own_1: np.uint64
    opp_0: np.uint64
    opp_1: np.uint64
    banned_0: np.uint64
    banned_1: np.uint64
    turn: np.uint64


@state_of(Board13)
class State13(NamedTuple):
    """The same with three words a set of points."""

    own_0: np.uint64
    own_1: np.uint64
    own_2: np.uint64
    opp_0: np.uint64
    opp_1: np.uint64
    opp_2: np.uint64
    banned_0: np.uint64
    banned_1: np.uint64
    banned_2: np.uint64
    turn: np.uint64


@state_of(Board19)
class State19(NamedTuple):
    """The same with six words a set of points."""

    own_0: np.uint64
    own_1: np.uint64
    own_2: np.uint64
    own_3: np.uint64
    own_4: np.uint64
    own_5: np.uint64
    opp_0: np.uint64
    opp_1: np.uint64
    opp_2: np.uint64
    opp_3: np.uint64
    opp_4: np.uint64
    opp_5: np.uint64
    banned_0: np.uint64
    banned_1: np.uint64
    banned_2: np.uint64
    banned_3: np.uint64
    banned_4: np.uint64
    banned_5: np.uint64
    turn: np.uint64
