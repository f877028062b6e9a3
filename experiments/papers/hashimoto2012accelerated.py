"""Hashimoto, Kishimoto, Yoshizoe, Ikeda, *Accelerated UCT and Its Application to Two-Player Games*, 2012.

What it prints, to be laid beside what our runs give. Win rates are in per cent of the algorithm against plain UCT, 1000
games a cell, 50,000 playouts a move, C = 1.0, decay = 1 - 0.1^k for k = 1 to 7; a draw is half a win.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from experiments.analysis.holdout import ending
from experiments.papers.published import Published, Worked
from gpumcts.tree.backup.accelerated import Accelerated
from gpumcts.tree.backup.average import Average
from gpumcts.tree.backup.minimax import Minimax
from gpumcts.tree.hand_tree import HandTree

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
"""Table 1 (a): Accelerated, (b): Discounted, by game, for k = 1 to 7. On which base Havannah was played is not said."""

TABLE_2 = {"a": (51.2, 51.9, 54.5, 55.9, 53.8, 54.6), "b": (0.0, 0.0, 4.4, 41.6, 47.9, 49.8)}
"""Table 2, RAVE on both sides in Go: (a) Accelerated, (b) Discounted, for k = 1 to 6.

Its printed intervals do not fit 1000 games, so its figures stand beside ours and are not tested against.
"""

GO_SIZE = 9

FINAL = ("search.final", "opponent.search.final")
LEFT_OPEN = {"table1a": FINAL, "table1b": FINAL, "table2": FINAL}
"""Keys of which it does not say what they were: which move is played."""

TITLES = {
    "table1a": "Accelerated against plain UCT (Hashimoto et al. 2012, Table 1 a)",
    "table1b": "Discounted against plain UCT (Hashimoto et al. 2012, Table 1 b)",
    "overhead": "Processor time of the three algorithms (Hashimoto et al. 2012, section 5.2)",
    "table2": "With RAVE on both sides (Hashimoto et al. 2012, Table 2)",
}

CONCLUSIONS = {"table1a": ending("k"), "table1b": ending("k"), "table2": ending("k", ("column",))}


def published(item: str, config: Mapping[str, Any]) -> Published | None:
    """What the document prints for the cell of ``item`` that a run's configuration describes, if anything."""
    game = config["game"]
    columns: dict[str, tuple[float, ...]] = TABLE_1[item] if item in TABLE_1 else {"go": TABLE_2[config["column"]]}
    column = columns.get(game["name"])
    if column is None or config["k"] > len(column) or game.get("size", GO_SIZE) != GO_SIZE:
        return None
    return Published(column[config["k"] - 1] / 100, GAMES, ITERATIONS if item in TABLE_1 else None)


# ------------------------------------------------------------------------------------------------ worked figures


def fig1() -> list[Worked]:
    """Fig. 1: the means prefer the losing move A -> B; minimax does not; recent visits recover sooner."""
    rows = []
    for operator, exact, source in (
        (Average(), (Fraction(2, 3), Fraction(1, 2)), "printed, section 2"),
        (Minimax(), (Fraction(0), Fraction(1)), "A -> B loses to F, A -> C wins by H"),
        (Accelerated(0.5), (Fraction(3, 7), Fraction(1, 3)), "eq. 6 and 7: weights 1/4, 1/2, 1 and 1/2, 1"),
    ):
        tree = HandTree(operator)
        for line, won in (("BD", 1), ("BE", 1), ("BF", 0), ("CGH", 1), ("CGI", 0)):
            tree.playouts(line, won)
        for move, value in zip("BC", exact, strict=True):
            rows.append(Worked(f"A -> {move}, {_name(operator)}", value, tree.value(move), source))
    return rows


def fig2() -> list[Worked]:
    """Fig. 2: three playouts at the leaf a (two won), then one each at its children d (won) and e (lost)."""
    rows = []
    for operator, exact, source in (
        (Average(), Fraction(3, 5), "printed, section 4"),
        (Accelerated(1.0), Fraction(3, 5), "decay 1 is UCT"),
        (Accelerated(0.5), Fraction(38, 93), "velocities 7/16 (virtual), 1/2, 1"),
    ):
        tree = HandTree(operator)
        for line, won in (("a", 1), ("a", 1), ("a", 0), ("ad", 1), ("ae", 0)):
            tree.playouts(line, won)
        rows.append(Worked(f"r -> a, {_name(operator)}", exact, tree.value("a"), source))
    return rows


FIGURES = {"fig1": fig1, "fig2": fig2}


def _name(operator: Any) -> str:
    decay = f", decay {operator.decay}" if isinstance(operator, Accelerated) else ""
    return type(operator).__name__.lower() + decay
