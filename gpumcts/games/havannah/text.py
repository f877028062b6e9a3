"""Positions and moves of Havannah as people write them: plain Python, never compiled."""

import re
from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import count_moves, unpack
from gpumcts.games.havannah.board import AROUND, CORNERS_AT, WORD, Board, cells_of, shape, touched
from gpumcts.games.havannah.rules import (
    BRIDGE,
    FORK,
    MAX_WORDS,
    NO_WIN,
    RING,
    SECOND,
    STONES_AT,
    WON,
    WON_AT,
    may_take_over,
)

U = np.uint64
LETTERS = "abcdefghijklmnopqrs"
PLAYERS, EMPTY, SWAP = "ox", ".", "swap"
NAMES = "First player (o)", "Second player (x)"
WAYS = {int(FORK): "a fork", int(BRIDGE): "a bridge", int(RING): "a ring"}
CELL = re.compile(r"([a-s])([1-9][0-9]?)", re.ASCII)
Cells = set[tuple[int, int]]


def _stones(game: Board, state: Any) -> tuple[Cells, Cells]:
    """The cells, (row, column), of the stones of both sides."""
    words, cells = int(shape(game).words), cells_of(game.BASE)
    numbers = (sum(int(state[side * words + i]) << WORD * i for i in range(words)) for side in range(2))
    first, second = ({cell for i, cell in enumerate(cells) if number >> i & 1} for number in numbers)
    return first, second


def _rows(game: Board, state: Any) -> list[str]:
    """The rows of the board as o, x and dots."""
    first, second = _stones(game, state)
    rows = [""] * (2 * game.BASE - 1)
    for cell in cells_of(game.BASE):
        rows[cell[0]] += "o" if cell in first else "x" if cell in second else EMPTY
    return rows


# ------------------------------------------------------------------------------------------------------------- moves


def _name(cell: tuple[int, int]) -> str:
    return f"{LETTERS[cell[1]]}{cell[0] + 1}"


@contract.move_text.implements(Board)
def havannah_move_text(game, state, move):
    """A column and a row, ``c4``; ``swap`` takes the first stone over."""
    return SWAP if move == game.CELLS else _name(cells_of(game.BASE)[int(move)])


@contract.parse_move.implements(Board)
def havannah_parse_move(game, state, text):
    name, cells = text.lower(), cells_of(game.BASE)
    if name == SWAP:
        if not may_take_over(game, state):
            raise BadInput(f"move {text!r} is not legal here: only the second player's first move, with game.swap=true")
        return np.int64(game.CELLS)
    found = CELL.fullmatch(name)
    if found is None:
        also = f", or {SWAP}" if game.swap else ""
        raise BadInput(f"move {text!r} is not a move: Havannah takes a cell, a column and a row, such as c4{also}")
    cell = int(found[2]) - 1, LETTERS.index(found[1])
    if cell not in cells:
        raise BadInput(f"move {text!r} is not legal here: there is no cell {name} on a board of game.base={game.BASE}")
    if count_moves(game, state) == 0:
        raise BadInput(f"move {text!r} is not legal here: the game is over")
    taken = [sign for sign, stones in zip(PLAYERS, _stones(game, state), strict=True) if cell in stones]
    if taken:
        raise BadInput(f"move {text!r} is not legal here: {taken[0]} stands on {name}")
    return np.int64(cells.index(cell))


# ---------------------------------------------------------------------------------------------------------- positions


@contract.board_text.implements(Board)
def havannah_board_text(game, state):
    """The hexagon; letters of columns above and to the right, numbers of rows to the left."""
    base, rows = game.BASE, _rows(game, state)
    lines = [" " * (base + 2) + " ".join(LETTERS[:base])]
    for r, row in enumerate(rows):
        letter = f" {LETTERS[base + r]}" if r < base - 1 else ""
        lines.append(f"{r + 1:{abs(base - 1 - r) + 2}} " + " ".join(row) + letter)
    lines.append(_standing(game, state))
    return "\n".join(lines)


def _standing(game: Board, state: Any) -> str:
    """Who moves, or how the game ended."""
    mover, won = int(state.turn & SECOND), int((state.turn & WON) >> WON_AT)
    if won:
        return f"{NAMES[1 - mover]} has won by {WAYS[won]}"
    return f"{NAMES[mover]} to move" if count_moves(game, state) else "Draw"


