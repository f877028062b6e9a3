"""Positions and moves of Clobber as people write them: plain Python, never compiled."""

import re
from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.clobber.board import Board, geometry, shape
from gpumcts.games.clobber.rules import DIRECTION, SECOND, SQUARES, joined, sides
from gpumcts.games.contract import count_moves
from gpumcts.games.sets import Two

U = np.uint64
LETTERS = "abcdefghij"
SQUARE = f"([{LETTERS}][1-9][0-9]?)"
MOVE = re.compile(SQUARE + SQUARE)
PLAYERS = "ox"
STEPS = (-1, 0), (0, 1), (1, 0), (0, -1)  # rows down and columns to the right of the directions, in their order
NAMES = "White (o)", "Black (x)"


def _number(squares: Two, game: Board) -> int:
    """A set of squares as one number, square s at bit s."""
    return int(squares.low) | int(squares.high) << int(shape(game).squares)


def _square_name(game: Board, square: int) -> str:
    return geometry(game.rows, game.columns).name(square)


def _squares_of(game: Board, move: int) -> tuple[int, int]:
    """From where, and to where."""
    square = move & int(SQUARES)
    down, right = STEPS[move >> int(DIRECTION)]
    return square, square + down * game.columns + right


def _signs(game: Board, state: Any) -> list[str]:
    """o, x or . on every square."""
    own, opp = (_number(squares, game) for squares in sides(game, state))
    mine, other = _players(state)
    squares = range(game.rows * game.columns)
    return [mine if own >> square & 1 else other if opp >> square & 1 else "." for square in squares]


def _players(state: Any) -> tuple[str, str]:
    """The signs of the player to move and of the other."""
    second = int(state.turn & SECOND)
    return PLAYERS[second], PLAYERS[1 - second]


@contract.move_text.implements(Board)
def clobber_move_text(game, state, move):
    """From where to where: ``a1b1``."""
    return "".join(_square_name(game, square) for square in _squares_of(game, int(move)))


@contract.parse_move.implements(Board)
def clobber_parse_move(game, state, text):
    origin, target = _named_squares(game, text)
    signs, (mine, other) = _signs(game, state), _players(state)
    here, there = _square_name(game, origin), _square_name(game, target)
    if signs[origin] != mine:
        raise BadInput(f"move {text!r} is not legal here: no {mine} stands on {here}, and {mine} is to move")
    step = tuple(b - a for a, b in zip(divmod(origin, game.columns), divmod(target, game.columns), strict=True))
    if step not in STEPS:
        raise BadInput(f"move {text!r} is not legal here: {there} is not next to {here} along a row or a column")
    if signs[target] != other:
        raise BadInput(f"move {text!r} is not legal here: no {other} to capture stands on {there}")
    return np.int64(STEPS.index(step) << int(DIRECTION) | origin)


def _named_squares(game: Board, text: str) -> tuple[int, int]:
    """The two squares that a move names; raises BadInput where it does not name two squares of the board."""
    names = MOVE.fullmatch(text.lower())
    if names is None:
        raise BadInput(f"move {text!r} is not a move: Clobber takes the square left and the square captured, as a1b1")
    return _numbered(game, text, names[1]), _numbered(game, text, names[2])


def _numbered(game: Board, text: str, name: str) -> int:
    """The number of a square; raises BadInput where it is off the board."""
    square = geometry(game.rows, game.columns).named(name)
    if square is None:
        last = f"{LETTERS[game.columns - 1]}{game.rows}"
        raise BadInput(f"move {text!r} is not legal here: {name} is not on the board, a1 to {last}")
    return square


@contract.board_text.implements(Board)
def clobber_board_text(game, state):
    signs, moves = _signs(game, state), int(count_moves(game, state))
    drawn = geometry(game.rows, game.columns).drawn(signs.__getitem__)
    return f"{drawn}\n{NAMES[int(state.turn & SECOND)]} to move; {moves} moves"


@contract.position_text.implements(Board)
def clobber_position_text(game, state):
    """Rows of o (White), x (Black) and . (empty) from the top, joined by ``/``, and who moves: ``xo/ox o``."""
    rows = geometry(game.rows, game.columns).lines(_signs(game, state).__getitem__)
    return f"{'/'.join(rows)} {_players(state)[0]}"


@contract.parse_position.implements(Board)
def clobber_parse_position(game, text):
    parts = text.lower().split()
    if len(parts) != 2:
        raise BadInput("position: Clobber takes rows of o, x and . joined by /, a space, and who moves, o or x")
    rows = parts[0].split("/")
    if len(rows) != game.rows:
        raise BadInput(f"position: {len(rows)} rows; a board of game.rows={game.rows} takes {game.rows}, joined by /")
    for row in rows:
        if set(row) - set("ox."):
            raise BadInput(f"position: row {row!r} takes o (White), x (Black) and . (empty)")
        if len(row) != game.columns:
            raise BadInput(f"position: row {row!r} has {len(row)} squares, not {game.columns} as game.columns says")
    if parts[1] not in tuple(PLAYERS):
        raise BadInput(f"position: after the rows comes who moves, o or x, not {parts[1]!r}")
    signs, second = "".join(rows), PLAYERS.index(parts[1])
    white, black = (_stones(game, signs, sign) for sign in PLAYERS)
    return joined(game, *((black, white) if second else (white, black)), U(second))


def _stones(game: Board, signs: str, sign: str) -> Two:
    """Where a sign stands."""
    number, squares = sum(1 << at for at, found in enumerate(signs) if found == sign), int(shape(game).squares)
    return Two(U(number & (1 << squares) - 1), U(number >> squares))
