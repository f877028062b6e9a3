"""No playout at all: the leaf's rescaled evaluation (UCT-H of Ramanujan et al. 2010, section 4; the leaves of UCTMAX_H,
Hashimoto et al. 2012 section 3)."""

import math
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games.contract import SCORE_UNIT, evaluation, evaluation_limit, mover, random_move
from gpumcts.jit import inlined
from gpumcts.playouts.contract import choose, cut, rescaled_to, value_at_cut

STEEPNESS = 8
"""What the logistic curve has at the limit of the evaluation: 2 / (1 + exp(-8)) - 1 is 0.9993 of a win."""
STEPS = 256
_CURVE = [round(SCORE_UNIT * math.tanh(STEEPNESS / 2 * i / STEPS)) for i in range(STEPS + 1)]
CURVE = np.array([*_CURVE, _CURVE[-1]], np.int64)
"""int64[STEPS + 2]: the curve at equal steps up to the limit, in score units; the last twice, for the step after it."""


class Evaluation(NamedTuple):
    """The evaluation in place of a playout; several playouts of a leaf all return the same.

    rescaling : how the evaluation v becomes a score in [-1, 1], L being ``limit``. ``linear``: v / L, clamped, which
        Ramanujan et al. 2010 found best. ``sigmoid``: the logistic curve 2 / (1 + exp(-8 v / L)) - 1; they tried
        "sigmoidal functions" and do not say which. In Chess, where L = 4,030, a pawn is 0.02 and 0.10, a queen 0.22
        and 0.71
    limit : the evaluation, in the game's own units, that stands for a win, and beyond which all are worth one; None:
        the game's ``evaluation_limit``. In Chess theirs is 6,500, beside which a pawn is 0.015
    """

    rescaling: Literal["linear", "sigmoid"] = "linear"
    limit: Annotated[int, Interval(ge=1, le=1 << 30)] | None = None

    LANES = True

    def compiled(self) -> "Linear":
        """The rescaling as a class, the limit as a number, 0 for the game's. Raises BadInput for another text."""
        if self.rescaling not in ("linear", "sigmoid"):
            raise BadInput(f"playout.rescaling={self.rescaling}: must be linear or sigmoid")
        return (Linear if self.rescaling == "linear" else Sigmoid)(self.limit or 0)


OPTION = Evaluation


class Linear(NamedTuple):
    """The evaluation rescaled linearly, as it travels into compiled code; ``limit`` is 0 for the game's own."""

    limit: int

    LANES = True
    EVALUATES = True


class Sigmoid(Linear):
    """The evaluation on a logistic curve."""


@cut.implements(Linear)
def evaluation_cut(policy):
    return np.int64(0)


@choose.implements(Linear, object)
def evaluation_choose(policy, game, state, stream):
    return random_move(game, state, stream)


@inlined
def limit_of(policy, game):
    """The evaluation that stands for a win, int64."""
    return np.int64(policy.limit) if policy.limit > 0 else np.int64(evaluation_limit(game))


@value_at_cut.implements(Linear, object)
def on_the_line(policy, game, state):
    return np.int64(rescaled_to(limit_of(policy, game), game, state))


@value_at_cut.implements(Sigmoid, object)
def on_the_curve(policy, game, state):
    """In integers, straight between entries of CURVE, which is within 3e-5 of the curve; the same on every target."""
    limit = limit_of(policy, game)
    value = np.int64(min(max(evaluation(game, state), -limit), limit))
    steps = abs(value) * STEPS
    at = steps // limit
    size = CURVE[at] + (CURVE[at + 1] - CURVE[at]) * (steps - at * limit) // limit
    for_mover = size if value >= 0 else -size
    return -for_mover if mover(game, state) == 1 else for_mover
