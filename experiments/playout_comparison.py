"""Informed against random playouts in every game: what the runs are called. Document 004 asks it, of chess alone."""

TITLES = {"random_vs_informed": "UCT with informed playouts against UCT with uniform ones"}
