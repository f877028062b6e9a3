"""Points, positions and boards of Go as people write them. Plain Python, never compiled.

A position is the rows from the last to the first joined by ``/`` (X Black, O White, . empty), who moves, b or w, the
plies so far, the passes just made, the points that may not be taken, joined by commas, or ``-`` for none, and the last
move with the one before it, ``-`` for a pass or where they are not known: ``...../.XO../... b 12 0 C3 D4,C4``. Of these
all but the first two may be left out.
"""

from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.boards import WITHOUT_I
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import Points, flood, geometry, neighbours, number_of, point_set, points_of
from gpumcts.games.go.rules import areas, empty_points, may_take
from gpumcts.games.go.setup import (
    BEFORE,
    LAST,
    ONE_PASS,
    PASSES,
    PLIES,
    SECOND,
    GoPosition,
    closed,
    last_point,
    opened,
    plies_of,
    point_before,
)
from gpumcts.games.sets import difference, intersection, is_empty

U = np.uint64
PLAYERS, SIGNS, NO_POINTS = ("Black (X)", "White (O)"), "XO", "-"
TAKES = "rows of X, O and . from the last to the first joined by /, and who moves, b or w"
MORE = "plies, passes, points that may not be taken, and the last two moves"


def point_name(game: Any, point: int) -> str:
    """The name of a point, as ``E5``."""
    return geometry(game.SIZE).name(point)


def point_number(game: Any, name: str) -> int | None:
    """The number of a point of this board, by its name in either case; None where it names none."""
    return geometry(game.SIZE).named(name)


def _side(state: Any) -> int:
    return int(state.turn & SECOND)


def stones(game: Any, state: Any) -> tuple[int, int]:
    """The stones of Black and of White as numbers."""
    position = opened(game, state)
    sides = number_of(position.own), number_of(position.opp)
    return sides if _side(state) == 0 else (sides[1], sides[0])


def _rows(game: Any, state: Any) -> list[str]:
    """The rows from the last to the first."""
    black, white = stones(game, state)
    signs = [SIGNS[0] if black >> point & 1 else SIGNS[1] if white >> point & 1 else "." for point in range(game.CELLS)]
    return ["".join(signs[row * game.SIZE : (row + 1) * game.SIZE]) for row in reversed(range(game.SIZE))]


@contract.move_text.implements(Board)
def go_move_text(game, state, move):
    """As GTP has it, but that a pass is in small letters: ``E5``, ``pass``."""
    return "pass" if move == game.CELLS else point_name(game, move)


@contract.parse_move.implements(Board)
def parse_go_move(game, state, text):
    if contract.over(game, state):
        raise BadInput(f"move {text!r} is not legal here: the game is over")
    if text.lower() == "pass":
        return game.CELLS
    point = point_number(game, text)
    if point is None:
        last = point_name(game, game.CELLS - 1)
        raise BadInput(f"move {text!r} is no point of this board, A1 to {last} without I, and not pass")
    position, name = opened(game, state), point_name(game, point)
    if may_take(game, position, point_set(game, U(point))):
        return point
    if (number_of(position.own) | number_of(position.opp)) >> point & 1:
        raise BadInput(f"move {text!r} is not legal here: there is a stone on {name}")
    if number_of(position.banned) >> point & 1:
        raise BadInput(f"move {text!r} is not legal here: by ko, {name} would bring back an earlier position")
    raise BadInput(
        f"move {text!r} is not legal here: a stone on {name} would have no liberty, and suicide is not allowed"
    )


@contract.gtp_setup.implements(Board)
def go_gtp_setup(game):
    return [f"boardsize {game.SIZE}", f"komi {game.half_points / 2:g}"]


@contract.lead.implements(Board)
def go_lead(game, state):
    """In points of area, komi counted: 12.5, -0.5."""
    black, white = (points_of(number) for number in stones(game, state))
    mine, other = areas(game, black, white)
    return number_of(mine).bit_count() - number_of(other).bit_count() - game.half_points / 2


@contract.chains.implements(Board)
def go_chains(game, state):
    found = []
    for side in stones(game, state):
        left = side
        while left:
            chain = number_of(flood(game, points_of(left & -left), points_of(side)))
            left &= ~chain
            found.append([point_name(game, point) for point in range(game.CELLS) if chain >> point & 1])
    return found


@contract.board_text.implements(Board)
def go_board_text(game, state):
    rows = (f"{game.SIZE - i:2} {' '.join(row)}" for i, row in enumerate(_rows(game, state)))
    black, white = stones(game, state)
    who = f"{PLAYERS[_side(state)]} to move; X {black.bit_count()}, O {white.bit_count()}"
    banned = _banned_names(game, state)
    passes = int(state.turn & PASSES) // int(ONE_PASS)
    more = (f"; may not take {', '.join(banned)}" if banned else "") + (f"; passes {passes}" if passes else "")
    return "\n".join([*rows, "   " + " ".join(WITHOUT_I[: game.SIZE]), who + more])


