"""A search tree as the list of what happened in it, and what every selection rule and backup operator makes of that.

A node remembers its visits one by one: which child each went to, and what came of it. No operator keeps anything else:
a value is worked out from the visits of the node and of all nodes below it, whenever it is asked for. That is slow, and
it is what the documents write down.

Where it is natural the operations come in the order in which the library does them too, so that values are equal to the
last bit; sums over ages, logarithms and powers are not (the library has its own), and there values agree to 1e-12.
"""

import math
from typing import Any, NamedTuple

from gpumcts.games.contract import CHANCE


def in_order(numbers):
    """Their sum, added one after the other: from Python 3.12 on the built-in ``sum`` compensates the rounding of floats."""
    total = 0.0
    for number in numbers:
        total += number
    return total


class Visit(NamedTuple):
    """A visit of a node: the child it went on to (None: its playouts began here) and the first player's sum of rewards."""

    child: "Node | None"
    reward: float
    playouts: int


class Node:
    """A position in the tree. ``owner`` is the player its values are for: who chose the move that leads here."""

    def __init__(self, state: Any, mover: int, moves: list[int], owner: int, move: int | None, parent: "Node | None"):
        self.state, self.mover, self.moves = state, mover, moves
        self.owner, self.move, self.parent = owner, move, parent
        self.children: list[Node] = []
        self.history: list[Visit] = []
        self.pending = 0  # playouts of virtual loss: selected, not yet backed up
        self.evaluation = math.nan  # for the first player, in [0, 1]

    @property
    def visits(self) -> int:
        """Playouts that went through the node and have been backed up."""
        return sum(visit.playouts for visit in self.history)

    @property
    def chooser(self) -> int:
        """Whose choice the children are; the first player's values are kept below chance."""
        return 0 if self.mover == CHANCE else self.mover

    def child(self, move: int) -> "Node | None":
        """The child that ``move`` leads to."""
        return next((child for child in self.children if child.move == move), None)

    def visited_children(self) -> list["Node"]:
        """The children that have been backed up."""
        return [child for child in self.children if child.history]

    def seen_by_owner(self, value: float) -> float:
        """A value of the children's owner as the owner of this node sees it."""
        return value if self.owner == self.chooser else 1.0 - value

    def rewards(self, own: bool = False) -> float:
        """The owner's sum of rewards; ``own``: of the playouts that began here."""
        visits = [v for v in self.history if v.child is None or not own]
        return in_order(v.reward if self.owner == 0 else v.playouts - v.reward for v in visits)

    def own_visits(self) -> int:
        """Playouts that began here."""
        return sum(visit.playouts for visit in self.history if visit.child is None)


# ------------------------------------------------------------------------------------------------------------ operators


class Operator:
    """What a node is worth to its owner, in [0, 1], and what it counts as in selection."""

    def __init__(self, option: Any) -> None:
        self.option = option
        self.known: dict[Any, Any] = {}

    def forget(self) -> None:
        """The tree has changed."""
        self.known.clear()

    def value(self, node: Node) -> float:
        """The worth of a visited node."""
        if node not in self.known:
            self.known[node] = self.worth(node)
        return self.known[node]

    def worth(self, node: Node) -> float:
        """The worth of a visited node, worked out."""
        raise NotImplementedError

    def shown(self, node: Node) -> float:
        """What selection sees: virtual loss adds to n alone, and a node with nothing but virtual loss is a loss."""
        return self.value(node) if node.history else 0.0

    def count(self, node: Node) -> float:
        """n(s, a) of selection."""
        return node.visits + node.pending

    def total(self, node: Node) -> float:
        """n(s) of selection."""
        return node.visits + node.pending

    def best_child(self, node: Node) -> float:
        """The best visited child's worth (the mean, where chance chooses) as the owner of ``node`` sees it."""
        children = node.visited_children()
        if node.mover == CHANCE:
            return node.seen_by_owner(self.chance_mean(children))
        return node.seen_by_owner(max(self.value(child) for child in children))

    def chance_mean(self, children: list[Node]) -> float:
        """Outcomes come with their probabilities: the mean over visits."""
        weighted = in_order(child.visits * self.value(child) for child in children)
        return weighted / sum(child.visits for child in children)


