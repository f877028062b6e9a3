"""Chains of stones with their liberties, kept along a playout: what a bitboard of Go does not tell at once.

Stones lie on a board with a border, one column of it between two rows: point p of the board is place
``p + p // n + n + 2``, steps of a row are n + 1. A place holds 0 where it is empty, 1 on the border, and for a stone
``2 * head + colour``, the head being one of the places of its chain, the colour 0 (Black) or 1. The stones of a chain
are a ring.

The liberties of a chain are counted once for each stone next to them, as three sums in a word: how many, of their
places, and of the squares of these. So a stone that is put or taken away adds one word to each of its neighbours; a
chain has no liberty where its word is 0; and by Cauchy's inequality all its liberties are one point where count times
the sum of squares is the square of the sum. Then the sum divided by the count is the place of that last liberty.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import trailing_zeros
from gpumcts.games.go.options import Board9, Board13, Board19
from gpumcts.games.go.points import NO_POINTS, lowest, point_set, shape
from gpumcts.games.sets import difference, has, is_empty, union
from gpumcts.jit import inlined
from gpumcts.verbs import verb

U = np.uint64
EMPTY, BORDER = U(0), U(1)
SUM, SQUARES = U(12), U(32)  # bits at which the sums of places and of squares begin; 4 n^2 liberties fit
COUNT_MASK, SUM_MASK = U((1 << 12) - 1), U((1 << 20) - 1)


class Chains(NamedTuple):
    """The stones on the board.

    at : uint16[places], what is on each place
    following : uint16[places], for a stone the next one of its chain
    stones : uint16[places], for a head the stones of the chain
    liberties : uint64[places], for a head the sums of its liberties; entry 0 is for no chain and means nothing
    """

    at: np.ndarray
    following: np.ndarray
    stones: np.ndarray
    liberties: np.ndarray


@verb("game")
def places(game):
    """Places of a board with its border, int64, a constant of the compiled code."""


@places.implements(Board9)
def places_9(game):
    return 112


@places.implements(Board13)
def places_13(game):
    return 212


@places.implements(Board19)
def places_19(game):
    return 422


@inlined
def place_of(game, point):
    """The place of a point, both uint64. The division is a product, exact below 361."""
    n = shape(game).size
    return point + ((point * ((U(65535) + n) // n)) >> U(16)) + n + U(2)


@inlined
def point_of(game, place):
    """The point of a place on the board, both uint64."""
    width = shape(game).size + U(1)
    return place - ((place * ((U(65535) + width) // width)) >> U(16)) - width


@inlined
def liberty(place):
    """What one liberty at a place (uint64) adds to the sums of a chain."""
    return U(1) | (place << SUM) | ((place * place) << SQUARES)


@inlined
def one_liberty(sums):
    """Whether the liberties of a chain that has any are a single point: it is in atari."""
    places_sum = (sums >> SUM) & SUM_MASK
    return (sums & COUNT_MASK) * (sums >> SQUARES) == places_sum * places_sum


@inlined
def last_liberty(sums):
    """The place (uint64) of the only liberty of a chain in atari."""
    return U(np.uint32((sums >> SUM) & SUM_MASK) // np.uint32(sums & COUNT_MASK))


@inlined
def is_chain(found, colour):
    """Whether what is on a place is a stone of a colour, 0 or 1 (both uint64)."""
    return (found > BORDER) & (found & U(1) == colour)


@inlined
def set_border(game, chains):
    """Mark the border of a board that is empty otherwise."""
    width, last = shape(game).size + U(1), U(places(game) - 1)
    i = U(0)
    while i <= width:
        chains.at[i] = BORDER
        chains.at[last - i] = BORDER
        chains.at[width * i] = BORDER
        i += U(1)


@inlined
def look_around(game, chains, place):
    """What is on the four places next to a place (uint64): below, to the left, to the right and above, uint64 each."""
    row, at = shape(game).size + U(1), chains.at
    return U(at[place - row]), U(at[place - U(1)]), U(at[place + U(1)]), U(at[place + row])


@inlined
def touch(chains, around, sums):
    """Take ``sums`` (uint64) off the liberties of what is on the four places next to one."""
    liberties = chains.liberties
    below, left, right, above = around
    liberties[below >> U(1)] -= sums
    liberties[left >> U(1)] -= sums
    liberties[right >> U(1)] -= sums
    liberties[above >> U(1)] -= sums


@inlined
def is_empty_place(found):
    """1 for an empty place, 0 for another, uint64."""
    return U(found == EMPTY)


@inlined
def dead(chains, found, colour, taken):
    """1 for a chain of this colour whose liberties are the sums ``taken``, 0 for all else, uint64."""
    none = U(chains.liberties[found >> U(1)] == taken)
    return U(found > BORDER) & (found ^ colour ^ U(1)) & none


@inlined
def alive(chains, found, colour, taken):
    """1 for a chain of this colour with other liberties than the sums ``taken``, 0 for all else, uint64."""
    none = U(chains.liberties[found >> U(1)] == taken)
    return U(found > BORDER) & (((found ^ colour) | none) ^ U(1))


@inlined
def outlook(chains, around, colour, mine):
    """What a stone meets ``around`` it: (opponent's chains that it takes, own ones with more liberties), uint64.

    mine : the sums of its place as a liberty; a chain that it touches k times counts that one k times
    """
    below, left, right, above = around
    other = U(1) - colour
    ab, ac, ad = U(below == left), U(below == right), U(below == above)
    bc, bd, cd = U(left == right), U(left == above), U(right == above)
    first, second = (U(1) + ab + ac + ad) * mine, (U(1) + ab + bc + bd) * mine
    third, fourth = (U(1) + ac + bc + cd) * mine, (U(1) + ad + bd + cd) * mine
    taken = dead(chains, below, other, first) + dead(chains, left, other, second)
    taken += dead(chains, right, other, third) + dead(chains, above, other, fourth)
    friends = alive(chains, below, colour, first) + alive(chains, left, colour, second)
    friends += alive(chains, right, colour, third) + alive(chains, above, colour, fourth)
    return taken, friends


@inlined
def liberties_around(game, place, around):
    """The sums of the empty places next to one. In closed form: a branch each would go wrong half of the time."""
    row = shape(game).size + U(1)
    below, left, right, above = around
    first, second, third, fourth = (
        is_empty_place(below), is_empty_place(left), is_empty_place(right), is_empty_place(above)
    )  # fmt: skip
    count = (first + fourth) + (second + third)
    steps = row * (fourth - first) + (third - second)
    squares = row * row * (first + fourth) + (second + third)
    sums = count + ((count * place + steps) << SUM)
    return sums + ((count * place * place + U(2) * place * steps + squares) << SQUARES)


@inlined
def put(game, chains, point, colour):
    """Put a stone of a colour on an empty point (both uint64) unless that is suicide: (whether put, captured Points).

    Chains of its own around become one with it; chains of the opponent without another liberty are taken off. What
    decides is added up, not asked one after the other: the branches would go wrong too often.
    """
    place = place_of(game, point)
    around = look_around(game, chains, place)
    mine, new = liberty(place), liberties_around(game, place, around)
    taken, friends = outlook(chains, around, colour, mine)
    captured = NO_POINTS
    if taken + friends + (new & COUNT_MASK) == U(0):
        return False, captured
    touch(chains, around, mine)
    join(game, chains, place, around, colour, new)
    if taken != U(0):
        left = sides_of(around, U(1) - colour)
        while left != U(0):
            found = U(chains.at[neighbour(game, place, trailing_zeros(left))])
            left &= left - U(1)
            if dead(chains, found, U(1) - colour, U(0)) != U(0):
                captured = union(captured, take_off(game, chains, found))
    return True, captured


@inlined
def join(game, chains, place, around, colour, new):
    """Make a stone at ``place``, whose own liberties are ``new``, one chain with those of its colour around.

    Their sums do not count ``place`` any more.
    """
    at, following, stones, liberties = chains
    below, left, right, above = around
    one = below if is_chain(below, colour) else EMPTY
    two = left if is_chain(left, colour) else one
    three = right if is_chain(right, colour) else two
    chain = above if is_chain(above, colour) else three
    # Each is a friend's chain or one seen before, so that one that differs from the next is another chain.
    several = (one ^ two) * one + (two ^ three) * two + (three ^ chain) * three
    alone = chain == EMPTY
    head = place if alone else chain >> U(1)
    liberties[head] = new + (U(0) if alone else liberties[head])
    stones[head] = U(1) + (U(0) if alone else U(stones[head]))
    behind = place if alone else U(following[head])
    following[place] = behind
    following[head] = place
    at[place] = U(2) * head + colour
    if several != U(0):
        left = sides_of(around, colour)
        while left != U(0):
            found, joined = U(at[neighbour(game, place, trailing_zeros(left))]), U(at[place])
            left &= left - U(1)
            if found != joined:
                merge(chains, joined, found)


@inlined
def sides_of(around, colour):
    """On which of four sides a chain of this colour stands: bits 0 to 3, in the order of ``look_around``, uint64."""
    below, left, right, above = around
    low = U(is_chain(below, colour)) | (U(is_chain(left, colour)) << U(1))
    return low | (U(is_chain(right, colour)) << U(2)) | (U(is_chain(above, colour)) << U(3))


@inlined
def neighbour(game, place, side):
    """The place next to one on a side (uint64), in the order of ``look_around``."""
    row = shape(game).size + U(1)
    step = row if (side == U(0)) | (side == U(3)) else U(1)
    return place - step if side < U(2) else place + step


@inlined
def merge(chains, one, other):
    """Make two chains (as they are found on places) one, under the head of the larger one."""
    at, following, stones, liberties = chains
    swap = stones[one >> U(1)] < stones[other >> U(1)]
    kept, given = other if swap else one, one if swap else other
    head, lost = kept >> U(1), given >> U(1)
    liberties[head] += liberties[lost]
    stones[head] += stones[lost]
    place = lost
    while True:
        at[place] = kept
        place = U(following[place])
        if place == lost:
            break
    after = following[head]
    following[head] = following[lost]
    following[lost] = after


@inlined
def take_off(game, chains, chain):
    """Take the stones of a chain (as it is found on places) off the board; the points that they stood on."""
    at, following = chains.at, chains.following
    head = chain >> U(1)
    place, gone = head, NO_POINTS
    while True:
        back = U(0) - liberty(place)
        at[place] = EMPTY
        touch(chains, look_around(game, chains, place), back)
        gone = union(gone, point_set(game, point_of(game, place)))
        place = U(following[place])
        if place == head:
            return gone


@inlined
def set_up(game, chains, black, white):
    """Put stones on a board that is empty, border and all. Chains must have liberties at the end."""
    set_border(game, chains)
    left = union(black, white)
    while not is_empty(left):
        point = lowest(game, left)
        left = difference(left, point_set(game, point))
        place = place_of(game, point)
        around = look_around(game, chains, place)
        touch(chains, around, liberty(place))
        join(game, chains, place, around, U(has(white, point)), liberties_around(game, place, around))
