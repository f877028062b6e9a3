"""Clobber on boards of up to 10 x 10: rules on bitboards without a branch, evaluation, text.

    3  o x o x     A move takes a stone to a neighbouring square, along a row or a column, on which an enemy's stone
    2  x o x o     stands, and removes that one. Who cannot move loses. White (o, on a1 at the start) moves first.
    1  o x o x
       a b c d

Moves are numbered by direction (up, right, down, left) and square: whatever the board, an edge between enemies is one
move for each of them, so that both sides always have as many.
"""

from gpumcts.games.clobber import components, evaluation, rules, text  # noqa: F401  (the bodies of the verbs)
from gpumcts.games.clobber.board import Clobber

OPTION = Clobber
