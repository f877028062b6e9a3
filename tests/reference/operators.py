"""What every backup operator makes of a tree that remembers its visits: which child each went to, what came of it.

No operator keeps anything: a value is worked out from the visits of the node and of all nodes below it, whenever it is
asked for. That is slow, and it is what the documents write down.

Where it is natural the operations come in the order in which the library does them too, so that values are equal to the
last bit; sums over ages, logarithms and powers are not (the library has its own), and there values agree to 1e-12.
"""

import math

from gpumcts.games.contract import CHANCE
from tests.reference.decays import Accelerated, AcceleratedAdaptive, AcceleratedRootFirst, Discounted, DiscountedByMove
from tests.reference.nodes import in_order
from tests.reference.operator import Operator


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
    """The mean, and the rounds of Ramanujan et al. 2010, section 6.2."""

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
    """Best child; the mean of the node's own playouts where there is none (Kocsis et al. 2006, section 2.4; MMMC)."""

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


OPERATORS = {
    kind.__name__: kind
    for kind in (
        Accelerated, AcceleratedAdaptive, AcceleratedRootFirst, Average, AverageRounds, AverageVariance, Bast,
        Discounted, HeuristicPrior, ImplicitMinimax, Max, Minimax, Mix, PowerMean, RobustMax,
    )
}  # fmt: skip
BESIDE_TRACES = {DiscountedByMove.__name__: DiscountedByMove}
"""What an operator is with a rule that learns from traces, where that is another."""
