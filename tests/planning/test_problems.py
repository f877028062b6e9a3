"""Problems, value iteration against an independent one and published means, and what planners are measured by."""

import threading

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from gpumcts.errors import BadInput
from gpumcts.games.sailing import Sailing
from gpumcts.planning import study
from gpumcts.planning.mdp import outcome, problem
from gpumcts.planning.sailing import mdp_of, number_of
from gpumcts.planning.value_iteration import action_values, optimal_values
from gpumcts.rng import key_of
from tests.planning.drivers import chain
from tests.reference.planning import sailing_values

SURE = 1e-6
MEANS = {  # of V* over all states that are no goals
    False: {2: 5.0002, 5: 11.7789, 10: 22.9136, 20: 44.1076, 40: 85.1274},
    True: {2: 5.0127, 5: 12.4507, 10: 25.4944, 20: 51.5976, 40: 103.0064},
}
KEEPING = {False: 23.8013, True: 26.1838}

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def mean_value(game):
    mdp = mdp_of(game)
    return optimal_values(mdp)[mdp.actions != 0].mean()


@pytest.mark.parametrize("wind_from", [False, True])
@pytest.mark.parametrize("size", [2, 5, 10, 20, 40])
def test_the_means_of_sailing(size, wind_from):
    assert round(mean_value(Sailing(size, wind_from=wind_from)), 4) == MEANS[wind_from][size]


@pytest.mark.parametrize("wind_from", [False, True])
def test_the_means_of_sailing_where_the_tack_is_kept(wind_from):
    assert round(mean_value(Sailing(10, wind_from=wind_from, keep_tack=True)), 4) == KEEPING[wind_from]


@pytest.mark.parametrize("wind_from", [False, True])
@pytest.mark.parametrize("keep_tack", [False, True])
def test_every_value_of_sailing(wind_from, keep_tack):
    """State by state, against value iteration in NumPy by rules of its own."""
    size = 5
    values = optimal_values(mdp_of(Sailing(size, wind_from=wind_from, keep_tack=keep_tack)))
    reference = sailing_values(size, wind_from, keep_tack)
    y, x, wind, tack = np.indices(reference.shape)
    assert np.abs(values[number_of(Sailing(size), x, y, wind, tack)] - reference).max() < 1e-8


@pytest.mark.parametrize("discount", [1.0, 0.95, 0.5])
def test_the_values_of_a_chain(discount):
    """Action 1 alone: v = 1 + d (v + next) / 2, so v = (1 + d next / 2) / (1 - d / 2); others where they are better."""
    values = optimal_values(chain(discount))
    step = [0.0]
    for state in (3, 2, 1, 0):
        risky = (1 + discount * step[0] / 2) / (1 - discount / 2)
        sure = 3 + discount * step[0]
        step.insert(0, min(risky, sure, 7.0 if state == 0 else np.inf))
    assert np.allclose(values, step, rtol=0, atol=1e-9)
    if discount == 1:
        assert np.allclose(values, [7, 6, 4, 2, 0], rtol=0, atol=1e-9)


def test_action_values():
    mdp = chain()
    values = optimal_values(mdp)
    costs = action_values(mdp, values)
    assert np.allclose(costs[0], [9, 7.5, 7]) and np.allclose(costs[3, :2], [3, 2])
    assert np.isinf(costs[3, 2]) and np.isinf(costs[4]).all()
    assert np.allclose(costs.min(axis=1)[:4], values[:4], rtol=0, atol=1e-9)


@pytest.mark.parametrize("tolerance", [0.0, -1e-10, np.nan])
def test_value_iteration_wants_a_tolerance_that_it_can_come_to(tolerance):
    with pytest.raises(BadInput, match=f"^tolerance={tolerance}: must be above 0$"):
        optimal_values(chain(), tolerance=tolerance)


def test_value_iteration_tells_and_stops():
    told = []
    optimal_values(mdp_of(Sailing(6)), on_progress=lambda sweeps, change: told.append((sweeps, change)))
    assert told and told[-1][1] <= 1e-10
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        optimal_values(chain(), stop=stop)


# ------------------------------------------------------------------------------------------------------- problems


def arrays(mdp):
    return [np.array(array) for array in (mdp.actions, mdp.costs, mdp.successors, mdp.probabilities)]


def changed(which, at, value):
    found = arrays(chain())
    found[which][at] = value
    return found


@pytest.mark.parametrize(
    "which, at, value, message",
    [
        (0, 1, 0b1000, "an action beyond the last"),
        (1, (0, 0), -1.0, "negative or not finite"),
        (1, (0, 0), np.inf, "negative or not finite"),
        (2, (0, 0, 0), 5, "leads to a state that is none"),
        (2, (0, 0, 0), -1, "leads to a state that is none"),
        (3, (0, 0, 0), 0.5, "with sum 1"),
        (3, (0, 1), [1.5, -0.5], "at least 0"),
    ],
)
def test_bad_problems(which, at, value, message):
    with pytest.raises(BadInput, match=message):
        problem(*changed(which, at, value))


@pytest.mark.parametrize("discount", [0.0, -1.0, 1.5, float("nan")])
def test_bad_discounts(discount):
    with pytest.raises(BadInput, match="discount="):
        chain(discount)


def test_arrays_that_do_not_fit():
    actions, costs, successors, probabilities = arrays(chain())
    for wrong in ((actions[:3], costs), (actions, costs[:, :2])):
        with pytest.raises(BadInput, match="mdp: the arrays are"):
            problem(*wrong, successors, probabilities)
    with pytest.raises(BadInput, match="mdp: the arrays are"):
        problem(actions, costs, successors[:, :, 0], probabilities[:, :, 0])
    for kinds in ((np.int64, np.int32), (np.uint64, np.float64)):
        with pytest.raises(BadInput, match="mdp: actions are uint64, not .*, and successors integers, not "):
            problem(actions.astype(kinds[0]), costs, successors.astype(kinds[1]), probabilities)


