"""UCT, one tree and one iteration after another, as the documents tell it: the oracle of the forest.

It shares with the library the rules of the game and the addresses of random draws, and nothing else. See ``operators``
for how values come about, ``rules`` for selection, ``proofs`` for what is solved.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, SCORE_UNIT
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.tree.settings import Settings
from tests.reference import playout
from tests.reference.nodes import Node, Visit, in_order
from tests.reference.operators import BESIDE_TRACES, OPERATORS, Operator
from tests.reference.playout import WORD, legal_moves, number_below, rescaled_evaluation, splitmix, uniform_playout
from tests.reference.proofs import playable, prove
from tests.reference.rules import RULES, Choice, tries_unvisited

PLAYOUTS, TIES, CHANCES, FINAL = range(4)  # purposes of the keys below a search's key
NEAR = 1e-12


class NearTie(Exception):
    """Two scores differ by less than ``NEAR``: a logarithm's last bits decide. ``iterations`` : those before it."""

    iterations = 0


def key_below(key: int, *path: int) -> int:
    """The key at ``path`` below ``key``."""
    for number in path:
        key = splitmix((splitmix(key ^ 0xA0761D6478BD642F) + (number + 1) * 0xD1342543DE82EF95) % WORD)
    return key


@functools.lru_cache(maxsize=None, typed=True)  # games of two sizes may be equal as tuples
def compiled_playouts(game: Any, policy: Any) -> Callable[[Any, int, int], float]:
    """(state, key, playouts) -> the first player's sum of rewards, each in [0, 1], by the library's playout loop."""
    engine = CpuPlayouts(game, policy)

    def play(state: Any, key: int, playouts: int) -> float:
        words = np.zeros((1, game.WORDS), np.uint64)
        contract.pack(game, state, words[0], 0, 1)
        score = engine.tally(words, np.array([key], np.uint64), playouts).score[0]
        return 0.5 * playouts + int(score) / (2 * SCORE_UNIT)

    return play


def plain_playouts(game: Any) -> Callable[[Any, int, int], float]:
    """The same for uniformly random playouts, in plain Python."""

    def reward(state: Any, key: int) -> float:
        last, _ = uniform_playout(game, state, key)
        return 0.5 + int(contract.score(game, last)) / (2 * SCORE_UNIT)

    return lambda state, key, playouts: sum(reward(state, key_below(key, p)) for p in range(playouts))


