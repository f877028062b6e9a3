"""GTP, the text protocol between programs that play: other programs as players here, and our engine for others."""
