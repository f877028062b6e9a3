"""UCI, the text protocol of chess programs: other programs as players here, and our engine for others."""
