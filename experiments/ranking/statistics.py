"""Ranks of moves, their correlation on one board and over boards, and intervals bootstrapped by game.

Rank 1 is the best move. Ties have the average of their ranks. *Smoothing*: from the best value down, a group takes all
values at most epsilon below its best one, and they tie. Spearman's rho and Kendall's tau-b are those of scipy.

A board on which the reference sees no difference between moves cannot be ranked and is left out; a method that sees
none where the reference does has learnt nothing: its correlation is 0. Positions of one game resemble each other, so
whole games are drawn for the intervals, never boards.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

RESAMPLES = 2000
EXACT_GAMES, FLIPS = 12, 10_000  # of the sign-flip test
SIGNS_AT_ONCE = 1 << 20  # 8 MiB of them; all those of 10,000 games would be 800 MB


class Agreement(NamedTuple):
    """A method against the reference on one board of n moves.

    rho, tau : Spearman's and Kendall's (tau-b); best : probability that the method's best move, one of several at
    random, is one of the reference's best
    pooled : what sums up over boards, float64[9]: of the ranks scaled to [0, 1] their number, sums, squares and
    product, and of the pairs of moves concordant minus discordant ones, those the method tells apart, those the
    reference does
    """

    rho: float
    tau: float
    best: float
    pooled: np.ndarray


class Interval(NamedTuple):
    """A mean and its 95 % interval; the ends are None where there are fewer than two games."""

    mean: float
    low: float | None
    high: float | None


def ranks(values: Sequence[float] | np.ndarray, epsilon: float = 0.0) -> np.ndarray:
    """Ranks of ``values`` (higher is better), float64, 1 for the best; ties within ``epsilon`` share the average."""
    worth = np.asarray(values, np.float64)
    order = np.argsort(-worth, kind="stable")
    found = np.empty(len(worth))
    begin = 0
    while begin < len(worth):
        top = worth[order[begin]]
        end = begin + 1
        while end < len(worth) and top - worth[order[end]] <= epsilon:
            end += 1
        found[order[begin:end]] = (begin + 1 + end) / 2
        begin = end
    return found


def agreement(method: np.ndarray, reference: np.ndarray) -> Agreement | None:
    """Of the ranks of one board's moves; None where the reference ties them all."""
    if len(reference) < 2 or np.ptp(reference) == 0:
        return None
    best = method == method.min()
    hit = float((best & (reference == reference.min())).sum() / best.sum())
    rho, tau = (0.0, 0.0) if np.ptp(method) == 0 else _correlations(method, reference)
    return Agreement(rho, tau, hit, _pooled(method, reference))


