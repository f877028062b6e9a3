"""Ramanujan, Sabharwal, Selman, *Understanding Sampling Style Adversarial Search Methods*, 2010.

In its section 6 a search has converged after t* iterations if its root's value, in [-1, 1], is never below 0.7 from
there on; never is until the horizon, the iterations of the run. What each experiment ends with stands in a module of
its own.
"""

from experiments.papers.ramanujan2010understanding import chess, claims, fig3, fig6, tables

published = chess.published
LEFT_OPEN = chess.LEFT_OPEN

TITLES = {
    "fig1": "Ranks of moves against a deep search (Ramanujan et al. 2010, Figure 1)",
    "fig2": "Soft traps that playouts avoid (Ramanujan et al. 2010, Figure 2)",
    "softtraps": "Games with a soft trap (Ramanujan et al. 2010, section 5)",
    "table1": "UCT and Random against MM-k-R in Chess (Ramanujan et al. 2010, Table 1)",
    "sec4": "UCT-H against UCT and MM-2 in Chess (Ramanujan et al. 2010, section 4)",
    "rescaling": "Linear and sigmoid rescaling of the evaluation (Ramanujan et al. 2010, section 4)",
    "fig3": "Two critical nodes (Ramanujan et al. 2010, Figure 3)",
    "table2": "Both sides with a plan (Ramanujan et al. 2010, Table 2)",
    "table3": "Both sides with a plan (Ramanujan et al. 2010, Table 3)",
    "fig6": "Epsilon-greedy UCT with rounds (Ramanujan et al. 2010, Figure 6)",
    "sec6_claims": "Depth and number of critical nodes (Ramanujan et al. 2010, section 6)",
}

CONCLUSIONS = {
    "table1": chess.table1,
    "sec4": chess.sec4,
    "fig3": fig3.fig3,
    "table2": tables.table2,
    "table3": tables.table3,
    "fig6": fig6.fig6,
    "sec6_claims": claims.claims,
}
