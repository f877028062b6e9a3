"""The rows of a group choose among many children of a node, one after the other, with most of each score kept.

A row's choice counts as a visit of the node and of the child, so the next row meets every score anew. Most of a score
stays: where it has two parts (``estimates``), the chosen child's value and weight change alone. They lie in a
table. A row estimates all scores by a product and a sum each, and has those scored exactly that may be the highest.
"""

import numpy as np
from numba.core.target_extension import current_target
from numba.extending import overload

from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP
from gpumcts.scratch import scratch
from gpumcts.tree.backup.contract import value
from gpumcts.tree.forest import NO_NODE, add_in_flight
from gpumcts.tree.iteration.batch import AT, CHOICE, NEXT, TIES
from gpumcts.tree.iteration.best_child import better, selection_total
from gpumcts.tree.iteration.estimates import has_parts, span_near_highest
from gpumcts.tree.selection.contract import child_weight, node_factor, prepare, score
from gpumcts.tree.solve import with_proof
from gpumcts.verbs import JIT_OPTIONS, noinline

U = np.uint64
MIN_CHILDREN = 24  # fewer are scored one after the other
MAX_CHILDREN = 4_096  # of a table, which lies on the stack: 96 KiB


def chosen_by_estimates(rule, operator, forest, switches, tree, head, node, depth, batch):
    """Let the rows of a group from AT on choose by estimates, where that is possible and pays; whether it is done.

    On the CPU, by rules with ``child_weight``, where all rows choose among many children in the tree. In plain Python
    it never is.
    """
    return False


@overload(chosen_by_estimates, jit_options=JIT_OPTIONS)
def _chosen_by_estimates(rule, operator, forest, switches, tree, head, node, depth, batch):
    if current_target() != "cpu" or not has_parts(rule.instance_class):
        return chosen_by_estimates

    def where_it_pays(rule, operator, forest, switches, tree, head, node, depth, batch):
        moves, children = np.int64(forest.move_count[tree, node]), np.int64(forest.child_count[tree, node])
        if children != moves or not MIN_CHILDREN <= children <= MAX_CHILDREN or (depth > 0 and switches.flat):
            return False
        choose_by_estimates(rule, operator, forest, switches, tree, head, node, depth, batch)
        return True

    return where_it_pays


@noinline
def choose_by_estimates(rule, operator, forest, switches, tree, head, node, depth, batch):
    """The rows of a group from AT on choose among the children of ``node``, all of which have been visited."""
    first, size = np.int64(forest.first_child[tree, node]), np.int64(forest.child_count[tree, node])
    values, weights, estimates = scratch(size, np.float64), scratch(size, np.float64), scratch(size, np.float64)
    enter_children(rule, operator, forest, switches, tree, first, size, values, weights)
    row = np.int64(batch.links[head, AT])
    while row != NO_NODE:
        stream = batch.streams[row, TIES] + U(depth) * PLY_STEP
        total = selection_total(operator, forest, switches, tree, node)
        prepared = prepare(rule, operator, forest, switches, tree, node, total, depth, stream)
        factor = node_factor(rule, prepared)
        for i in range(size):
            estimates[i] = values[i] + factor * weights[i]
        low, high, least = span_near_highest(estimates, size, -np.inf)
        best, chosen, equal = -np.inf, first, U(0)
        for i in range(low, high):
            if estimates[i] >= least:
                candidate = score(rule, operator, forest, tree, first + i, prepared, stream)
                if switches.solve:
                    candidate = with_proof(forest, tree, first + i, candidate)
                best, chosen, equal = better(forest, switches, tree, stream, first + i, candidate, best, chosen, equal)
        place = np.int64(chosen) - first
        batch.links[row, CHOICE] = place
        add_in_flight(forest, tree, first + place, switches.playouts)
        add_in_flight(forest, tree, node, switches.playouts)
        enter_child(rule, operator, forest, switches, tree, first, place, values, weights)
        row = np.int64(batch.links[row, NEXT])
    batch.links[head, AT] = NO_NODE


@inlined
def enter_children(rule, operator, forest, switches, tree, begin, size, values, weights):
    """Enter all children into the table, in vector code: float64[size] each."""
    first = np.int64(np.uint32(begin))  # no index counts from an array's end: see ``block_scores.score_block``
    for i in range(size):
        values[i] = value(operator, forest, tree, first + i)
        weights[i] = child_weight(rule, operator, forest, tree, first + i)
    if switches.solve:
        for i in range(size):
            values[i] = with_proof(forest, tree, first + i, values[i])


@inlined
def enter_child(rule, operator, forest, switches, tree, first, place, values, weights):
    """Enter a child anew that has been chosen."""
    values[place] = value(operator, forest, tree, first + place)
    weights[place] = child_weight(rule, operator, forest, tree, first + place)
    if switches.solve:
        values[place] = with_proof(forest, tree, first + place, values[place])
