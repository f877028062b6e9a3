"""The random playout: every legal move equally likely, or every turn where a game gives its plies weights."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.games.contract import random_move
from gpumcts.playouts.contract import choose


class Uniform(NamedTuple):
    """Uniformly random moves (all five papers), or moves by the game's ``move_weight``.

    truncate : plies after which the evaluation stands for the outcome; 0 plays to the end
    """

    truncate: Annotated[int, Interval(ge=0, le=65535)] = 0

    LANES = True


OPTION = Uniform


@choose.implements(Uniform, object)
def uniform_choose(policy, game, state, stream):
    return random_move(game, state, stream)
