"""What the followed searches of Ramanujan et al. 2010's section 6 give at their root, whose two moves lead to subtrees
A and B."""

import math
from typing import Any, NamedTuple

import numpy as np

from experiments.analysis.intervals import Z
from experiments.runs.results import Result
from experiments.runs.tree_searches import pieces_of

A, B = 0, 1
OWN = 1  # playouts that begin at the root itself, before it has children


class Searches(NamedTuple):
    """S searches at C checkpoints."""

    points: np.ndarray  # float64 [C] iterations
    crossing: np.ndarray  # float64 [S] t*; infinity beyond the horizon
    visits: np.ndarray  # float64 [S, C, 2] of A and B
    values: np.ndarray  # float64 [S, C, 2] of A and B in [-1, 1] for Max; nan before a visit

    @property
    def horizon(self) -> float:
        """Iterations of each search."""
        return float(self.points[-1])


class Mean(NamedTuple):
    """A mean over ``count`` searches, their standard deviation (n - 1) and median; nan where there are too few."""

    count: int
    mean: float
    deviation: float
    median: float

    @property
    def half(self) -> float:
        """Half of its 95 % interval."""
        return Z * self.deviation / math.sqrt(self.count) if self.count else math.nan


def read_searches(result: Result) -> Searches:
    """The searches of a finished run."""
    pieces, points = pieces_of(result.folder), np.array(result.summary["points"], np.float64)
    below = np.concatenate([piece.below for piece in pieces]).astype(np.float64)
    to_b, both = (
        np.concatenate([getattr(piece, name) for piece in pieces]).astype(np.float64) for name in ("wrong", "visits")
    )
    values = np.concatenate([piece.values for piece in pieces]).astype(np.float64)
    crossing = np.where(below >= points[-1], np.inf, below + 1)
    return Searches(points, crossing, np.stack([both - to_b, to_b], axis=2), 2 * values - 1)


def at(searches: Searches, column: np.ndarray, times: np.ndarray) -> np.ndarray:
    """float64[S]: ``column`` (float64[S, C]) after ``times`` iterations of each search, linear between checkpoints."""
    points, rows = searches.points, np.arange(len(column))
    after = np.clip(np.searchsorted(points, times), 1, len(points) - 1)
    span = points[after] - points[after - 1]
    weight = np.clip((times - points[after - 1]) / span, 0, 1)
    return (1 - weight) * column[rows, after - 1] + weight * column[rows, after]


def share_of_b(searches: Searches, times: np.ndarray) -> np.ndarray:
    """float64[S]: the share of the root's iterations that went to B until ``times``; nan where that is never."""
    known = np.isfinite(times)
    to_a, to_b = (at(searches, searches.visits[:, :, move], np.where(known, times, 0.0)) for move in (A, B))
    return np.where(known, to_b / np.maximum(to_a + to_b, 1), np.nan)


def value_of_a(searches: Searches, times: np.ndarray) -> np.ndarray:
    """float64[S]: the value of A in [-1, 1] after ``times`` iterations; nan where that is never."""
    known = np.isfinite(times)
    sums = np.nan_to_num(searches.values[:, :, A]) * searches.visits[:, :, A]
    some = [at(searches, column, np.where(known, times, 0.0)) for column in (sums, searches.visits[:, :, A])]
    return np.where(known & (some[1] > 0), some[0] / np.maximum(some[1], 1e-9), np.nan)


def first_lead(searches: Searches, after_a_round: bool) -> tuple[np.ndarray, np.ndarray]:
    """The first checkpoint at which A and B differ in value, and which is ahead: int64[S] each; move -1 for never.

    after_a_round : look only where both have been visited equally often
    """
    values, visits = searches.values, searches.visits
    differs = np.isfinite(values).all(axis=2) & (values[:, :, A] != values[:, :, B])
    if after_a_round:
        differs &= visits[:, :, A] == visits[:, :, B]
    column, rows = differs.argmax(axis=1), np.arange(len(differs))
    ahead = np.where(values[rows, column, A] > values[rows, column, B], A, B)
    return column, np.where(differs[rows, column], ahead, -1)


def first_reaching(searches: Searches, column: np.ndarray, needed: np.ndarray) -> np.ndarray:
    """float64[S]: iterations until a growing quantity reaches ``needed``, linear between checkpoints; inf for never."""
    reached = column >= needed[:, None]
    after, rows = reached.argmax(axis=1), np.arange(len(column))
    before = np.maximum(after - 1, 0)
    rise = column[rows, after] - column[rows, before]
    part = np.where(rise > 0, (needed - column[rows, before]) / np.maximum(rise, 1e-9), 1.0)
    times = searches.points[before] + np.clip(part, 0, 1) * (searches.points[after] - searches.points[before])
    return np.where(reached[rows, after], times, np.inf)


def mean_of(values: Any) -> Mean:
    """The mean of what is finite."""
    known = np.asarray(values, np.float64)
    known = known[np.isfinite(known)]
    if not len(known):
        return Mean(0, np.nan, np.nan, np.nan)
    deviation = float(known.std(ddof=1)) if len(known) > 1 else math.nan
    return Mean(len(known), float(known.mean()), deviation, float(np.median(known)))
