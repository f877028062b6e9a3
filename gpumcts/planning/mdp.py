"""Markov decision problems as arrays: costs to be minimised, a few outcomes an action, goals that end an episode.

Any problem whose states can be counted fits; the planners and the value iteration know nothing of sailing. A sample
reads three short rows of the arrays, which for 40 x 40 squares take 16 MB.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.jit import inlined
from gpumcts.rng import bits

U = np.uint64
MAX_ACTIONS = 64  # legal actions are bits of a word
MAX_STATES = 1 << 31


class Mdp(NamedTuple):
    """S states, A actions, K outcomes an action; outcomes of probability 0 fill up.

    actions       uint64[S]        legal actions, a bit each; 0 exactly at goals
    costs         float64[S, A]    expected cost of an action; 0 where it is not legal
    successors    int32[S, A, K]   the state that outcome k leads to
    probabilities float64[S, A, K]
    thresholds    uint32[S, A, K - 1]  outcome k is drawn where k thresholds are at most the 31 random bits
    discount      float64 in (0, 1]
    """

    actions: np.ndarray
    costs: np.ndarray
    successors: np.ndarray
    probabilities: np.ndarray
    thresholds: np.ndarray
    discount: float


def problem(
    actions: np.ndarray, costs: np.ndarray, successors: np.ndarray, probabilities: np.ndarray, discount: float = 1.0
) -> Mdp:
    """An ``Mdp`` from its arrays, checked; outcomes of a state and action may be the same state.

    Raises BadInput where shapes or types do not fit, a cost is negative or not finite, probabilities are not, or the
    discount is not in (0, 1].
    """
    states, most, outcomes = successors.shape if successors.ndim == 3 else (0, 0, 0)
    shapes = (actions.shape, costs.shape, probabilities.shape)
    if successors.ndim != 3 or shapes != ((states,), (states, most), successors.shape):
        raise BadInput("mdp: the arrays are actions[S], costs[S, A], successors[S, A, K] and probabilities[S, A, K]")
    if actions.dtype != np.uint64 or successors.dtype.kind not in "iu":
        raise BadInput(f"mdp: actions are uint64, not {actions.dtype}, and successors integers, not {successors.dtype}")
    if not (1 <= states <= MAX_STATES and 1 <= most <= MAX_ACTIONS and outcomes >= 1):
        raise BadInput(f"mdp: there are 1 to {MAX_STATES} states, 1 to {MAX_ACTIONS} actions, and at least one outcome")
    if not 0 < discount <= 1:
        raise BadInput(f"discount={discount}: must be a number in (0, 1]")
    legal = (actions[:, None] >> np.arange(most, dtype=np.uint64)) & U(1) != 0
    if most < MAX_ACTIONS and (actions >> U(most)).any():
        raise BadInput(f"mdp: an action beyond the last, {most - 1}, is legal somewhere")
    if not (np.isfinite(costs[legal]).all() and (costs[legal] >= 0).all()):
        raise BadInput("mdp: a cost is negative or not finite")
    sums = probabilities[legal].sum(axis=1)
    if (probabilities[legal] < 0).any() or not np.allclose(sums, 1, rtol=0, atol=1e-9):
        raise BadInput("mdp: the probabilities of an action's outcomes are not all at least 0 with sum 1")
    reached = successors[legal][probabilities[legal] > 0]
    if reached.size and not (reached.min() >= 0 and reached.max() < states):
        raise BadInput("mdp: an action leads to a state that is none")
    return Mdp(
        np.ascontiguousarray(actions, np.uint64),
        np.where(legal, costs, 0.0),
        np.where(legal[:, :, None] & (probabilities > 0), successors, 0).astype(np.int32),
        np.where(legal[:, :, None], probabilities, 0.0),
        _thresholds(probabilities),
        float(discount),
    )


def _thresholds(probabilities: np.ndarray) -> np.ndarray:
    """Cumulative probabilities of outcomes times 2^31, rounded; 2^31, which no draw reaches, where none follows."""
    sums = np.cumsum(probabilities, axis=2)[:, :, :-1]
    follows = np.cumsum(probabilities[:, :, ::-1], axis=2)[:, :, -2::-1] > 0
    return np.where(follows, np.rint(sums * 2.0**31), 2.0**31).astype(np.uint32)


@inlined
def outcome(mdp, state, action, stream):
    """The outcome of a legal action, int64, from draw 0 of ``stream``, by its probability (off by less than 2^-31)."""
    random = bits(stream, 0) >> U(33)
    k = np.int64(0)
    for j in range(mdp.thresholds.shape[2]):
        k += np.int64(random >= U(mdp.thresholds[state, action, j]))
    return k
