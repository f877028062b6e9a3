"""The child that a visit goes to: the one of the highest score."""

import numpy as np
from numba.extending import overload

from gpumcts.jit import inlined
from gpumcts.rng import draw
from gpumcts.scratch import scratch
from gpumcts.tree.backup.contract import count, total_count
from gpumcts.tree.iteration.block_scores import BLOCK, score_block, scores_in_blocks, span_of_highest
from gpumcts.tree.iteration.estimates import ESTIMATES, estimate_block, has_parts, span_near_highest
from gpumcts.tree.selection.contract import node_factor, prepare, score
from gpumcts.tree.solve import with_proof
from gpumcts.verbs import JIT_OPTIONS, noinline

U = np.uint64
MANY = 24  # children: fewer are scored one after the other


@inlined
def best_child(rule, operator, forest, switches, tree, node, depth, stream):
    """The child of the highest score, and the score."""
    total = selection_total(operator, forest, switches, tree, node)
    prepared = prepare(rule, operator, forest, switches, tree, node, total, depth, stream)
    first = np.int64(forest.first_child[tree, node])
    end = first + np.int64(forest.child_count[tree, node])
    return best_among(rule, operator, forest, switches, tree, first, end, prepared, stream)


def best_among(rule, operator, forest, switches, tree, first, end, prepared, stream):
    """``best_child`` among the children ``first`` to ``end``: scored one after the other, many perhaps in blocks."""
    return best_one_by_one(rule, operator, forest, switches, tree, first, end, prepared, stream)


@overload(best_among, jit_options=JIT_OPTIONS)
def _best_among(rule, operator, forest, switches, tree, first, end, prepared, stream):
    def by_estimates_where_many(rule, operator, forest, switches, tree, first, end, prepared, stream):
        if forest.columns.shape[2] == 1 and end - first >= MANY:
            return best_by_estimates(rule, operator, forest, switches, tree, first, end, prepared, stream)
        return best_one_by_one(rule, operator, forest, switches, tree, first, end, prepared, stream)

    def in_blocks_where_many(rule, operator, forest, switches, tree, first, end, prepared, stream):
        if forest.columns.shape[2] == 1 and end - first >= MANY:
            return best_of_many(rule, operator, forest, switches, tree, first, end, prepared, stream)
        return best_one_by_one(rule, operator, forest, switches, tree, first, end, prepared, stream)

    if not scores_in_blocks(operator):
        return best_one_by_one
    return by_estimates_where_many if has_parts(rule.instance_class) else in_blocks_where_many


@inlined
def best_one_by_one(rule, operator, forest, switches, tree, first, end, prepared, stream):
    """``best_child`` among the children ``first`` to ``end``, one after the other."""
    best, chosen, equal = -np.inf, first, U(0)
    for child in range(first, end):
        candidate = score(rule, operator, forest, tree, child, prepared, stream)
        if switches.solve:
            candidate = with_proof(forest, tree, child, candidate)
        best, chosen, equal = better(forest, switches, tree, stream, child, candidate, best, chosen, equal)
    return np.int64(chosen), best


@inlined
def better(forest, switches, tree, stream, child, candidate, best, chosen, equal):
    """(highest score, its child, how many have it) once ``child``, whose score is ``candidate``, has been looked at."""
    if candidate > best:
        return candidate, child, U(1)
    if candidate == best:
        equal += U(1)
        if switches.random_ties:
            if draw(stream, equal, equal) == U(0):
                chosen = child
        elif forest.action[tree, child] < forest.action[tree, chosen]:
            chosen = child
    return best, chosen, equal


@inlined
def selection_total(operator, forest, switches, tree, node):
    """n(s): the node's own count, or the sum of its children's."""
    if not switches.children_count:
        return total_count(operator, forest, tree, node)
    total = 0.0
    first = forest.first_child[tree, node]
    for child in range(first, first + forest.child_count[tree, node]):
        if forest.visits[tree, child] > 0:
            total += count(operator, forest, tree, child)
    return total


# ------------------------------------------------------------------------------------------- many children, on the CPU


@noinline
def best_by_estimates(rule, operator, forest, switches, tree, first, end, prepared, stream):
    """``best_of_many`` by a rule whose scores have two parts: few children are scored exactly."""
    best, chosen, equal = -np.inf, first, U(0)
    estimates, factor = scratch(ESTIMATES, np.float64), node_factor(rule, prepared)
    for begin in range(first, end, ESTIMATES):
        size = min(end - begin, ESTIMATES)
        estimate_block(rule, operator, forest, switches, tree, begin, size, factor, estimates)
        low, high, least = span_near_highest(estimates, size, best)
        for i in range(low, high):
            if estimates[i] >= least:
                child = begin + i
                candidate = score(rule, operator, forest, tree, child, prepared, stream)
                if switches.solve:
                    candidate = with_proof(forest, tree, child, candidate)
                best, chosen, equal = better(forest, switches, tree, stream, child, candidate, best, chosen, equal)
    return np.int64(chosen), best


@noinline
def best_of_many(rule, operator, forest, switches, tree, first, end, prepared, stream):
    """``best_child`` among the children ``first`` to ``end`` of one column, a block at a time in vector code."""
    best, chosen, equal = -np.inf, first, U(0)
    scores = scratch(BLOCK, np.float64)
    for begin in range(first, end, BLOCK):
        size = min(end - begin, BLOCK)
        score_block(rule, operator, forest, switches, tree, begin, size, prepared, stream, scores)
        low, high = span_of_highest(scores, size, best)
        for i in range(low, high):
            child = begin + i
            best, chosen, equal = better(forest, switches, tree, stream, child, scores[i], best, chosen, equal)
    return np.int64(chosen), best
