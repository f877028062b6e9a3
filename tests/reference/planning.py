"""Sailing, value iteration and the planners once more: NumPy for the sea, dictionaries and recursion for the planners.

Only the addresses of random draws are shared with the library. A problem here is ``Problem``: for every state the legal
actions, each with its cost and its outcomes (probability, state).
"""

import math
from typing import Any

import numpy as np

from tests.reference.playout import number_below, word
from tests.reference.uct import NearTie, key_below

WINDS = np.array(
    [
        [4, 3, 0, 0, 0, 0, 0, 3],
        [4, 3, 3, 0, 0, 0, 0, 0],
        [0, 4, 3, 3, 0, 0, 0, 0],
        [0, 0, 4, 3, 3, 0, 0, 0],
        [0, 0, 0, 4, 2, 4, 0, 0],
        [0, 0, 0, 0, 3, 3, 4, 0],
        [0, 0, 0, 0, 0, 3, 3, 4],
        [4, 0, 0, 0, 0, 0, 3, 3],
    ]
)
"""Tenths of the probability that a wind (row) is followed by another (column), N NE E SE S SW W NW."""
STEPS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
AWAY, DOWN, CROSS, UP, DELAY = 1, 2, 3, 4, 3
OUTCOMES, CHOICES, STOPS, GUESSES = range(4)
NEAR = 1e-9  # bounds that differ by less are decided by how sums are rounded

Problem = list[dict[int, tuple[float, list[tuple[float, int]]]]]


def leg(direction: int, wind: int, tack: int, wind_from: bool, keep_tack: bool) -> tuple[float, int] | None:
    """(cost, tack after) of a leg; None straight into the wind. Tacks: 0 none, 1 starboard, 2 port."""
    to = (wind + 4) % 8 if wind_from else wind
    off = abs((direction - to + 4) % 8 - 4)  # steps of 45 degrees
    if off == 4:
        return None
    after = 0 if off == 0 else 1 if (direction - to) % 8 < 4 else 2
    cost = (AWAY, DOWN, CROSS, UP)[off] * (math.sqrt(2) if direction % 2 else 1)
    if 0 not in (tack, after) and tack != after:
        cost += DELAY
    return cost, tack if keep_tack and after == 0 else after


def sailing_values(n: int, wind_from: bool = False, keep_tack: bool = False, tolerance: float = 1e-10) -> np.ndarray:
    """V* by plain value iteration, float64[y, x, wind, tack]."""
    values = np.zeros((n, n, 8, 3))
    while True:
        after = np.einsum("vw,yxwt->yxvt", WINDS / 10, values)
        fresh = np.full_like(values, np.inf)
        for direction, (dx, dy) in enumerate(STEPS):
            to_x, to_y = slice(max(dx, 0), n + min(dx, 0)), slice(max(dy, 0), n + min(dy, 0))
            x, y = slice(max(-dx, 0), n + min(-dx, 0)), slice(max(-dy, 0), n + min(-dy, 0))
            for wind in range(8):
                for tack in range(3):
                    found = leg(direction, wind, tack, wind_from, keep_tack)
                    if found is not None:
                        costs = found[0] + after[to_y, to_x, wind, found[1]]
                        fresh[y, x, wind, tack] = np.minimum(fresh[y, x, wind, tack], costs)
        fresh[-1, -1] = 0
        change = abs(fresh - values).max()
        values = fresh
        if change < tolerance:
            return values


def problem_of(mdp: Any) -> Problem:
    """The library's arrays as a ``Problem``."""
    found: Problem = []
    for state, legal in enumerate(mdp.actions.tolist()):
        found.append({})
        for action in (a for a in range(mdp.costs.shape[1]) if legal >> a & 1):
            chances = zip(
                mdp.probabilities[state, action].tolist(), mdp.successors[state, action].tolist(), strict=True
            )
            found[-1][action] = float(mdp.costs[state, action]), list(chances)
    return found


