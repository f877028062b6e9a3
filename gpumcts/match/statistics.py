"""Statistics of matches: intervals, Elo, sequential tests, and tests between cells of a table.

Win rates count a draw as half a win, in [0, 1], for the first named player. Confidence is two-sided. Functions that are
handed counts raise ValueError where a count is negative or there are more results than games.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import bdtr, ndtr, ndtri

from gpumcts.errors import BadInput

WIN_DRAW_LOSS = (1.0, 0.5, 0.0)
MAX_ELO = 4000  # of hypotheses
UNSEEN = 1e-3  # games that a result never seen counts as in the sequential test, as on Fishtest


def _check(*counts: float) -> None:
    if any(not math.isfinite(count) or count < 0 for count in counts):
        raise ValueError(f"counts are finite and not negative, not {counts}")


def _two_sided(confidence: float) -> float:
    """The normal quantile of a two-sided interval: 1.96 at 0.95."""
    return float(ndtri(0.5 + confidence / 2))


# ------------------------------------------------------------------------------------------------- win rates


def win_rate(wins: float, draws: float, games: float) -> float:
    """Share of the points, in [0, 1], a draw counting as half a win; NaN for no games."""
    _check(wins, draws, games - wins - draws)
    return (wins + draws / 2) / games if games else math.nan


def wilson(wins: float, draws: float, games: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of the win rate (JASA 1927), within [0, 1]; (0, 1) for no games.

    A draw enters as half a win: the interval is that of ``wins + draws / 2`` successes in ``games`` trials. A game
    scored 1, 1/2 or 0 varies at most as much as one scored 1 or 0 with the same mean, so with draws the interval is
    wider than its confidence asks for, never narrower.
    """
    p, z = win_rate(wins, draws, games), _two_sided(confidence)
    if games == 0:
        return 0.0, 1.0
    shrink = 1 + z * z / games
    centre = (p + z * z / (2 * games)) / shrink
    half = z * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games)) / shrink
    return min(p, max(0.0, centre - half)), max(p, min(1.0, centre + half))  # rounding leaves the rate inside


def document_interval(p: float, n: int) -> float:
    """Half the width of the interval that the source documents print (Hashimoto et al. 2012, Table 1): ``2 sqrt(p (1 -
    p) / n)``, p in [0, 1].

    It is 0 at p = 0 and p = 1, where it says nothing; hence Wilson's beside it.
    """
    return 2 * math.sqrt(p * (1 - p) / n) if n else math.nan


# ------------------------------------------------------------------------------------------------------- Elo


def elo(score: float) -> float:
    """The difference in Elo that a win rate in [0, 1] stands for; infinite at 0 and 1."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 0.0 - 400 * math.log10(1 / score - 1)  # and not -0.0


def expected_score(difference: float) -> float:
    """The win rate in [0, 1] that a difference in Elo stands for."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo_difference(wins: int, draws: int, losses: int, confidence: float = 0.95) -> tuple[float, float]:
    """Elo difference and half the width of its interval, as match programs print them: for sums over several matches.

    Of one match ``elo_interval`` tells more: it has ends where this one has none, and agrees with Wilson's. The error
    of the win rate is normal, with the variance of results 1, 1/2, 0 as observed; its ends are turned into Elo.
    Infinite where an end reaches 0 or 1 (few games, or one side wins all), and where all games are drawn, which show no
    variance; NaN and infinity for no games.
    """
    _check(wins, draws, losses)
    games = wins + draws + losses
    if games == 0:
        return math.nan, math.inf
    mean, variance = _moments((wins, draws, losses), WIN_DRAW_LOSS)
    half = _two_sided(confidence) * math.sqrt(variance / games)
    if variance == 0 or mean - half <= 0 or mean + half >= 1:
        return elo(mean), math.inf
    return elo(mean), (elo(mean + half) - elo(mean - half)) / 2


def likelihood_of_superiority(wins: int, losses: int) -> float:
    """LOS in [0, 1]: how likely the first player is the stronger, ``Phi((W - L) / sqrt(W + L))``; draws say nothing."""
    _check(wins, losses)
    return float(ndtr((wins - losses) / math.sqrt(wins + losses))) if wins + losses else 0.5


