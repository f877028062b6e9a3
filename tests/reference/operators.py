"""What every backup operator makes of a tree that remembers its visits one by one: which child each went to, what came of it.

No operator keeps anything: a value is worked out from the visits of the node and of all nodes below it, whenever it is asked
for. That is slow, and it is what the documents write down.

Where it is natural the operations come in the order in which the library does them too, so that values are equal to the
last bit; sums over ages, logarithms and powers are not (the library has its own), and there values agree to 1e-12.
"""

import math
from typing import Any

from gpumcts.games.contract import CHANCE
from tests.reference.nodes import Node, in_order


class Operator:
    """What a node is worth to its owner, in [0, 1], and what it counts as in selection.

    unobserved : visits in flight are samples without an outcome (Liu et al. 2020), and not losses (virtual loss)
    """

    unobserved = False

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
        """What selection sees: what is in flight adds to n alone, and a node with nothing else is a loss."""
        return self.value(node) if node.history else 0.0

    def taken(self, node: Node) -> int:
        """Visits that a mean is taken over: those in flight too, unless they are unobserved."""
        return node.visits if self.unobserved else node.visits + node.pending

    def mean(self, total: float, n: float) -> float:
        """A mean; the sum of nothing has been observed of a node where nothing has."""
        return total / n if n > 0 else total

    def count(self, node: Node) -> float:
        """n(s, a) of selection."""
        return node.visits + node.pending

    def observed_count(self, node: Node) -> float:
        """n(s, a) of a value."""
        return self.taken(node)

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
        return self.mean(node.rewards(), self.taken(node))


class AverageVariance(Average):
    """Mean and variance of all rewards; the mean of P playouts of a leaf counts as P observations of it."""

    def variance(self, node):
        """The mean square less the square of the mean, virtual loss as rewards of 0."""
        seen = [(v.reward if node.owner == 0 else v.playouts - v.reward, v.playouts) for v in node.history]
        squares = in_order(reward * reward / playouts for reward, playouts in seen)
        return max(self.mean(squares, self.taken(node)) - self.shown(node) ** 2, 0.0)


class AverageRounds(Average):
    """The mean, and the rounds of 004, section 6.2."""

    def owed(self, node):
        """The children whom the present round owes a visit, by playing through the visits from the first."""
        if ("owed", node) not in self.known:
            owed, sums = set(), {child: [0.0, 0] for child in node.children}
            for number, visit in enumerate(node.history, 1):
                if visit.child is None:
                    continue
                owed.discard(visit.child)
                pair = sums[visit.child]
                pair[0] += visit.reward if node.chooser == 0 else visit.playouts - visit.reward
                pair[1] += visit.playouts
                if node.mover == CHANCE or len(node.moves) != sum(1 for _, n in sums.values() if n):
                    continue
                open_children = [child for child in node.children if child.proven_after >= number]
                means = [sums[child][0] / sums[child][1] for child in open_children]
                if not owed.intersection(open_children) and means.count(max(means, default=0)) > 1:
                    owed = set(node.children)
            self.known["owed", node] = owed
        return self.known["owed", node]


class Bast(Average):
    """Bounds in smooth trees (Coquelin and Munos 2007), mirrored for two players."""

    def bounds(self, node):
        """(lower, upper) for the owner."""
        if ("bounds", node) not in self.known:
            option, n, depth, above = self.option, node.visits, 0, node.parent
            while above is not None:
                depth, above = depth + 1, above.parent
            width = math.sqrt(math.log(2.0 * option.nodes / option.risk * n * (n + 1)) / (2 * n))
            if node.moves:
                width += option.delta * option.gamma**depth
            mean = node.rewards() / n
            low, high = mean - width, mean + width
            children = [self.bounds(child) for child in node.visited_children()]
            if children and node.mover != CHANCE:
                least = max(lower for lower, _ in children)
                most = max(upper for _, upper in children) if len(children) == len(node.moves) else math.inf
                if node.owner != node.chooser:
                    least, most = 1.0 - most, 1.0 - least
                low, high = max(low, least), min(high, most)
            self.known["bounds", node] = low, high
        return self.known["bounds", node]


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
        return (1.0 - alpha) * self.mean(node.rewards(), visits) + alpha * heuristic

    def worth(self, node):
        return self.mixed(node, node.visits)

    def shown(self, node):
        return self.mixed(node, self.taken(node))


