"""UCT with limited memory, one search and one iteration after another, as in Kocsis et al. 2006 (sections 2.1, 2.2).

It shares with the library the rules of the game, the addresses of random draws, and the formulas of the reference's own
selection rules; not the table, not the descent, not the backup.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.games.pgame import PGame
from gpumcts.tree.settings import Settings
from tests.reference import playout
from tests.reference.playout import GOLDEN, WORD, legal_moves, number_below, splitmix
from tests.reference.rules import RULES, Choice, tries_unvisited
from tests.reference.uct import CHANCES, FINAL, NEAR, PLAYOUTS, TIES, NearTie, key_below


class Entry:
    """What is known of a position: ``rewards`` of the first player, ``parent`` how often its parent was reached."""

    def __init__(self, index: int, depth: int, parent: int):
        self.index, self.depth, self.parent = index, depth, parent
        self.visits, self.rewards = 0, 0.0


class Shown:
    """What a selection rule sees of an entry: the move that leads there, and its mean reward for who moves."""

    def __init__(self, move: int, entry: Entry, mover: int):
        self.move, self.visits = move, entry.visits
        self.value = (entry.visits - entry.rewards if mover == 1 else entry.rewards) / entry.visits

    @staticmethod
    def shown(child: "Shown") -> float:
        """As an operator: the value."""
        return child.value

    @staticmethod
    def count(child: "Shown") -> float:
        """As an operator: n(s, a)."""
        return float(child.visits)


class Buckets:
    """The table: lists of one slot (single) or two (twobigp)."""

    def __init__(self, entries: int, replacement: str):
        self.ways = {"single": 1, "twobigp": 2}[replacement]
        self.buckets: list[list[Entry | None]] = [[None] * self.ways for _ in range(entries // self.ways)]

    def bucket(self, index: int) -> list[Entry | None]:
        """Where a position belongs."""
        return self.buckets[index % len(self.buckets)]

    def find(self, index: int) -> Entry | None:
        """Its entry."""
        return next((e for e in self.bucket(index) if e is not None and e.index == index), None)

    def offer(self, entry: Entry) -> bool:
        """Offer a position that is absent; whether it is in the table afterwards."""
        bucket, loser = self.bucket(entry.index), entry
        if self.ways == 2:
            first = bucket[0]
            if first is None or entry.depth < first.depth:
                bucket[0], loser = entry, first
        if loser is not None:
            last = bucket[-1]
            if last is None or loser.parent > last.parent:
                bucket[-1] = loser
        return entry in bucket

    def accepts(self, index: int, depth: int, parent: int) -> bool:
        """Whether a position would be stored: tried out, and taken back."""
        bucket = self.bucket(index)
        before = list(bucket)
        stored = self.offer(Entry(index, depth, parent))
        bucket[:] = before
        return stored


class LimitedUct:
    """UCT on a game with a selection rule, ``Settings``, and a table of so many entries."""

    def __init__(
        self,
        game: Any,
        rule: Any,
        settings: Settings,
        entries: int,
        replacement: str,
        stored_above: float,
        play: Callable[[Any, int, int], float],
    ) -> None:
        self.game, self.rule, self.settings, self.play = game, rule, settings, play
        self.table, self.stored_above = Buckets(entries, replacement), stored_above
        self.threshold = {"node": 1, "threshold": settings.threshold, "whole_path": 0}[settings.expansion]
        self.random_moves = self.asked = 0  # moves made because a child was invalid, and by the rule

    def index(self, state: Any, above: int, move: int, depth: int) -> int:
        """The number of the position that ``move`` leads to from the one with the number ``above``, at ``depth``."""
        if isinstance(self.game, PGame):
            below = sum(self.game.branching**k for k in range(self.game.depth - depth + 1))
            return above + 1 + move * below
        index = 0
        for word in state:
            index = splitmix(((index ^ int(word)) + GOLDEN) % WORD)
        return index

    def search(self, state: Any, key: int, iterations: int) -> None:
        """So many iterations; what they leave is in ``table``. May raise NearTie."""
        self.root_visits, self.root_rewards = 0, 0.0
        self.horizon = float(contract.remaining_plies(self.game, state))
        for iteration in range(iterations):
            ties, chance = key_below(key, TIES, iteration), key_below(key, CHANCES, iteration)
            try:
                path, leaf = self.descend(state, ties, chance)
            except NearTie as tie:
                tie.iterations = iteration
                raise
            self.back_up(path, self.play(leaf, key_below(key, PLAYOUTS, iteration), self.settings.playouts_per_leaf))

    def known(self, path: list[tuple[int, int]]) -> int:
        """Visits of the position at the end of a path."""
        if len(path) == 1:
            return self.root_visits
        entry = self.table.find(path[-1][0])
        return entry.visits if entry else 0

    def descend(self, state: Any, ties: int, chance: int) -> tuple[list[tuple[int, int]], Any]:
        """The positions from root to leaf, (index, how often the parent is reached) each, and the leaf's state."""
        path = [(0, 0)]
        while moves := legal_moves(self.game, state):
            if self.known(path) < self.threshold:
                break
            depth = len(path) - 1
            after = [contract.play(self.game, state, move) for move in moves]
            indices = [self.index(s, path[-1][0], m, depth + 1) for s, m in zip(after, moves, strict=True)]
            entries = [self.table.find(index) for index in indices]
            known = self.known(path) or sum(entry.visits for entry in entries if entry)
            reached = known + self.settings.playouts_per_leaf
            for entry in entries:
                if entry:
                    entry.parent = reached
            if contract.mover(self.game, state) == CHANCE:
                chosen = self.throw(state, moves, depth, chance)
            else:
                valid = all(
                    e or self.table.accepts(i, depth + 1, reached) for e, i in zip(entries, indices, strict=True)
                )
                chosen = self.choose(state, moves, entries, valid, known, depth, ties)
            path.append((indices[chosen], reached))
            state = after[chosen]
        return path, state

    def throw(self, state: Any, moves: list[int], depth: int, chance: int) -> int:
        """Which of its outcomes chance takes."""
        weights = [int(contract.chance_weight(self.game, state, move)) for move in moves]
        sides = [number for number, weight in enumerate(weights) for _ in range(weight)]
        return sides[number_below(len(sides), chance, depth, 0)]

    def choose(self, state, moves, entries, valid: bool, known: int, depth: int, ties: int) -> int:
        """Which of the moves is made: Kocsis et al. 2006, Fig. 2, and its variant with a threshold."""
        mover = int(contract.mover(self.game, state))
        shown = {k: Shown(move, entries[k], mover) for k, move in enumerate(moves) if entries[k]}
        untried = [k for k in range(len(moves)) if k not in shown]
        random = self.settings.ties == "random"
        if not valid:
            untried, shown = [], {k: child for k, child in shown.items() if child.value > self.stored_above}
            if not shown:
                self.random_moves += 1
                return number_below(len(moves), ties, depth, 0)
        first = untried[number_below(len(untried), ties, depth, 0) if random else 0] if untried else -1
        urgency = self.settings.first_play_urgency
        draws = functools.partial(playout.word, ties, depth)
        if untried and (not shown or math.isinf(urgency) and self.unvisited_first(draws, untried, moves)):
            return first
        self.asked += 1
        best, score = self.best(list(shown.values()), known, depth, draws)
        if untried and score <= urgency < math.inf:
            return first
        return moves.index(best.move)

    def unvisited_first(self, draws, untried: list[int], moves: list[int]) -> bool:
        """Whether the rule has unvisited moves made before any score is looked at."""
        return tries_unvisited(self.rule, draws, len(untried), len(moves))

    def best(self, children: list[Shown], known: int, depth: int, draws) -> tuple[Shown, float]:
        """The child of the highest score; among several the k-th takes the place with chance 1/k."""
        total = known if self.settings.parent_count == "visits" else sum(child.visits for child in children)
        operator: Any = Shown
        node: Any = None  # the rules of a table look at one child at a time
        choice = Choice(operator, node, float(total), depth, self.horizon, draws)
        scores = [RULES[type(self.rule).__name__](self.rule, choice, child) for child in children]
        highest = max(scores)
        if any(0 < abs(highest - score) < NEAR for score in [*scores, self.settings.first_play_urgency]):
            raise NearTie
        equal = [child for child, score in zip(children, scores, strict=True) if score == highest]
        chosen = equal[0]
        for k, child in enumerate(equal[1:], 2):
            if self.settings.ties == "random" and (draws(k) >> 32) * k >> 32 == 0:
                chosen = child
        return chosen, highest

    def back_up(self, path: list[tuple[int, int]], reward: float) -> None:
        """Enter a leaf's sum of rewards into the positions of its path, from the leaf up."""
        playouts = self.settings.playouts_per_leaf
        for depth in range(len(path) - 1, 0, -1):
            index, reached = path[depth]
            entry = self.table.find(index)
            if entry is None:
                entry = Entry(index, depth, reached)
                self.table.offer(entry)
            entry.visits += playouts
            entry.rewards += reward
            entry.parent = reached
        self.root_visits += playouts
        self.root_rewards += reward

    def root_moves(self, state: Any) -> list[tuple[int, int, float]]:
        """(move, visits, value) of the root's moves that are stored, in their order."""
        mover, found = int(contract.mover(self.game, state)), []
        for move in legal_moves(self.game, state):
            entry = self.table.find(self.index(contract.play(self.game, state, move), 0, move, 1))
            if entry:
                child = Shown(move, entry, mover)
                found.append((move, child.visits, child.value))
        return found

    def decide(self, state: Any, key: int) -> int:
        """The move to play: most visits or highest value, ties at random."""
        column = 1 if self.settings.final == "visits" else 2
        moves = self.root_moves(state)
        best = [row[0] for row in moves if row[column] == max(r[column] for r in moves)]
        return best[number_below(len(best), key_below(key, FINAL), 0, 0)]
