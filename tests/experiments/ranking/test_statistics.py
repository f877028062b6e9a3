"""Ranks, correlations and intervals of experiments.rank, against plain definitions."""

import itertools
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from experiments.ranking.statistics import (
    FLIPS,
    RESAMPLES,
    Resampled,
    agreement,
    at_times,
    pooled_rho,
    pooled_tau,
    ranks,
)
from experiments.ranking.summary import equal_times


def test_ranks_are_scipys_for_exact_ties():
    values = np.random.default_rng(1).integers(0, 6, 40).astype(float)
    assert ranks(values).tolist() == stats.rankdata(-values).tolist()


def test_ties_reach_as_far_below_the_best_of_their_group_as_epsilon():
    """Not from one to the next: 7 is within 3 of 10, 5 within 3 of 7 but not of 10."""
    assert ranks([10, 7, 5, 4, 1], 3).tolist() == [1.5, 1.5, 3.5, 3.5, 5]
    assert ranks([1, 4, 5, 7, 10], 3).tolist() == [5, 3.5, 3.5, 1.5, 1.5]
    assert ranks([3, 2, 1], 100).tolist() == [2, 2, 2]


def test_agreement_of_one_board():
    method, reference = ranks([5, 5, 3, 1]), ranks([9, 2, 7, 1])
    found = agreement(method, reference)
    assert found.rho == pytest.approx(stats.spearmanr(method, reference).statistic)
    assert found.tau == pytest.approx(stats.kendalltau(method, reference).statistic)
    assert found.best == 0.5  # of two best moves one is the reference's
    assert agreement(ranks([1, 1, 1]), ranks([3, 2, 1]))[:3] == (0.0, 0.0, pytest.approx(1 / 3))
    assert agreement(ranks([3, 2, 1]), ranks([1, 1, 1])) is None


def test_without_a_board_there_is_nothing_to_resample():
    none = Resampled([])
    assert none.games == 0 and none.totals(np.zeros((0, 9))).shape == (0, 9)


def test_over_one_board_pooled_correlations_are_its_own():
    generator = np.random.default_rng(2)
    method, reference = (ranks(generator.integers(0, 9, 30)) for _ in range(2))
    found = agreement(method, reference)
    assert pooled_rho(found.pooled) == pytest.approx(found.rho)
    assert pooled_tau(found.pooled) == pytest.approx(found.tau)


def test_over_boards_pairs_are_of_one_board():
    """Two boards that agree and one that disagrees, each of three moves: nine pairs, three of them discordant."""
    same, turned = agreement(ranks([3, 2, 1]), ranks([3, 2, 1])), agreement(ranks([3, 2, 1]), ranks([1, 2, 3]))
    sums = same.pooled + same.pooled + turned.pooled
    assert pooled_tau(sums) == pytest.approx((6 - 3) / 9)
    assert pooled_rho(sums) == pytest.approx(1 / 3)


def test_the_interval_is_over_games_not_boards():
    """100 boards that repeat 10 games tell as much as 10: the interval is that of 10, sqrt(10) times that of 100."""
    values = np.random.default_rng(3).normal(size=10)
    repeated = Resampled(np.repeat(np.arange(10), 10)).mean(np.repeat(values, 10))
    once, apart = Resampled(np.arange(10)).mean(values), Resampled(np.arange(100)).mean(np.repeat(values, 10))
    assert repeated == pytest.approx(once)
    assert (repeated.high - repeated.low) / (apart.high - apart.low) == pytest.approx(np.sqrt(10), rel=0.15)


def test_the_interval_covers():
    """Of 200 samples of 30 games with mean 0, 95 % intervals hold 0 in at least 86 % (binomial, 5 standard errors)."""
    generator = np.random.default_rng(4)
    held = 0
    for seed in range(200):
        found = Resampled(np.repeat(np.arange(30), 3), seed, 400).mean(
            np.repeat(generator.normal(size=30), 3) + 0.1 * generator.normal(size=90)
        )
        held += found.low <= 0 <= found.high
    assert 0.86 * 200 <= held < 200


def test_one_game_has_no_interval():
    assert Resampled([7, 7]).mean([0.0, 1.0]) == (0.5, None, None)


def test_the_sign_flip_test_counts_every_assignment_of_signs():
    games, values = np.array([0, 0, 1, 2, 3, 4]), np.array([0.5, 0.3, 0.4, -0.1, 0.6, 0.2])
    sums = np.array([0.8, 0.4, -0.1, 0.6, 0.2])
    reached = [abs(np.dot(s, sums)) >= sums.sum() - 1e-12 for s in itertools.product((-1, 1), repeat=5)]
    assert Resampled(games).difference(values)[1] == pytest.approx(np.mean(reached))


def test_many_games_flip_at_random():
    """p of 40 games beside that of the normal approximation."""
    values = np.random.default_rng(5).normal(0.35, 1, 40)
    expected = 2 * stats.norm.sf(abs(values.sum()) / np.sqrt((values**2).sum()))
    assert Resampled(np.arange(40)).difference(values)[1] == pytest.approx(expected, abs=0.02)


def test_resamples_and_signs_of_many_games_are_drawn_in_parts_and_are_those_of_one_draw():
    values = np.random.default_rng(6).normal(0.05, 1, 400)
    drawn = np.random.default_rng(0).integers(0, 400, (RESAMPLES, 400))
    signs = np.random.default_rng(1).choice((-1.0, 1.0), (FLIPS, 400))
    signs[0] = 1.0
    tracemalloc.start()
    interval, p = Resampled(np.arange(400)).difference(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert p == np.mean(np.abs(signs @ values) >= abs(values.sum()) * (1 - 1e-12))
    assert (interval.low, interval.high) == pytest.approx(np.quantile(values[drawn].mean(axis=1), (0.025, 0.975)))
    assert peak < signs.nbytes  # 32 MB


def test_curves_are_read_at_equal_times():
    curves = {
        "a": (np.array([1.0, 100.0]), np.array([0.0, 1.0])),
        "b": (np.array([10.0, 1000.0]), np.array([0.2, 0.4])),
    }
    found = at_times(curves, [10.0, 100.0, 1000.0])
    assert found["a"][:2] == pytest.approx([0.5, 1.0]) and np.isnan(found["a"][2])
    assert found["b"] == pytest.approx([0.2, 0.3, 0.4])


def curve(*points):
    """A curve of a summary, of (seconds, value)."""
    return {"seconds": [seconds for seconds, _ in points], "rho": [(value, 0.0, 1.0) for _, value in points]}


def test_no_time_is_shown_that_fewer_than_two_curves_reach():
    ends = {
        "a": curve((0.12, 0.0), (6.0, 1.0)),
        "b": curve((0.13, 0.5), (7.0, 0.5)),
        "c": curve((20.0, 0.1), (90.0, 1.0)),
    }
    times, values = equal_times(ends)
    assert times == pytest.approx([10**-0.5, 1.0, 10**0.5])
    assert np.isfinite([values["a"], values["b"]]).all() and np.isnan(values["c"]).all()
    assert equal_times({"a": ends["a"], "c": ends["c"]}) == ([], {}) == equal_times({"a": ends["a"]})
    exact = {"a": curve((0.1, 0.0), (10.0, 1.0)), "b": curve((0.1, 0.5), (10.0, 0.5))}
    times, values = equal_times(exact)
    assert len(times) == 5 and (times[0], times[-1]) == (0.1, 10.0) and np.isfinite(values["a"]).all()
