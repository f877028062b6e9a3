"""Chains kept along a playout: the board in rows of bits, and a union-find of stones by their places (see ``board``).

``rows`` : uint64[ROWS], the stones of both sides
``parent`` : uint16[places], a place itself where no stone stands on it
``chain`` : uint32[places], of the roots: what a chain touches, and TOUCHED_BITS above it the number of its stones

They lie on the stack, zeros at first but for ``parent``.

A stone joins at most three arcs of stones around it, of which each is one chain already. So one table tells everything
from the six neighbours: a place in every arc, and the two cases in which a ring can close. Stones of no arc at all are
put to their own place, which costs no branch.
"""

import numpy as np

from gpumcts.bits import popcount, trailing_zeros
from gpumcts.games.havannah.board import (
    ARC_BITS,
    AROUND,
    CORNERS_AT,
    JOINS_AT,
    SIDES,
    THREES_AT,
    TOUCHED_BITS,
    arcs_around,
    shape,
    spot,
)
from gpumcts.jit import inlined

U = np.uint64
ROWS_A_SIDE = 24  # words of a side in ``rows``: the board's rows and one above and below
ROWS = 2 * ROWS_A_SIDE
SIX = U(0b1110111)  # ``around`` of a cell with six stones around it
ONE_STONE = U(1 << TOUCHED_BITS)
TOUCHED = ONE_STONE - U(1)
ARC = U((1 << ARC_BITS) - 1)
DOWN, RIGHT = (
    U(sum(step[i] + 1 << 2 * d for d, step in enumerate(AROUND))) for i in range(2)
)  # steps, two bits a direction


@inlined
def around(rows, at, column):
    """The stones around a cell of word ``at`` of the rows: bits 0 and 1 above, 2 and 4 beside, 5 and 6 below it."""
    above, beside, below = rows[at - U(1)] >> column, rows[at] >> column, rows[at + U(1)] >> column
    return (above & U(3)) | (beside & U(5)) << U(2) | (below & U(6)) << U(4)


@inlined
def root_of(parent, place):
    """The root of the chain of a place: two steps without asking, since few stones are farther down."""
    place = U(parent[U(parent[place])])
    above = U(parent[place])
    while above != place:
        place = above
        above = U(parent[place])
    return place


@inlined
def block_filled(rows, at, column, threes):
    """Whether the middle of three neighbours in a row (beginning in directions ``threes``) has six stones around it."""
    found = False
    while threes != U(0):
        direction = trailing_zeros(threes) + U(1)
        direction = U(0) if direction == U(6) else direction
        down, right = DOWN >> U(2) * direction & U(3), RIGHT >> U(2) * direction & U(3)
        found = found or around(rows, at + down - U(1), column + right - U(1)) == SIX
        threes &= threes - U(1)
    return found


@inlined
def united(parent, chain, root, value, other):
    """The chain of ``root``, worth ``value``, and that of ``other`` as one, the smaller below: (root, value)."""
    beyond = U(chain[other])
    larger = value >= beyond
    top, low = root if larger else other, other if larger else root
    parent[low] = top
    return top, value + (beyond & ~TOUCHED) - (value & TOUCHED) + ((value | beyond) & TOUCHED)


@inlined
def wins(value):
    """Whether a chain is a fork or a bridge."""
    return popcount(value & U((1 << SIDES) - 1)) >= U(3) or popcount(value >> U(CORNERS_AT) & U(63)) >= U(2)


@inlined
def put(game, rows, parent, chain, side, cell):
    """Put a stone of a side (uint64) on an empty cell (uint64). Whether that makes a fork, a bridge or a ring."""
    row_bits, where = shape(game).row_bits, spot(game, cell)
    place = where & U(0xFFFF)
    column, at = place & ((U(1) << row_bits) - U(1)), side * U(ROWS_A_SIDE) + (place >> row_bits)
    arcs = arcs_around(game, around(rows, at, column))
    rows[at] |= U(2) << column
    before_all = (U(1) << row_bits) + U(1)
    root = root_of(parent, place + (arcs & ARC) - before_all)
    value = (U(chain[root]) | where >> U(16)) + ONE_STONE
    ring = False
    if arcs >> U(JOINS_AT) & U(1) != U(0):
        other = root_of(parent, place + (arcs >> U(ARC_BITS) & ARC) - before_all)
        ring = other == root
        root, value = united(parent, chain, root, value, other)
        if arcs >> U(JOINS_AT + 1) & U(1) != U(0):
            other = root_of(parent, place + (arcs >> U(2 * ARC_BITS) & ARC) - before_all)
            ring = ring or other == root
            root, value = united(parent, chain, root, value, other)
    if arcs >> U(THREES_AT) != U(0):
        ring = ring or block_filled(rows, at, column, arcs >> U(THREES_AT))
    parent[place] = root
    chain[root] = value
    return ring or wins(value)


@inlined
def fill(game, state, rows, parent, chain):
    """Put the stones of a state, which nobody has won, on an empty board."""
    for place in range(len(parent)):
        parent[place] = place
    words = shape(game).words
    for side in range(2):
        for word in range(words):
            stones = state[U(side) * words + U(word)]
            while stones != U(0):
                put(game, rows, parent, chain, U(side), U(word) << U(6) | trailing_zeros(stones))
                stones &= stones - U(1)
