"""What all references of backup operators share: a node's value, its count, and what its mover makes of both."""

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
