"""Minimax of a fixed depth over the evaluation, move by move in plain Python: no window, no order, no hash."""

from typing import Any

from gpumcts.games import contract
from tests.reference.playout import legal_moves

WON, FAR = 1 << 30, 1 << 16


class DepthLimited:
    """Values for the player to move. A win n plies away is WON - n, one the game decides WON - FAR - n; a draw is 0."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.values: dict[Any, int] = {}

    def value(self, state: Any, depth: int, root: bool = True) -> int:
        """Value of ``state`` after a search of ``depth`` plies; of the root's own moves one is made in any case."""
        if (state, depth, root) not in self.values:
            self.values[state, depth, root] = self._value(state, depth, root)
        return self.values[state, depth, root]

    def _value(self, state: Any, depth: int, root: bool) -> int:
        game, side = self.game, int(contract.mover(self.game, state))
        moves = legal_moves(game, state)
        if not moves:
            score = int(contract.score(game, state)) * (-1 if side == 1 else 1)
            return WON * ((score > 0) - (score < 0))
        known = int(contract.decided(game, state))
        if known and not root:
            return known * (WON - FAR)
        if depth == 0:
            return int(contract.evaluation(game, state))
        return max(self.of_move(state, move, depth) for move in moves)

    def of_move(self, state: Any, move: int, depth: int) -> int:
        """What a move is worth for who makes it, searched to ``depth`` plies, itself included."""
        child = contract.play(self.game, state, move)
        value = self.value(child, depth - 1, root=False)
        if contract.mover(self.game, child) != contract.mover(self.game, state):
            value = -value
        return value - (value > WON // 2) + (value < -WON // 2)
