"""Games that pack their moves into a word: bit by bit they are the legal moves, in order."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.othello import Othello
from tests.games.drivers import keys_of, positions, trace
from tests.playouts.drivers import GAMES
from tests.reference.playout import legal_moves

PACKING = {name: game for name, game in GAMES.items() if contract.move_set.find(type(game))}

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def moves_of_set(game, state):
    """The legal moves in the order of the bits of the move set."""
    moves = int(contract.move_set(game, state))
    bits = [bit for bit in range(64) if moves >> bit & 1]
    return [int(contract.move_of_bit(game, state, np.uint64(bit))) for bit in bits]


@pytest.mark.parametrize("game", PACKING.values(), ids=PACKING)
def test_the_bits_are_the_legal_moves(game):
    words, _, plies = trace(game, keys_of(51, count=30))
    for row in positions(words, plies):
        state = contract.unpack(game, row, 0, 1)
        assert moves_of_set(game, state) == [int(move) for move in legal_moves(game, state)]


def test_some_games_pack():
    assert {"othello", "dots_and_boxes", "shortest_path"} <= set(PACKING)


def test_a_pass_is_a_move_of_the_set():
    state = contract.parse_position(Othello(), "XO------".ljust(64, "-") + " O")
    assert moves_of_set(Othello(), state) == [64]
