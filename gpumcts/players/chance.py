"""What players that search without chance ask of a game."""

from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.batch import Rules
from gpumcts.rng import PLY_STEP, key_of


def refuse_chance(game: Any, player: str) -> None:
    """Raise BadInput, about ``player`` (``player=pvs``), where chance moves in a game, as one random game shows it."""
    rules = Rules(game)
    state, key = rules.starts(1), np.array([key_of(0)], np.uint64)
    counts, movers = rules.describe(state)
    while counts[0]:
        if movers[0] == CHANCE:
            raise BadInput(f"{player}: in {type(rules.game).__name__} chance moves, which it takes no account of")
        state, key = rules.play(state, rules.random_moves(state, key)), key + PLY_STEP
        counts, movers = rules.describe(state)