class Sampler:
    """The simulator and the draws of one query."""

    def __init__(self, problem: Problem, key: int) -> None:
        self.problem, self.samples = problem, 0
        self._keys = [key_below(key, purpose) for purpose in range(4)]

    def below(self, n: int, purpose: int) -> int:
        """A number in [0, n) for one purpose, after the samples made."""
        return number_below(n, self._keys[purpose], self.samples, 0)

    def uniform(self, purpose: int) -> float:
        """A number in [0, 1)."""
        return (word(self._keys[purpose], self.samples, 0) >> 11) / 2**53

    def sample(self, state: int, action: int) -> tuple[float, int]:
        """(cost, next state)."""
        cost, chances = self.problem[state][action]
        random, total = word(self._keys[OUTCOMES], self.samples, 0) >> 33, 0.0
        self.samples += 1
        for number, (probability, after) in enumerate(chances):
            total += probability
            rest = sum(p for p, _ in chances[number + 1 :])
            if rest == 0 or random < round(total * 2**31):
                return cost, after
        raise AssertionError

    def first_of(self, actions: list[int]) -> int:
        """One of the actions, in increasing order, each as likely."""
        return actions[self.below(len(actions), CHOICES)]


class Uct:
    """UCT: ``nodes[state, depth]`` has visits, and for each action tried the episodes' number and summed costs."""

    def __init__(self, problem, evaluation, root, key, *, exploration=10.0, times_depth=False, stop="visits", depth=0,
                 discount=1.0):  # fmt: skip
        self.problem, self.evaluation, self.root, self.discount = problem, evaluation, root, discount
        self.exploration, self.times_depth, self.stop, self.depth = exploration, times_depth, stop, depth
        self.sampler = Sampler(problem, key)
        self.nodes: dict[tuple[int, int], dict[str, Any]] = {}
        self.reached = 0

    def run(self, samples: int) -> None:
        """Episodes until one has begun before, and ended after, so many samples; that one is not backed up."""
        while self.sampler.samples < samples:
            self.begun = self.sampler.samples
            try:
                self.limit = self.depth + int(math.log2(max(self.begun, 1))) if self.stop == "growing" else self.depth
                self.episode(self.root, 0, samples)
            except EndOfSamples:
                return

    def episode(self, state: int, depth: int, most: int) -> float:
        if not self.problem[state]:
            return 0.0
        node = self.nodes.setdefault((state, depth), {"visits": 0, "tried": {}, "picked": set()})
        node["visits"] += 1
        if depth > 0 and self.stops(node, depth):
            return self.evaluation[state]
        action = self.select(node, state)
        node["picked"].add(action)
        cost, after = self.sampler.sample(state, action)
        if self.sampler.samples == most:
            raise EndOfSamples
        value = cost + self.discount * self.episode(after, depth + 1, most)
        self.reached = max(self.reached, depth + 1)
        count, total = node["tried"].get(action, (0, 0.0))
        node["tried"][action] = count + 1, total + value
        return value

    def stops(self, node: dict[str, Any], depth: int) -> bool:
        if self.stop == "visits":
            return self.sampler.below(node["visits"], STOPS) == 0
        return node["visits"] == 1 if self.stop == "new" else depth >= self.limit

    def select(self, node: dict[str, Any], state: int) -> int:
        untried = [action for action in self.problem[state] if action not in node["picked"]]
        if untried:
            return self.sampler.first_of(untried)
        limited = self.stop in ("fixed", "growing")
        factor = max(self.limit if limited else self.reached, 1) if self.times_depth else 1

        def bound(action: int) -> float:
            count, total = node["tried"][action]
            return total / count - self.exploration * factor * math.sqrt(2 * math.log(node["visits"]) / count)

        best, *others = sorted(node["tried"], key=lambda action: (bound(action), action))
        if others and bound(others[0]) - bound(best) < NEAR:
            raise NearTie
        return best

    def best(self) -> int:
        """The action of least mean at the root."""
        tried = self.nodes[self.root, 0]["tried"]
        return min(sorted(tried), key=lambda action: tried[action][1] / tried[action][0])


class EndOfSamples(Exception):
    """The last sample was made within an episode."""


class Artdp:
    """ARTDP: V of each state met, and how often each outcome of (state, action) was seen."""

    def __init__(self, problem, evaluation, root, key, *, temperature=1.0, initial_values=True, discount=1.0):
        self.problem, self.root, self.temperature, self.discount = problem, root, temperature, discount
        self.initial = [
            e if initial_values and actions else 0.0 for e, actions in zip(evaluation, problem, strict=True)
        ]
        self.sampler, self.values = Sampler(problem, key), {}
        self.seen: dict[tuple[int, int], dict[int, int]] = {}

    def q(self, state: int, action: int) -> float:
        seen = self.seen.get((state, action))
        if not seen:
            return self.initial[state]
        mean = sum(count * self.values.get(after, self.initial[after]) for after, count in seen.items())
        return self.problem[state][action][0] + self.discount * mean / sum(seen.values())

    def run(self, samples: int) -> None:
        state = self.root
        while self.sampler.samples < samples:
            actions = sorted(self.problem[state])
            estimates = [self.q(state, action) for action in actions]
            self.values[state] = min(estimates)
            weights = [math.exp((min(estimates) - estimate) / self.temperature) for estimate in estimates]
            left, drawn = self.sampler.uniform(CHOICES) * sum(weights), actions[0]
            for action, weight in zip(actions, weights, strict=True):
                drawn = action if left >= 0 else drawn
                left -= weight
            _, after = self.sampler.sample(state, drawn)
            seen = self.seen.setdefault((state, drawn), {})
            seen[after] = seen.get(after, 0) + 1
            state = after if self.problem[after] else self.root

    def best(self) -> int:
        """The action of least Q at the root among those tried."""
        return min(
            (a for a in sorted(self.problem[self.root]) if (self.root, a) in self.seen),
            key=lambda a: self.q(self.root, a),
        )