class Average(Operator):
    """Mean of all playouts."""

    def worth(self, node):
        return node.rewards() / node.visits

    def shown(self, node):
        return node.rewards() / self.count(node)


class Minimax(Operator):
    """Best child; the mean of the node's own playouts where there is none (000, section 2.4; 003, MMMC)."""

    def worth(self, node):
        if node.visited_children():
            return self.best_child(node)
        return node.rewards(own=True) / node.own_visits()


class Max(Operator):
    """Coulom's Max: the best child from so many visits on, before that the mean."""

    def worth(self, node):
        if node.visits >= self.option.from_visits and node.visited_children():
            return self.best_child(node)
        return node.rewards() / node.visits


class RobustMax(Operator):
    """Coulom's robust max: the most visited child, among several the best, then the earliest."""

    def most_visited(self, node):
        """The child of most visits, and of those the one worth most to whoever chooses."""
        return max(node.visited_children(), key=lambda child: (child.visits, self.value(child)))

    def worth(self, node):
        if node.visits < self.option.from_visits or not node.visited_children():
            return node.rewards() / node.visits
        if node.mover == CHANCE:
            return node.seen_by_owner(self.chance_mean(node.visited_children()))
        return node.seen_by_owner(self.value(self.most_visited(node)))


class Mix(RobustMax):
    """Coulom's Mix of robust max and mean."""

    def worth(self, node):
        mean = node.rewards() / node.visits
        if node.mover == CHANCE or not node.visited_children():
            return mean
        option, weight = self.option, self.option.mean_weight
        if 0 < option.growth_from < node.visits:
            weight = weight * node.visits / option.growth_from
        robust = self.most_visited(node)
        n = robust.visits
        return (n * node.seen_by_owner(self.value(robust)) + weight * mean) / (n + weight)


class ImplicitMinimax(Operator):
    """``(1 - a) mean + a v``, v the minimax value of the leaves' evaluations."""

    def heuristic(self, node):
        """Minimax of the evaluations below, for the owner."""
        children = node.visited_children()
        if not children:
            return node.evaluation if node.owner == 0 else 1.0 - node.evaluation
        if node.mover == CHANCE:
            weighted = in_order(child.visits * self.heuristic(child) for child in children)
            return node.seen_by_owner(weighted / sum(child.visits for child in children))
        return node.seen_by_owner(max(self.heuristic(child) for child in children))

    def mixed(self, node, visits):
        """The formula, with the mean over so many visits."""
        alpha = self.option.alpha
        heuristic = self.heuristic(node) if node.history else 0.0
        return (1.0 - alpha) * (node.rewards() / visits) + alpha * heuristic

    def worth(self, node):
        return self.mixed(node, node.visits)

    def shown(self, node):
        return self.mixed(node, self.count(node))


class HeuristicPrior(Operator):
    """The evaluation counts as so many visits that were never made."""

    def worth(self, node):
        return self.shown(node)

    def shown(self, node):
        prior = 0.0
        if node.history:
            prior = node.evaluation if node.owner == 0 else 1.0 - node.evaluation
        return (node.rewards() + self.option.equivalent_visits * prior) / self.count(node)

    def count(self, node):
        return node.visits + node.pending + self.option.equivalent_visits

    total = count


class PowerMean(Operator):
    """``(sum_a n(a)/n Q(a)^p)^(1/p)``, the playouts made before there were children as one more child."""

    def worth(self, node):
        p = 1.0 if node.mover == CHANCE else self.option.exponent
        own, total = node.own_visits(), 0.0
        if own:
            total += own * node.seen_by_owner(node.rewards(own=True) / own) ** p
        for child in node.visited_children():
            total += child.visits * self.value(child) ** p
        return node.seen_by_owner(min((total / node.visits) ** (1.0 / p), 1.0))


