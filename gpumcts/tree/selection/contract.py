"""What a selection rule is: three verbs, over the ``value`` and ``count`` of any backup operator.

A rule is a ``NamedTuple`` of numbers. The child of the highest score is selected; equal scores are settled by ``Settings.ties``.
A rule that draws at random takes its numbers from the stream it is given, ``NODE_DRAW`` for the node and ``CHILD_DRAWS`` plus
its move for each child, so that they do not meet those of ties and unvisited moves. Two class attributes are optional:

``NEEDS``  name of the operator verb that the rule cannot do without: ``variance``, ``bound`` or ``owed``
``DRAWS``  True where scores are draws, and no values that ``Settings.first_play_urgency`` could be measured with

Logarithms and powers come from ``tree.elementary``: the C library's differ between machines, and the last bit decides ties.
"""

import math
from typing import Any

import numpy as np

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.jit import inlined
from gpumcts.rng import bits
from gpumcts.tree.backup import contract as backup
from gpumcts.verbs import verb

U = np.uint64
NODE_DRAW = 1 << 32
CHILD_DRAWS = (1 << 32) + 1


@verb("rule")
def prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    """What the scores of all children of a node share: two float64.

    total : n(s), float64 > 0; depth : of the node below the root; stream : uint64, draws of this iteration at this depth
    """


@verb("rule")
def score(rule, operator, forest, tree, child, prepared, stream):
    """The score of a visited child, float64."""


@verb("rule")
def tries_unvisited(rule, stream, unvisited, moves):
    """Whether a node with ``unvisited`` (int64 > 0) of its ``moves`` not visited yet tries one of them, whatever the scores."""


@tries_unvisited.implements(object)
def unvisited_first(rule, stream, unvisited, moves):
    return True


@inlined
def unit(stream, j):
    """Draw j of a stream as a float64 in [0, 1): its 53 high bits."""
    return float(bits(stream, j) >> U(11)) * 2.0**-53


def fits(rule: Any, operator: Any) -> bool:
    """Whether an operator answers every verb that a rule asks of it."""
    return _answers(type(operator), getattr(rule, "NEEDS", None))


def check(rule: Any, operator: Any, first_play_urgency: float = math.inf) -> None:
    """Refuse a rule that cannot work with the operator or the settings, before anything is compiled. Raises BadInput."""
    name = _option_name(rule)
    if not fits(rule, operator):
        fitting = [o for o in options.names("backup") if _answers(options.option("backup", o), rule.NEEDS)]
        raise BadInput(
            f"selection={name} asks the operator for `{rule.NEEDS}`, and backup={_option_name(operator)} has none; "
            f"take backup={' or '.join(fitting)}"
        )
    if getattr(rule, "DRAWS", False) and first_play_urgency != math.inf:
        raise BadInput(
            f"search.first_play_urgency={first_play_urgency}: must be .inf with selection={name}, which draws"
        )


def _answers(operator: type, needed: str | None) -> bool:
    return needed is None or getattr(backup, needed).find(operator) is not None


def _option_name(value: Any) -> str:
    """What an option is called in a configuration: its module, without the library's folders."""
    module = type(value).__module__
    return module.rpartition(".")[2] if module.startswith("gpumcts.") else module
