"""UCI, the text protocol of chess programs: external engines as players, and our engine for others."""
