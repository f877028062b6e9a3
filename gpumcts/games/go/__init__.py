"""Go by area on 9x9, 13x13 and 19x19: positional superko, no suicide, two passes end the game.

    9  . . . . . . . . .    Black (X) moves first. Points are named A1 to J9, without I; a pass is ``pass``.
       ...                  In games that are played no move may repeat a position of the board
    1  . . . . . . . . .    (``contract.with_history``); in trees and playouts, which do not hold the game so far, the
       A B C D E F G H J    simple ko is forbidden.

``options``: the classes; ``points``: sets of points; ``setup``: states put together; ``rules``: moves, captures, score;
``superko``: what the game so far forbids; ``eyes`` and ``sampling``: random moves; ``chains``: stones with their
liberties; ``playout``: playouts that keep these; ``attempts``: playouts side by side; ``evaluation``;
``text``: notation; ``handicap``; ``sgf``: records.
"""

from gpumcts.games.go import attempts, evaluation, handicap, playout, rules, sampling, sgf, superko, text
from gpumcts.games.go.options import Go

OPTION = Go

__all__ = [
    "OPTION",
    "Go",
    "attempts",
    "evaluation",
    "handicap",
    "playout",
    "rules",
    "sampling",
    "sgf",
    "superko",
    "text",
]
