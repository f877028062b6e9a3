"""GTP, the text protocol between programs that play: external engines as players, and our engine for others."""
