"""PG-ID, on-line search by heuristic sampling with iterative deepening (Peret and Garcia, ECAI 2004): a reconstruction.

Known of it: trajectories are sampled from the query state to a horizon that recedes once an estimate of the global
sampling error is small enough; the estimate comes from confidence intervals per (state, action, depth) that are
propagated upwards; sampling is guided by these intervals, by Boltzmann exploration, or by nothing. Its numbers are not
public, and Kocsis and Szepesvári 2006 (section 3.2) gives none. What was left open was chosen so:

- Statistics are kept per (state, depth from the query), and stay when the horizon grows.
- ``Q = cost + mean over the outcomes seen of V``, ``V = min over a of Q``. At the horizon V is the evaluation, and
  above it too until every action was sampled there (minima over some of the actions lead astray: with them errors grew
  with the horizon).
- Width of Q: ``confidence sqrt((S + spread^2) / n) / sqrt n``, S the sum of squares of the V seen about their mean, n
  samples, plus the mean of the outcomes' own errors. Error of V: the width of its best action; 0 at goals and at the
  horizon; ``unknown`` above it until every action was sampled.
- Estimates are backed up along each trajectory; when the horizon grows, all are worked out anew from the deepest up,
  which takes no samples. It grows by 1 after a trajectory that leaves the error at the root at most ``tolerance``.
- An action never sampled comes first, in random order; then ``interval`` takes the one of least ``Q - width``.
- The action named is the one of least Q at the root.

Tolerances of 0.3, 1, 2 and 4 were tried on small grids; 1 needed the fewest samples on 5 x 5.
"""

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.jit import inlined
from gpumcts.planning.contract import (
    CHOICES,
    GUESSES,
    OUTCOMES,
    advance,
    boltzmann,
    least_of,
    memory,
    one_of,
    stream,
)
from gpumcts.planning.mdp import outcome
from gpumcts.planning.store import Store, add, depth_of, node_key, room_left, slot_of, state_of, store
from gpumcts.rng import child_key

U = np.uint64
EXPLORES = ("interval", "boltzmann", "uniform")
INTERVAL, BOLTZMANN, UNIFORM = range(3)
SAMPLES, AT, HORIZON = range(3)  # of progress


class PgId(NamedTuple):
    """PG-ID; costs are in units of the problem's.

    explore : how actions are sampled: ``interval``, ``boltzmann`` or ``uniform``
    temperature : of Boltzmann exploration; plays no part in the others
    confidence : half the width of an interval, in standard errors
    spread : of values after an action, as long as nothing is known of it
    unknown : error of a value above the horizon where an action was not sampled yet
    tolerance : the horizon grows once the error at the root is at most this
    longest : the horizon grows no further
    """

    explore: Literal["interval", "boltzmann", "uniform"] = "interval"
    temperature: Annotated[float, Interval(gt=0, le=1e6)] = 1.0
    confidence: Annotated[float, Interval(gt=0, le=1e6)] = 2.0
    spread: Annotated[float, Interval(ge=0, le=1e6)] = 1.0
    unknown: Annotated[float, Interval(ge=0, le=1e6)] = 10.0
    tolerance: Annotated[float, Interval(gt=0, le=1e6)] = 1.0
    longest: Annotated[int, Interval(ge=1, le=1000)] = 64

    def compiled(self) -> "Switches":
        """What travels into compiled code."""
        return Switches(
            explore=EXPLORES.index(self.explore),
            temperature=float(self.temperature),
            confidence=float(self.confidence),
            spread=float(self.spread),
            unknown=float(self.unknown),
            tolerance=float(self.tolerance),
            longest=int(self.longest),
        )


OPTION = PgId


class Switches(NamedTuple):
    """``PgId`` as compiled code reads it."""

    explore: int
    temperature: float
    confidence: float
    spread: float
    unknown: float
    tolerance: float
    longest: int


class Estimates(NamedTuple):
    """What PG-ID remembers: N nodes, A actions, K outcomes; 40 + 16 A + 8 A K bytes a node, and 16 for the path.

    untried    uint64[N]       legal actions that were not sampled yet
    values     float64[N]      V
    errors     float64[N]      its error, as long as the node is above the horizon
    costs      float64[N, A]   Q; infinity where there is no sample
    widths     float64[N, A]   of Q
    counts     int32[N, A, K]  how often outcome k was seen
    successors int32[N, A, K]  the node it led to
    bounds     float64[A]      scratch
    nodes, actions int64[N]    the path of the trajectory
    """

    store: Store
    untried: np.ndarray
    values: np.ndarray
    errors: np.ndarray
    costs: np.ndarray
    widths: np.ndarray
    counts: np.ndarray
    successors: np.ndarray
    bounds: np.ndarray
    nodes: np.ndarray
    actions: np.ndarray


@memory.implements(Switches)
def pg_memory(planner, mdp, room):
    _, actions, outcomes = mdp.successors.shape
    rows, outcome_rows = (room, actions), (room, actions, outcomes)
    nodes = np.zeros(room, np.uint64), np.zeros(room), np.zeros(room), np.zeros(rows), np.zeros(rows)
    seen = np.zeros(outcome_rows, np.int32), np.zeros(outcome_rows, np.int32)
    return Estimates(store(room), *nodes, *seen, np.zeros(actions), np.zeros(room, np.int64), np.zeros(room, np.int64))