class Uct:
    """UCT on a game with a selection rule, a backup operator (option values) and ``Settings``."""

    def __init__(
        self, game: Any, rule: Any, operator: Any, settings: Settings, play: Callable[[Any, int, int], float]
    ) -> None:
        self.game, self.rule, self.settings, self.play = game, rule, settings, play
        self.score = RULES[type(rule).__name__]
        self.evaluates = operator.EVALUATES
        self.operator: Operator = {**OPERATORS, **BESIDE_TRACES}[type(operator).__name__](operator)
        self.operator.unobserved = settings.in_flight == "unobserved"
        # Visits a leaf needs before it gets children; where whole episodes are stored, none.
        self.threshold = {"node": 1, "threshold": settings.threshold, "whole_path": 0, "root": 0}[settings.expansion]

    def search(self, state: Any, key: int, iterations: int, known: Node | None = None) -> Node:
        """The root after so many iterations; ``known`` is an earlier tree's node to go on from. May raise NearTie."""
        root = known or self.node(state, None, None)
        root.parent = None
        self.operator.forget()
        self.horizon = float(contract.remaining_plies(self.game, state))
        leaves = self.settings.leaves_per_tree
        pending_batch: tuple[list[list[Node]], int] = [], 0  # selected and not backed up, with two batches in flight
        for first in range(0, iterations, leaves):
            paths: list[list[Node]] = []
            if root.proof is not None:
                break  # solved: the tree stays as it is
            for iteration in range(first, min(first + leaves, iterations)):
                try:
                    path = self.descend(root, key_below(key, TIES, iteration), key_below(key, CHANCES, iteration))
                except NearTie as tie:
                    tie.iterations = first
                    raise
                paths.append(path)
                for node in path:
                    node.pending += self.settings.playouts_per_leaf
            if self.settings.batches_in_flight == 1:
                self.back_up_batch(paths, first, key)
            else:
                self.back_up_batch(*pending_batch, key)
                pending_batch = paths, first
        self.back_up_batch(*pending_batch, key)
        return root

    def back_up_batch(self, paths: list[list[Node]], first: int, key: int) -> None:
        """Back up a batch: from iteration ``first`` on."""
        for path in paths:
            for node in path:
                node.pending -= self.settings.playouts_per_leaf
        for iteration, path in enumerate(paths, first):
            self.back_up(path, key_below(key, PLAYOUTS, iteration))

    def node(self, state: Any, move: int | None, parent: Node | None) -> Node:
        """A new node."""
        mover, moves = int(contract.mover(self.game, state)), legal_moves(self.game, state)
        owner = parent.chooser if parent else (0 if mover == CHANCE else mover)
        node = Node(state, mover, moves, owner, move, parent)
        if self.evaluates:
            score = rescaled_evaluation(self.game, state) if moves else int(contract.score(self.game, state))
            node.evaluation = 0.5 + score / (2 * SCORE_UNIT)
        return node

    def descend(self, root: Node, ties: int, chance: int) -> list[Node]:
        """Select and expand: the nodes from the root to the leaf."""
        path = [root]
        while True:
            node, depth = path[-1], len(path) - 1
            if not node.moves or (not node.children and node.visits + node.pending < self.threshold):
                return path
            if depth > 0 and self.settings.expansion == "root":
                return path
            untried = [move for move in node.moves if node.child(move) is None]
            if node.mover == CHANCE:
                child = node.child(self.throw(node, depth, chance))
            elif untried and (not node.children or self.tries_unvisited(node, untried, depth, ties)):
                child = None
            else:
                child, score = self.best(node, depth, ties)
                if untried and (score == -math.inf or score <= self.settings.first_play_urgency < math.inf):
                    child = None
            if child is None:
                return self.expand(path, ties, chance)
            path.append(child)

    def tries_unvisited(self, node: Node, untried: list[int], depth: int, ties: int) -> bool:
        """Whether an untried move comes before any score, where no urgency is given to it."""
        draws = functools.partial(playout.word, ties, depth)
        urgent = math.isinf(self.settings.first_play_urgency)
        return urgent and tries_unvisited(self.rule, draws, len(untried), len(node.moves))

    def throw(self, node: Node, depth: int, chance: int) -> int:
        """What chance does in a node."""
        weights = [int(contract.chance_weight(self.game, node.state, move)) for move in node.moves]
        sides = [move for move, weight in zip(node.moves, weights, strict=True) for _ in range(weight)]
        return sides[number_below(len(sides), chance, depth, 0)]

    def best(self, node: Node, depth: int, ties: int) -> tuple[Node, float]:
        """The child of the highest score, and the score; among several the k-th takes the place with chance 1/k."""
        operator = self.operator
        total = operator.total(node)
        if self.settings.parent_count == "children":
            total = in_order(operator.count(child) for child in node.children)
        choice = Choice(operator, node, total, depth, self.horizon, functools.partial(playout.word, ties, depth))
        scores = [-math.inf if c.proof is not None else self.score(self.rule, choice, c) for c in node.children]
        highest = max(scores)
        if any(0 < abs(highest - score) < NEAR for score in [*scores, self.settings.first_play_urgency]):
            raise NearTie
        equal = [child for child, score in zip(node.children, scores, strict=True) if score == highest]
        if self.settings.ties == "first":
            return min(equal, key=lambda child: child.move), highest
        chosen = equal[0]
        for k, child in enumerate(equal[1:], 2):
            if number_below(k, ties, depth, k) == 0:
                chosen = child
        return chosen, highest

    def expand(self, path: list[Node], ties: int, chance: int) -> list[Node]:
        """One more node below the path, or all of them to the end of the game."""
        self.operator.forget()
        while True:
            node, depth = path[-1], len(path) - 1
            if node.mover == CHANCE:
                move = self.throw(node, depth, chance)
            else:
                untried = [move for move in node.moves if node.child(move) is None]
                random = self.settings.ties == "random"
                move = untried[number_below(len(untried), ties, depth, 0) if random else 0]
            child = self.node(contract.play(self.game, node.state, move), move, node)
            node.children.append(child)
            path.append(child)
            if self.settings.expansion != "whole_path" or not child.moves:
                return path

    def back_up(self, path: list[Node], key: int) -> None:
        """Play the leaf's playouts and enter the visit into every node of the path."""
        playouts = self.settings.playouts_per_leaf
        reward = self.play(path[-1].state, key, playouts)
        for node, child in zip(path, [*path[1:], None], strict=True):
            node.history.append(Visit(child, reward, playouts))
        if self.settings.solve:
            prove(self.game, path)
        self.operator.forget()

    def decide(self, root: Node, key: int) -> int:
        """The move to play: most visits or highest value among those that no proof rules out, ties at random."""
        moves = playable(root.children, self.operator)
        by_visits = self.settings.final == "visits"
        worth = [child.visits if by_visits else self.operator.value(child) for child in moves]
        if moves[0].proof is not None:
            worth = [0.0] * len(moves)  # they are worth the same
        best = [child.move for child, value in zip(moves, worth, strict=True) if value == max(worth)]
        return best[number_below(len(best), key_below(key, FINAL), 0, 0)]
