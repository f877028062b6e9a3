"""Sets of squares in two words, for boards of one word too: their high words are the constant 0, and what is done with them
disappears when the code is compiled."""

from typing import NamedTuple

import numpy as np

from gpumcts.jit import inlined, popcount


class Squares(NamedTuple):
    """A set of squares: the bits of two words, of which ``high`` is 0 on boards of one."""

    low: np.uint64
    high: np.uint64


@inlined
def both(a, b):
    """Squares in both sets."""
    return Squares(a.low & b.low, a.high & b.high)


@inlined
def either(a, b):
    """Squares in one of the sets."""
    return Squares(a.low | b.low, a.high | b.high)


@inlined
def less(a, b):
    """Squares of ``a`` that are not in ``b``."""
    return Squares(a.low & ~b.low, a.high & ~b.high)


@inlined
def size(squares):
    """How many squares a set has, as uint64."""
    return popcount(squares.low) + popcount(squares.high)
