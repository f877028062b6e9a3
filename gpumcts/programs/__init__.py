"""Code that all protocols between game programs share: processes, lines, positions, clocks."""
