"""Havannah on hexagonal boards of 4 to 10 cells a side.

      a b c d        Players put stones on empty cells in turn. Whoever first has a chain of neighbouring stones that is one of
   1 . . . . e       these wins: a bridge touches two of the six corners; a fork touches three of the six sides, to which
  2 . . . . . f      corners do not belong; a ring goes around a cell at least, empty or not, whoever holds it. A full board
 3 . . . . . . g     without any is a draw. Cells are named by their column, a letter that stands above or to the right of
 4 . . . . . . .     it and goes down to the left, and by their row, as OpenSpiel and Little Golem name them.

``board``: the options, and the tables of a board; ``rules``; ``chains``: what neighbours are to a new stone, and chains kept
in a union-find; ``playout``: uniform playouts with it; ``evaluation``; ``text``: notation.
"""

from gpumcts.games.havannah import evaluation, playout, rules, text
from gpumcts.games.havannah.board import Havannah

OPTION = Havannah

__all__ = ["OPTION", "Havannah", "evaluation", "playout", "rules", "text"]
