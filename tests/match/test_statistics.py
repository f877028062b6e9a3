"""Statistics of matches against scipy, closed forms and published examples; nothing here is drawn at random."""

import itertools
import math
import re

import numpy as np
import pytest
from scipy import optimize, stats

from gpumcts.errors import BadInput
from gpumcts.match import statistics as s


@pytest.mark.parametrize("wins, games", [(0, 10), (3, 10), (10, 10), (511, 1000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_wilson_is_scipys_where_there_are_no_draws(wins, games, confidence):
    expected = stats.binomtest(wins, games).proportion_ci(confidence, method="wilson")
    assert s.wilson(wins, 0, games, confidence) == pytest.approx(tuple(expected), abs=1e-12)


def test_wilson_holds_the_rate_itself():
    """Rounding would leave all wins of 10 games, and others, a little outside."""
    for games in range(1, 400):
        for wins in {0, 1, games // 3, games // 2, games - 1, games}:
            low, high = s.wilson(wins, 0, games)
            assert 0 <= low <= wins / games <= high <= 1


def test_a_draw_is_half_a_win():
    assert s.wilson(3, 4, 10) == s.wilson(5, 0, 10)
    assert s.win_rate(3, 4, 10) == 0.5
    assert s.wilson(0, 0, 0) == (0.0, 1.0)
    assert math.isnan(s.win_rate(0, 0, 0))


def test_wilson_with_draws_covers_at_least_its_confidence():
    """Exact: every outcome of 60 games at 40 % draws, weighted with its probability."""
    games, p = 60, (0.35, 0.40, 0.25)
    coverage = 0.0
    for wins in range(games + 1):
        for draws in range(games + 1 - wins):
            low, high = s.wilson(wins, draws, games)
            if low <= p[0] + p[1] / 2 <= high:
                coverage += stats.multinomial.pmf((wins, draws, games - wins - draws), games, p)
    assert 0.95 < coverage < 0.999


def test_document_interval():
    """Hashimoto et al. 2012, Table 1a, Othello at k = 3: 56.3 % of 1000 games, and the largest interval there, 3.2."""
    assert 100 * s.document_interval(0.563, 1000) == pytest.approx(3.137, abs=1e-3)
    assert round(100 * s.document_interval(0.5, 1000), 1) == 3.2
    assert s.document_interval(0.0, 1000) == 0


def test_elo_of_a_score():
    assert s.elo(0.75) == pytest.approx(400 * math.log10(3))
    assert s.elo(0.5) == 0
    assert (s.elo(0), s.elo(1)) == (-math.inf, math.inf)
    assert s.expected_score(s.elo(0.123)) == pytest.approx(0.123)


def test_elo_difference_from_the_results_themselves():
    wins, draws, losses = 110, 60, 80
    results = np.repeat([1, 0.5, 0], [wins, draws, losses])
    mean, error = results.mean(), 1.959963984540054 * results.std() / math.sqrt(len(results))
    difference, half = s.elo_difference(wins, draws, losses)
    assert difference == pytest.approx(400 * math.log10(mean / (1 - mean)))
    low, high = (400 * math.log10(p / (1 - p)) for p in (mean - error, mean + error))
    assert half == pytest.approx((high - low) / 2)


def test_elo_difference_without_bounds():
    assert s.elo_difference(10, 0, 0) == (math.inf, math.inf)
    assert s.elo_difference(0, 0, 10) == (-math.inf, math.inf)
    assert s.elo_difference(0, 10, 0) == (0, math.inf)  # ten draws are no proof of equality
    assert "-0.0" not in str(s.elo_difference(0, 10, 0)[0])
    assert math.isnan(s.elo_difference(0, 0, 0)[0])


def test_likelihood_of_superiority():
    assert s.likelihood_of_superiority(10, 5) == pytest.approx(stats.norm.cdf(5 / math.sqrt(15)))
    assert s.likelihood_of_superiority(5, 10) == pytest.approx(1 - s.likelihood_of_superiority(10, 5))
    assert s.likelihood_of_superiority(0, 0) == 0.5


def test_lines_people_know():
    assert s.score_line("A", "B", 10, 5, 3) == "Score of A vs B: 10 - 5 - 3  [0.639] 18"
    assert s.elo_line(10, 5, 3).startswith("Elo difference: 99.1 (95 %: -62.1 to 260.3), ")
    assert s.elo_line(10, 5, 3).endswith(", LOS: 90.2 %, DrawRatio: 16.7 %")
    assert s.elo_line(0, 0, 0) == "Elo difference: unknown, no game ended"


def test_sequential_ratio_without_draws_is_the_binomial_one():
    s0, s1 = s.expected_score(0), s.expected_score(20)
    expected = 120 * math.log(s1 / s0) + 90 * math.log((1 - s1) / (1 - s0))
    assert s.log_likelihood_ratio((120, 90), (1, 0), s0, s1) == pytest.approx(expected, rel=1e-9)
    assert s.sprt(120, 0, 90, 0, 20).ratio == pytest.approx(expected, abs=1e-4)  # draws count as a thousandth of a game


@pytest.mark.parametrize(
    "counts, scores",
    [((60, 25, 40), s.WIN_DRAW_LOSS), ((9, 14, 30, 11, 7), (1.0, 0.75, 0.5, 0.25, 0.0))],
    ids=["games", "pairs"],
)
def test_sequential_ratio_by_direct_maximisation(counts, scores):
    def largest_log_likelihood(mean):
        n, a = np.array(counts), np.array(scores)
        limits = [{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": lambda p: p @ a - mean}]
        start = np.full(len(n), 1 / len(n))
        found = optimize.minimize(
            lambda p: -n @ np.log(p), start, bounds=[(1e-9, 1)] * len(n), constraints=limits, options={"ftol": 1e-14}
        )
        return -found.fun

    expected = largest_log_likelihood(0.56) - largest_log_likelihood(0.5)
    assert s.log_likelihood_ratio(counts, scores, 0.5, 0.56) == pytest.approx(expected, abs=1e-5)


def test_sequential_decisions():
    undecided = s.sprt(0, 0, 0, 0, 5)
    assert (undecided.ratio, undecided.decision) == (0, "go on")
    assert (undecided.lower, undecided.upper) == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert s.sprt(400, 300, 200, 0, 10).decision == "H1"
    assert s.sprt(200, 300, 400, 0, 10).decision == "H0"
    assert s.sprt(30, 10, 20, 0, 5).ratio == pytest.approx(-s.sprt(20, 10, 30, -5, 0).ratio)
    with pytest.raises(BadInput, match=r"^elo0=5, elo1=0: elo0 must be below elo1, both in \[-4000, 4000\]$"):
        s.sprt(1, 1, 1, 5, 0)
    for bad in ((0, math.inf), (-1e6, 0), (0, math.nan)):
        with pytest.raises(ValueError, match="elo0"):
            s.sprt(1, 1, 1, *bad)
    with pytest.raises(BadInput, match="^alpha=0.5, beta=0.05: alpha and beta must be above 0 and below 0.5$"):
        s.sprt(1, 1, 1, 0, 5, alpha=0.5)


def test_two_proportions_are_the_chi_squared_test():
    expected = stats.chi2_contingency([[120, 80], [95, 155]], correction=False).pvalue
    comparison = s.compare_proportions(120, 200, 95, 250)
    assert comparison.p_value == pytest.approx(expected, rel=1e-9)
    assert comparison.difference == pytest.approx(0.6 - 0.38)
    assert s.compare_proportions(5, 5, 9, 9) == (0.0, 1.0)
    assert s.compare_proportions(0, 0, 9, 9).p_value == 1.0


def test_difference_of_proportions_against_newcombes_examples():
    """Statist. Med. 17 (1998), Table II, method 10."""
    for counts, low, high in (((56, 70, 48, 80), 0.0524, 0.3339), ((9, 10, 3, 10), 0.1705, 0.8090)):
        assert s.difference_interval(*counts) == pytest.approx((low, high), abs=5e-5)
    low, high = s.difference_interval(0, 10, 0, 20)
    assert low < 0 < high
    assert s.difference_interval(0, 0, 3, 7) == (-1.0, 1.0)


def test_uneven_is_the_exact_sign_test_of_the_decisive_games():
    """The normal approximation gives 0.014 for 0 of 6, and 0.046 for 0 of 4."""
    assert s.uneven(50, 0, 100) == s.uneven(40, 20, 100) == 1.0
    assert (s.uneven(0, 0, 6), s.uneven(4, 0, 4)) == (0.03125, 0.125)
    for wins, games in ((0, 1), (3, 10), (60, 100), (40, 100), (5100, 10_000)):
        exact = stats.binomtest(wins, games).pvalue
        assert s.uneven(wins, 0, games) == pytest.approx(exact, rel=1e-9)
        assert s.uneven(wins, 7, games + 7) == s.uneven(wins, 0, games)
    assert s.uneven(0, 0, 0) == s.uneven(0, 9, 9) == 1.0


def test_uneven_of_many_games_is_about_the_normal_test():
    for wins, games in ((5100, 10_000), (50_100, 100_000)):
        normal = 2 * stats.norm.sf(abs(wins / games - 0.5) * 2 * math.sqrt(games))
        assert s.uneven(wins, 0, games) == pytest.approx(normal, rel=0.03)


def test_uneven_rejects_a_true_half_no_more_often_than_it_says():
    """Every outcome of 30 games at 40 % draws, weighted with its probability."""
    games, rejected = 30, 0.0
    for wins in range(games + 1):
        for draws in range(games + 1 - wins):
            if s.uneven(wins, draws, games) < 0.05:
                rejected += stats.multinomial.pmf((wins, draws, games - wins - draws), games, (0.3, 0.4, 0.3))
    assert 0 < rejected < 0.05


def test_holm_against_the_textbook_example():
    """R's ``p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")``."""
    assert s.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert s.holm([0.9, 0.8]) == [1.0, 1.0]
    assert s.holm([]) == []


def test_equivalence():
    assert s.equivalence(500, 0, 1000) == pytest.approx(stats.norm.cdf(-0.1 / math.sqrt(0.25 / 1000)))
    assert s.equivalence(50, 0, 100, margin=0.10) < 0.05 < s.equivalence(8, 4, 20, margin=0.10)
    assert s.equivalence(600, 0, 1000) == pytest.approx(0.5)
    assert s.equivalence(0, 0, 0) == 1.0


@pytest.mark.parametrize("counts", [(-1, 0, 5), (3, 3, 5), (math.nan, 0, 5), (1, 0, 0)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError, match="counts"):
        s.win_rate(*counts)
    with pytest.raises(ValueError, match="counts"):
        s.wilson(*counts)
    with pytest.raises(ValueError, match="counts"):
        s.equivalence(*counts)


def test_elo_is_told_without_infinities():
    """One side wins all, all games are drawn, and a few games."""
    assert s.elo_words(10, 0, 0) == "> 166.2 (95 %)"
    assert s.elo_words(0, 0, 10) == "< -166.2 (95 %)"
    assert s.elo_words(0, 10, 0) == "0.0 (95 %: -203.5 to 203.5)"
    assert s.elo_words(3, 0, 1) == "190.8 (95 %: -146.7 to 528.4)"
    assert s.elo_words(9, 1, 0) == "511.5 (95 %: 111.7 to 911.3)"
    assert s.elo_words(0, 0, 0) == "unknown"
    for wins, draws, losses in itertools.product(range(4), repeat=3):
        assert not re.search("inf|nan", s.elo_line(wins, draws, losses))


def test_the_interval_of_elo_is_wilsons_of_the_win_rate():
    """Both hold an even match, or neither does, and an end turned back is the end of the win rate."""
    for wins, draws, losses in itertools.product((0, 1, 7, 40), repeat=3):
        low, high = s.wilson(wins, draws, wins + draws + losses)
        ends = s.elo_interval(wins, draws, losses)
        assert [s.expected_score(end) for end in ends] == pytest.approx([low, high])
        assert (ends[0] <= 0 <= ends[1]) == (low <= 0.5 <= high)
