"""95 % intervals, where the sample is large enough to have one."""

import math
from collections.abc import Sequence

import numpy as np

Z = 1.959963984540054
"""The normal distribution's quantile of 97.5 %."""
Z_OF_RUNS = 1.96
"""What the summaries of ``experiments.trees`` have had from the first on: those that are recorded stay equal."""
"""The normal quantile of a two-sided interval of 95 %."""


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
