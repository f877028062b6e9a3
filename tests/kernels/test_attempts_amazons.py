"""Playouts of Amazons in attempts: the plies and outcomes of playouts ply by ply."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.amazons.attempts import DRAWS
from gpumcts.games.amazons.sampling import NEXT_TRIAL
from gpumcts.kernels import lane_check
from gpumcts.kernels.attempt_loop import attempted_in_lanes, attempting_in_lanes
from gpumcts.kernels.playout_loop import LANE_COUNT
from gpumcts.options import compiled, option
from gpumcts.playouts import attempts
from tests.games.drivers import keys_of
from tests.kernels.attempts import POLICY, one_by_one_and_in_lanes, random_plies

BOARDS = {
    (size, turn): compiled(option("game", "amazons")(size, turn)) for size in (6, 8, 10) for turn in ("full", "split")
}
QUICK = ((6, "split"), (10, "full"))  # one word and two, halves of a turn and whole ones
EACH = [pytest.param(*board, marks=[] if board in QUICK else pytest.mark.slow) for board in BOARDS]
LANES = [LANE_COUNT, *(pytest.param(lanes, marks=pytest.mark.slow) for lanes in (8, 32))]


@pytest.mark.parametrize("size, turn", EACH)
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_a_ply_in_attempts_is_that_of_a_random_move(size, turn):
    """Of which some take many draws, and the last finds that there is no move."""
    game, tries, stuck = BOARDS[size, turn], [], 0
    for _, after, count in random_plies(game, size, games=2):
        tries.append(count)
        if contract.over(game, after):
            stuck += 1
            assert count == 1, "where there is no move, none is drawn in vain"
    assert max(tries) > 2 and tries.count(1) > len(tries) // 3
    assert stuck == 2, "a game ends by a ply of who cannot move"


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_an_attempt_makes_six_draws():
    """What is refused is told by the number of the next draw, so that no draw is made twice."""
    game, (stream,) = BOARDS[10, "full"], keys_of(5, count=1)
    state = contract.start(game)
    refused = attempts.none_refused(game)
    attempt = attempts.look(POLICY, game, state, refused, stream)._replace(made=np.uint64(0))
    after, refused, made = attempts.decide(game, state, refused, attempt)
    assert (after, refused, made) == (state, DRAWS * NEXT_TRIAL, False) and DRAWS == 6


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("size, turn", EACH)
def test_playouts_in_lanes(size, turn, lanes):
    for one_by_one, in_lanes in one_by_one_and_in_lanes(BOARDS[size, turn], lanes, least=size):
        assert np.array_equal(in_lanes, one_by_one)


def test_who_is_played_in_attempts():
    game = BOARDS[10, "full"]
    assert attempted_in_lanes(game, POLICY)
    assert not attempted_in_lanes(game, option("playout", "staged")()), "stages need no draw twice"


@pytest.mark.skipif(not lane_check.has_vectors(), reason="this CPU has no AVX2")
@pytest.mark.parametrize("size, turn", [(10, "full"), pytest.param(6, "split", marks=pytest.mark.slow)])
def test_attempts_are_vectorised(size, turn):
    code = lane_check.machine_code(attempting_in_lanes(LANE_COUNT), BOARDS[size, turn], POLICY)
    assert len(lane_check.WIDE.findall(code)) > 150
