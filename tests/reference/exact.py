"""Exact values of small games: expectiminimax over every state, in fractions."""

from fractions import Fraction
from typing import Any

from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, SCORE_UNIT
from tests.reference.playout import legal_moves


class Exact:
    """Solves a game state by state. Values are for the first player, in [-1, 1] (score over SCORE_UNIT)."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.values: dict[Any, Fraction] = {}

    def value(self, state: Any) -> Fraction:
        """Value of ``state`` under best play of both sides."""
        if state not in self.values:
            self.values[state] = self._value(state)
        return self.values[state]

    def _value(self, state: Any) -> Fraction:
        moves = legal_moves(self.game, state)
        if not moves:
            return Fraction(int(contract.score(self.game, state)), SCORE_UNIT)
        mover = int(contract.mover(self.game, state))
        values = [self.value(contract.play(self.game, state, move)) for move in moves]
        if mover == CHANCE:
            weights = [int(contract.chance_weight(self.game, state, move)) for move in moves]
            total = sum(value * weight for value, weight in zip(values, weights, strict=True))
            return total / sum(weights)
        return max(values) if mover == 0 else min(values)

    def best_moves(self, state: Any) -> list[int]:
        """The moves that keep the value."""
        moves = legal_moves(self.game, state)
        return [m for m in moves if self.value(contract.play(self.game, state, m)) == self.value(state)]
