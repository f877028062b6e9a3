"""95 % intervals of medians and means: how often they hold, and samples too small to have any."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from experiments.analysis import convergence
from experiments.analysis.intervals import mean_half, median_interval, share_ends
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
    """Almost any rate may be the mean over trees; its leaves have no interval."""
    rates = np.array([[0.0, 0.25, 1.0]])
    found = convergence._rates(rates, np.array([True]))
    assert found["failure_rate"] == [0.0, 0.25, 1.0]
    assert found["low"] == pytest.approx([0.0, 0.00625, 0.025], abs=0.004)
    assert found["high"] == pytest.approx([0.975, 0.98125, 1.0], abs=0.001)
    assert mean_half(rates) is None
    assert convergence._needed(rates, [1, 10, 100], "")["iterations_to_95"]["0.1"] == [1.0, None]
    leaves = convergence._leaves(np.array([[10, 20]]), np.array([True]), 100)
    assert leaves["leaves_mean"] == 15.0 and leaves["leaves_half"] is None


def test_two_trees_have_an_interval():
    leaves = convergence._leaves(np.array([[10], [20]]), np.array([True, True]), 100)
    assert leaves["leaves_half"] == pytest.approx(5 * 1.96)


def _failing(trees: int, *shares: float) -> np.ndarray:
    return np.array([*shares, *[0.0] * (trees - len(shares))])[:, None]


@pytest.mark.parametrize(("failing", "trees"), [(0, 40), (1, 40), (10, 50), (40, 200), (10, 10)])
def test_of_trees_that_fail_always_or_never_the_interval_is_clopper_pearsons(failing, trees):
    (low,), (high,) = share_ends(_failing(trees, *[1.0] * failing))
    exact = stats.binomtest(failing, trees).proportion_ci(method="exact")
    assert (low, high) == (pytest.approx(exact.low, rel=0.05), pytest.approx(exact.high, rel=0.03))


def test_of_many_trees_the_interval_is_that_of_the_variance_between_trees():
    shares = np.random.default_rng(1).beta(2, 6, (3000, 2))
    half = mean_half(shares)
    assert half is not None
    assert np.allclose(share_ends(shares), [shares.mean(axis=0) - half, shares.mean(axis=0) + half], atol=0.1 * half)


def test_an_interval_of_shares_is_no_narrower_and_no_lower_where_more_fail():
    """The first tree that fails does not shrink the interval, in whatever share of its runs."""
    few = [share_ends(_failing(40, share)) for share in (0.0, 0.01, 0.3, 1.0)]
    assert [high for _, (high,) in few] == sorted(high for _, (high,) in few) and few[0][1] > 0.08
    generator = np.random.default_rng(2)
    for _ in range(20):
        shares = generator.random((generator.integers(1, 30), 3))
        more = np.maximum(shares, generator.random(shares.shape))
        assert (np.array(share_ends(shares)) <= np.array(share_ends(more)) + 1e-12).all()


def test_an_interval_of_shares_holds_the_mean_over_all_trees():
    """Of 40 trees a tenth fails, in about a third of its runs: at most 5 % of the intervals miss that."""
    generator = np.random.default_rng(3)
    shares = np.where(generator.random((40, 400)) < 0.1, generator.beta(1, 2, (40, 400)), 0.0)
    low, high = share_ends(shares)
    assert np.sum((low > 0.1 / 3) | (high < 0.1 / 3)) <= 20


def _trees_of(shares: np.ndarray, **more) -> Result:
    """A run of trees whose every share of failing runs stands, at two checkpoints: all fail at the first."""
    rates = np.hstack([np.ones_like(shares), shares])
    summary = {"trees": len(rates), "searches": 24, "decisive": 12, "points": [10, 1000], "seconds": 1.0}
    summary |= convergence._rates(rates, np.ones(len(rates), bool)) | convergence._needed(rates, [10, 1000], "")
    return Result(Path(), {"game": {"branching": 2, "depth": 8}, "runs": 2}, {}, summary | more)


def test_a_rate_that_so_few_trees_cannot_show_is_not_told():
    """None of 50 trees fails: their rate is below 7 %; and of 20 trees it may be above 10 %."""
    cells = trees_cells(_trees_of(_failing(50)))
    assert (cells["to 0.01"], cells["to 0.001"]) == ("-", "-") and cells["95 %"].endswith(" to 631")
    few = trees_cells(_trees_of(_failing(20)))
    assert few["to 0.1"] == "631" and few["95 %"].endswith(" to > 1,000")
    many = trees_cells(_trees_of(_failing(4000)))
    assert many["to 0.01"] == "955" and many["to 0.001"] == "995"
    assert trees_cells(_trees_of(_failing(50, 1.0)))["to 0.01"] == "> 1,000"


def test_which_trees_are_counted_is_told():
    cells = trees_cells(_trees_of(_failing(50)))
    assert (cells["trees"], cells["can fail"], cells["searches made"]) == ("50", "12", "24")
    assert "searches" not in cells


def test_leaves_without_an_interval_are_shown_and_drawn():
    summary = {"trees": 1, "searches": 1, "points": [1], "seconds": 1.0, "leaves_mean": 15.0, "leaves_half": None}
    config = {"game": {"branching": 2, "depth": 8}, "method": "alpha_beta"}
    result = Result(Path(), config, {}, summary)
    assert trees_cells(result)["leaves"] == "15"
    (point,) = fig5.points_of([result])
    assert (point.needed, point.low, point.high) == (15.0, None, None) and fig5._errors([point]) == [[0.0], [0.0]]