def score_line(first: str, second: str, wins: int, losses: int, draws: int) -> str:
    """The line people know: ``Score of A vs B: W - L - D  [0.xxx] N``."""
    games = wins + losses + draws
    return f"Score of {first} vs {second}: {wins} - {losses} - {draws}  [{win_rate(wins, draws, games):.3f}] {games}"


def elo_line(wins: int, losses: int, draws: int) -> str:
    """The line people know: ``Elo difference: x (95 %: a to b), LOS: z %, DrawRatio: d %``, x, a, b by ``elo_words``.

    Without games it is ``Elo difference: unknown, no game ended``.
    """
    games = wins + losses + draws
    if games == 0:
        return "Elo difference: unknown, no game ended"
    superiority, drawn = 100 * likelihood_of_superiority(wins, losses), 100 * draws / games
    return f"Elo difference: {elo_words(wins, draws, losses)}, LOS: {superiority:.1f} %, DrawRatio: {drawn:.1f} %"


def elo_interval(wins: int, draws: int, losses: int, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of the Elo difference: ``400 log10(p / (1 - p))`` at Wilson's two ends p of the win rate.

    So it holds 0 just where Wilson's interval holds 1/2. An end is infinite where one side won all games, both are for
    no games.
    """
    low, high = wilson(wins, draws, wins + draws + losses, confidence)
    return elo(low), elo(high)


def elo_words(wins: int, draws: int, losses: int) -> str:
    """What games tell of the Elo difference: ``x (95 %: a to b)``, a and b by ``elo_interval``.

    Of no games it is ``unknown``. Where one side won all, x and an end are infinite, and the other end is told:
    ``> a (95 %)`` or ``< b (95 %)``.
    """
    low, high = elo_interval(wins, draws, losses)
    if math.isfinite(low) and math.isfinite(high):
        difference = elo(win_rate(wins, draws, wins + draws + losses))
        return f"{difference:.1f} (95 %: {low:.1f} to {high:.1f})"
    if math.isfinite(low):
        return f"> {low:.1f} (95 %)"
    return f"< {high:.1f} (95 %)" if math.isfinite(high) else "unknown"


# ------------------------------------------------------------------------------- sequential probability ratio test


class Sprt(NamedTuple):
    """State of a sequential test of ``elo0`` (H0) against ``elo1`` (H1).

    ratio : log-likelihood ratio, H1 over H0; lower, upper : at or beyond which the test ends (-2.94 and 2.94 at 5 %)
    """

    ratio: float
    lower: float
    upper: float
    decision: Literal["H0", "H1", "go on"]


def sprt(wins: int, draws: int, losses: int, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> Sprt:
    """Trinomial sequential test: is the difference ``elo1`` (H1) rather than ``elo0`` (H0)?

    The generalised ratio: each hypothesis fixes the mean score alone, and the likeliest probabilities of win, draw and
    loss with that mean stand for it (Van den Bergh, *A practical introduction to the GSPRT*; Fishtest). ``alpha`` is
    the probability of accepting H1 where H0 holds, ``beta`` that of the converse. Raises BadInput where ``elo0`` is not
    below ``elo1``, and for probabilities that are not in (0, 0.5).
    """
    counts = (wins, draws, losses)
    _check(*counts)
    if not -MAX_ELO <= elo0 < elo1 <= MAX_ELO:
        raise BadInput(f"elo0={elo0}, elo1={elo1}: elo0 must be below elo1, both in [-{MAX_ELO}, {MAX_ELO}]")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise BadInput(f"alpha={alpha}, beta={beta}: alpha and beta must be above 0 and below 0.5")
    lower, upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
    means = expected_score(elo0), expected_score(elo1)
    ratio = log_likelihood_ratio(counts, WIN_DRAW_LOSS, *means) if sum(counts) else 0.0
    decision: Literal["H0", "H1", "go on"] = "H1" if ratio >= upper else "H0" if ratio <= lower else "go on"
    return Sprt(ratio, lower, upper, decision)


def log_likelihood_ratio(counts: Sequence[float], scores: Sequence[float], mean0: float, mean1: float) -> float:
    """Log of the largest likelihood with mean score ``mean1`` over the largest with ``mean0`` (both in (0, 1))."""
    seen = np.maximum(np.asarray(counts, float), UNSEEN)
    p, a = seen / seen.sum(), np.asarray(scores, float)
    return float(seen.sum() * p @ np.log(_likeliest(p, a, mean1) / _likeliest(p, a, mean0)))


def _likeliest(p: np.ndarray, a: np.ndarray, mean: float) -> np.ndarray:
    """The probabilities of mean ``mean`` closest in likelihood to the frequencies ``p`` of the scores ``a``.

    By Lagrange's condition they are ``p / (1 + x (a - mean))`` with ``sum p (a - mean) / (1 + x (a - mean)) = 0``,
    which falls in x between its poles.
    """
    from scipy.optimize import brentq  # takes a tenth of a second, which a match without this test need not wait for

    away = a - mean
    lowest, highest = -1 / away.max(), -1 / away.min()
    margin = 1e-12 * (highest - lowest)

    def slope(x: float) -> float:
        return float(p @ (away / (1 + x * away)))

    x: Any = brentq(slope, lowest + margin, highest - margin, xtol=1e-14)
    return p / (1 + x * away)


def _moments(counts: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the scores as observed."""
    p, a = np.asarray(counts, float) / sum(counts), np.asarray(scores)
    mean = float(p @ a)
    return mean, float(p @ (a - mean) ** 2)


# ----------------------------------------------------------------------------------------- tests between cells


class Comparison(NamedTuple):
    """difference : of two proportions, first minus second; p_value : two-sided, of their being equal."""

    difference: float
    p_value: float


def compare_proportions(successes_a: float, n_a: int, successes_b: float, n_b: int) -> Comparison:
    """The two-proportion z test with pooled variance (the chi-squared test of a 2 x 2 table, no continuity correction).

    Points may be half (``wins + draws / 2``); with draws the p value errs to the safe side, as in ``wilson``.
    """
    _check(successes_a, n_a - successes_a, successes_b, n_b - successes_b)
    if not n_a or not n_b:
        return Comparison(math.nan, 1.0)
    difference = successes_a / n_a - successes_b / n_b
    pooled = (successes_a + successes_b) / (n_a + n_b)
    variance = pooled * (1 - pooled) * (1 / n_a + 1 / n_b)
    return Comparison(difference, 2 * float(ndtr(-abs(difference) / math.sqrt(variance))) if variance else 1.0)


def difference_interval(
    successes_a: float, n_a: int, successes_b: float, n_b: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Newcombe's interval of the difference of two proportions, first minus second (Statist. Med. 1998, method 10).

    It is made of Wilson's two intervals, so it stays within [-1, 1] and has a width at 0 and at 1; (-1, 1) where one
    has no trials. Points may be half, as in ``compare_proportions``.
    """
    _check(successes_a, n_a - successes_a, successes_b, n_b - successes_b)
    if not n_a or not n_b:
        return -1.0, 1.0
    a, b = successes_a / n_a, successes_b / n_b
    (low_a, high_a), (low_b, high_b) = wilson(successes_a, 0, n_a, confidence), wilson(successes_b, 0, n_b, confidence)
    return a - b - math.hypot(a - low_a, high_b - b), a - b + math.hypot(high_a - a, b - low_b)


def uneven(wins: int, draws: int, games: int) -> float:
    """p value, two-sided, of a true win rate of 1/2: the exact sign test of the decisive games; 1 where there are none.

    The mean of scores 1, 1/2 and 0 is 1/2 just where wins and losses are as likely. Given the number of drawn games,
    wins are then binomial with probability 1/2 among the others (Dixon, Mood, JASA 1946). Without draws it is the exact
    binomial test.
    """
    losses = games - wins - draws
    _check(wins, draws, losses)
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction (1979): the p values adjusted for their number, in the order given.

    Rejecting where the adjusted value is at most alpha keeps the probability of any false rejection at alpha.
    """
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted.tolist()


def equivalence(wins: int, draws: int, games: int, margin: float = 0.10) -> float:
    """p value of two one-sided tests that the win rate lies within ``margin`` of 1/2; small means *about equal*.

    The variance is the largest a win rate can have, 1/4, so the test errs to the safe side; 1 for no games.
    """
    away = abs(win_rate(wins, draws, games) - 0.5)
    if games == 0:
        return 1.0
    return float(ndtr((away - margin) * 2 * math.sqrt(games)))