@inlined
def node_of(planner, mdp, evaluation, found, state, depth):
    """The node of a state at a depth, new where there was none."""
    key = node_key(state, depth)
    slot = slot_of(found.store, key)
    node = np.int64(found.store.slots[slot]) - 1
    if node < 0:
        node = np.int64(add(found.store, slot, key))
        goal = mdp.actions[state] == U(0)
        found.untried[node] = mdp.actions[state]
        found.values[node] = 0.0 if goal else evaluation[state]
        found.errors[node] = 0.0 if goal else planner.unknown
        for action in range(found.costs.shape[1]):
            found.costs[node, action], found.widths[node, action] = np.inf, 0.0
            for k in range(found.counts.shape[2]):
                found.counts[node, action, k] = 0
    return node


@inlined
def choose(planner, found, node, stream):
    """The action to sample, int64."""
    untried = found.untried[node]
    if untried:
        action = one_of(untried, stream)
        found.untried[node] = untried ^ (U(1) << U(action))
        return action
    if planner.explore == INTERVAL:
        for action in range(found.bounds.shape[0]):
            found.bounds[action] = found.costs[node, action] - found.widths[node, action]
        return np.int64(least_of(found.bounds))
    for action in range(found.bounds.shape[0]):
        cost = found.costs[node, action]
        found.bounds[action] = cost if planner.explore == BOLTZMANN or cost == np.inf else 0.0
    return boltzmann(found.bounds, planner.temperature, stream)


@inlined
def estimate(planner, mdp, found, node, action, inner):
    """Work out Q of an action and its width; ``inner`` where its outcomes lie above the horizon."""
    tries, after, error = 0, 0.0, 0.0
    for k in range(found.counts.shape[2]):
        count, next_node = found.counts[node, action, k], found.successors[node, action, k]
        if count > 0:
            tries += count
            after += count * found.values[next_node]
            error += count * found.errors[next_node]
    if tries == 0:
        return
    mean, squares = after / tries, planner.spread * planner.spread
    for k in range(found.counts.shape[2]):
        count, next_node = found.counts[node, action, k], found.successors[node, action, k]
        if count > 0:
            squares += count * (found.values[next_node] - mean) * (found.values[next_node] - mean)
    below = error / tries if inner else 0.0
    found.costs[node, action] = mdp.costs[state_of(found.store, node), action] + mdp.discount * mean
    found.widths[node, action] = mdp.discount * (below + planner.confidence * math.sqrt(squares) / tries)


@inlined
def settle(found, node):
    """Take value and error of a node from its best action, once every action was sampled."""
    if found.untried[node] == U(0):
        best = least_of(found.costs[node])
        if best >= 0:
            found.values[node], found.errors[node] = found.costs[node, best], found.widths[node, best]


@inlined
def work_out_anew(planner, mdp, found, horizon):
    """All estimates above the horizon, from the deepest up."""
    for height in range(1, horizon + 1):
        for node in range(found.store.count[0]):
            if depth_of(found.store, node) == horizon - height:
                for action in range(found.costs.shape[1]):
                    estimate(planner, mdp, found, node, action, height > 1)
                settle(found, node)


@advance.implements(Switches)
def pg_advance(planner, mdp, evaluation, root, key, checkpoints, chosen, kept, progress):
    outcomes, choices = child_key(key, OUTCOMES), child_key(key, CHOICES)
    samples, at, horizon = progress[SAMPLES], progress[AT], max(progress[HORIZON], 1)
    while True:
        if room_left(kept.store) <= horizon:
            progress[SAMPLES], progress[AT], progress[HORIZON] = samples, at, horizon
            return False
        state, depth = np.int64(root), np.int64(0)
        node = node_of(planner, mdp, evaluation, kept, state, depth)
        while depth < horizon and mdp.actions[state] != U(0):
            action = choose(planner, kept, node, stream(choices, samples))
            k = outcome(mdp, state, action, stream(outcomes, samples))
            kept.nodes[depth], kept.actions[depth] = node, action
            state, depth, samples = np.int64(mdp.successors[state, action, k]), depth + 1, samples + 1
            after = node_of(planner, mdp, evaluation, kept, state, depth)
            kept.counts[node, action, k] += 1
            kept.successors[node, action, k] = after
            node = after
            if samples == checkpoints[at]:
                best = least_of(kept.costs[0])
                chosen[at] = best if best >= 0 else one_of(mdp.actions[root], child_key(key, GUESSES))
                at += 1
                if at == checkpoints.shape[0]:
                    return True
        while depth > 0:
            depth -= 1
            estimate(planner, mdp, kept, kept.nodes[depth], kept.actions[depth], depth + 1 < horizon)
            settle(kept, kept.nodes[depth])
        if kept.errors[0] <= planner.tolerance and horizon < planner.longest:
            horizon += 1
            work_out_anew(planner, mdp, kept, horizon)
