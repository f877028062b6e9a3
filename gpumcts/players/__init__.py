"""Players of matches. Each chooses moves for many positions at once.

``descriptions`` has what ``gpumcts.play_match`` takes: ``gpumcts.players.Random()``,
``gpumcts.players.Minimax(depth=3)``.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what type checkers see; the classes are loaded when they are first used
    from gpumcts.players.descriptions import AlphaBeta as AlphaBeta
    from gpumcts.players.descriptions import Gtp as Gtp
    from gpumcts.players.descriptions import Minimax as Minimax
    from gpumcts.players.descriptions import MonteCarlo as MonteCarlo
    from gpumcts.players.descriptions import Pvs as Pvs
    from gpumcts.players.descriptions import Random as Random
    from gpumcts.players.descriptions import Sensei as Sensei
    from gpumcts.players.descriptions import Uci as Uci
    from gpumcts.players.descriptions import Uct as Uct

_DESCRIPTIONS = ("AlphaBeta", "Gtp", "Minimax", "MonteCarlo", "Pvs", "Random", "Sensei", "Uci", "Uct")


def names() -> list[str]:
    """The names of the classes that describe players, each an attribute of this package.

    >>> import gpumcts as g
    >>> "Random" in g.players.names()
    True
    """
    return list(_DESCRIPTIONS)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _DESCRIPTIONS:
            there = f"; there are: {', '.join(_DESCRIPTIONS)}" if name[:1].isupper() else ""
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{there}")
        return getattr(importlib.import_module("gpumcts.players.descriptions"), name)

    def __dir__() -> list[str]:
        return ["names", *_DESCRIPTIONS]
