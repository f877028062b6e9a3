"""Random playouts against a loop in plain Python that shares only the rules and none of the generator."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.othello import Othello
from gpumcts.playouts.evaluation import Evaluation
from gpumcts.playouts.uniform import Uniform
from tests.games.drivers import keys_of
from tests.playouts.drivers import GAMES, SLOW_TO_COMPILE, playouts, starts
from tests.reference.playout import uniform_playout

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


NUMBERED = {
    name: game for name, game in GAMES.items() if name not in ("amazons", "go")
}  # whose random moves are no numbers of moves


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, id=name, marks=[pytest.mark.slow] if name in SLOW_TO_COMPILE else [])
        for name, game in NUMBERED.items()
    ],
)
def test_draws_are_addressed_by_ply(game):
    """Draw 0 of ply p of a playout under a key decides its move p: where a draw stands is part of every result."""
    count = 20
    keys = keys_of(30, count=count)
    lasts, found = playouts(game, Uniform(), starts(game, count), keys)
    for number in range(count):
        state, plies = uniform_playout(game, contract.start(game), int(keys[number]))
        outcome, gone, past, _ = found[number].tolist()
        assert gone - past == plies
        assert outcome == contract.score(game, state)
        if past == 0:
            assert [int(word) for word in state] == lasts[number].tolist()


def test_a_cut_after_a_pass_tells_whether_the_pass_was_one():
    """Of Othello, which ends after two passes: only where nobody can move is a pass no ply."""
    game, count = Othello(), 300
    keys, begins = keys_of(35, count=count), starts(game, count)
    _, entire = playouts(game, Uniform(), begins, keys)
    passed = 0
    for truncate in range(50, 62):
        lasts, found = playouts(game, Uniform(truncate), begins, keys)
        assert np.array_equal(found[:, 1] - found[:, 2], np.minimum(truncate, entire[:, 1] - entire[:, 2]))
        after_a_pass = lasts[(lasts[:, 2] & np.uint64(6) != 0) & (found[:, 3] > 0)]
        _, evaluated = playouts(game, Evaluation(), after_a_pass, keys_of(36, count=len(after_a_pass)))
        assert not evaluated[:, 1:3].any()
        passed += len(after_a_pass)
    assert passed > 20
