"""Positions and moves that a user writes: read, checked, and packed."""

from typing import Any

import numpy as np

from experiments.schema import Checked
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.kernels.batch import Rules


def position_of(config: Checked, playable: bool = True) -> np.ndarray:
    """The position of ``position=`` (the start, if null) after ``moves=``, uint64[W].

    Raises BadInput where the text names no position or an illegal move, and, if ``playable``, where the game is over.
    """
    rules = Rules(config.game)
    text, moves = config.keys.position, getattr(config.keys, "moves", "").split()
    with np.errstate(over="ignore"):
        state = contract.start(config.game) if text is None else contract.parse_position(config.game, text)
        for number, move in enumerate(moves, 1):
            state = _after(config.game, state, move, number)
        words = rules.words(state)
    if playable and not rules.count_moves(words[None])[0]:
        raise BadInput(f"{'moves' if moves else 'position'}: the game is over there, nothing is left to play")
    return words


def _after(game: Any, state: Any, move: str, number: int) -> Any:
    try:
        return contract.play(game, state, contract.parse_move(game, state, move))
    except BadInput as error:
        raise BadInput(f"moves: number {number}: {error}") from None