def _correlations(method: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    from scipy.stats import kendalltau, spearmanr

    found: Any = (spearmanr(method, reference), kendalltau(method, reference))
    return float(found[0].statistic), float(found[1].statistic)


def _pooled(method: np.ndarray, reference: np.ndarray) -> np.ndarray:
    x, y = ((r - 1) / (len(r) - 1) for r in (method, reference))
    dx, dy = (np.sign(r[:, None] - r[None, :]) for r in (method, reference))
    pairs = [np.sum(dx * dy) / 2, np.sum(dx != 0) / 2, np.sum(dy != 0) / 2]
    return np.array([len(x), x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum(), *pairs])


def pooled_rho(sums: np.ndarray) -> np.ndarray:
    """Spearman's rho over all moves, ranks in [0, 1] within boards, from ``Agreement.pooled`` sums float64[..., 9]."""
    n, x, y, xx, yy, xy = (sums[..., i] for i in range(6))
    return _ratio(xy - x * y / n, (xx - x * x / n) * (yy - y * y / n))


def pooled_tau(sums: np.ndarray) -> np.ndarray:
    """Kendall's over all moves, likewise: of all pairs of moves of the same board."""
    return _ratio(sums[..., 6], sums[..., 7] * sums[..., 8])


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    root = np.sqrt(np.maximum(below, 0.0))
    return np.divide(above, root, out=np.zeros_like(root), where=root > 1e-12)


# ---------------------------------------------------------------------------------------------------------- intervals


class Resampled:
    """The resamples of whole games behind all intervals of a report, the same for each, so that differences are paired.

    games : number of the game of each board, int64[B]
    """

    def __init__(self, games: Sequence[int] | np.ndarray, seed: int = 0, resamples: int = RESAMPLES) -> None:
        self._numbers, self._of = np.unique(np.asarray(games, np.int64), return_inverse=True)
        count = len(self._numbers)
        self._weights = np.empty((resamples if count else 0, count))
        generator = np.random.default_rng(seed)
        for row in self._weights:  # one at a time: of many games the numbers of all would fill the memory
            row[:] = np.bincount(generator.integers(0, count, count), minlength=count)
        self.games = count

    def totals(self, values: np.ndarray) -> np.ndarray:
        """Sums over the boards of each resample, float64[R, ...], of ``values`` (float64[B, ...])."""
        by_game = np.zeros((self.games, *values.shape[1:]))
        np.add.at(by_game, self._of, values)
        return np.tensordot(self._weights, by_game, axes=1)

    def means(self, values: np.ndarray) -> np.ndarray:
        """Means over the boards of each resample, float64[R, ...]."""
        sizes = self.totals(np.ones(len(values)))
        return self.totals(values) / sizes.reshape(-1, *[1] * (values.ndim - 1))

    def mean(self, values: Sequence[float] | np.ndarray) -> Interval:
        """Mean over all boards with its percentile interval."""
        numbers = np.asarray(values, np.float64)
        return self._interval(float(numbers.mean()), self.means(numbers))

    def pooled(self, sums: np.ndarray, of: Callable[[np.ndarray], np.ndarray]) -> Interval:
        """``pooled_rho`` or ``pooled_tau`` over all boards, from float64[B, 9]."""
        return self._interval(float(of(sums.sum(axis=0))), of(self.totals(sums)))

    def ratio(self, above: np.ndarray, below: np.ndarray) -> Interval:
        """Sum of ``above`` over sum of ``below`` (both float64[B]), over the resamples in which ``below`` has any."""
        sums = self.totals(np.stack([above, below], axis=1).astype(np.float64))
        there = sums[:, 1] > 0
        return self._interval(float(above.sum() / below.sum()), sums[there, 0] / sums[there, 1])

    def difference(self, values: np.ndarray) -> tuple[Interval, float]:
        """Mean of paired differences (float64[B]), and the two-sided p value of no difference.

        p is that of the sign-flip test over games: without a difference, each game's sum is as likely with the other
        sign. All signs are tried for up to 12 games, else FLIPS random ones beside those that were seen.
        """
        interval = self.mean(values)
        by_game = np.zeros(self.games)
        np.add.at(by_game, self._of, values)
        least, reached, tried = abs(by_game.sum()) * (1 - 1e-12), 0, 0
        for signs in _signs(self.games):
            reached += int((np.abs(signs @ by_game) >= least).sum())
            tried += len(signs)
        return interval, reached / tried

    def _interval(self, mean: float, drawn: np.ndarray) -> Interval:
        if self.games < 2:
            return Interval(mean, None, None)
        low, high = np.quantile(drawn, (0.025, 0.975))
        return Interval(mean, float(low), float(high))


def _signs(games: int) -> Iterator[np.ndarray]:
    """The signs of the sign-flip test, float64[some, games] at a time."""
    if games <= EXACT_GAMES:
        yield 1.0 - 2.0 * (np.arange(1 << games)[:, None] >> np.arange(games) & 1)
        return
    generator, rows = np.random.default_rng(1), max(1, SIGNS_AT_ONCE // games)
    for first in range(0, FLIPS, rows):
        signs = generator.choice((-1.0, 1.0), (min(rows, FLIPS - first), games))
        if first == 0:
            signs[0] = 1.0
        yield signs


def at_time(seconds: np.ndarray, values: np.ndarray, time: float) -> np.ndarray | None:
    """``values`` (float64[P, ...]) at a time, linear in its logarithm between points of increasing core ``seconds``.

    None outside of them.
    """
    if not seconds[0] * (1 - 1e-9) <= time <= seconds[-1] * (1 + 1e-9):
        return None
    place = float(np.interp(np.log(time), np.log(seconds), np.arange(len(seconds))))
    before = int(place)
    after = min(before + 1, len(seconds) - 1)
    return values[before] + (place - before) * (values[after] - values[before])


def at_times(curves: Mapping[str, tuple[np.ndarray, np.ndarray]], times: Sequence[float]) -> dict[str, list[float]]:
    """The values of each curve (core seconds, values; both float64[P]) at ``times``, as by ``at_time``; NaN outside."""
    found: dict[str, list[float]] = {}
    for name, (seconds, values) in curves.items():
        read = [at_time(seconds, values, time) for time in times]
        found[name] = [float("nan") if value is None else float(value) for value in read]
    return found
