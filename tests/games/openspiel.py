"""Random games of ours played in OpenSpiel too, which is asked at every ply."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gpumcts.games.contract import SCORE_UNIT
from gpumcts.rng import key_of
from tests.games import drivers


def follow(game: Any, theirs: str, number_there: Callable[[int], int], first: int, games: int) -> None:
    """Play random games ``first`` and on; the legal moves, the mover, the end and the result must be those of OpenSpiel.

    theirs : the game's name there; number_there : their number of a move of ours
    """
    other_game = pytest.importorskip("pyspiel").load_game(theirs)
    keys = np.array([key_of(10, number) for number in range(first, first + games)], np.uint64)
    words, moves, plies = drivers.trace(game, keys)
    states = drivers.positions(words, plies)
    numbers, legal, _ = drivers.described(game, states, np.zeros(len(states), np.uint64))
    ends = np.cumsum(plies + 1)
    for g in range(games):
        other, rows = other_game.new_initial_state(), range(ends[g] - plies[g] - 1, ends[g])
        for ply, row in enumerate(rows):
            count, mover, result = numbers[row, 0], numbers[row, 1], numbers[row, 3]
            assert (count == 0) == other.is_terminal()
            if count == 0:
                assert result == other.returns()[0] * SCORE_UNIT
                break
            assert sorted(number_there(int(move)) for move in legal[row, :count]) == other.legal_actions()
            assert mover == other.current_player()
            other.apply_action(number_there(int(moves[g, ply])))
