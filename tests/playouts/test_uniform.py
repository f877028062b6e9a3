"""Random playouts against a loop in plain Python that shares only the rules and none of the generator."""

import pytest

from gpumcts.games import contract
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
