"""The CUDA kernels in Numba's simulator have the outcomes of the CPU, to the last bit.

Four games are enough here: ``tests/ptx`` runs the PTX of every kernel.
"""

import pytest

from gpumcts.kernels.cpu import CpuPlayouts
from tests.kernels.drivers import GAMES, PAIRS, POLICIES, digest, told_by
from tests.kernels.simulated_playouts import MORE_SHAPES, QUICK, batch, shaped


@pytest.fixture(scope="module")
def simulated():
    """Digests by game, policy and kernel, from a process in which the simulator is on."""
    return told_by("tests.kernels.simulated_playouts")


@pytest.mark.parametrize("game, policy", [(game, policy) for game, policy in PAIRS if game in QUICK])
def test_cudasim_is_cpu(simulated, game, policy):
    """By every kernel there is."""
    states, keys, playouts = batch(game, policy)
    expected = digest(CpuPlayouts(GAMES[game], POLICIES[policy]).tally(states, keys, playouts))
    found = {
        way: simulated[key] for way in ("thread", "nested", "warp") if (key := f"{game}, {policy}, {way}") in simulated
    }
    assert found and found == dict.fromkeys(found, expected)


def test_informed_playouts_by_every_kernel(simulated):
    for game in ("othello", "dots_and_boxes", "shortest_path"):
        for policy in ("minimax 1", "minimax 1, epsilon", "minimax 2"):
            assert all(f"{game}, {policy}, {way}" in simulated for way in ("thread", "nested", "warp"))
        assert f"{game}, minimax 3, 4 plies, warp" in simulated
    assert "dice_duel, minimax 2, warp" in simulated and "dice_duel, minimax 2, thread" not in simulated
    assert "othello, uniform, nested" in simulated and "othello, uniform, warp" not in simulated


@pytest.mark.parametrize("shape", MORE_SHAPES)
def test_shapes(simulated, shape):
    """Playouts of a leaf below, at and above a warp; leaves that a warp has in common, and alone."""
    for policy in ("uniform", "minimax 1"):
        if f"{policy}, {shape}" in simulated:
            expected = CpuPlayouts(GAMES["dice_duel"], POLICIES[policy]).tally(*shaped(*shape))
            assert simulated[f"{policy}, {shape}"] == digest(expected)


@pytest.mark.parametrize("cut", ["launches of 8", "launches of 29", "batches of 5", "many warps"])
def test_cuts_change_nothing(simulated, cut):
    assert simulated[cut] == simulated["othello, uniform, nested"]


def test_spans(simulated):
    spans = simulated["spans"]
    assert len(spans) == 3 and all(0 <= begin <= end for begin, end in spans)
    assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:], strict=False))


def test_sums_in_a_warp_of_32(simulated):
    found = simulated["warp of 32"]
    assert found["ranks"] == [lane // 3 for lane in range(32)]
    assert found["alone"] == [[lane, 1] for lane in range(32)]
    for first in range(3):
        lanes = range(first, 32, 3)
        assert found["sums"][first] == [sum(lanes), -sum(lane**2 for lane in lanes)]