def test_a_loop_without_a_cost_is_an_end():
    costs, probabilities = np.array([[0.0, 5.0], [0.0, 0.0]]), np.ones((2, 2, 1))
    found = problem(np.array([3, 0], np.uint64), costs, np.array([[[0], [1]], [[0], [0]]]), probabilities)
    assert optimal_values(found).tolist() == [0, 0]


def test_a_goal_out_of_reach_is_refused():
    _, costs, successors, probabilities = arrays(chain())
    trapped = np.array([7, 3, 3, 1, 0], np.uint64)
    successors[3, 0] = 3
    lost = problem(trapped, costs, successors, probabilities)
    with pytest.raises(BadInput, match="no goal can be reached from state 1"):
        optimal_values(lost)
    assert optimal_values(lost._replace(discount=0.9))[3] == pytest.approx(30)


def test_outcomes_are_drawn_with_their_probabilities():
    """40,000 draws a case; one of probability 0 is never drawn. A right program fails with probability below 1e-6."""
    chances = np.array([[[0.1, 0.2, 0.7], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], np.zeros((4, 3))])
    successors = np.tile(np.arange(3), (2, 4, 1)) % 2
    mdp = problem(np.array([15, 0], np.uint64), np.zeros((2, 4)), successors, chances)
    streams = study.numbered(key_of(77), 40_000)
    for action in range(4):
        drawn = np.bincount([outcome(mdp, 0, action, stream) for stream in streams], minlength=3)
        possible = chances[0, action] > 0
        assert drawn[~possible].sum() == 0
        if possible.sum() > 1:
            assert chisquare(drawn[possible], 40_000 * chances[0, action][possible]).pvalue > SURE


# ---------------------------------------------------------------------------------------------------- measuring


def test_the_perturbed_evaluation():
    """Within the bounds, uniform, its own in every run, and fixed."""
    values = np.full(20_000, 8.0)
    values[0] = 0.0
    found = study.perturbed(values, 0.1, seed=3, runs=2)
    parts = found[:, 1:] / 8.0
    assert found[0, 0] == 0 and parts.min() >= 0.9 and parts.max() <= 1.1
    assert kstest(parts[0], "uniform", (0.9, 0.2)).pvalue > SURE
    assert abs(np.corrcoef(parts)[0, 1]) < 0.05  # 7 standard errors
    assert np.array_equal(found, study.perturbed(values, 0.1, seed=3, runs=2))
    assert np.array_equal(found[:1], study.perturbed(values, 0.1, seed=3, runs=1))
    assert not np.array_equal(found, study.perturbed(values, 0.1, seed=4, runs=2))
    assert np.array_equal(study.perturbed(values, 0.0, 3, 1)[0], values)


@pytest.mark.parametrize("noise", [2, -0.1, float("nan")])
def test_bad_noise(noise):
    with pytest.raises(BadInput, match="noise=.*: must be a number in"):
        study.perturbed(np.ones(3), noise, 1, 1)


def test_random_states_are_uniform_and_no_goals():
    mdp = mdp_of(Sailing(2))
    states = study.random_states(mdp, 7200, seed=5)
    counts = np.bincount(states, minlength=96)
    assert (counts[mdp.actions == 0] == 0).all()
    assert chisquare(counts[mdp.actions != 0]).pvalue > SURE


def test_no_state_to_plan_from():
    goals = problem(np.zeros(2, np.uint64), np.zeros((2, 1)), np.zeros((2, 1, 1), np.int32), np.zeros((2, 1, 1)))
    with pytest.raises(BadInput, match="every state is a goal"):
        study.random_states(goals, 3, 1)


def test_checkpoints():
    points = study.checkpoints(1000)
    assert points[0] == 1 and points[-1] == 1000 and (np.diff(points) > 0).all()
    assert {1, 2, 3, 10, 100, 1000} <= set(points.tolist())
    assert study.checkpoints(1).tolist() == [1]
    assert study.checkpoints(777)[-1] == 777 and set(study.checkpoints(777)[:-1]) < set(points)


def test_samples_needed():
    """Below and staying below; the interval holds it, and narrows with more states."""
    points = np.array([1, 10, 100, 1000])
    steady = np.tile([3.0, 0.05, 0.5, 0.05], (30, 1))
    assert study.samples_needed(steady, points, 0.1, 1) == (1000, 1000, 1000)
    assert study.samples_needed(np.zeros((30, 4)), points, 0.1, 1) == (1, 1, 1)
    assert study.samples_needed(np.ones((30, 4)), points, 0.1, 1) == (None, None, None)
    noisy = np.zeros((40, 4))
    noisy[:, 0], noisy[:3, 1] = 1.0, 1.0  # means 1, 0.075, 0, 0
    needed = study.samples_needed(noisy, points, 0.1, 1)
    assert needed.samples == 10 and needed.low == 10 and needed.high == 100
    many = np.tile(noisy, (50, 1))
    assert study.samples_needed(many, points, 0.1, 1) == (10, 10, 10)


def test_an_open_interval():
    """Where resamples are above the limit at the end, the upper end is open."""
    noisy = np.zeros((40, 2))
    noisy[:, 0], noisy[:3, 1] = 1.0, 1.0
    needed = study.samples_needed(noisy, np.array([1, 10]), 0.1, 1)
    assert needed.samples == 10 and needed.high is None
