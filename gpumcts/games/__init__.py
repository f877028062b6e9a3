"""Games, one file each, on :mod:`gpumcts.games.contract`. The package is a function too: ``gpumcts.games()``."""

import sys
from types import ModuleType

from gpumcts.games import defaults as defaults


class _Games(ModuleType):
    """The package, which ``gpumcts.games()`` calls for the names of the games."""

    def __call__(self) -> list[str]:
        from gpumcts import options

        return options.names("game")


sys.modules[__name__].__class__ = _Games
