"""A search tree as the list of what happened in it: a node remembers its visits one by one, and nothing else."""

import math
from typing import Any, NamedTuple

from gpumcts.games.contract import CHANCE


def in_order(numbers):
    """Their sum, added one after the other: from Python 3.12 on the built-in ``sum`` compensates rounding errors."""
    total = 0.0
    for number in numbers:
        total += number
    return total


class Visit(NamedTuple):
    """A visit of a node: the child it went on to (None: its playouts began here), the first player's sum of rewards."""

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
        self.proof: int | None = None  # -1, 0 or 1: the owner loses, draws or wins for certain
        self.proven_after = math.inf  # visits of the parent, when it was

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
