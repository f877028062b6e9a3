"""Positions in which a shallow search walks into what a deep one sees."""
