"""The Game of the Amazons on 6x6, 8x8 and 10x10, with a ply for a turn or for its halves.

    8  . . B . . B . .    An amazon goes as a chess queen goes and then shoots an arrow, as a queen goes again,
    7  . . . . . . . .    from where she has come to. The square is blocked for good; nobody passes over arrows
    6  B . . . . . . B    or amazons. Who cannot move has lost.
       ...
    1  . . W . . W . .    A turn is written d1-d7/g7: from, to, arrow.
       a b c d e f g h

``options``: the classes; ``squares``: sets of squares; ``lines``: what a queen sees; ``pieces``: the word of the
amazons; ``setup``: states put together; ``moves``: what turns and halves share; ``turns`` and ``plies``: the rules with
a ply for a whole turn and for its halves; ``sampling``: random moves; ``attempts``: playouts side by side;
``territory``: the evaluation; ``text``: notation.
"""

from gpumcts.games.amazons import attempts, plies, sampling, territory, text, turns
from gpumcts.games.amazons.options import Amazons

OPTION = Amazons

__all__ = ["OPTION", "Amazons", "attempts", "plies", "sampling", "territory", "text", "turns"]
