"""What all protocols between programs that play have in common: processes, lines, positions, clocks."""
