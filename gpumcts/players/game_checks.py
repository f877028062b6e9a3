"""Checks of a game for players that cannot handle chance."""

from typing import Any

import numpy as np

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.batch import Rules
from gpumcts.rng import PLY_STEP, key_of

EARLY_PLIES = 40


def check_no_chance(game: Any, player: str) -> None:
    """Raise BadInput, about ``player`` (``player=pvs``), where chance moves in a game, as one random game shows it."""
    rules = Rules(game)
    state, key = rules.starts(1), np.array([key_of(0)], np.uint64)
    counts, movers = rules.describe(state)
    while counts[0]:
        if movers[0] == CHANCE:
            raise _refusal(rules.game, player)
        state, key = rules.play(state, rules.random_moves(state, key)), key + PLY_STEP
        counts, movers = rules.describe(state)


def check_no_early_chance(game: Any, player: str) -> None:
    """The same by a random game's first plies in plain Python, for callers that cannot wait for compilation."""
    state, key = contract.start(game), key_of(0)
    with np.errstate(over="ignore"):
        for _ in range(EARLY_PLIES):
            if contract.count_moves(game, state) == 0:
                return
            if contract.mover(game, state) == CHANCE:
                raise _refusal(game, player)
            state, key = contract.play(game, state, contract.random_move(game, state, key)), key + PLY_STEP


def _refusal(game: Any, player: str) -> BadInput:
    return BadInput(f"{player}: in {title(game)} chance moves, which it takes no account of")
