"""The other programs as contenders, where they have the game."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from benchmarks.measure import Contender
from benchmarks.peers import mctsnc, open_spiel, pgx_playouts

Measured = AbstractContextManager[Contender]
Of = Callable[..., Measured | None]  # a game's option value and its name; None for a game the program has not

PLAYOUTS: dict[str, Of] = {"open_spiel": open_spiel.rollouts, "pgx": pgx_playouts.playouts}
ON_DEVICE: dict[str, Of] = {"pgx": partial(pgx_playouts.playouts, on_device=True)}
SEARCHES: dict[str, Of] = {"open_spiel": open_spiel.search, "mctsnc": mctsnc.search}


def of_playouts(names: Sequence[str], game: Any, game_name: str) -> list[Measured]:
    """Uniform playouts of the peers that have the game; each is to be entered, and then can be timed."""
    return _those(PLAYOUTS, names, game, game_name)


def of_playouts_on_device(names: Sequence[str], game: Any, game_name: str) -> list[Measured]:
    """The same of those that play on a device."""
    return _those(ON_DEVICE, names, game, game_name)


def of_searches(names: Sequence[str], game: Any, game_name: str) -> list[Measured]:
    """UCT of the peers that have the game and a search."""
    return _those(SEARCHES, names, game, game_name)


def _those(table: dict[str, Of], names: Sequence[str], game: Any, game_name: str) -> list[Measured]:
    found = [table[name](game, game_name) for name in names if name in table]
    return [peer for peer in found if peer is not None]
