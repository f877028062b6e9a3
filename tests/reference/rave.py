"""UCT with RAVE as Hashimoto et al. 2012, section 5.4, tells it: every position keeps sums for each of its moves,
visited or not."""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.traces import traced
from tests.reference import playout
from tests.reference.decays import Accelerated
from tests.reference.nodes import Node, Visit, in_order
from tests.reference.playout import legal_moves, number_below
from tests.reference.proofs import prove
from tests.reference.rules import Choice, Unvisited
from tests.reference.uct import NEAR, NearTie, Uct, key_below


class Played(NamedTuple):
    """A playout: the first player's reward in [0, 1], and who was first to play on each cell that was played on."""

    reward: float
    first: dict[int, int]


@functools.lru_cache(maxsize=None, typed=True)  # games of two sizes may be equal as tuples
def compiled_playouts(game: Any, policy: Any) -> Callable[[Any, int, int], list[Played]]:
    """(state, key, playouts) -> the playouts, by the library's loop one by one."""
    engine = CpuPlayouts(traced(game, policy), policy, lanes=1)
    kept = 1 + 2 * -(-game.CELLS // 64)

    def play(state: Any, key: int, playouts: int) -> list[Played]:
        words = np.zeros((1, engine.game.WORDS), np.uint64)
        contract.pack(game, state, words[0], 0, 1)
        columns = engine.columns(words, np.array([key], np.uint64), playouts)[0, 4:].tolist()
        return [read(columns[p * kept : (p + 1) * kept], game.CELLS) for p in range(playouts)]

    return play


def read(kept: list[int], cells: int) -> Played:
    """What a tally keeps of a playout: its score, and a set of cells for each player."""
    half = (len(kept) - 1) // 2
    sets = [
        sum((word % 2**64) << (64 * i) for i, word in enumerate(kept[1 + half * p : 1 + half * (p + 1)]))
        for p in (0, 1)
    ]
    assert sets[0] & sets[1] == 0
    return Played(0.5 + kept[0] / (2 * SCORE_UNIT), {c: p for c in range(cells) for p in (0, 1) if sets[p] >> c & 1})


def plain_playouts(game: Any) -> Callable[[Any, int, int], list[Played]]:
    """The same for uniformly random playouts, in plain Python."""

    def one(state: Any, key: int) -> Played:
        first: dict[int, int] = {}
        ply = 0
        while moves := legal_moves(game, state):
            move = moves[number_below(len(moves), key, ply, 0)]
            if move < game.CELLS:
                first.setdefault(move, int(contract.mover(game, state)))
            state = contract.play(game, state, move)
            ply += 1
        return Played(0.5 + int(contract.score(game, state)) / (2 * SCORE_UNIT), first)

    return lambda state, key, playouts: [one(state, key_below(key, p)) for p in range(playouts)]


class RaveUct(Uct):
    """UCT that selects by eq. 8.

    ``children`` holds the visited moves, in their order; a node's ``rave`` what is known of all.
    """

    @property
    def to_the_last_bit(self) -> bool:
        """Whether scores are the library's: values are sums in its order, or of fractions that are exact."""
        name, one = type(self.operator).__name__, self.settings.playouts_per_leaf == 1
        return name == "Average" or (one and (name == "DiscountedByMove" or isinstance(self.operator, Accelerated)))

    def node(self, state, move, parent):
        made = super().node(state, move, parent)
        made.rave = {}  # type: ignore[attr-defined]
        return made

    def descend(self, root, ties, chance):
        path = [root]
        while True:
            node, depth = path[-1], len(path) - 1
            if not node.moves or (not node.children and node.visits + node.pending < self.threshold):
                return path
            if depth > 0 and self.settings.expansion == "root":
                return path
            if not node.children:
                return self.expand(path, ties, chance)
            move = self.best_move(node, depth, ties)
            child = node.child(move)
            if child is None:
                child = self.node(contract.play(self.game, node.state, move), move, node)
                node.children = sorted([*node.children, child], key=lambda child: child.move)
                self.operator.forget()
                return [*path, child]
            path.append(child)

    def best_move(self, node: Node, depth: int, ties: int) -> int:
        """The move of the highest score, visited or not; among several the k-th takes the place with chance 1/k."""
        operator, settings = self.operator, self.settings
        total = operator.total(node)
        if settings.parent_count == "children":
            total = in_order(operator.count(child) for child in node.children)
        selection = (node.visits + node.pending) // settings.playouts_per_leaf + 1
        word = functools.partial(playout.word, ties, depth)
        choice = Choice(operator, node, total, depth, self.horizon, word, selection)
        scores = [self.score_of(choice, node.child(move) or Unvisited(move)) for move in node.moves]
        highest = max(scores)
        if not self.to_the_last_bit and any(0 < abs(highest - score) < NEAR for score in scores):
            raise NearTie
        equal = [move for move, score in zip(node.moves, scores, strict=True) if score == highest]
        if not self.to_the_last_bit and len({self.known_of(node, move) for move in equal}) > 1:
            raise NearTie  # equal by rounding alone
        if settings.ties == "first":
            return equal[0]
        chosen = equal[0]
        for k, move in enumerate(equal[1:], 2):
            if number_below(k, ties, depth, k) == 0:
                chosen = move
        return chosen

    def known_of(self, node: Node, move: int) -> tuple[Any, ...]:
        """What the score of a move depends on."""
        child = node.child(move)
        seen = (self.operator.count(child), self.operator.shown(child)) if child else ()
        return (*seen, *node.rave.get(move, ()))  # type: ignore[attr-defined]

    def score_of(self, choice: Choice, child: Any) -> float:
        """The score of a move, visited or not."""
        if getattr(child, "proof", None) is not None:
            return -math.inf
        score = self.score(self.rule, choice, child)
        return self.settings.first_play_urgency if score is None else score

    def back_up(self, path, key):
        """Enter the visit into every node of the path, and what was played from each of them on into its sums."""
        playouts = self.settings.playouts_per_leaf
        made: Any = self.play(path[-1].state, key, playouts)
        reward = in_order(played.reward for played in made)
        for node, child in zip(path, [*path[1:], None], strict=True):
            node.history.append(Visit(child, reward, playouts))
        for played in made:
            first = dict(played.first)
            for node, child in reversed(list(zip(path, [*path[1:], None], strict=True))):
                if child is not None and child.move < self.game.CELLS:
                    first[child.move] = node.mover  # before all that came after
                if node.children:
                    self.learn(node, first, played.reward)
        if self.settings.solve:
            prove(self.game, path)
        self.operator.forget()

    def learn(self, node: Node, first: dict[int, int], reward: float) -> None:
        """Enter a playout for the moves that the player to move was first to play."""
        sums: dict[int, tuple[int, float]] = node.rave  # type: ignore[attr-defined]
        for move in node.moves:
            if move < self.game.CELLS and first.get(move) == node.mover:
                playouts, rewards = sums.get(move, (0, 0.0))
                sums[move] = (playouts + 1, rewards + (reward if node.mover == 0 else 1.0 - reward))