@contract.position_text.implements(Board)
def havannah_position_text(game, state):
    """Rows of o (first player), x (second) and . (empty) from row 1, joined by ``/``, and who moves."""
    return f"{'/'.join(_rows(game, state))} {PLAYERS[int(state.turn & SECOND)]}"


@contract.parse_position.implements(Board)
def havannah_parse_position(game, text):
    first, second, mover = _parts(game, text)
    _check_numbers(game, len(first), len(second), mover)
    sides = first, second
    if ways := _ways(game.BASE, sides[mover]):
        raise BadInput(f"position: {PLAYERS[mover]}, who is to move, has {WAYS[min(ways)]} already")
    won = min(_ways(game.BASE, sides[1 - mover]), default=int(NO_WIN))
    words, count = np.zeros(MAX_WORDS, U), int(shape(game).words)
    for side, stones in enumerate(sides):
        for i, cell in enumerate(cells_of(game.BASE)):
            if cell in stones:
                words[side * count + i // WORD] |= U(1) << U(i % WORD)
    words[2 * count] = U((len(first) + len(second)) << int(STONES_AT) | won << int(WON_AT) | mover)
    return unpack(game, words, 0, 1)


def _parts(game: Board, text: str) -> tuple[Cells, Cells, int]:
    """Stones of both sides, and who moves."""
    parts = text.lower().split()
    if len(parts) != 2:
        raise BadInput("position: Havannah takes rows of o, x and . joined by /, a space, and who moves, o or x")
    rows, base = parts[0].split("/"), game.BASE
    if len(rows) != 2 * base - 1:
        raise BadInput(f"position: {len(rows)} rows; a board of game.base={base} has {2 * base - 1}, joined by /")
    for r, row in enumerate(rows):
        if set(row) - set(PLAYERS + EMPTY):
            raise BadInput(f"position: row {row!r} takes o (first player), x (second player) and . (empty)")
        long = 2 * base - 1 - abs(base - 1 - r)
        if len(row) != long:
            raise BadInput(
                f"position: row {row!r}, number {r + 1}, has {len(row)} cells, not {long} as on game.base={base}"
            )
    if parts[1] not in tuple(PLAYERS):
        raise BadInput(f"position: after the rows comes who moves, o or x, not {parts[1]!r}")
    signs = dict(zip(cells_of(base), "".join(rows), strict=True))
    first, second = ({cell for cell, found in signs.items() if found == sign} for sign in PLAYERS)
    return first, second, PLAYERS.index(parts[1])


def _check_numbers(game: Board, first: int, second: int, mover: int) -> None:
    """Players take turns; once the first stone has changed hands, the second player is a stone ahead."""
    ahead = first - second == mover
    ahead_by_swap = game.swap and second - first == 1 - mover and second > 0
    if not ahead and not ahead_by_swap:
        also = ", or one o less where the first stone was taken over" if game.swap else ""
        say = "as many o as x where o is to move, one o more where x is" + also
        raise BadInput(f"position: {first} o and {second} x with {PLAYERS[mover]} to move cannot be: {say}")


# ---------------------------------------------------------------------------------------------------------- what wins


def _near(cell: tuple[int, int]) -> Cells:
    return {(cell[0] + down, cell[1] + right) for down, right in AROUND}


def _parted(cells: Cells) -> list[Cells]:
    """The cells in their connected parts."""
    left, parts = set(cells), []
    while left:
        part, new = set(), {min(left)}
        while new:
            part |= new
            new = {near for cell in new for near in _near(cell)} & left - part
        parts.append(part)
        left -= part
    return parts


def _ways(base: int, stones: Cells) -> set[int]:
    """All ways in which a side has won: for each of its chains the first of fork, bridge and ring."""
    return {way for chain in _parted(stones) if (way := _way(base, chain))}


def _way(base: int, chain: Cells) -> int:
    """How a chain wins, NO_WIN if it does not."""
    touch = 0
    for cell in chain:
        touch |= touched(base, *cell)
    if (touch & (1 << CORNERS_AT) - 1).bit_count() >= 3:
        return int(FORK)
    if (touch >> CORNERS_AT).bit_count() >= 2:
        return int(BRIDGE)
    rest = set(cells_of(base)) - chain
    enclosed = any(all(not touched(base, *cell) for cell in part) for part in _parted(rest))
    return int(RING) if enclosed or any(_near(cell) <= chain for cell in chain) else int(NO_WIN)
