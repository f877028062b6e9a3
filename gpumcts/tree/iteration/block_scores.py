"""The scores of many children of a node, a block of them at a time, by loops that become vector code."""

from typing import Any

import numpy as np
from numba.core.target_extension import current_target

from gpumcts.bits import float_bits
from gpumcts.jit import inlined
from gpumcts.tree.selection.contract import score
from gpumcts.tree.solve import with_proof

BLOCK = 64  # children scored at once, at most
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1  # of int64


def scores_in_blocks(operator: Any) -> bool:
    """Whether code being compiled scores many children in vector code: on the CPU, for operators of one column.

    operator : its type, numba's

    Vector code would gather the columns of other operators, which gains nothing, so they have none.
    """
    return current_target() == "cpu" and len(operator.instance_class.COLUMNS) == 1


@inlined
def score_block(rule, operator, forest, switches, tree, begin, size, prepared, stream, scores):
    """Score ``size`` children, number ``begin`` and on, into ``scores`` (float64[BLOCK])."""
    # The cast to uint32 says that no index counts from an array's end, the shape that columns of neighbours lie side by
    # side. So LLVM loads contiguously; without either it gathers, and half of the gain is lost.
    first = np.int64(np.uint32(begin))
    if forest.columns.shape[2] == 1:
        for i in range(size):
            scores[i] = score(rule, operator, forest, tree, first + i, prepared, stream)
    if switches.solve:
        for i in range(size):
            scores[i] = with_proof(forest, tree, first + i, scores[i])


@inlined
def span_of_highest(scores, size, best):
    """From the first of the highest of ``size`` scores to behind the last; nothing where they are below ``best``.

    Compared as integers: because of NaN, LLVM makes no vector code of a maximum of floats.
    """
    highest = np.int64(LOWEST)
    for i in range(size):
        highest = max(highest, ordered(scores[i]))
    if highest < ordered(best):
        return np.int64(0), np.int64(0)
    low, high = size, np.int64(0)
    for i in range(size):
        is_highest = ordered(scores[i]) == highest
        low, high = min(low, i if is_highest else size), max(high, i + 1 if is_highest else 0)
    return low, high


@inlined
def ordered(x):
    """An int64 that is the greater the greater a float64 is: the same for 0 and -0, the least for -inf and NaN."""
    signed = np.int64(float_bits((x if x == x else -np.inf) + 0.0))
    return signed ^ ((signed >> np.int64(63)) & np.int64(HIGHEST))
