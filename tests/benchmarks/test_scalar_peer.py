"""The scalar C++ playouts of the benchmark play the same games as ours."""

import shutil

import numpy as np
import pytest

from benchmarks.peers.scalar import scalar_playouts
from gpumcts.games.othello import Othello
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.uniform import Uniform
from tests.kernels.drivers import keys_for, positions


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_same_outcomes():
    tally = scalar_playouts("othello")
    assert tally is not None
    states, keys = positions(Othello(), 2000), keys_for(2000)
    ours = CpuPlayouts(Othello(), Uniform()).tally(states, keys, 3)
    assert np.array_equal(tally(states, keys, 3).T, np.stack(ours))


def test_a_game_without_such_a_program():
    assert scalar_playouts("dice_duel") is None
