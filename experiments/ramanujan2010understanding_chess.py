"""Document 004 in Chess: what its Table 1 and its section 4 print, success rates of 100 games each, a draw being half a win."""

from collections.abc import Mapping
from typing import Any

from experiments.hashimoto2012accelerated import Printed

GAMES = 100

RATES: dict[str, dict[str, float]] = {
    "table1": {
        "uct_mm2r": 0.74,
        "uct_mm4r": 0.94,
        "uct_mm6r": 0.96,
        "random_mm2r": 0.06,
        "random_mm4r": 0.0,
        "random_mm6r": 0.0,
        "mm6r_mm2r": 0.66,
    },
    "sec4": {"uct_h_50": 0.55, "uct_h_100": 0.855, "uct_h_1000": 0.965, "uct_h_mm2": 0.5},
}
"""Success rate of the first against the second. Of UCT-H against MM-2 it says "about as powerful", without a figure."""


def printed(item: str, config: Mapping[str, Any]) -> Printed | None:
    """What the document prints for the cell of ``item`` that a run's configuration describes, if anything.

    Where the evaluation plays no part, ours are tested against it from its own number of games on. A random player counts as one
    of a single iteration, as in the configuration; MM-6-R has none.
    """
    if item not in RATES:
        return None
    column = str(config["column"])
    if item == "sec4":
        return Printed(RATES[item][column], GAMES, None)
    return Printed(RATES[item][column], GAMES, config["columns"][column]["iterations"], GAMES)
