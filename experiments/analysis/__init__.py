"""Reports over runs: tables, plots, convergence, confirmation on fresh games."""
