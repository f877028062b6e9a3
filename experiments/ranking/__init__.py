"""How methods rank the legal moves of positions, against a deep search."""
