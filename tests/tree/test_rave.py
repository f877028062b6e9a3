"""RAVE: the forest against the slow UCT with RAVE, eq. 8 of document 002 by hand, traces, and what is refused."""

import math

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.traces import traced
from gpumcts.tree.selection.rave import Rave
from gpumcts.tree.settings import Settings
from tests.reference.rave import plain_playouts
from tests.tree.drivers import (
    OTHELLO,
    SAME_VALUE,
    TOY_GAMES,
    UNIFORM,
    assert_like_reference,
    keys_for,
    operator_of,
    othello_states,
    packed,
    searcher_of,
)

DOTS = TOY_GAMES["dots"]
SETTINGS = {
    "threshold": Settings(expansion="threshold", threshold=3),
    "leaves": Settings(leaves_per_tree=4),
    "leaves and playouts": Settings(leaves_per_tree=3, playouts_per_leaf=2),
    "urgency": Settings(first_play_urgency=0.6),
    "first": Settings(ties="first"),
    "root": Settings(expansion="root", leaves_per_tree=2),
    "solve": Settings(solve=True, leaves_per_tree=2),
}


# ------------------------------------------------------------------------------------------------- like the reference


@pytest.mark.parametrize("operator", ["average", "accelerated", "discounted"])
def test_othello_is_the_reference(operator):
    searcher = searcher_of(operator_of(operator), rule=Rave())
    assert_like_reference(searcher, othello_states(), 200)
    assert_like_reference(searcher, othello_states()[:1], 400, seed=2)
