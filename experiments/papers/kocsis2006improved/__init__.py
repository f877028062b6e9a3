"""Kocsis, Szepesvári, Willemson, *Improved Monte-Carlo Search*, 2006; its P-games are Kocsis and
Szepesvári 2006's as well."""

from collections.abc import Mapping
from typing import Any

from experiments.papers.kocsis2006improved import fig3, fig5, rates
from experiments.papers.published import Published

TITLES = {
    "sec24": "UCT, Boltzmann exploration and minimax update (Kocsis et al. 2006, section 2.4)",
    "fig4": "Failure rates in P-games (Kocsis et al. 2006, Figure 4)",
    "fig5": "Iterations to a failure rate (Kocsis et al. 2006, Figure 5)",
    "fig6": "UCT with a table of fixed size (Kocsis et al. 2006, Figure 6)",
    "table1": "UCT against MC in Amazons (Kocsis et al. 2006, Table 1)",
    "table2": "UCT, MC and alpha-beta in Clobber (Kocsis et al. 2006, Table 2)",
}

CONCLUSIONS = {"fig4": rates.fig4, "fig5": fig5.fig5, "fig6": rates.fig6}
"""What the sweeps end with."""

FIGURES = {"fig3": fig3.fig3}
"""Worked figures, for experiments.worked."""

TABLE_1 = {"001": 0.392, "01": 0.489, "1": 0.81, "5": 0.96}
"""Win rate of UCT against MC in Amazons by seconds a move (0.01 to 5), 1000 games each."""

TABLE_2 = {"uct5_ab5": 0.215, "uct30_ab30": 0.265, "uct30_ab5": 0.445, "mc30_ab30": 0.175, "mc30_uct30": 0.15}
"""Win rate of the first against the second in Clobber, by seconds a move of each; 200 games each.

MILA is the authors' alpha-beta.
"""

GAMES = {"table1": 1000, "table2": 200}

LEFT_OPEN = {"table1": ("opponent.playout",)}
"""Keys of which the document does not say what they were: how MC's playouts draw."""


def published(item: str, config: Mapping[str, Any]) -> Published | None:
    """What Table 1 or 2 has for the cell that a run's configuration describes, if anything.

    The budget to be compared with is the work that their seconds came to; seconds of another machine are none.
    """
    if item not in GAMES:
        return None
    column = str(config["column"])
    if item == "table2":
        return Published(TABLE_2[column], GAMES[item], config["columns"][config["by"]][column]["iterations"])
    return Published(TABLE_1[column.partition("_")[2]], GAMES[item], config["columns"][column]["iterations"])
