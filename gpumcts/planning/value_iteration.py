"""The optimal values of a Markov decision problem by value iteration, and what an action costs above them."""

import threading
from collections.abc import Callable

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.jit import entry, inlined
from gpumcts.planning.mdp import Mdp

U = np.uint64
BACKUPS_A_CALL = 1 << 22  # states times sweeps of one compiled call, some tenths of a second


@inlined
def backup(mdp, values, state, action):
    """Expected cost of an action and of what follows by ``values`` (float64[S]), float64."""
    after = 0.0
    for k in range(mdp.successors.shape[2]):
        after += mdp.probabilities[state, action, k] * values[mdp.successors[state, action, k]]
    return mdp.costs[state, action] + mdp.discount * after


@entry
def _sweep(mdp, values, tolerance, most):
    """Gauss-Seidel sweeps from last state to first, in place, until no value changes by more than ``tolerance``.

    Returns the sweeps made, at most ``most``, and the largest change of the last one.
    """
    made, change = 0, np.inf
    while made < most and change > tolerance:
        made, change = made + 1, 0.0
        for number in range(values.shape[0]):
            state = values.shape[0] - 1 - number
            if mdp.actions[state] == U(0):
                continue
            best = np.inf
            for action in range(mdp.costs.shape[1]):
                if (mdp.actions[state] >> U(action)) & U(1):
                    best = min(best, backup(mdp, values, state, action))
            change = max(change, abs(best - values[state]))
            values[state] = best
    return made, change


@entry
def _action_values(mdp, values, found):
    for state in range(values.shape[0]):
        for action in range(mdp.costs.shape[1]):
            if (mdp.actions[state] >> U(action)) & U(1):
                found[state, action] = backup(mdp, values, state, action)


def optimal_values(
    mdp: Mdp,
    tolerance: float = 1e-10,
    on_progress: Callable[[int, float], None] | None = None,
    stop: threading.Event | None = None,
) -> np.ndarray:
    """V*, the least expected cost until a goal (discounted where the problem says so), float64[S]; 0 at goals.

    Sweeps until no value changes by more than ``tolerance``. Values start at 0 and rise, so that they are below V*,
    which in sailing they miss by a few times the tolerance; goals are best numbered last. A loop that costs nothing
    counts as a goal where nothing is discounted. ``on_progress`` is called with the sweeps made and the last change.
    Raises KeyboardInterrupt where ``stop`` is set, BadInput where no goal is within reach of some state without a
    discount, and for a tolerance that is not above 0.
    """
    if not tolerance > 0:
        raise BadInput(f"tolerance={tolerance}: must be above 0")
    values, sweeps, change = np.zeros(len(mdp.actions)), 0, np.inf
    _refuse_endless(mdp)
    at_once = max(1, BACKUPS_A_CALL // len(values))
    while change > tolerance:
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        made, change = _sweep(mdp, values, tolerance, at_once)
        sweeps += made
        if on_progress is not None:
            on_progress(sweeps, change)
    return values


def action_values(mdp: Mdp, values: np.ndarray) -> np.ndarray:
    """Q, float64[S, A], the expected cost of each action, then ``values`` (float64[S]); infinity for illegal ones."""
    found = np.full(mdp.costs.shape, np.inf)
    _action_values(mdp, values, found)
    return found


def _refuse_endless(mdp: Mdp) -> None:
    """Raise BadInput where the undiscounted values are not finite: a state from which no goal can be reached."""
    if mdp.discount < 1:
        return
    reaching = mdp.actions == 0
    possible = mdp.probabilities > 0
    while True:
        found = reaching | (possible & reaching[mdp.successors]).any(axis=(1, 2))
        if (found == reaching).all():
            break
        reaching = found
    if not reaching.all():
        raise BadInput(f"mdp: no goal can be reached from state {int(np.argmin(reaching))}, and there is no discount")
