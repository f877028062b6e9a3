"""Havannah on hexagonal boards of 4 to 10 cells a side.

      a b c d        Players put stones on empty cells in turn. Whoever first has a chain of neighbouring stones that is
   1 . . . . e       one of these wins: a bridge touches two of the six corners; a fork touches three of the six sides,
  2 . . . . . f      to which corners do not belong; a ring goes around a cell at least, empty or not, whoever holds it.
 3 . . . . . . g     A full board without any is a draw. Cells are named by their column, a letter that stands above or
 4 . . . . . . .     to the right of it and goes down to the left, and by their row, as OpenSpiel and Little Golem do.

``board``: the options, and the tables of a board; ``rules``; ``chains``: what neighbours are to a new stone, and chains
kept in a union-find; ``playout``: uniform playouts with it; ``evaluation``; ``text``: notation.
"""

from gpumcts.games.havannah import evaluation, playout, rules, text
from gpumcts.games.havannah.board import Havannah

OPTION = Havannah

__all__ = ["OPTION", "Havannah", "evaluation", "playout", "rules", "text"]