class PgId:
    """PG-ID with interval estimation: ``nodes[state, depth]`` has the outcomes seen, and Q, width, value and error."""

    def __init__(self, problem, evaluation, root, key, *, confidence=2.0, spread=1.0, unknown=10.0, tolerance=1.0,
                 longest=64, discount=1.0):  # fmt: skip
        self.problem, self.evaluation, self.root, self.discount = problem, evaluation, root, discount
        self.confidence, self.spread, self.unknown = confidence, spread, unknown
        self.tolerance, self.longest = tolerance, longest
        self.sampler, self.horizon = Sampler(problem, key), 1
        self.nodes: dict[tuple[int, int], dict[str, Any]] = {}

    def node(self, state: int, depth: int) -> dict[str, Any]:
        if (state, depth) not in self.nodes:
            goal = not self.problem[state]
            fresh = {"value": 0.0 if goal else self.evaluation[state], "error": 0.0 if goal else self.unknown}
            self.nodes[state, depth] = {**fresh, "seen": {}, "q": {}, "width": {}}
        return self.nodes[state, depth]

    def run(self, samples: int) -> None:
        while True:
            path, state = [], self.root
            self.node(state, 0)
            while len(path) < self.horizon and self.problem[state]:
                node = self.node(state, len(path))
                action = self.choose(node, state)
                path.append((state, action))
                _, state = self.sampler.sample(state, action)
                seen = node["seen"].setdefault(action, {})
                seen[state] = seen.get(state, 0) + 1
                self.node(state, len(path))
                if self.sampler.samples == samples:
                    return
            for depth in reversed(range(len(path))):
                self.estimate(*path[depth], depth)
                self.settle(path[depth][0], depth)
            if self.nodes[self.root, 0]["error"] <= self.tolerance and self.horizon < self.longest:
                self.horizon += 1
                for state, depth in sorted((n for n in self.nodes if n[1] < self.horizon), key=lambda n: -n[1]):
                    for action in self.nodes[state, depth]["seen"]:
                        self.estimate(state, action, depth)
                    self.settle(state, depth)

    def choose(self, node: dict[str, Any], state: int) -> int:
        untried = [action for action in sorted(self.problem[state]) if action not in node["seen"]]
        if untried:
            return self.sampler.first_of(untried)
        return min(sorted(node["q"]), key=lambda action: node["q"][action] - node["width"][action])

    def estimate(self, state: int, action: int, depth: int) -> None:
        node, inner = self.nodes[state, depth], depth + 1 < self.horizon
        after = [(count, self.nodes[next_state, depth + 1]) for next_state, count in node["seen"][action].items()]
        tries = sum(count for count, _ in after)
        mean = sum(count * below["value"] for count, below in after) / tries
        squares = self.spread**2 + sum(count * (below["value"] - mean) ** 2 for count, below in after)
        error = sum(count * below["error"] for count, below in after) / tries if inner else 0.0
        node["q"][action] = self.problem[state][action][0] + self.discount * mean
        node["width"][action] = self.discount * (
            error + self.confidence * math.sqrt(squares / tries) / math.sqrt(tries)
        )

    def settle(self, state: int, depth: int) -> None:
        node = self.nodes[state, depth]
        if node["q"] and len(node["seen"]) == len(self.problem[state]):
            best = min(sorted(node["q"]), key=lambda action: node["q"][action])
            node["value"], node["error"] = node["q"][best], node["width"][best]

    def best(self) -> int:
        """The action of least Q at the root."""
        q = self.nodes[self.root, 0]["q"]
        return min(sorted(q), key=lambda action: q[action])
