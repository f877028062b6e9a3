"""Matches: games between two players, their record on disk, resuming, and statistics."""
