"""The contract of a planner: from one state of a Markov decision problem it draws samples until it must name an action.

A planner is a ``NamedTuple`` of numbers, bools and literals; its ``compiled`` method gives the value of numbers that
travels into compiled code and that verbs dispatch on. It knows the problem through samples alone: cost and next state
of a legal action in a state, one call of the simulator each. And it has an evaluation of every state, which need not be
right.

What a planner remembers lies in a *memory*: a ``NamedTuple`` of arrays with a row a node, and a ``Store`` that finds
the nodes. Python makes it, and a larger one where it is full, so that compiled loops allocate nothing and count no
references (``verbs.JIT_OPTIONS``).
"""

import numpy as np

from gpumcts.bits import nth_set_bit, popcount
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP, bits, draw
from gpumcts.tree.deterministic_math import exp
from gpumcts.verbs import verb

U = np.uint64
OUTCOMES, CHOICES, STOPS, GUESSES = U(0), U(1), U(2), U(3)
"""What draws are for: the keys below a query's. Draws of a purpose are addressed by the samples made before."""

PROGRESS = 8
"""Numbers that a query keeps between two calls of ``advance``, int64."""


@verb("planner")
def memory(planner, mdp, room):
    """The arrays for ``room`` nodes (a power of two), with the field ``store``; for plain Python."""


@verb("planner")
def advance(planner, mdp, evaluation, root, key, checkpoints, chosen, kept, progress):
    """Go on with a query until its last checkpoint (True), or until the memory ``kept`` is full (False).

    mdp : Mdp; nothing of it is read but legal actions, and cost and drawn outcome of actions that are sampled
    evaluation : float64[S], an estimate of the least cost from each state; 0 at goals
    root : int64, a state that is no goal
    key : uint64, of all draws of the query
    checkpoints : int64[C], increasing numbers of samples, at least 1
    chosen : int8[C], receives the action that is best at each checkpoint, as the finished episodes have it
    progress : int64[PROGRESS], 0 at the beginning, where the store is empty; what else it holds is the planner's own

    What is chosen after n samples depends neither on later checkpoints nor on the room.
    """


@inlined
def stream(key, samples):
    """The stream of the draw of one purpose (``key`` below the query's) after so many samples."""
    return key + U(samples) * PLY_STEP


@inlined
def one_of(actions, stream):
    """One of the actions in a word, each as likely, int64."""
    return np.int64(nth_set_bit(actions, draw(stream, 0, popcount(actions))))


@inlined
def is_in(action, actions):
    """Whether a word of actions holds one."""
    return ((actions >> U(action)) & U(1)) != U(0)


@inlined
def least_of(values):
    """Where the least of a row of float64 is, the first of equals; -1 where all are infinite."""
    best, least = -1, np.inf
    for action in range(values.shape[0]):
        lower = values[action] < least
        best = action if lower else best
        least = values[action] if lower else least
    return best


@inlined
def boltzmann(estimates, temperature, stream):
    """An action, int64, by draw 0 of ``stream``, with probability proportional to exp(-estimate / temperature).

    ``estimates`` (float64[A]) are overwritten by these weights; infinite ones are never drawn.
    """
    least, total = estimates[least_of(estimates)], 0.0
    for action in range(estimates.shape[0]):
        estimates[action] = exp((least - estimates[action]) / temperature)
        total += estimates[action]
    left = np.float64(bits(stream, 0) >> U(11)) * 2.0**-53 * total
    drawn = np.int64(0)
    for action in range(estimates.shape[0]):
        if estimates[action] > 0.0:
            drawn = np.int64(action) if left >= 0.0 else drawn
            left -= estimates[action]
    return drawn
