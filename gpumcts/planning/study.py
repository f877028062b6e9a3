"""What planners are measured by (Kocsis and Szepesvári 2006, section 3.2): a perturbed evaluation, random states, and
samples to an error."""

from typing import NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.planning.mdp import Mdp
from gpumcts.rng import child_key, draw, key_of

U = np.uint64
EVALUATIONS, STATES, QUERIES, RESAMPLES = range(4)  # what keys are for, below the seed
A_DECADE = 20  # checkpoints
RESAMPLED = 1000  # times, for an interval


def numbered(key: np.uint64, count: int) -> np.ndarray:
    """Keys number 0 to ``count`` - 1 below ``key``, uint64[count]."""
    with np.errstate(over="ignore"):
        return child_key(key, np.arange(count, dtype=np.uint64))


def perturbed(values: np.ndarray, noise: float, seed: int, runs: int) -> np.ndarray:
    """(1 + e) V*, float64[R, S]: e of each run and state is uniform in [-noise, noise], and stays as it is.

    values : float64[S], V*; noise : 0 to 1, 0.1 in Kocsis and Szepesvári 2006; seed, runs : R evaluations by keys.
    Raises BadInput.
    """
    if not 0 <= noise <= 1:
        raise BadInput(f"noise={noise}: must be a number in [0, 1]")
    uniform = (
        np.stack([numbered(key_of(seed, EVALUATIONS, run), len(values)) >> U(11) for run in range(runs)]) * 2.0**-53
    )
    return (1.0 + noise * (2.0 * uniform - 1.0)) * values


def random_states(mdp: Mdp, count: int, seed: int) -> np.ndarray:
    """``count`` states that are no goals, each drawn uniformly from all of them, int64[count]."""
    inner = np.flatnonzero(mdp.actions)
    if not len(inner):
        raise BadInput("mdp: every state is a goal, there is nothing to plan")
    return inner[draw(numbered(key_of(seed, STATES), count), 0, len(inner)).astype(np.int64)]


def query_keys(seed: int, run: int, count: int) -> np.ndarray:
    """Keys of the queries of a run, uint64[count]."""
    return numbered(key_of(seed, QUERIES, run), count)


def checkpoints(most: int) -> np.ndarray:
    """Numbers of samples from 1 to ``most``, 20 a decade, as int64[C]."""
    steps = 10.0 ** (np.arange(A_DECADE * 10 + 1) / A_DECADE)
    points = np.unique(np.rint(steps).astype(np.int64))
    return np.append(points[points < most], most)


def errors(chosen: np.ndarray, roots: np.ndarray, costs: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Q*(s, a) - V*(s) of the actions ``chosen`` (int8[Q, C]) in the states ``roots`` (int64[Q]), float64[Q, C].

    costs : float64[S, A], Q*; values : float64[S], V*
    """
    return costs[roots[:, None], chosen] - values[roots][:, None]


class Needed(NamedTuple):
    """Samples to an error: the first checkpoint from which on it stays below, and its 95 % interval; None for none."""

    samples: int | None
    low: int | None
    high: int | None


def samples_needed(found: np.ndarray, points: np.ndarray, limit: float, seed: int) -> Needed:
    """After how many samples the mean error falls below ``limit``, and stays below at all later checkpoints.

    found : float64[N, C], the error of N states after ``points`` (int64[C]) samples

    The interval is the percentile bootstrap over states, 1000 resamples; its upper end is None where 1 in 40 of them
    or more are not below at the last checkpoint.
    """
    mean = found.mean(axis=0)
    states, resampled = len(found), np.empty((RESAMPLED, len(points)))
    for number in range(RESAMPLED):
        rows = draw(numbered(key_of(seed, RESAMPLES, number), states), 0, states).astype(np.int64)
        resampled[number] = np.bincount(rows, minlength=states) @ found / states
    crossings = np.sort(_lasting(resampled, limit))
    low, high = crossings[RESAMPLED // 40 - 1], crossings[-(RESAMPLED // 40)]
    ends = _lasting(mean[None], limit)[0], low, high
    return Needed(*(int(points[end]) if end < len(points) else None for end in ends))


def _lasting(means: np.ndarray, limit: float) -> np.ndarray:
    """For each row of float64[B, C] the column from which on all are below ``limit``; C where the last one is not."""
    above = means >= limit
    return np.where(above.any(axis=1), means.shape[1] - np.argmax(above[:, ::-1], axis=1), 0)
