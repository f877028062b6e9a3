"""Checks of a game's class: its declared attributes, and a body for every verb that it needs."""

from typing import Any

import numpy as np

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.conformance import places
from gpumcts.games.states import class_of_states
from gpumcts.rng import PLIES_PER_KEY

REQUIRED = (
    "start",
    "mover",
    "count_moves",
    "nth_move",
    "play",
    "score",
    "move_text",
    "board_text",
    "position_text",
    "parse_position",
)
"""The verbs that have no default body."""
MAX_COUNTED_MOVES = 32_767
MAX_WORDS = 64
COLOURS = ("black", "white")


def check(game: Any) -> None:
    """Raises BadInput, one line, where the class of a game (as it travels into compiled code) is not complete."""
    kind = type(game)
    where = places.of_class(kind)
    check_bodies(game, where)
    limits = {"MAX_PLIES": PLIES_PER_KEY - 1, "MAX_MOVES": MAX_COUNTED_MOVES, "PLAYERS": 2, "WORDS": MAX_WORDS}
    for name, most in limits.items():
        said = _attribute(game, name, where)
        if isinstance(said, bool) or not isinstance(said, int | np.integer) or not 1 <= said <= most:
            raise BadInput(f"{where}: {title(kind)}.{name} = {said!r}: must be an integer in [1, {most}]")
    if not isinstance(_attribute(game, "LANES", where), bool):
        raise BadInput(f"{where}: {title(kind)}.LANES = {game.LANES!r}: must be True or False")
    if not isinstance(named := getattr(game, "NAMED_MOVES", False), bool):
        raise BadInput(f"{where}: {title(kind)}.NAMED_MOVES = {named!r}: must be True or False")
    if (first := getattr(game, "FIRST", COLOURS[0])) not in COLOURS:
        raise BadInput(f"{where}: {title(kind)}.FIRST = {first!r}: must be 'black' or 'white'")
    cells = getattr(game, "CELLS", 0)
    if isinstance(cells, bool) or not isinstance(cells, int | np.integer) or not 0 <= cells <= MAX_COUNTED_MOVES:
        raise BadInput(f"{where}: {title(kind)}.CELLS = {cells!r}: must be an integer in [0, {MAX_COUNTED_MOVES}]")


def check_bodies(game: Any, where: str) -> None:
    """Raise BadInput where a required verb has no body; a game without a named class of states needs ``unpack`` too."""
    kind = type(game)
    for name in REQUIRED:
        if getattr(contract, name).find(kind) is None:
            raise BadInput(f"{where}: {title(kind)} has no body of {name}: write one, @contract.{name}.implements")
    own = contract.unpack.find(kind) is not contract.unpack.find(object)
    if class_of_states(game) is None and not own:
        raise BadInput(
            f"{where}: nothing says what states of {title(kind)} are: put @contract.state_of({title(kind)}) "
            "before their class"
        )


def _attribute(game: Any, name: str, where: str) -> Any:
    try:
        return getattr(game, name)
    except AttributeError:
        raise BadInput(f"{where}: {title(type(game))} has no {name}: say it in the class") from None
