"""Handicaps of Go: stones that Black has before White's first move. Plain Python, never compiled."""

from collections.abc import Iterable

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import geometry, points_of
from gpumcts.games.go.setup import SECOND, GoPosition, closed
from gpumcts.games.go.text import point_name, point_number, without_liberties

FEWEST, MOST_FIXED = 2, 9
LARGE = 13  # points a side: from there on the stones stand on the fourth line, else on the third


@contract.handicap_points.implements(Board)
def fixed_points(game, count):
    """In the order of GTP 2 (section 4.1.1): corners, sides, and of an odd handicap the last in the centre."""
    if not FEWEST <= count <= MOST_FIXED:
        return []
    low = 3 if game.SIZE >= LARGE else 2
    middle, high = game.SIZE // 2, game.SIZE - 1 - low
    corners = [(low, low), (high, high), (high, low), (low, high)]
    sides = [(middle, low), (middle, high), (low, middle), (high, middle)]  # row, column
    in_centre = count % 2 == 1 and count > 3
    squares = [*corners, *sides][: count - in_centre] + [(middle, middle)] * in_centre
    board = geometry(game.SIZE)
    return [board.name(board.number(row, column)) for row, column in squares]


@contract.with_handicap.implements(Board)
def start_with_handicap(game, names):
    black = 0
    for point in _numbers(game, names):
        black |= 1 << point
    if len(names) < FEWEST:
        raise BadInput(f"a handicap has {FEWEST} stones or more")
    with np.errstate(over="ignore"):
        stones, none = points_of(black), points_of(0)
        choked = without_liberties(game, none, stones)
        if choked is not None:
            raise BadInput(f"the chain of {point_name(game, choked)} has no liberty")
        return closed(game, GoPosition(none, stones, none, SECOND))


def _numbers(game: Board, names: Iterable[str]) -> Iterable[int]:
    seen: set[int] = set()
    for name in names:
        point = point_number(game, name)
        if point is None:
            raise BadInput(f"{name!r} is no point of this board")
        if point in seen:
            raise BadInput(f"{name!r} is named twice")
        seen.add(point)
        yield point
