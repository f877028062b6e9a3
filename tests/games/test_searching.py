"""What games tell searches: all moves at once, and which of them are noisy."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.contract import has_noisy
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.rng import key_of
from tests.games.drivers import for_tests
from tests.reference.playout import legal_moves

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

GAMES = for_tests()
MAX_NOISE = 60_000


def line(game, seed, plies):
    """The positions of a random game in plain Python, up to so many plies."""
    state, found = contract.start(game), []
    for ply in range(plies):
        if not int(contract.count_moves(game, state)):
            break
        found.append(state)
        state = contract.play(game, state, contract.random_move(game, state, key_of(seed, ply)))
    return found


@pytest.mark.parametrize(
    "name", [n for n, g in GAMES.items() if contract.write_moves.find(type(g)) is not contract.write_moves.find(object)]
)
def test_moves_are_written_in_order(name):
    game = GAMES[name]
    for state in line(game, 1, 150)[::3]:
        moves, out = legal_moves(game, state), np.full(game.MAX_MOVES + 3, -7, np.int64)
        contract.write_moves(game, state, len(moves), out, 2)
        assert (
            out[2 : 2 + len(moves)].tolist() == moves and (out[2 + len(moves) :] == -7).all() and (out[:2] == -7).all()
        )


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if has_noisy(game)])
def test_some_moves_are_noisy(name):
    game, seen = GAMES[name], set()
    for state in line(game, 2, 60)[::2]:
        seen |= {int(contract.noisy(game, state, move)) for move in legal_moves(game, state)}
    assert 0 in seen and len(seen) > 1 and min(seen) == 0 and max(seen) <= MAX_NOISE


def test_boxes_are_noisy():
    """A line is as noisy as it completes boxes: who completes one moves on."""
    game = DotsAndBoxes(2, 2)
    for seed in range(5):
        for state in line(game, seed, 12):
            for move in legal_moves(game, state):
                again = contract.mover(game, contract.play(game, state, move)) == contract.mover(game, state)
                assert (int(contract.noisy(game, state, move)) > 0) == again
