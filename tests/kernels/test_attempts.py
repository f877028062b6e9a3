"""Playouts whose plies are made in attempts: the plies and outcomes of playouts ply by ply."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.go.points import number_of
from gpumcts.games.go.setup import opened
from gpumcts.kernels import lane_check
from gpumcts.kernels.attempt_loop import attempted_in_lanes, attempting_in_lanes
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.playout_loop import LANE_COUNT
from gpumcts.playouts.traces import traced
from tests.games.drivers import keys_of
from tests.games.go_drivers import GO, SIZES, U, board, state_of
from tests.kernels.attempts import POLICY, by_attempts, one_by_one_and_in_lanes, random_plies
from tests.kernels.drivers import keys_for, positions

LANES = [LANE_COUNT, *(pytest.param(lanes, marks=pytest.mark.slow) for lanes in (8, 32))]


def stones(game, state):
    return sum(number_of(x).bit_count() for x in opened(game, state)[:2])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_a_ply_in_attempts_is_that_of_a_random_move(size):
    game, tries, lost = GO[size], [], []
    for state, after, count in random_plies(game, size, games=3):
        tries.append(count)
        lost.append(stones(game, state) + 1 - stones(game, after))
    assert max(tries) > 3, "draws are refused"
    assert max(lost) > 2, "stones are taken, several at once too"


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_two_stones_taken_are_no_ko():
    """Whoever takes two stones, one on each side, may be answered on both points."""
    state, point = state_of(board("...XOX", "..XO.OX", "...XOX", "", "", "") + " b"), 40
    drawn = [stream for stream in keys_of(33, count=900) if contract.random_move(GO[9], state, stream) == point]
    assert drawn and all(by_attempts(GO[9], state, s)[0] == contract.play(GO[9], state, point) for s in drawn)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_a_pass_follows_when_all_are_refused():
    rows = "/".join(["XXXXXXXXX"] * 4 + ["XXXX.XXXX"] + ["XXXXXXXXX"] * 3 + ["XXXXXXX.X"])
    for colour, draws in (("b", 1), ("w", 3)):  # eyes are not drawn; two suicides are
        state = state_of(f"{rows} {colour}")
        after, count = by_attempts(GO[9], state, U(5))
        assert (after, count) == (contract.play(GO[9], state, 81), draws)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("size", SIZES)
def test_playouts_in_lanes(size, lanes):
    """Batches larger and smaller than the lanes, leaves that are over, and playouts that are cut."""
    game = GO[size]
    for one_by_one, in_lanes in one_by_one_and_in_lanes(game, lanes, least=size * size // 2):
        assert np.array_equal(in_lanes, one_by_one)


def test_playouts_of_a_leaf():
    """Several playouts of each leaf are those of its keys, and threads share the leaves."""
    states, keys = positions(GO[9], 30), keys_for(30)
    found = [CpuPlayouts(GO[9], POLICY, *how).columns(states, keys, 5) for how in ((1, LANE_COUNT), (2,), (1, 1))]
    assert all(np.array_equal(found[0], other) for other in found)


def test_who_is_played_in_attempts():
    assert attempted_in_lanes(GO[9], POLICY)
    assert not attempted_in_lanes(traced(GO[9], POLICY), POLICY), "lanes keep no traces"


@pytest.mark.skipif(not lane_check.has_vectors(), reason="this CPU has no AVX2")
def test_attempts_are_vectorised():
    code = lane_check.machine_code(attempting_in_lanes(LANE_COUNT), GO[9], POLICY)
    assert len(lane_check.WIDE.findall(code)) > 150
