"""Backup operators that forget: Accelerated and Discounted UCT (Hashimoto et al. 2012), by visits, by age, adaptive."""

import math

from tests.reference.nodes import in_order
from tests.reference.operator import Operator


class Accelerated(Operator):
    """Hashimoto et al. 2012, eq. 6 and 7, with Fig. 2's virtual child: the children's worth weighted by velocity."""

    def velocities(self, node, visits=None):
        """Eq. 6 played through the visits from the first: every child's velocity, under None the virtual child's."""
        velocity = dict.fromkeys([None, *node.children], 0.0)
        for visit in node.history[:visits]:
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


class AcceleratedRootFirst(Accelerated):
    """The same where the child a visit takes still has the worth of its last visit, at its first that of the visit."""

    def __init__(self, option):
        super().__init__(option)
        self.after = {}

    def worth(self, node):
        return self.worth_after(node, len(node.history))

    def worth_after(self, node, visits):
        """The worth of a node when it had been visited so often: what has happened stays as it was."""
        if (node, visits) not in self.after:
            self.after[node, visits] = self.worked_out(node, visits)
        return self.after[node, visits]

    def worked_out(self, node, visits):
        past = node.history[:visits]
        own = [visit for visit in past if visit.child is None]
        count = sum(visit.playouts for visit in own)
        won = in_order(visit.reward if node.owner == 0 else visit.playouts - visit.reward for visit in own)
        mean = won / count if count else 0.0
        if len(own) == len(past):
            return mean
        velocity = self.velocities(node, visits)
        weighted, weight = velocity[None] * mean, velocity[None]
        for child in node.children:
            if taken := sum(visit.child is child for visit in past):
                worth = self.child_worth(child, taken, past[-1].child is child)
                weighted += velocity[child] * node.seen_by_owner(worth)
                weight += velocity[child]
        return weighted / weight

    def child_worth(self, child, taken, last):
        """What the value of its parent knows of a child taken so often; ``last``: by the last visit too."""
        if last and taken == 1:
            visit = child.history[0]
            return (visit.reward if child.owner == 0 else visit.playouts - visit.reward) / visit.playouts
        return self.worth_after(child, taken - last)


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
    """Hashimoto et al. 2012, eq. 2 to 4: a visit of a position does n <- decay n + I, w <- decay w + R to all moves."""

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
    """Hashimoto et al. 2012, note 9: t counts the move's own updates, so its n and w decay only when it is taken."""

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
