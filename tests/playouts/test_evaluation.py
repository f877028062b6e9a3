"""The evaluation in place of a playout."""

import numpy as np
import pytest

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.playouts.contract import outcome
from gpumcts.playouts.evaluation import CURVE, STEPS, Evaluation
from tests.games.drivers import keys_of, positions, trace
from tests.playouts.drivers import GAMES, playouts
from tests.reference.playout import logistic_evaluation, rescaled_evaluation

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


DEAR = {"amazons", "chess", "go", "havannah", "sailing"}  # to compile


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, id=name, marks=[pytest.mark.slow] if name in DEAR else []) for name, game in GAMES.items()],
)
def test_the_outcome_is_the_rescaled_evaluation_or_the_score(game):
    words, _, plies = trace(game, keys_of(31, count=10))
    rows = positions(words, plies)
    _, found = playouts(game, Evaluation(), rows, keys_of(32, count=len(rows)))
    assert not found[:, 1].any()
    for row, got in zip(rows, found[:, 0].tolist(), strict=True):
        state = contract.unpack(game, row, 0, 1)
        over = contract.count_moves(game, state) == 0
        assert got == (contract.score(game, state) if over else rescaled_evaluation(game, state))


@pytest.mark.parametrize("limit", [5, 4000])
def test_another_evaluation_may_stand_for_a_win(limit):
    """Below the game's own some are clamped, beyond it none is near a win; ends keep scores; plain Python agrees."""
    game, policy = Othello(), Evaluation("linear", limit)
    words, _, plies = trace(game, keys_of(31, count=10))
    rows, clamped = positions(words, plies), 0
    _, found = playouts(game, policy, rows, keys_of(32, count=len(rows)))
    for row, got in zip(rows, found[:, 0].tolist(), strict=True):
        state = contract.unpack(game, row, 0, 1)
        assert got == outcome(options.compiled(policy), game, state)
        if contract.count_moves(game, state) == 0:
            assert got == contract.score(game, state)
        else:
            assert got == rescaled_evaluation(game, state, limit)
            clamped += abs(got) == SCORE_UNIT
            assert limit == 5 or abs(got) < SCORE_UNIT // 30
    assert (clamped > 10) == (limit == 5)


CHESS = [pytest.param("chess", limit, marks=pytest.mark.slow) for limit in (None, 6500)]


@pytest.mark.parametrize("name, limit", [("othello", None), ("othello", 40), *CHESS])
def test_on_the_curve(name, limit):
    """Within 3e-5 of the logistic curve, unlike the linear outcomes; ends keep their scores; plain Python agrees."""
    game, policy = GAMES[name], Evaluation("sigmoid", limit)
    words, _, plies = trace(game, keys_of(31, count=10))
    rows, sigmoid = positions(words, plies), options.compiled(policy)
    _, found = playouts(game, policy, rows, keys_of(32, count=len(rows)))
    bent = 0
    for row, got in zip(rows, found[:, 0].tolist(), strict=True):
        state = contract.unpack(game, row, 0, 1)
        assert got == outcome(sigmoid, game, state)
        if contract.count_moves(game, state) == 0:
            assert got == contract.score(game, state)
        else:
            assert abs(got - logistic_evaluation(game, state, limit)) <= 3e-5 * SCORE_UNIT
            bent += abs(got - rescaled_evaluation(game, state, limit)) > 0.05 * SCORE_UNIT
    assert bent > len(rows) // 10 and not found[:, 1].any()


def test_the_curve():
    """It rises from 0 to 0.9993 of a win, and there is an entry after the last step."""
    assert (np.diff(CURVE[:-1]) > 0).all() and len(CURVE) == STEPS + 2
    assert (CURVE[0], CURVE[-1]) == (0, CURVE[-2]) and round(CURVE[-1] / SCORE_UNIT, 4) == 0.9993


def test_another_rescaling_is_refused():
    with pytest.raises(BadInput, match="^playout.rescaling=cubic: must be linear or sigmoid$"):
        Evaluation("cubic").compiled()


def test_worked_values():
    """Othello: three moves against none and no corner is 3 of 64; the mover's good is the other's bad."""
    game = Othello()
    rows = [
        contract.parse_position(game, "---------------------------OX------XO--------------------------- X"),
        contract.parse_position(game, "-OX-----".ljust(64, "-") + " X"),
        contract.parse_position(game, "-OX-----".ljust(64, "-") + " O"),
    ]
    _, found = playouts(game, Evaluation(), np.array(rows, np.uint64), keys_of(33, count=3))
    # The second and the third: one move each way, a1 for Black and d1 for White.
    assert found[:, 0].tolist() == [0, 0, 0]
    rows = [
        contract.parse_position(game, "XO------".ljust(64, "-") + " X"),
        contract.parse_position(game, "XO------".ljust(64, "-") + " O"),
    ]
    _, found = playouts(game, Evaluation(), np.array(rows, np.uint64), keys_of(33, count=2))
    # One move and a corner for Black, nothing for White: (1 + 8) of 64, for the first player in both.
    assert found[:, 0].tolist() == [9 * SCORE_UNIT // 64] * 2


def test_division_goes_towards_zero_for_either_side():
    game = DotsAndBoxes(1, 3)
    first, second = "-../||../-.. 1 B", "-../||../-.. 0 A"
    rows = np.array([contract.parse_position(game, text) for text in (first, second)], np.uint64)
    _, found = playouts(game, Evaluation(), rows, keys_of(34, count=2))
    assert found[:, 0].tolist() == [SCORE_UNIT // 3, -(SCORE_UNIT // 3)]
