"""Document 002: Hashimoto, Kishimoto, Yoshizoe, Ikeda, *Accelerated UCT and Its Application to Two-Player Games*, 2012.

What it prints, to be laid beside what our runs give. Win rates are in per cent of the algorithm against plain UCT, 1000
games a cell, 50,000 playouts a move, C = 1.0, decay = 1 - 0.1^k for k = 1 to 7; a draw is half a win.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

GAMES, ITERATIONS = 1000, 50_000

TABLE_1 = {
    "table1a": {
        "othello": (39.2, 52.5, 56.3, 52.7, 51.3, 47.4, 48.2),
        "havannah": (24.2, 25.1, 47.8, 58.2, 50.6, 48.0, 50.2),
        "go": (0.8, 41.3, 54.5, 56.0, 53.0, 51.0, 50.1),
    },
    "table1b": {
        "othello": (0.0, 1.3, 28.0, 47.5, 49.0, 49.2, 48.2),
        "havannah": (0.0, 0.0, 8.0, 31.3, 48.5, 52.0, 50.0),
        "go": (0.0, 0.0, 0.0, 18.6, 45.8, 46.6, 48.7),
    },
}
"""Table 1 (a): Accelerated, (b): Discounted, by game, for k = 1 to 7."""

TITLES = {
    "table1a": "Accelerated against plain UCT (document 002, Table 1 a)",
    "table1b": "Discounted against plain UCT (document 002, Table 1 b)",
}


class Printed(NamedTuple):
    """A win rate as the document prints it, in [0, 1], the games behind it, and the iterations a move."""

    win_rate: float
    games: int
    iterations: int


def printed(item: str, config: Mapping[str, Any]) -> Printed | None:
    """What the document prints for the cell of ``item`` that a run's configuration describes, if anything."""
    column = TABLE_1.get(item, {}).get(config["game"]["name"])
    return None if column is None else Printed(column[config["k"] - 1] / 100, GAMES, ITERATIONS)
