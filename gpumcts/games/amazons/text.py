"""Notation: d1-d7/g7 for a turn, d1-d7 and g7 for its halves; boards and positions. Plain Python, never compiled.

A position is the rows from the last to the first, joined by ``/`` (W and B amazons, x an arrow, . a free square), then
w or b, who moves; before an arrow, where plies are halves of turns, a space and the square of the amazon that is to
shoot.
"""

import re
from collections.abc import Iterator
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.amazons.lines import DIRECTIONS
from gpumcts.games.amazons.options import AMAZONS, Board, Full, Split
from gpumcts.games.amazons.pieces import MOVED, MOVER, SIDE_BITS, SQUARE_BITS
from gpumcts.games.amazons.setup import geometry_of, state_of

PLAYERS = "White (W)", "Black (B)"
SIGNS = "WB"
ARROW, FREE = "x", "."
SQUARE = "([a-z][1-9][0-9]?)"
TURN = re.compile(f"{SQUARE}-{SQUARE}(?:/{SQUARE})?")
SHOT = re.compile(f"/?{SQUARE}")


def _name(game: Any, square: int) -> str:
    return geometry_of(game).name(square)


def _amazons(state: Any, side: int) -> list[int]:
    word = int(state.pieces) >> side * SIDE_BITS
    return [word >> i * SQUARE_BITS & 127 for i in range(AMAZONS)]


def _side(state: Any) -> int:
    return int(state.pieces) >> int(MOVER) & 1


def _shooter(state: Any) -> int:
    """The square of the amazon that is to shoot; -1 if none is."""
    moved = int(state.pieces) >> int(MOVED)
    return moved - 1 if 0 < moved < 127 else -1


def _signs(game: Any, state: Any) -> dict[int, str]:
    """What is on every square of the board, by its number."""
    free = int(state.low) | (int(state.high) << 64 if len(state) == 3 else 0)
    width = game.SIZE + 1
    squares = (s for s in range(game.SIZE * width) if s % width < game.SIZE)
    signs = {s: FREE if free >> s & 1 else ARROW for s in squares}
    for side, sign in enumerate(SIGNS):
        signs.update(dict.fromkeys(_amazons(state, side), sign))
    return signs


# ------------------------------------------------------------------------------------------------------------- moves


def _strides(game: Any) -> list[int]:
    """What a step adds in each of the eight directions, in the order of ``lines.runs``."""
    width = game.SIZE + 1
    ahead = [1, width - 1, width, width + 1]
    return ahead + [-stride for stride in ahead]


def _at(game: Any, square: int, code: int) -> int:
    return square + _strides(game)[code >> 4] * (code & 15)


@contract.move_text.implements(Full)
def turn_text(game, state, move):
    origin, code, arrow = int(move) >> 14, int(move) >> 7 & 127, int(move) & 127
    to = _at(game, origin, code)
    return f"{_name(game, origin)}-{_name(game, to)}/{_name(game, _at(game, to, arrow))}"


@contract.move_text.implements(Split)
def ply_text(game, state, move):
    if _shooter(state) >= 0:
        return "/" + _name(game, _at(game, _shooter(state), int(move)))
    origin, code = int(move) >> 7, int(move) & 127
    return f"{_name(game, origin)}-{_name(game, _at(game, origin, code))}"


def _square(game: Any, text: str, name: str) -> int:
    """The number of a square; refused where it is off the board."""
    square = geometry_of(game).named(name)
    if square is None:
        last = _name(game, geometry_of(game).number(game.SIZE - 1, game.SIZE - 1))
        raise BadInput(f"move {text!r}: {name} is not on the board, a1 to {last}")
    return square


def _code(game: Any, text: str, signs: dict[int, str], origin: int, to: int) -> int:
    """The code of ``to`` seen from ``origin``; refused where it is on no line or the line is blocked."""
    start, end = _name(game, origin), _name(game, to)
    for direction in range(DIRECTIONS):
        for distance in range(1, game.SIZE):
            square = origin + _strides(game)[direction] * distance
            if square not in signs:
                break
            if square != to:
                continue
            between = (origin + _strides(game)[direction] * k for k in range(1, distance + 1))
            blocked = next((s for s in between if signs[s] != FREE), None)
            if blocked is not None:
                what = "an arrow" if signs[blocked] == ARROW else "an amazon"
                raise BadInput(
                    f"move {text!r}: the way from {start} to {end} is blocked by {what} on {_name(game, blocked)}"
                )
            return direction << 4 | distance
    raise BadInput(f"move {text!r}: no queen goes from {start} to {end}")


def _walk(game: Any, state: Any, text: str, start: str, end: str) -> tuple[int, int, int, dict[int, str]]:
    """(origin, code, where to, signs after it) of an amazon's move."""
    origin, to, signs = _square(game, text, start), _square(game, text, end), _signs(game, state)
    if signs[origin] != SIGNS[_side(state)]:
        raise BadInput(f"move {text!r}: there is no amazon of {PLAYERS[_side(state)]} on {start}")
    code = _code(game, text, signs, origin, to)
    return origin, code, to, signs | {origin: FREE, to: SIGNS[_side(state)]}


