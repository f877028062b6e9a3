"""UCT in Markov decision problems (Kocsis and Szepesvári 2006, sections 2.1, 2.3 and 3.2).

Episodes run from the query state until they reach a goal, whose value is 0, or are stopped, and then the evaluation
stands for the rest. Visits and values are kept per (state, action, depth). At an inner state every action is sampled
once, in random order; then the one of least ``mean - c sqrt(2 ln t / s)``, where t counts the visits of the state at
its depth, the current one and those that were stopped included, and s those of the action; the mean is that of the
(discounted) costs of the episodes from there on. Of equal actions the first is taken. The action named is the one of
least mean at the root.
"""

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.bits import leading_zeros
from gpumcts.errors import BadInput
from gpumcts.jit import inlined
from gpumcts.planning.contract import (
    CHOICES,
    GUESSES,
    OUTCOMES,
    STOPS,
    advance,
    least_of,
    memory,
    one_of,
    stream,
)
from gpumcts.planning.mdp import outcome
from gpumcts.planning.store import Store, add, node_key, room_left, slot_of, store
from gpumcts.rng import child_key, draw
from gpumcts.tree.deterministic_math import ln

U = np.uint64
STOPPING = ("visits", "new", "fixed", "growing")
VISITS, NEW, FIXED, GROWING = range(4)
SAMPLES, AT, REACHED = range(3)  # of progress


class Uct(NamedTuple):
    """UCT.

    exploration : c above, 10 in Kocsis and Szepesvári 2006 (section 3.2: an upper bound of the total reward)
    times_depth : c is multiplied by D (Theorem 6), the depth limit, or without one the greatest depth reached so far
    stop : an episode is stopped, never at the root, with probability 1 over the ``visits`` of the state at its depth,
        the current one counted (Kocsis and Szepesvári 2006, section 2.1; a new one always stops); where the state is
        ``new`` there; at a ``fixed`` depth; or at a ``growing`` one, deeper by 1 with every doubling of the samples
    depth : the fixed depth, or the growing one's beginning; 0 with the other rules
    """

    exploration: Annotated[float, Interval(ge=0, le=1e6)] = 10.0
    times_depth: bool = False
    stop: Literal["visits", "new", "fixed", "growing"] = "visits"
    depth: Annotated[int, Interval(ge=0, le=65_535)] = 0

    def compiled(self) -> "Switches":
        """What travels into compiled code; raises BadInput for a depth that does not count, or that is missing."""
        if (self.depth > 0) != (self.stop in ("fixed", "growing")):
            raise BadInput(
                f"depth={self.depth}: must be at least 1 with stop=fixed and stop=growing, and 0 with stop=visits and "
                "stop=new"
            )
        return Switches(float(self.exploration), bool(self.times_depth), STOPPING.index(self.stop), int(self.depth))


OPTION = Uct


class Switches(NamedTuple):
    """``Uct`` as compiled code reads it."""

    exploration: float
    times_depth: bool
    stop: int
    depth: int


class Tree(NamedTuple):
    """What UCT remembers: N nodes, A actions; 32 + 20 A bytes a node, and 24 for the path.

    visits  int64[N]       visits of the state at its depth
    untried uint64[N]      legal actions that were not sampled yet
    counts  int32[N, A]    finished episodes through an action
    means   float64[N, A]  mean cost of these from here on; infinity where there are none
    widths  float64[N, A]  1 / sqrt(counts)
    bounds  float64[A]     scratch
    nodes, actions int64[N], costs float64[N]   the path of the episode
    """

    store: Store
    visits: np.ndarray
    untried: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    widths: np.ndarray
    bounds: np.ndarray
    nodes: np.ndarray
    actions: np.ndarray
    costs: np.ndarray


@memory.implements(Switches)
def uct_memory(planner, mdp, room):
    rows = (room, mdp.costs.shape[1])
    counts, means, widths = np.zeros(rows, np.int32), np.zeros(rows), np.zeros(rows)
    path = np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room)
    visits, untried = np.zeros(room, np.int64), np.zeros(room, np.uint64)
    return Tree(store(room), visits, untried, counts, means, widths, np.zeros(rows[1]), *path)


