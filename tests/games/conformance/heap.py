"""A small game of a user's own, as source text, and the same with a mistake planted in it."""

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpumcts import options

SOURCE = '''\
"""Players take one to three stones in turn; whoever takes the last one wins."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT

U = np.uint64


class Heap(NamedTuple):
    """One heap of ``stones`` stones."""

    stones: Annotated[int, Interval(ge=1, le=60)] = 21

    MAX_PLIES = 60
    MAX_MOVES = 3
    PLAYERS = 2
    LANES = False


OPTION = Heap


@contract.state_of(Heap)
class State(NamedTuple):
    """left: stones in the heap; turn: 0 or 1, who moves."""

    left: np.uint64
    turn: np.uint64


@contract.start.implements(Heap)
def heap_start(game):
    return State(U(game.stones), U(0))


@contract.mover.implements(Heap)
def heap_mover(game, state):
    return np.int64(state.turn)


@contract.count_moves.implements(Heap)
def heap_count_moves(game, state):
    return np.int64(min(state.left, U(3)))


@contract.nth_move.implements(Heap)
def heap_nth_move(game, state, k):
    return np.int64(k + 1)


@contract.play.implements(Heap)
def heap_play(game, state, move):
    if state.left == U(0):
        return state
    return State(state.left - U(move), state.turn ^ U(1))


@contract.score.implements(Heap)
def heap_score(game, state):
    return -SCORE_UNIT if state.turn == U(0) else SCORE_UNIT


@contract.move_text.implements(Heap)
def heap_move_text(game, state, move):
    return f"take{move}"


@contract.board_text.implements(Heap)
def heap_board_text(game, state):
    return "o" * int(state.left) + "."


@contract.position_text.implements(Heap)
def heap_position_text(game, state):
    return f"{state.left} {state.turn}"


@contract.parse_position.implements(Heap)
def heap_parse_position(game, text):
    left, turn = parts if len(parts := text.split()) == 2 else ("", "")
    if not (left.isdecimal() and turn.isdecimal()) or int(left) > game.stones or int(turn) > 1:
        raise BadInput("position: a heap takes the stones left and who moves, 0 or 1")
    return State(U(int(left)), U(int(turn)))
'''


def write(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """The game as module ``name`` in a folder where modules are found, each first text replaced by its second."""
    text = SOURCE
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file = folder / f"{name.replace('.', '/')}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def load(name: str):
    """The game of a module as it travels into compiled code, asked as every command asks."""
    importlib.invalidate_caches()
    return options.compiled(options.option("game", name)())


def forget(name: str) -> None:
    """Let the module be imported anew."""
    for known in [known for known in sys.modules if known.split(".")[0] == name.split(".")[0]]:
        del sys.modules[known]


def line_of(file: Path, text: str) -> int:
    """The number of the first line that begins with a text."""
    return next(i for i, line in enumerate(file.read_text().splitlines(), 1) if line.strip().startswith(text))


@contextlib.contextmanager
def importable(folder: Path, name: str) -> Iterator[str]:
    """The game as a module that can be imported from ``folder`` meanwhile; gives its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        write(folder, name)
        yield name
    forget(name)
