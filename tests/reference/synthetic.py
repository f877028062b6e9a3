"""Synthetic trees again in plain Python, from paths in place of states; minimax and alpha-beta on them by recursion.

Nothing here is shared with the package but the constants of the generator. A path is a tuple of moves; a leaf is worth
-1, 0 or +1 for the first player.
"""

from collections.abc import Callable, Iterator
from itertools import product

WORD = 1 << 64
Path = tuple[int, ...]


def mix(z: int) -> int:
    """SplitMix64's finaliser."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
    return z ^ z >> 31


def child_key(key: int, number: int) -> int:
    """Key number ``number`` below ``key``."""
    return mix((mix(key ^ 0xA0761D6478BD642F) + (number + 1) * 0xD1342543DE82EF95) % WORD)


def bits_of(key: int, node: int, number: int) -> int:
    """Draw ``number`` of a node: 32 bits."""
    golden = 0x9E3779B97F4A7C15
    return mix((key + node * golden + number * (golden << 16)) % WORD) >> 32


def draw_of(key: int, node: int, number: int, n: int) -> int:
    """The same as a number below ``n``."""
    return bits_of(key, node, number) * n >> 32


class Tree:
    """A uniform tree of ``branching`` moves a node and ``depth`` plies."""

    branching: int
    depth: int

    def mover(self, path: Path) -> int:
        """Who moves after ``path``."""
        return len(path) % 2

    def leaf(self, path: Path) -> int:
        """What a leaf is worth."""
        raise NotImplementedError

    def leaves(self) -> Iterator[Path]:
        """All of them, from left to right."""
        return product(range(self.branching), repeat=self.depth)


class PGameTree(Tree):
    """A P-game tree: move values, and the sign of their sum."""

    def __init__(self, branching: int, depth: int, instance: int, plus_minus_one: bool = False) -> None:
        self.branching, self.depth, self.plus_minus_one = branching, depth, plus_minus_one
        shape = branching * 128 + depth * 2 + int(plus_minus_one)
        self.key = child_key(child_key(1, shape), instance)

    def preorder(self, path: Path) -> int:
        """How many nodes come before this one, by counting those of the subtrees passed by."""
        index = 0
        for level, move in enumerate(path):
            below = sum(self.branching**k for k in range(self.depth - level))
            index += 1 + move * below
        return index

    def move_value(self, path: Path) -> int:
        """Of the last move of ``path``."""
        if self.plus_minus_one:
            return 1 if draw_of(self.key, self.preorder(path), 0, 2) else -1
        value = draw_of(self.key, self.preorder(path), 0, 128)
        return value if len(path) % 2 else -value

    def total(self, path: Path) -> int:
        """The sum of the move values along ``path``."""
        return sum(self.move_value(path[:plies]) for plies in range(1, len(path) + 1))

    def leaf(self, path: Path) -> int:
        total = self.total(path)
        return (total > 0) - (total < 0)


class ImplantedTree(Tree):
    """A binary tree with plans.

    drawn(bits, missed) : the law of leaves off them, ``missed`` being the first depth missed
    """

    branching = 2

    def __init__(
        self, depth: int, critical: list[int], trap: list[int], drawn: Callable, instance: int,
        single_agent: bool = False,
    ) -> None:  # fmt: skip
        self.depth, self.critical, self.trap, self.drawn = depth, critical, trap, drawn
        self.single_agent = single_agent
        self.key = child_key(child_key(2, depth), instance)

    def mover(self, path: Path) -> int:
        return 0 if self.single_agent else len(path) % 2

    def leaf(self, path: Path) -> int:
        missed = [depth for depth in self.critical if path[depth] == 1]
        if not missed:
            return 1
        if self.trap and missed[0] == self.critical[0] and all(path[depth] == 0 for depth in self.trap):
            return -1
        node = int("1" + "".join(map(str, path)), 2)
        return self.drawn(bits_of(self.key, node, 0), missed[0])


class DeceptiveTree(Tree):
    """A deceptive tree."""

    def __init__(self, branching: int, depth: int, refutation: int, ladder: int, noise: int, instance: int) -> None:
        self.branching, self.depth = branching, depth
        self.refutation, self.ladder, self.noise = refutation, ladder, noise
        self.key = child_key(child_key(3, branching * 64 + depth), instance)

    def node(self, path: Path) -> int:
        """Its index level by level."""
        before = sum(self.branching**level for level in range(len(path)))
        return before + sum(move * self.branching**k for k, move in enumerate(reversed(path)))

    def only_move(self, path: Path) -> int:
        """The move that counts after ``path``."""
        return draw_of(self.key, self.node(path), 1, self.branching)

    def line(self, wrong: bool) -> list[int]:
        """The plies at which only moves are needed."""
        turns = range(1, self.depth, 2) if wrong else range(2, self.depth, 2)
        return list(turns)[-self.refutation if wrong else -self.ladder :]

    def leaf(self, path: Path) -> int:
        wrong = path[0] != self.only_move(())
        found = all(path[ply] == self.only_move(path[:ply]) for ply in self.line(wrong))
        if found:
            return -1 if wrong else 1
        turned = draw_of(child_key(self.key, 0), self.node(path), 0, 100) < self.noise
        return (1 if wrong else -1) * (-1 if turned else 1)


def minimax(tree: Tree, path: Path = ()) -> int:
    """The value of a node, from all leaves below it."""
    if len(path) == tree.depth:
        return tree.leaf(path)
    values = [minimax(tree, (*path, move)) for move in range(tree.branching)]
    return min(values) if tree.mover(path) == 1 else max(values)


def order_of(key: int | None, branching: int) -> list[int]:
    """The order in which moves are tried: that of the moves, or Fisher and Yates' shuffle under ``key``."""
    moves = list(range(branching))
    for k in range(branching - 1 if key is not None else 0):
        at = k + draw_of(key, k, 0, branching - k)
        moves[k], moves[at] = moves[at], moves[k]
    return moves


def alpha_beta(
    tree: Tree, path: Path = (), key: int | None = None, low: int = -1, high: int = 1, done: list | None = None
) -> tuple[int, int]:  # fmt: skip
    """(value, leaves counted) with the window (low, high); ``done`` gets (move, value, leaves so far) of root moves."""
    if len(path) == tree.depth:
        return tree.leaf(path), 1
    leaves, best = 0, None
    for move in order_of(key, tree.branching):
        below = None if key is None else mix(key ^ (move + 1))
        value, counted = alpha_beta(tree, (*path, move), below, low, high)
        leaves += counted
        if done is not None:
            done.append((move, value, leaves))
        if tree.mover(path) == 1:
            best = value if best is None else min(best, value)
            high = min(high, best)
        else:
            best = value if best is None else max(best, value)
            low = max(low, best)
        if low >= high:
            break
    assert best is not None
    return best, leaves


def thirds(bits: int, missed: int) -> int:
    """The law of leaves that are -1, 0 and 1 alike."""
    return (bits >= (1 << 32) // 3) + (bits >= (2 << 32) // 3) - 1
