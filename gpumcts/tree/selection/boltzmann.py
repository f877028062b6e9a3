"""Boltzmann exploration: Kocsis et al. 2006, section 2.4, and Kocsis and Szepesvári 2006, section 3.3, after Peret and
Garcia 2004."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.rng import bits
from gpumcts.tree.backup.contract import value
from gpumcts.tree.deterministic_math import ln
from gpumcts.tree.selection.contract import CHILD_DRAWS, U, prepare, score


class Boltzmann(NamedTuple):
    """A visited move with probability proportional to ``exp(value / temperature)``; unvisited ones come first.

    temperature : fixed, in units of value (rewards in [0, 1]); the documents give none for UCT. For ARTDP it "is kept
        at a fixed value, tuned on small-size problems" (Kocsis and Szepesvári 2006, section 3.2); towards 0 the best
        move is taken, towards infinity any

    Drawn by the Gumbel-max trick: the highest of ``value / temperature - ln(-ln u)``, u uniform in (0, 1), is child j
    with just that probability.
    """

    temperature: Annotated[float, Interval(ge=1e-6, le=1e6)] = 0.1

    DRAWS = True


OPTION = Boltzmann


@prepare.implements(Boltzmann)
def boltzmann_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    return 1.0 / rule.temperature, 0.0


@score.implements(Boltzmann)
def boltzmann_score(rule, operator, forest, tree, child, prepared, stream):
    word = bits(stream, CHILD_DRAWS + np.int64(forest.action[tree, child]))
    u = (float(word >> U(12)) + 0.5) * 2.0**-52  # neither 0 nor 1
    return value(operator, forest, tree, child) * prepared[0] - ln(-ln(u))