class Accelerated(Operator):
    """002, eq. 6 and 7, with the virtual child of Fig. 2: the children's worth weighted by velocity."""

    def velocities(self, node):
        """Eq. 6 played through the visits from the first: the velocity of every child, and under None the virtual child's."""
        velocity = dict.fromkeys([None, *node.children], 0.0)
        for visit in node.history:
            for _ in range(visit.playouts):
                for child in velocity:
                    velocity[child] *= self.option.decay
                velocity[visit.child] += 1.0
        return velocity

    def worth(self, node):
        own = node.own_visits()
        mean = node.rewards(own=True) / own if own else 0.0
        if not node.visited_children():
            return mean
        velocity = self.velocities(node)
        weighted, weight = velocity[None] * mean, velocity[None]
        for child in node.visited_children():
            weighted += velocity[child] * node.seen_by_owner(self.value(child))
            weight += velocity[child]
        return weighted / weight


class AcceleratedByAge(Accelerated):
    """The same with velocities as explicit sums: ``decay^age`` over the visits, age in playouts since."""

    def velocities(self, node):
        terms = {child: [] for child in [None, *node.children]}
        age = 0
        for visit in reversed(node.history):
            for _ in range(visit.playouts):
                terms[visit.child].append(self.option.decay**age)
                age += 1
        return {child: math.fsum(ages) for child, ages in terms.items()}


class Discounted(Operator):
    """002, eq. 2 to 4: at every visit of a position all its moves do n <- decay n + I, w <- decay w + R."""

    def tallies(self, node):
        """(n, w) of every child, and under None those of the playouts made before there were children."""
        if ("tallies", node) not in self.known:
            tally = {child: [0.0, 0.0] for child in [None, *node.children]}
            for visit in node.history:
                mean = visit.reward / visit.playouts
                for _ in range(visit.playouts):
                    for pair in tally.values():
                        pair[0] *= self.option.decay
                        pair[1] *= self.option.decay
                    tally[visit.child][0] += 1.0
                    tally[visit.child][1] += mean if node.chooser == 0 else 1.0 - mean
            self.known["tallies", node] = tally
        return self.known["tallies", node]

    def worth(self, node):
        n, w = self.tallies(node.parent)[node]
        return w / n

    def shown(self, node):
        return self.tallies(node.parent)[node][1] / self.count(node)

    def count(self, node):
        return self.tallies(node.parent)[node][0] + node.pending

    def total(self, node):
        return in_order(n for n, _ in self.tallies(node).values()) + node.pending


class DiscountedByAge(Discounted):
    """The same with explicit sums of ``decay^age``."""

    def tallies(self, node):
        counts = {child: [] for child in [None, *node.children]}
        sums = {child: [] for child in counts}
        age = 0
        for visit in reversed(node.history):
            mean = visit.reward / visit.playouts
            for _ in range(visit.playouts):
                counts[visit.child].append(self.option.decay**age)
                sums[visit.child].append(self.option.decay**age * (mean if node.chooser == 0 else 1.0 - mean))
                age += 1
        return {child: [math.fsum(counts[child]), math.fsum(sums[child])] for child in counts}


OPERATORS = {
    kind.__name__: kind
    for kind in (
        Accelerated, Average, Discounted, HeuristicPrior, ImplicitMinimax, Max, Minimax, Mix, PowerMean, RobustMax,
    )
}  # fmt: skip


# ----------------------------------------------------------------------------------------------------- selection rules


def ucb1(rule, value, n, total, depth, horizon):
    """002, eq. 1; with rewards in [-1, 1] the formula is halved, since values here are in [0, 1]."""
    constant = rule.exploration / 2.0 if rule.lowest_reward == -1 else rule.exploration
    return value + constant * math.sqrt(math.log(total) / n)


def sensei(rule, value, n, total, depth, horizon):
    """001: winrate + UCTK sqrt(ln(parent.visits) / (5 child.visits))."""
    return value + rule.uctk * math.sqrt(math.log(total) / (5.0 * n))


def depth_decayed(rule, value, n, total, depth, horizon):
    """000, section 2.1: (ln t / s)^((D + d) / (2 D + d)); at least one ply is taken to remain."""
    remaining = max((rule.length or horizon) - depth, 1.0)
    return value + rule.exploration * (math.log(total) / n) ** ((remaining + depth) / (2.0 * remaining + depth))


RULES = {"Ucb1": ucb1, "Sensei": sensei, "DepthDecayed": depth_decayed}
