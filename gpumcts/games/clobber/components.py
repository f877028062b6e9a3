"""Proofs by combinatorial game theory in Clobber: who wins, once all components of a position are small.

Components without a move are worth nothing. The others are looked up: ups and nimbers are added up, and of the other
values those that are each other's negatives cancel. What is left decides where

- nothing is left: the player to move loses;
- all of it is positive for one side: that side wins;
- one part is fuzzy (its first player wins), the others are positive for the player to move: he wins in the fuzzy one.
"""

from typing import Any

import numpy as np
from numba.extending import overload

from gpumcts.bits import trailing_zeros
from gpumcts.games import contract
from gpumcts.games.clobber import values
from gpumcts.games.clobber.board import Board, shape
from gpumcts.games.clobber.rules import lowest, neighbours, sides, square_set
from gpumcts.games.sets import difference, intersection, same, size, union
from gpumcts.jit import inlined
from gpumcts.verbs import JIT_OPTIONS

U = np.uint64
LARGEST, WIDEST = U(values.LARGEST), U(values.WIDEST)
KEY, KEY_BITS = U((1 << values.KEY_BITS) - 1), U(values.KEY_BITS)
HASH, HASH_SHIFT, SLOTS = U(values.HASH), U(64 - values.SLOT_BITS), U((1 << values.SLOT_BITS) - 1)
NAMED, CLASS_AT = U(values.NAMED), U(values.CLASS_AT)
POSITIVE, NEGATIVE, FUZZY = U(values.POSITIVE), U(values.NEGATIVE), U(values.FUZZY)
OTHER_SIGN = U(3 << values.CLASS_AT)  # POSITIVE to NEGATIVE and back
CODE_BITS, CODE = U(16), U(0xFFFF)
PLACES = 4  # values that are not ups and nimbers, kept in one word until their negatives come
UNKNOWN = np.int64(0)
OPTIONS: Any = JIT_OPTIONS


def slot(number):
    """Slot ``number`` (uint64) of the table of values, uint64."""
    return values.table()[int(number)]


@overload(slot, jit_options=OPTIONS)
def _slot(number):
    table = values.table()  # made when code that looks it up is compiled, and a constant of that code
    return lambda number: table[number]


@inlined
def component(game, stones, seed):
    """The component (Two) of ``stones`` around ``seed``, or a part of it that is too large for the table."""
    found, more = seed, True
    while more:
        grown = union(found, intersection(neighbours(game, found), stones))
        more = not same(grown, found) and size(grown) <= LARGEST
        found = grown
    return found


@inlined
def code_of(game, own, squares):
    """The code of a component in the table, ``own`` being Left's stones."""
    columns = shape(game).columns
    first = U(lowest(game, squares))
    row, column = first // columns, first % columns
    key, shift = U(0), U(0)
    while (squares.low | squares.high) != U(0):
        square = U(lowest(game, squares))
        here = square_set(game, square)
        mine = intersection(here, own)
        place = (square // columns - row) * WIDEST + (square % columns + LARGEST - U(1) - column)
        key |= (place << U(1) | U((mine.low | mine.high) != U(0))) << shift
        shift += U(8)
        squares = difference(squares, here)
    at = (key * HASH) >> HASH_SHIFT
    while (slot(at) & KEY) != key:
        at = (at + U(1)) & SLOTS
    return slot(at) >> KEY_BITS


@inlined
def negative(code):
    """The code of the negative of a value that is not ups and a nimber."""
    kind = code >> CLASS_AT
    if kind == FUZZY:
        return code ^ U(1)
    return code ^ OTHER_SIGN if kind in (POSITIVE, NEGATIVE) else code


@inlined
def with_value(others, code):
    """(``others`` with one more value, or less its negative; whether there was a place for it)."""
    opposite, free = negative(code), U(64)
    for place in range(PLACES):
        at = U(place) * CODE_BITS
        there = (others >> at) & CODE
        if there == opposite:
            return others ^ (there << at), True
        free = at if there == U(0) else free
    return (others | code << (free & U(63)), True) if free < U(64) else (others, False)


@inlined
def outcome_of_sum(ups, nimber, others):
    """Who wins ``ups`` ups + * ``nimber`` + the sum of ``others``: +1 the player to move, -1 the other, 0 unknown."""
    small = (ups == 1 or ups == -1) and nimber == U(1)
    fuzzy = np.int64(small or (ups == 0 and nimber != U(0)))
    positive, negatives = np.int64(ups > 0 and not small), np.int64(ups < 0 and not small)
    while others != U(0):
        at = trailing_zeros(others) & ~(CODE_BITS - U(1))
        kind = ((others >> at) & CODE) >> CLASS_AT
        positive += np.int64(kind == POSITIVE)
        negatives += np.int64(kind == NEGATIVE)
        fuzzy += np.int64(kind not in (POSITIVE, NEGATIVE))
        others &= ~(CODE << at)
    if fuzzy > 1 or (negatives > 0 and positive + fuzzy > 0):
        return UNKNOWN
    return np.int64(1) if positive + fuzzy > 0 else np.int64(-1)


@contract.decided.implements(Board)
def clobber_decided(game, state):
    own, opp = sides(game, state)
    stones = union(own, opp)
    movable = intersection(own, neighbours(game, opp))
    ups, nimber, others = np.int64(0), U(0), U(0)
    while (movable.low | movable.high) != U(0):
        part = component(game, stones, square_set(game, U(lowest(game, movable))))
        if size(part) > LARGEST:
            return UNKNOWN
        movable = difference(movable, part)
        code = code_of(game, own, part)
        if code >= NAMED:
            ups += np.int64(code & U(255)) - values.UPS_ZERO
            nimber ^= (code >> U(values.STAR_AT)) & U(15)
        else:
            others, placed = with_value(others, code)
            if not placed:
                return UNKNOWN
    return outcome_of_sum(ups, nimber, others)
