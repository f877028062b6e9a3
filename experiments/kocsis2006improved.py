"""Document 000: Kocsis, Szepesvári, Willemson, *Improved Monte-Carlo Search*, 2006; its P-games are document 003's as well."""

from experiments.kocsis2006improved_fig5 import fig5
from experiments.kocsis2006improved_rates import fig4, fig6
from experiments.kocsis_fig3 import fig3

TITLES = {
    "fig4": "Failure rates in P-games (document 000, Figure 4)",
    "fig5": "Iterations to a failure rate (document 000, Figure 5)",
    "fig6": "UCT with a table of fixed size (document 000, Figure 6)",
}

CONCLUSIONS = {"fig4": fig4, "fig5": fig5, "fig6": fig6}
"""What the sweeps end with."""

FIGURES = {"fig3": fig3}
"""Worked figures, for experiments.worked."""

TABLE_ENTRIES = {"fig6": (100_000, 10_000, 5_000, 1_000), "table1": 1 << 20}
"""Entries of the tables of Figure 6, and of UCT's in Amazons."""

TABLE_1 = {0.01: 0.392, 0.1: 0.489, 1.0: 0.81, 5.0: 0.96}
"""Win rate of UCT against MC in Amazons by seconds a move, 1000 games each; they made 15,000 and 27,000 iterations a second."""

TABLE_2 = {(5, 5): 0.215, (30, 30): 0.265, (30, 5): 0.445}
"""Win rate of UCT against MILA in Clobber by the seconds a move of each, 200 games each; 80,000 and 150,000 nodes a second."""

MC_IN_CLOBBER = {"mila": 0.175, "uct": 0.15}
"""Win rate of MC in Clobber against either, 30 seconds a move for both."""
