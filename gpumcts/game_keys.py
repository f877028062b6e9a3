"""The keys of many games and plies at once."""

import numpy as np

from gpumcts.jit import entry
from gpumcts.rng import child_key

U = np.uint64


@entry
def _fill_keys(root, games, plies, keys):
    for i in range(len(games)):
        keys[i] = child_key(child_key(root, U(games[i])), U(plies[i]))


def keys_of(root: np.uint64, games: np.ndarray, plies: np.ndarray) -> np.ndarray:
    """``key_of(seed, game, ply)`` for many games and plies (int64[K]), uint64[K]; ``root`` is ``key_of(seed)``."""
    keys = np.empty(len(games), np.uint64)
    with np.errstate(over="ignore"):  # for plain Python; compiled code wraps around silently
        _fill_keys(root, games, plies, keys)
    return keys
