"""Informed playouts of Go, in the order of Fuego 0.4.1: each ply a uniform draw from the first set below with a move.

1. ``capture``: the last liberty of the chain of the last move.
2. ``defend``: of own chains in atari next to the last move the last liberty, if that is no self-atari, and captures of
   chains in atari around them.
3. ``low_liberty``: of the chain of the last move, and of own ones next to it, that have two liberties, those where
   their owner would have more than two and the move is no self-atari.
4. ``patterns``: points around the last two moves that match one of MoGo's patterns (``patterns``).
5. ``any_capture``: the last liberty of any chain of the opponent in atari.
6. All points, as uniform playouts draw them.

Suicides, banned points and own eyes are in none of them. By ``correction`` a self-atari is moved to the one liberty
that it would have, where that is none (and no eye). By ``mercy`` both players pass once one has so many more stones,
and the board is scored as it stands; Fuego gives the game to the side with more stones there, which is nearly always
the same. The other parts of the policy of later versions of Fuego (nakade, clumps, bias of moves) are left out.

Enzenberger, Müller, Arneson, Segal 2010, "Fuego - an open-source framework for board games and Go engine based on Monte
Carlo tree search". The words of it that leave a choice: a liberty *gains* where a stone of the chain's owner on it
would have at least three; a stone that is captured next to a move counts as a liberty of it; a pass is no last move.
"""

from gpumcts.playouts.go import playout
from gpumcts.playouts.go.options import GoPolicy

OPTION = GoPolicy

__all__ = ["OPTION", "GoPolicy", "playout"]
