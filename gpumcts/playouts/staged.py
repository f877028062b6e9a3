"""Random playouts whose moves are drawn in stages where the game has stages.

The stages of Amazons are the amazon, where she goes, and her arrow: each is drawn uniformly from what there is, as
programs do that take a turn for three plies. Turns are not equally likely then: where few arrows follow, each of them
is drawn more often. Where a game has no stages, moves are those of uniform playouts.
"""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.games.contract import staged_move
from gpumcts.playouts.contract import choose, in_lanes


class Staged(NamedTuple):
    """Moves drawn in stages.

    truncate : plies after which the evaluation stands for the outcome; 0 plays to the end
    """

    truncate: Annotated[int, Interval(ge=0, le=65535)] = 0

    LANES = True


OPTION = Staged


@choose.implements(Staged, object)
def staged_choose(policy, game, state, stream):
    return staged_move(game, state, stream)


@in_lanes.implements(Staged, object)
def staged_in_lanes(policy, game):
    return game.LANES
