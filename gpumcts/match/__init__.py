"""Matches: games between two players, their record on disk, how a run goes on, and what the results say."""
