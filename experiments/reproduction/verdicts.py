"""Verdicts: what a measurement says of what a paper publishes, in one word that code computes.

``agrees``   at the paper's own budget, the 95 % interval of the difference lies within the margin; a large p is no
             agreement
``differs``  at the paper's own budget, that interval excludes 0 and is not within the margin
``open``     neither: the measurement cannot tell
``reduced``  measured at another budget than the paper's, or the catalogue's where it has none; never agreement
``unpublished``  the paper has no figure for the cell (an explanation that is tried, a case of our own), or has one
                 without the condition that decides it

The margin of a rate is five points, or the paper's own interval where that is wider. That of a count is a factor of
1.05, or the paper's interval. That of a slope or a correlation is what the paper prints or its item's rule names, and
no less: five hundredths may be much of a slope. A claim in words compares two measured quantities: it agrees where the
interval of their difference lies on the claimed side, and differs where it lies on the other. An interval without an
end, where samples lie beyond those drawn, leaves the difference without one: two such figures tell nothing of each
other.
"""

import math
from typing import Literal, NamedTuple

from scipy.special import ndtr

from experiments.analysis.intervals import Z
from experiments.reproduction.quantities import (
    AnyQuantity,
    Estimate,
    Exact,
    Mean,
    Measured,
    OpenEnded,
    Published,
    Share,
)

MARGIN = 0.05
"""Five points of a rate; of other quantities, the logarithm of the ratio."""
RATES = frozenset({"rate", "rate difference"})
"""Units in [-1, 1] that are shown in per cent, of which five points are little."""
LINEAR = RATES | {"correlation", "slope"}
"""Units whose differences count as such; those of other units count as ratios."""
SAMPLES = frozenset({"games", "searches", "trees", "runs", "boards", "positions", "states"})
"""Budgets of which more is only more power; every other budget has to be the paper's."""

Verdict = Literal["agrees", "differs", "open", "reduced", "unpublished"]


class Comparison(NamedTuple):
    """A measurement beside what is published.

    difference : ours less the paper's (or than the other quantity); of quantities that are no rates, the logarithm of
        the ratio
    low, high : its 95 % interval, an end infinite where a figure has none; margin : within which it agrees
    p_value : two-sided, of no difference
    """

    difference: float
    low: float
    high: float
    margin: float
    p_value: float
    verdict: Verdict


def compare(measured: Measured, published: Published, budget: dict[str, int | float]) -> Comparison | None:
    """The comparison of a cell; None where nothing is published that it could be compared with.

    budget : ours, by the names of ``published.budget``
    """
    if published.relation == "unstated":
        return None
    difference, variance, margin = _difference(measured, published)
    half = Z * math.sqrt(variance)
    low, high = difference - half, difference + half
    p_value = 2 * float(ndtr(-abs(difference) / math.sqrt(variance))) if variance else float(difference == 0)
    if isinstance(measured.quantity, OpenEnded):
        high, p_value = math.inf, p_value if difference > 0 else 1.0
    if isinstance(measured.other, OpenEnded):
        low, p_value = -math.inf, p_value if difference < 0 else 1.0
    verdict = _verdict(published.relation, low, high, margin)
    if not own_budget(budget, published.budget):
        verdict = "reduced"
    return Comparison(difference, low, high, margin, p_value, verdict)


def own_budget(ours: dict[str, int | float], theirs: dict[str, int | float]) -> bool:
    """Whether a cell was measured at the paper's budget: samples at least as many, everything else equal."""
    return all(name in ours and (ours[name] >= n if name in SAMPLES else ours[name] == n) for name, n in theirs.items())


def _verdict(relation: str, low: float, high: float, margin: float) -> Verdict:
    if relation in ("below", "above"):
        ends = (low, high) if relation == "above" else (-high, -low)
        return "agrees" if ends[0] > 0 else "differs" if ends[1] < 0 else "open"
    if -margin <= low and high <= margin:
        return "agrees"
    return "differs" if low > 0 or high < 0 else "open"


def _difference(measured: Measured, published: Published) -> tuple[float, float, float]:
    """The difference, its variance, and the margin."""
    ours = measured.quantity
    if measured.other is not None:
        theirs, half = measured.other, published.half
        variance, value = _variance(theirs), theirs.value
    else:
        assert published.value is not None
        value, half = published.value, published.half
        count, variance = published.count, 0.0
        if measured.unit == "rate" and count:
            variance = _variance(Share(hits=round(value * count), count=count))
    if isinstance(ours, Exact) and not variance:
        return ours.value - value, 0.0, half
    if measured.unit in LINEAR:
        margin = max(MARGIN, half) if measured.unit in RATES else half
        return ours.value - value, _variance(ours) + variance, margin
    if ours.value <= 0 or value <= 0:
        raise ValueError(f"a ratio of {measured.unit} needs positive values, not {ours.value} and {value}")
    spread = _log_variance(ours) + (_log_variance(measured.other) if measured.other is not None else 0.0)
    return math.log(ours.value / value), spread, max(math.log1p(MARGIN), math.log1p(half / value))


def _log_variance(quantity: AnyQuantity) -> float:
    """The variance of the logarithm: by the ends of an interval of its own where it has one; else to first order.

    Of an interval without an upper end the lower side counts, the only one that the difference then has.
    """
    if isinstance(quantity, OpenEnded) and quantity.low > 0:
        return (math.log(quantity.value / quantity.low) / Z) ** 2
    if isinstance(quantity, Estimate) and quantity.low > 0:
        return (math.log(quantity.high / quantity.low) / (2 * Z)) ** 2
    return quantity.variance / quantity.value**2


def _variance(quantity: AnyQuantity) -> float:
    """The variance of a rate; where all came out alike, that of Wilson's interval, which has a width there."""
    if quantity.variance or isinstance(quantity, Mean | Estimate | OpenEnded | Exact):
        return quantity.variance
    low, high = quantity.interval
    return ((high - low) / (2 * Z)) ** 2
