"""Chess.

    8  r n b q k b n r    Squares are sets of a word, seen by the player to move: he always moves upwards, and the board
    7  p p p p p p p p    turns round after each ply. Moves are found for all pieces at once, by direction, without a
       ...                branch, so that games run in lanes on the CPU and in step on a device.
    2  P P P P P P P P
    1  R N B Q K B N R    Moves are written e2e4, e7e8q, e1g1 (castling); Nf3 and O-O are read too. Positions are FEN.
       a b c d e f g h

``options``: the classes; ``squares``: sets of squares and lines of sight; ``pieces``: the words of a state; ``moves``:
the legal moves; ``rules``: plies and ends; ``repetition``: the third occurrence; ``tables`` and ``evaluation``: what a
position is worth; ``informed``: playouts of players that look ahead; ``searching``: what searches ask; ``fen``,
``san``, ``text``: notation; ``pgn``: records.
"""

from gpumcts.games.chess import evaluation, informed, pgn, repetition, rules, searching, text
from gpumcts.games.chess.options import Chess

OPTION = Chess

__all__ = ["OPTION", "Chess", "evaluation", "informed", "pgn", "repetition", "rules", "searching", "text"]
