"""A tree drawn by hand: nodes named by the moves that lead to them, backed up by an operator in plain Python."""

from typing import Any

import numpy as np

from gpumcts.tree.backup.contract import back_up, value
from gpumcts.tree.forest import ROOT, Layout, add_child, child_with_move, empty_forest


class HandTree:
    """One tree in which the players move in turn; moves are single letters."""

    def __init__(self, operator: Any, moves: int = 4) -> None:
        self.operator, self.moves = operator, moves
        self.forest = empty_forest(1, 64, Layout(len(operator.COLUMNS)))
        self.forest.used[0], self.forest.first_child[0, ROOT], self.forest.move_count[0, ROOT] = 1, -1, moves

    def path(self, line: str) -> list[int]:
        """The nodes from the root along a line of moves; those that are missing are added."""
        nodes = [ROOT]
        for letter in line:
            child = int(child_with_move(self.forest, 0, nodes[-1], ord(letter)))
            if child < 0:
                child = int(add_child(self.forest, 0, nodes[-1], ord(letter)))
                self.forest.move_count[0, child] = self.moves
            nodes.append(child)
        return nodes

    def playouts(self, line: str, wins: float, playouts: int = 1) -> None:
        """So many playouts at the end of a line, of which the first player wins ``wins``: one iteration."""
        path = np.array(self.path(line), np.int32)
        movers = np.arange(len(path), dtype=np.int8) % 2
        self.forest.visits[0, path] += playouts
        back_up(self.operator, self.forest, 0, path, movers.astype(np.int8), len(path) - 1, float(wins), playouts, 0.5)

    def value(self, line: str) -> float:
        """The value of the move at the end of a line, for the player who makes it."""
        return float(value(self.operator, self.forest, 0, self.path(line)[-1]))

    def column(self, line: str, name: str) -> float:
        """A column of the operator at the end of a line."""
        return float(self.forest.columns[0, self.path(line)[-1], self.operator.COLUMNS.index(name)])
