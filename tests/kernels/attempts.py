"""Plies and playouts that are made in attempts, beside those that are not."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpumcts.games import contract
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts import attempts
from gpumcts.playouts.attempts import FIRST, SECOND
from tests.games import drivers
from tests.games.drivers import keys_of
from tests.kernels.drivers import UNIFORM, keys_for, positions

POLICY = UNIFORM()
COUNTS = (1, 7, 8, 11, 16, 40, 300)
"""Of leaves: fewer than lanes, as many, more, and no multiple of them."""


def by_attempts(game: Any, state: Any, stream: Any) -> tuple[Any, int]:
    """The state after a ply that is made in attempts, in plain Python, and how many there were."""
    refused, made, tries = attempts.none_refused(game), False, 0
    while not made:
        attempt = attempts.look(POLICY, game, state, refused, stream)
        kept(game, refused, attempt)
        for search in (FIRST, SECOND):
            while attempts.under_way(search, game, attempt):
                attempt = attempts.look_further(search, game, state, attempt)
                kept(game, refused, attempt)
        state, refused, made = attempts.decide(game, state, refused, attempt)
        tries += 1
    return state, tries


def random_plies(game: Any, seed: int, games: int) -> Iterator[tuple[Any, Any, int]]:
    """(state, state after, attempts) of every ply of random games, made in attempts: it is that of a random move."""
    words, _, plies = drivers.trace(game, keys_of(31, seed, count=games))
    rows = drivers.positions(words, plies)
    for row, stream in zip(rows, keys_of(32, count=len(rows)), strict=True):
        state = contract.unpack(game, row, 0, 1)
        if contract.over(game, state):
            continue
        after, count = by_attempts(game, state, stream)
        assert after == contract.play(game, state, contract.random_move(game, state, stream))
        yield state, after, count


def kept(game: Any, refused: Any, attempt: Any) -> None:
    """Memory holds an attempt and what was refused."""
    words = np.zeros(3 * attempts.attempt_words(game), np.uint64)
    attempts.store_refused(game, refused, words, 1, 3)
    attempts.store_attempt(game, attempt, words, 1, 3)
    assert attempts.load_attempt(game, words, 1, 3) == attempt
    assert attempts.load_refused(game, words, 1, 3) == refused
    assert not words[0::3].any() and not words[2::3].any(), "of other lanes"


def one_by_one_and_in_lanes(game: Any, lanes: int, least: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Outcomes of batches larger and smaller than the lanes, of leaves that are over, and of playouts that are cut."""
    states, keys = positions(game, max(COUNTS), least=least), keys_for(max(COUNTS))
    for policy in (POLICY, UNIFORM(truncate=7)):
        one_by_one = CpuPlayouts(game, policy, lanes=1).columns(states, keys)
        engine = CpuPlayouts(game, policy, lanes=lanes)
        for count in COUNTS:
            yield one_by_one[:count], engine.columns(states[:count], keys[:count])