def _banned_names(game: Any, state: Any) -> list[str]:
    banned = number_of(opened(game, state).banned)
    return [point_name(game, point) for point in range(game.CELLS) if banned >> point & 1]


@contract.position_text.implements(Board)
def go_position_text(game, state):
    passes = int(state.turn & PASSES) // int(ONE_PASS)
    banned = ",".join(_banned_names(game, state)) or NO_POINTS
    return (
        f"{'/'.join(_rows(game, state))} {'bw'[_side(state)]} {plies_of(state.turn)} "
        f"{passes} {banned} {_moves(game, state)}"
    )


def _moves(game: Any, state: Any) -> str:
    """The last move and the one before it."""
    points = last_point(game, state.turn), point_before(game, state.turn)
    return ",".join(NO_POINTS if is_empty(p) else point_name(game, number_of(p).bit_length() - 1) for p in points)


@contract.parse_position.implements(Board)
def parse_go_position(game, text):
    parts = text.split()
    rows = parts[0].upper().split("/") if parts else []
    if len(rows) != game.SIZE or any(len(row) != game.SIZE for row in rows):
        fault = f"rows given: {len(rows)}" if len(rows) != game.SIZE else f"one of them has not {game.SIZE} points"
        raise BadInput(f"position: Go takes {game.SIZE} {TAKES}; {fault}")
    if odd := set("".join(rows)) - {*SIGNS, "."}:
        raise BadInput(f"position: {min(odd)!r} is no point; X is Black, O is White, . is empty")
    if not 2 <= len(parts) <= 6 or parts[1].lower() not in ("b", "w"):
        raise BadInput(f"position: Go takes {TAKES}; then, if need be, {MORE}")
    black, white = (_number(rows, sign) for sign in SIGNS)
    side = "bw".index(parts[1].lower())
    plies = _count("plies", parts[2] if len(parts) > 2 else "0", game.MAX_PLIES)
    passes = _count("passes just made", parts[3] if len(parts) > 3 else "0", min(2, plies))
    own, opp = (points_of(number) for number in ((black, white) if side == 0 else (white, black)))
    choked = without_liberties(game, own, opp)
    if choked is not None:
        raise BadInput(f"position: the chain of {point_name(game, choked)} has no liberty")
    banned = _parsed_banned(game, parts[4] if len(parts) > 4 else NO_POINTS, black | white)
    moves = _parsed_moves(game, parts[5] if len(parts) > 5 else f"{NO_POINTS},{NO_POINTS}", opp, passes)
    turn = U(side) | U(passes) * ONE_PASS | U(plies) << PLIES | moves
    return closed(game, GoPosition(own, opp, points_of(banned), turn))


def _number(rows: list[str], sign: str) -> int:
    """The points of a sign as a number."""
    signs = "".join(reversed(rows))
    return sum(1 << point for point, found in enumerate(signs) if found == sign)


def _count(what: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdecimal()) or len(text) > 4 or int(text) > most:
        raise BadInput(f"position: {what} is a number from 0 to {most}, not {text!r}")
    return int(text)


def without_liberties(game: Any, own: Points, opp: Points) -> int | None:
    """The lowest point of a chain without liberties, which no position has; None if there is no such chain."""
    empty = empty_points(game, own, opp)
    for stones in (own, opp):
        choked = number_of(difference(stones, flood(game, intersection(neighbours(game, empty), stones), stones)))
        if choked:
            return (choked & -choked).bit_length() - 1
    return None


def _parsed_banned(game: Any, text: str, stones: int) -> int:
    """The points of a list as a number."""
    banned = 0
    for name in [] if text == NO_POINTS else text.split(","):
        point = point_number(game, name)
        if point is None or stones >> point & 1:
            raise BadInput(f"position: {name!r} in the points that may not be taken is no empty point of this board")
        banned |= 1 << point
    return banned


def _parsed_moves(game: Any, text: str, opp: Points, passes: int) -> np.uint64:
    """The last move and the one before it, as the turn has them; of these so many are ``passes``."""
    names = text.split(",")
    points = [-1 if name == NO_POINTS else point_number(game, name) for name in names]
    if len(points) != 2 or None in points:
        raise BadInput(
            f"position: the last two moves are two points of this board or - for none, as E5,D4, not {text!r}"
        )
    if any(name != NO_POINTS for name in names[:passes]):
        raise BadInput(f"position: passes just made are {passes}, but the last moves are {text}: a pass is {NO_POINTS}")
    last, before = (U(point + 1) for point in points if point is not None)
    if last and not number_of(opp) >> int(last) - 1 & 1:
        raise BadInput(f"position: the last move, {names[0]!r}, has no stone of the player who made it")
    return last << LAST | before << BEFORE
