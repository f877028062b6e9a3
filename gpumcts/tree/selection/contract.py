"""The contract of a selection rule: three verbs, over the ``value`` and ``count`` of any backup operator.

A rule is a ``NamedTuple`` of numbers. The child of the highest score is selected; equal scores are settled by
``Settings.ties``. A rule that draws at random takes its numbers from the stream it is given, ``NODE_DRAW`` for the node
and ``CHILD_DRAWS`` plus its move for each child, so that they do not meet those of ties and unvisited moves. Class
attributes are optional:

``NEEDS``    name of the operator verb that the rule cannot do without: ``variance``, ``bound`` or ``owed``
``COUNTS``   name of the field that weighs what visits add to a score ("" where none does). A rule without ``COUNTS``
             scores by values or draws alone: samples in flight can show there as losses, but not be counted apart
``DRAWS``    True where scores are draws, and no values that ``Settings.first_play_urgency`` could be measured with
``TRACES``   True where the rule learns from the moves of the playouts (``learn``). All children of a node are made at
             once then, those without visits too, and ``score`` is asked for all of them
``COLUMNS``  names of float64 columns of the forest that such a rule keeps after the operator's, 8 bytes a node each

A rule that traces wants a game with ``CELLS``. An operator may have another form beside it (method ``beside_traces``).

Logarithms and powers come from ``tree.deterministic_math``: C libraries differ between machines, the last bit decides
ties.
"""

from typing import Any, NamedTuple

import numpy as np

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

    total : n(s), float64 > 0
    depth : of the node below the root
    stream : uint64, draws of this iteration at this depth
    """


@verb("rule")
def score(rule, operator, forest, tree, child, prepared, stream):
    """The score of a visited child, float64."""


# Two verbs that only some rules answer, no defaults: those whose score is ``value + factor of the node * weight of the
# child``, within 1e-13 of 1 + the score. Both estimate the scores of many children (``iteration/estimates.py``), and
# ``score`` is asked for the highest alone; rows that choose one after the other keep both (``group_choice.py``).


@verb("rule")
def node_factor(rule, prepared):
    """What ``prepare`` told, as the factor of a node, float64 >= 0."""


@verb("rule")
def child_weight(rule, operator, forest, tree, child):
    """The weight of a visited child, float64 >= 0: by its own visits alone."""


@verb("rule")
def tries_unvisited(rule, stream, unvisited, moves):
    """Whether a node, ``unvisited`` (int64 > 0) of its ``moves`` being unvisited, tries one whatever the scores."""


@tries_unvisited.implements(object)
def unvisited_first(rule, stream, unvisited, moves):
    return True


@verb("rule")
def learner(rule):
    """The value that ``learn`` gets: the rule where it traces, else one that all other rules share."""


@verb("rule")
def learn(rule, forest, switches, tree, path, movers, depth, tally, row):
    """Learn from the playouts of a leaf, after the operator has backed it up.

    path, movers, depth : as in ``back_up``
    tally : int64[B, 4 + P K], row ``row`` is the leaf's: after the sums, of each playout its score and its trace
        (``playouts.contract``), which may be written over
    """


class NoLearner(NamedTuple):
    """Learns nothing from a playout."""


@learner.implements(object)
def learner_of_none(rule):
    return NoLearner()


@learn.implements(NoLearner)
def learn_nothing(rule, forest, switches, tree, path, movers, depth, tally, row):
    return None


@inlined
def unit(stream, j):
    """Draw j of a stream as a float64 in [0, 1): its 53 high bits."""
    return float(bits(stream, j) >> U(11)) * 2.0**-53


def fits(rule: Any, operator: Any) -> bool:
    """Whether an operator answers every verb that a rule asks of it."""
    return answers(type(operator), getattr(rule, "NEEDS", None))


def learns_from_traces(rule: Any) -> bool:
    """Whether a rule learns from the moves of the playouts."""
    return getattr(rule, "TRACES", False)


def column_count(rule: Any, operator: Any) -> int:
    """float64 columns of the forest that a rule and an operator keep together."""
    return len(operator.COLUMNS) + len(getattr(rule, "COLUMNS", ()))


def answers(operator: type, needed: str | None) -> bool:
    """Whether the operators of a class answer a verb, by its name; None is answered by all."""
    return needed is None or getattr(backup, needed).find(operator) is not None
