"""Estimates of the scores of many children, in vector code: the exact score of those alone that may be the highest.

Where a score is ``value + factor(node) * weight(child)``, an estimate takes a product and a sum. It differs from the
score by rounding alone. So the children within SLACK of the highest estimate are scored exactly, and the choice is that
of scoring all of them.
"""

from typing import Any

import numpy as np

from gpumcts.bits import bits_float, float_bits
from gpumcts.jit import inlined
from gpumcts.tree.backup.contract import value
from gpumcts.tree.selection.contract import child_weight, node_factor, prepare, score
from gpumcts.tree.solve import with_proof

ESTIMATES = 128  # children estimated at once, at most: 1 KiB on the stack
SLACK = 1e-12  # an estimate lies nearer to its score, relative to 1 + the score


def has_parts(rule: Any) -> bool:
    """Whether the scores of a rule (its class) have two parts: those of the score it has, where it is a subclass."""
    weight = child_weight.find(rule)
    if weight is None:
        return False
    owner = [kind for kind in rule.__mro__ if child_weight.find(kind) is weight][-1]
    return all(verb.find(rule) is verb.find(owner) for verb in (prepare, score, node_factor))


@inlined
def estimate_block(rule, operator, forest, switches, tree, begin, size, factor, estimates):
    """Estimate the scores of ``size`` children, number ``begin`` and on, into ``estimates`` (float64[size])."""
    first = np.int64(np.uint32(begin))  # no index counts from an array's end: see ``block_scores.score_block``
    if forest.columns.shape[2] == 1:
        for i in range(size):
            weight = child_weight(rule, operator, forest, tree, first + i)
            estimates[i] = value(operator, forest, tree, first + i) + factor * weight
    if switches.solve:
        for i in range(size):
            estimates[i] = with_proof(forest, tree, first + i, estimates[i])


@inlined
def flipped(bits):
    """The bits of a float64 as an int64 that is the greater the greater the number is, and back; NaN is the greatest.

    Compared as integers: because of NaN, LLVM makes no vector code of a maximum of floats.
    """
    return bits ^ ((bits >> np.int64(63)) & np.int64((1 << 63) - 1))


@inlined
def span_near_highest(estimates, size, best):
    """(first, behind the last, least estimate) of the children that may score as high as any, and as ``best``.

    Of a proven child an estimate is -inf.
    """
    highest = np.int64(-(1 << 63))
    for i in range(size):
        highest = max(highest, flipped(np.int64(float_bits(estimates[i]))))
    here = bits_float(np.uint64(flipped(highest)))
    if not here < np.inf:  # infinite, or NaN: scores decide
        return np.int64(0), np.int64(size), -np.inf
    top = max(here, best)
    least = top - SLACK * (1.0 + abs(top)) if top > -np.inf else top
    if here < least:
        return np.int64(0), np.int64(0), least
    low, high = size, np.int64(0)
    for i in range(size):
        is_near = estimates[i] >= least
        low, high = min(low, i if is_near else size), max(high, i + 1 if is_near else 0)
    return low, high, least
