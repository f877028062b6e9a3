"""No playout at all: the leaf's rescaled evaluation (UCT-H of document 004, section 4; the leaves of UCTMAX_H, 002 section 3)."""

from typing import NamedTuple

import numpy as np

from gpumcts.games.contract import random_move
from gpumcts.playouts.contract import choose, cut


class Evaluation(NamedTuple):
    """The evaluation in place of a playout; several playouts of a leaf all return the same."""

    LANES = True


OPTION = Evaluation


@cut.implements(Evaluation)
def evaluation_cut(policy):
    return np.int64(0)


@choose.implements(Evaluation, object)
def evaluation_choose(policy, game, state, stream):
    return random_move(game, state, stream)
