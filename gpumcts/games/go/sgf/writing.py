"""A game as SGF."""

from collections.abc import Iterable
from typing import Any

import numpy as np

import gpumcts
from gpumcts.games import contract
from gpumcts.games.go.options import Board
from gpumcts.games.go.sgf.properties import LETTERS, TAGS
from gpumcts.games.go.text import stones

MOVES_A_LINE = 12
RULES = "Chinese"  # area, no suicide; superko by position


@contract.record_format.implements(Board)
def go_has_sgf(game):
    return "sgf"


@contract.record_text.implements(Board)
def sgf_text(game, record):
    """FF[4], UTF-8. Tags that SGF has not are left out; texts are escaped."""
    with np.errstate(over="ignore"):
        turn = int(contract.mover(game, record.start))
        steps = [";" + _move(game, record.moves, i, turn) for i in range(len(record.moves))]
        tags = {"RU": RULES, **record.tags}
        head = f"(;FF[4]GM[1]CA[UTF-8]AP[gpumcts:{gpumcts.__version__}]SZ[{game.SIZE}]KM[{game.half_points / 2:g}]"
        words = "".join(f"{name}[{_escaped(tags[name])}]" for name in TAGS if name in tags)
        lines = ["".join(steps[i : i + MOVES_A_LINE]) for i in range(0, len(steps), MOVES_A_LINE)]
        return "\n".join([head, *([words] if words else []), *_setup(game, record.start, turn), *lines]) + ")\n"


def _setup(game: Any, start: Any, turn: int) -> Iterable[str]:
    """What the board has before the first move, and whose it is; nothing for an empty board and Black."""
    black, white = stones(game, start)
    for name, side in (("AB", black), ("AW", white)):
        if side:
            yield name + "".join(f"[{_point(game, point)}]" for point in range(game.CELLS) if side >> point & 1)
    if black or white or turn:
        yield f"PL[{'BW'[turn]}]"


def _move(game: Any, moves: list[int], at: int, turn: int) -> str:
    point = "" if moves[at] == game.CELLS else _point(game, moves[at])
    return f"{'BW'[(at + turn) % 2]}[{point}]"


def _point(game: Any, point: int) -> str:
    row, column = divmod(point, game.SIZE)
    return LETTERS[column] + LETTERS[game.SIZE - 1 - row]


def _escaped(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace("]", "\\]").split())
