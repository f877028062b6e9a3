"""95 % intervals, where the sample is large enough to have one."""

import math
from collections.abc import Sequence

import numpy as np

Z = 1.959963984540054
"""The normal distribution's quantile of 97.5 %."""
Z_OF_RUNS = 1.96
"""What the summaries of ``experiments.trees`` have had from the first on: those that are recorded stay equal."""
DRAWS = 10_000
"""Of weights of trees: they give each end to 2 % of its distance from the mean."""
TREES_AT_ONCE = 256
"""Trees whose weights are in memory at a time: 20 MB."""


def median_interval(values: Sequence[float] | np.ndarray) -> tuple[float | None, float | None]:
    """The two of ``values`` that enclose their median with at least 95 %, by the binomial distribution of ranks.

    None for both ends with fewer than six values: the least and the greatest of five enclose it with 93.75 % only.
    Values may be infinite.
    """
    from scipy import stats

    ends = stats.quantile_test(np.asarray(values, np.float64), p=0.5).confidence_interval(0.95)
    low, high = (None if math.isnan(end) else float(end) for end in ends)
    return low, high


def mean_half(values: np.ndarray) -> np.ndarray | None:
    """What to add to and subtract from means over the first axis for 95 % (normal); None for a single value."""
    return Z_OF_RUNS * values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None


def share_ends(shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ends, float64[C] each, of the 95 % intervals of C means over trees, from each tree's shares, float64[K, C].

    Shares are in [0, 1]. A Bayesian bootstrap over the trees and one more, whose share is 1 for the upper end and 0 for
    the lower (Gaffke 2005; Learned-Miller, Thomas 2019). Of shares that are 0 or 1 the interval is Clopper and
    Pearson's; of many trees it is the normal one, by the variance between trees. Every draw weights the trees in the
    order of their shares by the same weights, so that no end falls where a share rises.
    """
    ordered, one = np.sort(shares, axis=0), np.ones((1, shares.shape[1]))
    ends = np.vstack([ordered, one]), np.vstack([0 * one, ordered])
    generator = np.random.default_rng(0)
    total, upper, lower = np.zeros(DRAWS), *np.zeros((2, shares.shape[1], DRAWS))
    for first in range(0, len(shares) + 1, TREES_AT_ONCE):
        high, low = (end[first : first + TREES_AT_ONCE].T for end in ends)
        weights = generator.standard_exponential((high.shape[1], DRAWS))
        total += weights.sum(axis=0)
        upper += high @ weights
        lower += low @ weights
    return np.quantile(lower / total, 0.025, axis=1), np.quantile(upper / total, 0.975, axis=1)
