"""Games whose classes state bounds that are too small, apart from tests: compiled code is kept by the module's name."""

from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello


class FewMoves(DotsAndBoxes):
    """Says that a position has five moves at most; the start of 1 x 2 has seven, and is followed by one of six."""

    MAX_MOVES = 5


class FewPlies(DotsAndBoxes):
    """Says that a game has three plies at most; one on 1 x 2 has seven."""

    MAX_PLIES = 3


class FourMoves(Othello):
    """Says that a position has four moves at most, as the start has; others have up to 33."""

    MAX_MOVES = 4
