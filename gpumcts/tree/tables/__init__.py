"""Searches in a transposition table of fixed size, in place of a tree."""
