"""The search: a forest of UCT trees, selection rules, backup operators, and the four steps of an iteration."""