@inlined
def visited(mdp, tree, state, depth):
    """The node of a state at a depth, new where there was none, with this visit counted."""
    key = node_key(state, depth)
    slot = slot_of(tree.store, key)
    node = np.int64(tree.store.slots[slot]) - 1
    if node < 0:
        node = np.int64(add(tree.store, slot, key))
        tree.visits[node], tree.untried[node] = 0, mdp.actions[state]
        for action in range(tree.means.shape[1]):
            tree.counts[node, action], tree.means[node, action], tree.widths[node, action] = 0, np.inf, 0.0
    tree.visits[node] += 1
    return node


@inlined
def stops(planner, visits, depth, limit, stream):
    """Whether the episode ends here, and the evaluation stands for the rest."""
    if depth == 0:
        return False
    if planner.stop == VISITS:
        return draw(stream, 0, visits) == U(0)
    return visits == 1 if planner.stop == NEW else depth >= limit


@inlined
def select(tree, node, scale, stream):
    """The action to sample, int64."""
    untried = tree.untried[node]
    if untried:
        action = one_of(untried, stream)
        tree.untried[node] = untried ^ (U(1) << U(action))
        return action
    bias = scale * math.sqrt(2.0 * ln(np.float64(tree.visits[node])))
    for action in range(tree.bounds.shape[0]):
        tree.bounds[action] = tree.means[node, action] - bias * tree.widths[node, action]
    return np.int64(least_of(tree.bounds))


@inlined
def back_up(mdp, tree, depth, value):
    """Give the cost of the episode to all that was sampled on its path of ``depth`` steps."""
    while depth > 0:
        depth -= 1
        node, action = tree.nodes[depth], tree.actions[depth]
        value = tree.costs[depth] + mdp.discount * value
        count = tree.counts[node, action] + 1
        before = tree.means[node, action] if count > 1 else 0.0
        tree.counts[node, action] = count
        tree.means[node, action] = before + (value - before) / count
        tree.widths[node, action] = 1.0 / math.sqrt(count)


@inlined
def depth_limit(planner, samples):
    """The depth at which the next episode stops, int64; -1 where depth stops none."""
    if planner.stop == FIXED:
        return np.int64(planner.depth)
    if planner.stop == GROWING:
        return np.int64(planner.depth) + np.int64(U(63) - leading_zeros(U(samples) | U(1)))
    return np.int64(-1)


@advance.implements(Switches)
def uct_advance(planner, mdp, evaluation, root, key, checkpoints, chosen, kept, progress):
    outcomes, choices, stopping = child_key(key, OUTCOMES), child_key(key, CHOICES), child_key(key, STOPS)
    samples, at, reached = progress[SAMPLES], progress[AT], progress[REACHED]
    while True:
        limit = depth_limit(planner, samples)
        if room_left(kept.store) <= max(limit, 1):
            progress[SAMPLES], progress[AT], progress[REACHED] = samples, at, reached
            return False
        farthest = reached if limit < 0 else limit
        scale = planner.exploration * (np.float64(max(farthest, 1)) if planner.times_depth else 1.0)
        state, depth, value = np.int64(root), np.int64(0), 0.0
        while mdp.actions[state] != U(0):
            node = visited(mdp, kept, state, depth)
            if stops(planner, kept.visits[node], depth, limit, stream(stopping, samples)):
                value = evaluation[state]
                break
            action = select(kept, node, scale, stream(choices, samples))
            k = outcome(mdp, state, action, stream(outcomes, samples))
            kept.nodes[depth], kept.actions[depth], kept.costs[depth] = node, action, mdp.costs[state, action]
            state, depth, samples = np.int64(mdp.successors[state, action, k]), depth + 1, samples + 1
            if samples == checkpoints[at]:
                chosen[at] = named(mdp, kept, root, child_key(key, GUESSES))
                at += 1
                if at == checkpoints.shape[0]:
                    return True
        reached = max(reached, depth)
        back_up(mdp, kept, depth, value)


@inlined
def named(mdp, tree, root, stream):
    """The action of least mean at the root; a random one before the first episode has ended."""
    best = least_of(tree.means[0])
    return best if best >= 0 else one_of(mdp.actions[root], stream)
