"""95 % intervals of medians and means: how often they hold, and samples too small to have any."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from experiments.analysis import convergence
from experiments.analysis.intervals import mean_half, median_interval
from experiments.analysis.result_table import trees_cells
from experiments.papers.kocsis2006improved import fig5
from experiments.runs.results import Result

INF = float("inf")
HORIZON = 100


@pytest.mark.parametrize("count", range(1, 6))
def test_a_median_of_fewer_than_six_has_no_interval(count):
    assert median_interval(np.arange(count)) == (None, None)


@pytest.mark.parametrize("count", [6, 7, 20, 50, 100, 200])
def test_the_ranks_are_the_narrowest_that_hold_95_per_cent(count):
    low, high = median_interval(np.random.default_rng(1).permutation(count))
    assert low is not None and high == count - 1 - low
    held = [1 - 2 * stats.binom.cdf(rank, count, 0.5) for rank in (low, low + 1)]
    assert held[0] >= 0.95 > held[1]


def test_values_beyond_the_horizon_are_infinite():
    assert median_interval([3.0, 1.0, INF, 2.0, 5.0, 4.0]) == (1.0, INF)
    assert median_interval([INF] * 6) == (INF, INF)


@pytest.mark.parametrize(
    ("below", "ends"),
    [
        ([9], (1.0, None)),  # any median above it is as likely as any other
        ([9, 19, 29], (1.0, None)),
        ([9, 19, 29, 39, 49], (1.0, None)),
        ([9, 19, 29, 39, 49, 59], (10.0, 60.0)),
        ([9, 19, 29, 39, 49, HORIZON], (10.0, None)),
        ([HORIZON] * 6, (None, None)),
    ],
)
def test_when_values_converge_is_told_with_the_interval_there_is(below, ends):
    found = convergence._crossings(np.array(below), HORIZON, 0.5)
    assert (found["crossing_low"], found["crossing_high"]) == ends


def test_one_tree_says_nothing_of_others():
    """Any rate may be the mean over trees; its leaves have no interval."""
    rates = np.array([[0.0, 0.25, 1.0]])
    found = convergence._rates(rates, np.array([True]))
    assert found["failure_rate"] == [0.0, 0.25, 1.0]
    assert found["low"] == [0.0, 0.0, 0.0] and found["high"] == pytest.approx([0.79, 1.0, 1.0], abs=0.005)
    assert mean_half(rates) is None
    assert convergence._needed(rates, [1, 10, 100], "")["iterations_to_95"]["0.1"] == [1.0, None]
    leaves = convergence._leaves(np.array([[10, 20]]), np.array([True]), 100)
    assert leaves["leaves_mean"] == 15.0 and leaves["leaves_half"] is None


def test_two_trees_have_an_interval():
    leaves = convergence._leaves(np.array([[10], [20]]), np.array([True, True]), 100)
    assert leaves["leaves_half"] == pytest.approx(5 * 1.96)
    found = convergence._rates(np.array([[0.4], [0.6]]), np.array([True, True]))
    assert (found["low"], found["high"]) == (pytest.approx([0.304]), pytest.approx([0.696]))


def test_leaves_without_an_interval_are_shown_and_drawn():
    summary = {"trees": 1, "searches": 1, "points": [1], "seconds": 1.0, "leaves_mean": 15.0, "leaves_half": None}
    config = {"game": {"branching": 2, "depth": 8}, "method": "alpha_beta"}
    result = Result(Path(), config, {}, summary)
    assert trees_cells(result)["leaves"] == "15"
    (point,) = fig5.points_of([result])
    assert (point.needed, point.low, point.high) == (15.0, None, None) and fig5._errors([point]) == [[0.0], [0.0]]