@contract.parse_move.implements(Full)
def parse_turn(game, state, text):
    found = TURN.fullmatch(text.lower())
    if found is None or found[3] is None:
        raise BadInput(f"move {text!r}: a turn is written d1-d7/g7: from, to, arrow")
    origin, code, to, signs = _walk(game, state, text, found[1], found[2])
    return origin << 14 | code << 7 | _code(game, text, signs, to, _square(game, text, found[3]))


@contract.parse_move.implements(Split)
def parse_ply(game, state, text):
    shooter = _shooter(state)
    found = (SHOT if shooter >= 0 else TURN).fullmatch(text.lower())
    if shooter >= 0:
        if found is None:
            raise BadInput(f"move {text!r}: an arrow of the amazon on {_name(game, shooter)} is written /g7 or g7")
        return _code(game, text, _signs(game, state), shooter, _square(game, text, found[1]))
    if found is None or found[3] is not None:
        raise BadInput(f"move {text!r}: an amazon's move is written d1-d7: from, to; her arrow is the next ply")
    origin, code, _, _ = _walk(game, state, text, found[1], found[2])
    return origin << 7 | code


# --------------------------------------------------------------------------------------------------------- positions


def _rows(game: Any, state: Any) -> Iterator[str]:
    """The rows from the last to the first."""
    signs = _signs(game, state)
    for row in reversed(range(game.SIZE)):
        yield "".join(signs[row * (game.SIZE + 1) + column] for column in range(game.SIZE))


@contract.board_text.implements(Board)
def amazons_board_text(game, state):
    rows = (f"{game.SIZE - i:2} {' '.join(row)}" for i, row in enumerate(_rows(game, state)))
    shooter = _shooter(state)
    what = "to move" if shooter < 0 else f"to shoot from {_name(game, shooter)}"
    return "\n".join([*rows, "   " + " ".join("abcdefghij"[: game.SIZE]), f"{PLAYERS[_side(state)]} {what}"])


@contract.position_text.implements(Board)
def amazons_position_text(game, state):
    shooter = _shooter(state)
    text = f"{'/'.join(_rows(game, state))} {'wb'[_side(state)]}"
    return text if shooter < 0 else f"{text} {_name(game, shooter)}"


@contract.parse_position.implements(Board)
def parse_amazons_position(game, text):
    parts = text.split()
    rows = parts[0].split("/") if parts else []
    if len(rows) != game.SIZE or any(len(row) != game.SIZE for row in rows):
        raise BadInput(
            f"position: Amazons takes {game.SIZE} rows of {game.SIZE} squares joined by /, the last row first"
        )
    board = parts[0].upper()
    if odd := set(board) - set("WBX./"):
        raise BadInput(f"position: {min(odd)!r} is no square; W and B are amazons, x is an arrow, . is free")
    squares = {
        sign: [
            row * (game.SIZE + 1) + column
            for row, line in enumerate(reversed(board.split("/")))
            for column, found in enumerate(line)
            if found == sign
        ]
        for sign in "WBX"
    }
    for player, sign in zip(PLAYERS, SIGNS, strict=True):
        if len(squares[sign]) != AMAZONS:
            raise BadInput(f"position: {player} has {AMAZONS} amazons, not {len(squares[sign])}")
    if len(parts) < 2 or parts[1].lower() not in ("w", "b"):
        raise BadInput("position: after the rows comes a space and the player to move, w or b")
    mover = "wb".index(parts[1].lower())
    shooter = _parsed_shooter(game, parts[2:], squares[SIGNS[mover]])
    state = state_of(game, squares["W"], squares["B"], squares["X"], mover, shooter + 1)
    if shooter >= 0 and not _may_shoot(game, state, shooter):
        raise BadInput(f"position: the amazon on {parts[2]} has no square to shoot at, not even the one she came from")
    return state


def _may_shoot(game: Any, state: Any, shooter: int) -> bool:
    signs = _signs(game, state)
    return any(signs.get(shooter + stride) == FREE for stride in _strides(game))


def _parsed_shooter(game: Any, parts: list[str], amazons: list[int]) -> int:
    """The square of the amazon that is to shoot, which must be one of ``amazons``; -1 if none is."""
    if not parts:
        return -1
    if len(parts) > 1 or not isinstance(game, Split):
        raise BadInput("position: nothing comes after the rows and the player to move" + _unless_split(game))
    names = [_name(game, square) for square in amazons]
    if parts[0].lower() not in names:
        raise BadInput(f"position: the amazon to shoot is one of the mover's, {', '.join(names)}, not {parts[0]}")
    return amazons[names.index(parts[0].lower())]


def _unless_split(game: Any) -> str:
    return " but the square of an amazon that is to shoot" if isinstance(game, Split) else ""
