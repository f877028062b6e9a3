"""Iterative deepening: depth-limited search of games for two without chance, over the game's evaluation."""
