"""ARTDP, adaptive real-time dynamic programming (Barto, Bradtke and Singh 1995), as a planner: a reconstruction.

Kocsis and Szepesvári 2006 (section 3.2) says that state values begin as the evaluation, that actions are chosen by
Boltzmann exploration, and that its temperature is fixed, "tuned on small-size problems". What it leaves open was chosen
so:

- Trials run from the query state to a goal, and begin again there; nothing cuts them. Where no goal is reached, as a
  discounted problem may have it, all samples are of one trial, which may leave the query state for good.
- The model is the maximum-likelihood one: outcome frequencies per (state, action), and the cost seen.
- Dynamic programming backs up the current state alone, once a step, before its action is chosen (the least of real-time
  dynamic programming's sets of states): ``V(s) = min over a of Q(s, a)``, ``Q`` by the model and the present values.
- An action that was not tried in a state has no model; it counts there with what the state's value began as.
- Probabilities are proportional to ``exp(-Q / temperature)``; of the temperatures 0.1, 0.3, 1 and 3, in units of cost,
  1 needed the fewest samples on grids of 2 and 5.
- The action named is the one of least Q at the root among those tried, by the model and values of that moment.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.jit import inlined
from gpumcts.planning.contract import CHOICES, OUTCOMES, advance, boltzmann, is_in, least_of, memory, stream
from gpumcts.planning.mdp import outcome
from gpumcts.planning.store import Store, add, node_key, room_left, slot_of, state_of, store
from gpumcts.rng import child_key

U = np.uint64
SAMPLES, AT, STATE, BEFORE, ACTION, OUTCOME = range(6)  # of progress


class Artdp(NamedTuple):
    """ARTDP.

    temperature : of Boltzmann exploration, fixed, in units of cost
    initial_values : values of states begin as the evaluation; else as 0
    """

    temperature: Annotated[float, Interval(gt=0, le=1e6)] = 1.0
    initial_values: bool = True

    def compiled(self) -> "Switches":
        """What travels into compiled code."""
        return Switches(float(self.temperature), bool(self.initial_values))


OPTION = Artdp


class Switches(NamedTuple):
    """``Artdp`` as compiled code reads it."""

    temperature: float
    initial_values: bool


class Model(NamedTuple):
    """What ARTDP remembers: N states, A actions, K outcomes; 24 + 8 A K bytes a state.

    values     float64[N]      V
    counts     int32[N, A, K]  how often outcome k was seen
    successors int32[N, A, K]  the node it led to
    estimates  float64[A]      Q at the state in hand; infinity where an action is not legal
    """

    store: Store
    values: np.ndarray
    counts: np.ndarray
    successors: np.ndarray
    estimates: np.ndarray


@memory.implements(Switches)
def artdp_memory(planner, mdp, room):
    shape = (room, *mdp.successors.shape[1:])
    return Model(store(room), np.zeros(room), np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape[1]))


@inlined
def initial(planner, mdp, evaluation, state):
    """What the value of a state begins as."""
    return evaluation[state] if planner.initial_values and mdp.actions[state] != U(0) else 0.0


@inlined
def node_of(planner, mdp, evaluation, model, state):
    """The node of a state, new where there was none."""
    key = node_key(state, 0)
    slot = slot_of(model.store, key)
    node = np.int64(model.store.slots[slot]) - 1
    if node < 0:
        node = np.int64(add(model.store, slot, key))
        model.values[node] = initial(planner, mdp, evaluation, state)
        for action in range(model.counts.shape[1]):
            for k in range(model.counts.shape[2]):
                model.counts[node, action, k] = 0
    return node


@inlined
def estimate(mdp, model, node, untried):
    """Write Q of each legal action of a node into ``estimates``; ``untried`` is that of an action never tried."""
    state = state_of(model.store, node)
    for action in range(model.estimates.shape[0]):
        tries, after = 0, 0.0
        for k in range(model.counts.shape[2]):
            count = model.counts[node, action, k]
            if count > 0:
                tries += count
                after += count * model.values[model.successors[node, action, k]]
        value = mdp.costs[state, action] + mdp.discount * after / tries if tries > 0 else untried
        model.estimates[action] = value if is_in(action, mdp.actions[state]) else np.inf


@advance.implements(Switches)
def artdp_advance(planner, mdp, evaluation, root, key, checkpoints, chosen, kept, progress):
    outcomes, choices = child_key(key, OUTCOMES), child_key(key, CHOICES)
    samples, at, before = progress[SAMPLES], progress[AT], progress[BEFORE]
    action, k = progress[ACTION], progress[OUTCOME]
    state = progress[STATE] if samples > 0 else np.int64(root)
    while True:
        if room_left(kept.store) == 0:
            progress[SAMPLES], progress[AT], progress[STATE] = samples, at, state
            progress[BEFORE], progress[ACTION], progress[OUTCOME] = before, action, k
            return False
        node = node_of(planner, mdp, evaluation, kept, state)
        if samples > 0:  # ``before``, ``action`` and ``k`` are how it was come by
            kept.counts[before, action, k] += 1
            kept.successors[before, action, k] = node
            if samples == checkpoints[at]:
                estimate(mdp, kept, 0, np.inf)
                chosen[at] = least_of(kept.estimates)
                at += 1
                if at == checkpoints.shape[0]:
                    return True
        if mdp.actions[state] == U(0):
            state, node = np.int64(root), np.int64(0)
        estimate(mdp, kept, node, initial(planner, mdp, evaluation, state))
        kept.values[node] = kept.estimates[least_of(kept.estimates)]
        before, action = node, boltzmann(kept.estimates, planner.temperature, stream(choices, samples))
        k = outcome(mdp, state, action, stream(outcomes, samples))
        state, samples = np.int64(mdp.successors[state, action, k]), samples + 1