class HeuristicPrior(Operator):
    """The evaluation counts as so many visits that were never made."""

    def worth(self, node):
        return self.shown(node)

    def shown(self, node):
        prior = 0.0
        if node.history:
            prior = node.evaluation if node.owner == 0 else 1.0 - node.evaluation
        return (node.rewards() + self.option.equivalent_visits * prior) / self.observed_count(node)

    def count(self, node):
        return node.visits + node.pending + self.option.equivalent_visits

    def observed_count(self, node):
        return self.taken(node) + self.option.equivalent_visits

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


class AcceleratedAdaptive(Accelerated):
    """The same with a decay for each visit, from what the position has seen until then and from its depth."""

    def velocities(self, node):
        option, depth, above = self.option, 0, node.parent
        while above is not None:
            depth, above = depth + 1, above.parent
        velocity = dict.fromkeys([None, *node.children], 0.0)
        visits, total, recent = 0, 0.0, 0.0
        for visit in node.history:
            won = visit.reward if node.owner == 0 else visit.playouts - visit.reward
            visits, total = visits + visit.playouts, total + won
            recent += min(visit.playouts / min(visits, option.window), 1.0) * (won / visit.playouts - recent)
            mean = total / visits
            apart, noise = (recent - mean) ** 2, 2.0 * (mean * (1.0 - mean)) / option.window
            forgetting = option.root
            for _ in range(depth):
                forgetting *= option.growth
            forgetting += option.disagreement / option.window * (max(apart - noise, 0.0) / apart if apart else 0.0)
            if option.share:
                forgetting += 1.0 / (option.least + option.share * visits)
            decay = 1.0 - min(forgetting, 1.0)
            for _ in range(visit.playouts):
                for child in velocity:
                    velocity[child] *= decay
                velocity[visit.child] += 1.0
        return velocity


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
        return self.mean(self.tallies(node.parent)[node][1], self.observed_count(node))

    def count(self, node):
        return self.tallies(node.parent)[node][0] + node.pending

    def observed_count(self, node):
        return self.tallies(node.parent)[node][0] + (0 if self.unobserved else node.pending)

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


class DiscountedByMove(Operator):
    """002, note 9: t counts the updates of the move itself, so that a move's n and w decay when it is taken, and only then."""

    def tally(self, node):
        """(n, w), played through the visits from the first."""
        n, w = 0.0, 0.0
        for visit in node.history:
            mean = visit.reward / visit.playouts
            for _ in range(visit.playouts):
                n = n * self.option.decay + 1.0
                w = w * self.option.decay + (mean if node.owner == 0 else 1.0 - mean)
        return n, w

    def worth(self, node):
        n, w = self.tally(node)
        return w / n

    def shown(self, node):
        return self.mean(self.tally(node)[1], self.observed_count(node))

    def count(self, node):
        return self.tally(node)[0] + node.pending

    def observed_count(self, node):
        return self.tally(node)[0] + (0 if self.unobserved else node.pending)


OPERATORS = {
    kind.__name__: kind
    for kind in (
        Accelerated, AcceleratedAdaptive, Average, AverageRounds, AverageVariance, Bast, Discounted, HeuristicPrior,
        ImplicitMinimax, Max, Minimax, Mix, PowerMean, RobustMax,
    )
}  # fmt: skip
BESIDE_TRACES = {DiscountedByMove.__name__: DiscountedByMove}
"""What an operator is with a rule that learns from traces, where that is another."""
