"""Violations of the bounds that a game's class states, as a search meets them."""

from typing import Any

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput

MET = {"MAX_MOVES": "a position with more legal moves", "MAX_PLIES": "a game with more plies"}


def beyond(game: Any, bound: str) -> BadInput:
    """The error of a search that met what ``bound``, MAX_MOVES or MAX_PLIES, of a game's class leaves no room for."""
    kind = type(game)
    stated = f"{kind.__module__}: {title(kind)}.{bound} = {getattr(game, bound)}"
    return BadInput(f"{stated}, but the search has met {MET[bound]}; state the greatest number there can be")
