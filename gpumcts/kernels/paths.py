"""Playouts that can be told apart: a game whose states fold the moves into a word.

``Followed`` is what the playout loops get in place of a game, as ``traces.Traced`` is, whose verbs it has but for
``play``. The tally keeps score and path of every playout; two that made the same moves have the same path, and others
differ but for one pair in 2^64. A game's own ``whole_playout`` is not followed.
"""

from typing import Any

import numpy as np

from gpumcts.games.contract import play
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.playouts.contract import has_whole_playout
from gpumcts.playouts.traces import State, Traced
from gpumcts.rng import child_key

U = np.uint64
KEPT = 2  # words of each playout: score, path


class Followed(Traced):
    """A game (as it travels into compiled code) whose states remember the moves since the playout began."""


@play.implements(Followed)
def followed_play(game, state, move):
    path = child_key(state.trace[0], U(move))
    return State(play(game.game, state.position, move), (path,))


def followed(game: Any) -> Followed:
    """What the playout loops get so that playouts on ``game`` (as it travels) keep their paths."""
    return Followed(game, (U(0),))


def may_be_followed(policy: Any, game: Any) -> bool:
    """Whether outcomes are those of ``game`` itself, ply by ply; both as they travel. Plain Python."""
    return not has_whole_playout(policy, game)


def paths_of(columns: np.ndarray) -> np.ndarray:
    """The paths of P playouts of each of B leaves, uint64[B, P], from ``CpuPlayouts.columns`` of ``followed``."""
    return columns[:, TALLY_COLUMNS + 1 :: KEPT].view(np.uint64)


def words_of(states: np.ndarray) -> np.ndarray:
    """Packed states of a game, uint64[B, W], as ``followed`` has them: with an empty path, uint64[B, W + 1]."""
    return np.hstack([states, np.zeros((len(states), 1), np.uint64)])
