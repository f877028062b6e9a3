"""gpumcts: Monte-Carlo playout research on two-player games; UCT trees on the CPU, playouts in batches on CPU or CUDA.

    import gpumcts as g

    game = g.make("othello")
    search = g.Search(game, playout="uniform", backup=g.backup.Accelerated(decay=0.999))
    result = search(g.start(game), iterations=1000, seed=1)
    print(g.move_text(game, g.start(game)[0], result.best[0]))

Names are loaded when they are first used, so importing the package is quick. ``docs/python.md`` describes all of them.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "BadInput",
    "Match",
    "Search",
    "SearchResult",
    "Tally",
    "after",
    "backup",
    "board_text",
    "games",
    "legal_moves",
    "make",
    "move_text",
    "play",
    "play_match",
    "play_out",
    "players",
    "playouts",
    "position",
    "position_text",
    "random_positions",
    "selection",
    "start",
]

if TYPE_CHECKING:
    from gpumcts import players as players
    from gpumcts import playouts as playouts
    from gpumcts.api.match import Match as Match
    from gpumcts.api.match import play_match as play_match
    from gpumcts.api.option_values import games as games
    from gpumcts.api.option_values import make as make
    from gpumcts.api.positions import after as after
    from gpumcts.api.positions import board_text as board_text
    from gpumcts.api.positions import legal_moves as legal_moves
    from gpumcts.api.positions import move_text as move_text
    from gpumcts.api.positions import play as play
    from gpumcts.api.positions import position as position
    from gpumcts.api.positions import position_text as position_text
    from gpumcts.api.positions import random_positions as random_positions
    from gpumcts.api.positions import start as start
    from gpumcts.api.search import Search as Search
    from gpumcts.api.search_result import SearchResult as SearchResult
    from gpumcts.api.tally import Tally as Tally
    from gpumcts.api.tally import play_out as play_out
    from gpumcts.errors import BadInput as BadInput
    from gpumcts.tree import backup as backup
    from gpumcts.tree import selection as selection

_MODULES = {
    "backup": "gpumcts.tree.backup",
    "games": "gpumcts.games",
    "players": "gpumcts.players",
    "playouts": "gpumcts.playouts",
    "selection": "gpumcts.tree.selection",
}
_HOMES = {
    "gpumcts.api.match": ("Match", "play_match"),
    "gpumcts.api.option_values": ("make",),
    "gpumcts.api.positions": (
        "after",
        "board_text",
        "legal_moves",
        "move_text",
        "play",
        "position",
        "position_text",
        "random_positions",
        "start",
    ),
    "gpumcts.api.search": ("Search",),
    "gpumcts.api.search_result": ("SearchResult",),
    "gpumcts.api.tally": ("Tally", "play_out"),
    "gpumcts.errors": ("BadInput",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # type checkers are to refuse unknown names

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            found: object = importlib.import_module(_MODULES[name])
        elif name in _HOME_OF:
            found = getattr(importlib.import_module(_HOME_OF[name]), name)
        else:
            raise AttributeError(f"module 'gpumcts' has no attribute {name!r}; there are: {', '.join(__all__)}")
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return [*__all__, "__version__"]
