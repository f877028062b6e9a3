"""The four steps of an iteration: ``select``, ``expand``, evaluate (the kernels), ``back_up``, each compiled by itself.

On the CPU the glue takes the steps as values: selection for (rule, operator), expansion for the game, evaluation for
(game, policy), the back-up for the operator. On the device all of them go into one kernel.
"""

from typing import Any, NamedTuple

import numba
from numba import types

from gpumcts.compiling.class_names import title
from gpumcts.jit import Source, keep_type, separate
from gpumcts.tree.backup.contract import back_up_at
from gpumcts.tree.iteration.back_up import back_up_leaves, back_up_part
from gpumcts.tree.iteration.batch import Batch
from gpumcts.tree.iteration.expand import expand
from gpumcts.tree.iteration.select import select
from gpumcts.tree.selection.contract import NoLearner


class Method(NamedTuple):
    """What a search is made of, as it travels into compiled code; numba makes a type of it for each choice of options.

    Where playouts are played elsewhere, ``policy`` is None: so one compilation serves all policies.
    """

    rule: Any
    operator: Any
    game: Any  # what playouts are played on: the game, or a ``traces.Traced`` that holds it
    policy: Any
    switches: Any


class Steps(NamedTuple):
    """The steps of a method as compiled code calls them.

    On the CPU what ``gpumcts.jit.separate`` returns, on the device the functions themselves.
    """

    select: Any
    expand: Any
    evaluate: Any  # None where playouts are played elsewhere
    back_up: Any
    back_up_part: Any = None  # where threads share a tree


keep_type(Steps)

OPEN = (types.int64, types.int64, types.int64)  # begin, end, side


def select_source(rule: Any, operator: Any, forest: Any, switches: Any, batch: Batch) -> Source:
    """``select`` for a rule and an operator (values; forest, switches and batch give the types)."""
    typed = (numba.typeof(v) for v in (rule, operator, forest, switches))
    signature = types.void(*typed, *OPEN, numba.typeof(batch))
    function = select.find(type(switches))
    return Source(function, signature, f"selection by {title(rule)} over {title(operator)}")


def expand_source(game: Any, forest: Any, switches: Any, batch: Batch) -> Source:
    """``expand`` for a game."""
    typed = (numba.typeof(v) for v in (game, forest, switches))
    signature = types.int64(*typed, *OPEN, numba.typeof(batch))
    return Source(expand.find(type(switches)), signature, f"tree moves of {title(game)}")


def back_up_source(learner: Any, operator: Any, forest: Any, switches: Any, batch: Batch) -> Source:
    """``back_up_leaves`` for an operator, and a learner."""
    typed = (numba.typeof(v) for v in (learner, operator, forest, switches))
    signature = types.void(*typed, types.int64, types.int64, numba.typeof(batch))
    learning = "" if isinstance(learner, NoLearner) else f", {title(learner)} learning"
    return Source(back_up_leaves, signature, f"backup by {title(operator)}{learning}")


def is_shared(learner: Any, operator: Any, switches: Any) -> bool:
    """Whether threads share the back-up in a tree: it changes each node by itself, and nothing is learnt or proven."""
    return back_up_at.find(type(operator)) is not None and isinstance(learner, NoLearner) and not switches.solve


def back_up_part_source(operator: Any, forest: Any, switches: Any, batch: Batch) -> Source:
    """``back_up_part`` for an operator; one that does nothing for an operator without ``back_up_at``."""
    typed = (numba.typeof(v) for v in (operator, forest, switches))
    places = types.Array(types.int32, 1, "C")
    counts = (types.int64, types.int64, types.boolean)
    signature = types.void(*typed, places, places, *counts, numba.typeof(batch))
    function = _no_part if back_up_at.find(type(operator)) is None else back_up_part
    return Source(function, signature, f"shared backup by {title(operator)}")


def back_up_part_step(operator: Any, forest: Any, switches: Any, batch: Batch) -> Any:
    """``back_up_part_source``, compiled."""
    return separate(*back_up_part_source(operator, forest, switches, batch))


def _no_part(operator, forest, switches, rows, tops, begin, end, above, batch):
    return None
