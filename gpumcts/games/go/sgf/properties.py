"""What the properties of a game of Go mean: its board and game info, and its events, stones and points that are set."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gpumcts.games.go.options import MAX_KOMI, SIZES
from gpumcts.games.go.sgf.grammar import Node, Text, Value, shown

LETTERS = "abcdefghijklmnopqrs"
DEFAULT_SIZE = 19
PASSES = ("", "tt")
COLOURS = {"B": 0, "W": 1}
SETUP = ("AB", "AW", "AE", "PL")
SOFT_BREAK, ESCAPED = re.compile(r"\\\n"), re.compile(r"\\(.)", re.DOTALL)
NUMBER = re.compile(r"[+-]?[0-9]{1,6}(?:\.[0-9]{0,6})?|[+-]?\.[0-9]{1,6}")
TAGS = ("PB", "PW", "BR", "WR", "RE", "RU", "DT", "PC", "EV", "RO", "GN", "HA")
"""What is told of a game beside its moves."""
ROOT_ALONE = ("GM", "SZ", "KM", "RU", "HA")
"""Properties of the game info, in the root alone: in other nodes they would have no effect."""


class Stone(NamedTuple):
    """A move: the player's colour, 0 for Black; the point, or None for a pass; and where it stands."""

    colour: int
    point: int | None
    at: int


class Setup(NamedTuple):
    """Points that are set, as bits of numbers; who is to move, None where nothing is said; and where it stands."""

    black: int
    white: int
    empty: int
    to_move: int | None
    at: int


class GameInfo(NamedTuple):
    """What the root says of the game: points a side, komi or None, and ``TAGS`` by name."""

    size: int
    komi: float | None
    tags: dict[str, str]


def game_info_of(text: Text, root: Node) -> GameInfo:
    """The game info of a game; raises BadInput where it is none of Go, or of another board."""
    game = _single(text, root, "GM")
    if game is not None and plain(game) != "1":
        raise text.wrong(game.at, f"GM[{plain(game)}]: the game is not Go, which is GM[1]")
    tags = {name: plain(root.properties[name][0]) for name in TAGS if name in root.properties}
    size = _size(text, root)
    return GameInfo(size, _komi(text, root, size), tags)


def _size(text: Text, root: Node) -> int:
    value = _single(text, root, "SZ")
    if value is None:
        return DEFAULT_SIZE
    sides = plain(value).split(":")
    if len(set(sides)) != 1 or len(sides) > 2 or sides[0] not in map(str, SIZES):
        raise text.wrong(value.at, f"SZ[{shown(value.text)[1:-1]}]: Go is played on 9, 13 or 19 points a side")
    return int(sides[0])


def _komi(text: Text, root: Node, size: int) -> float | None:
    """In points; one above the number of points of the board is refused: it is in other units, such as hundredths.

    In a file that this library wrote it is in points, whatever it is.
    """
    value = _single(text, root, "KM")
    if value is None or not plain(value):
        return None
    if NUMBER.fullmatch(plain(value)) is None:
        raise text.wrong(value.at, f"KM[{shown(value.text)[1:-1]}]: komi is a number, as 7.5")
    komi = float(plain(value))
    program = _single(text, root, "AP")
    ours = program is not None and plain(program).startswith("gpumcts:")
    if abs(komi) > (MAX_KOMI if ours else size * size):
        board = f"a {size}x{size} board has {size * size} points"
        raise text.wrong(value.at, f"KM[{shown(value.text)[1:-1]}]: komi is in points, as 7.5, and {board}")
    return komi


def _single(text: Text, node: Node, name: str) -> Value | None:
    values = node.properties.get(name, [])
    if len(values) > 1:
        raise text.wrong(values[1].at, f"{name} has more than one value")
    return values[0] if values else None


def plain(value: Value) -> str:
    """A value as a text on one line: escapes taken out, ends of lines as spaces."""
    return " ".join(ESCAPED.sub(r"\1", SOFT_BREAK.sub("", value.text)).split())


def events_of(text: Text, nodes: list[Node], size: int, plies: int | None = None) -> Iterator[Stone | Setup]:
    """What happens, in order, up to so many moves and what is set before the next; in a node that precedes its move.

    What follows is not looked at, so that nothing wrong in it counts.
    """
    count = 0
    for number, node in enumerate(nodes):
        moves = [(name, value) for name in COLOURS for value in node.properties.get(name, ())]
        if number and count != plies:
            _check_game_info(text, node)
        if any(name in node.properties for name in SETUP):
            yield _setup(text, node, size)
        if moves and count == plies:
            return
        if len(moves) > 1:
            raise text.wrong(moves[1][1].at, "a second move in one node")
        for name, value in moves:
            inner = plain(value)
            point = None if inner in PASSES else _point(text, name, inner, value.at, size)
            yield Stone(COLOURS[name], point, value.at)
        count += len(moves)


def first_colour(nodes: list[Node]) -> int | None:
    """Whose the first move is; None where there is none."""
    return next((COLOURS[name] for node in nodes for name in COLOURS if name in node.properties), None)


def _check_game_info(text: Text, node: Node) -> None:
    """Refuse game info in a node that is not the root; raises BadInput."""
    for name in ROOT_ALONE:
        if name in node.properties:
            value = node.properties[name][0]
            raise text.wrong(value.at, f"{name}[{shown(value.text)[1:-1]}]: {name} belongs in the first node")


def _setup(text: Text, node: Node, size: int) -> Setup:
    points = {name: _points(text, node, name, size) for name in SETUP[:3]}
    first = next(iter(next(node.properties[name] for name in SETUP if name in node.properties)))
    for one, other in (("AB", "AW"), ("AB", "AE"), ("AW", "AE")):
        if points[one] & points[other]:
            raise text.wrong(first.at, f"a point is both in {one} and in {other}")
    turn = _single(text, node, "PL")
    if turn is not None and plain(turn).upper() not in COLOURS:
        raise text.wrong(turn.at, f"PL[{shown(turn.text)[1:-1]}]: it is B or W")
    to_move = None if turn is None else COLOURS[plain(turn).upper()]
    return Setup(points["AB"], points["AW"], points["AE"], to_move, first.at)


def _points(text: Text, node: Node, name: str, size: int) -> int:
    """The points of a list, rectangles as ``aa:cc`` included."""
    found = 0
    for value in node.properties.get(name, ()):
        inner = plain(value)
        if not inner and len(node.properties[name]) == 1:
            continue  # AE[], as some write for none
        corners = [_point(text, name, corner, value.at, size) for corner in inner.split(":", 1)]
        (top, left), (bottom, right) = (divmod(corner, size) for corner in (corners[0], corners[-1]))
        for row in range(min(top, bottom), max(top, bottom) + 1):
            for column in range(min(left, right), max(left, right) + 1):
                found |= 1 << row * size + column
    return found


def _point(text: Text, name: str, inner: str, at: int, size: int) -> int:
    """The point of two letters, column from the left and row from the top."""
    letters = LETTERS[:size]
    if len(inner) != 2 or not set(inner) <= set(letters):
        raise text.wrong(
            at, f"{name}[{shown(inner)[1:-1]}] is no point of a {size}x{size} board: aa to {letters[-1] * 2}"
        )
    return (size - 1 - letters.index(inner[1])) * size + letters.index(inner[0])
