"""The CUDA kernel in Numba's simulator has the outcomes of the CPU, to the last bit."""

import pytest

from gpumcts.kernels.cpu import CpuPlayouts
from tests.kernels.drivers import GAMES, POLICIES, digest, told_by
from tests.kernels.simulated_playouts import batch


@pytest.fixture(scope="module")
def simulated():
    """Digests by game and policy, from a process in which the simulator is on."""
    return told_by("tests.kernels.simulated_playouts")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("game", GAMES)
def test_cudasim_is_cpu(simulated, game, policy):
    states, keys, playouts = batch(game, policy)
    assert simulated[f"{game}, {policy}"] == digest(
        CpuPlayouts(GAMES[game], POLICIES[policy]).tally(states, keys, playouts)
    )


@pytest.mark.parametrize("cut", ["launches of 8", "launches of 29", "flights of 5"])
def test_cuts_change_nothing(simulated, cut):
    assert simulated[cut] == simulated["othello, uniform"]
