"""Moves sampled uniformly in the tree: MC and MMMC (Kocsis et al. 2006; Kocsis and Szepesvári 2006, section 3.1)."""

from typing import NamedTuple

import numpy as np

from gpumcts.rng import draw
from gpumcts.tree.selection.contract import CHILD_DRAWS, NODE_DRAW, U, prepare, score, tries_unvisited, unit


class Uniform(NamedTuple):
    """Every legal move with the same probability, visited or not, whatever its value.

    With ``backup=average`` this is MC, with ``backup=minimax`` MMMC; both play the move of highest value
    (``search.final=value``). Peret and Garcia's uncontrolled search (Kocsis et al. 2006, section 2.4) samples like it.
    """

    DRAWS = True


OPTION = Uniform


@tries_unvisited.implements(Uniform)
def uniform_tries_unvisited(rule, stream, unvisited, moves):
    return draw(stream, NODE_DRAW, moves) < U(unvisited)


@prepare.implements(Uniform)
def uniform_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    return 0.0, 0.0


@score.implements(Uniform)
def uniform_score(rule, operator, forest, tree, child, prepared, stream):
    return unit(stream, CHILD_DRAWS + np.int64(forest.action[tree, child]))
