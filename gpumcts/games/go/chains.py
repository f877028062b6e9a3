"""Chains of stones with their liberties, kept along a playout: what a bitboard of Go does not tell at once.

Stones lie on a board with a border, one column of it between two rows: point p of the board is place
``p + p // n + n + 2``, steps of a row are n + 1. A place holds 0 where it is empty, 1 on the border, and for a stone
``2 * head + colour``, the head being one of the places of its chain, the colour 0 (Black) or 1. The stones of a chain are a ring.

The liberties of a chain are counted once for each stone next to them, as three sums in a word: how many, of their places, and of
the squares of these. So a stone that is put or taken away adds one word to each of its neighbours; a chain has no liberty where
its word is 0; and by Cauchy's inequality all its liberties are one point where count times the sum of squares is the square of the
sum. Then the sum divided by the count is the place of that last liberty.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.games.go.options import Board9, Board13, Board19
from gpumcts.games.go.points import NONE, either, is_empty, less, lowest, point_set, shape
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
def dies(chains, found, colour):
    """Whether what is on a place is a chain of this colour without liberties."""
    return is_chain(found, colour) & (chains.liberties[found >> U(1)] == U(0))


@inlined
def lives(chains, found, colour):
    """Whether what is on a place is a chain of this colour with liberties."""
    return is_chain(found, colour) & (chains.liberties[found >> U(1)] != U(0))


@inlined
def put(game, chains, point, colour):
    """Put a stone of a colour on an empty point (both uint64), if it is no suicide: (whether it is put, captured Points).

    Chains of its own around become one with it; chains of the opponent without another liberty are taken off.
    """
    place, other = place_of(game, point), U(1) - colour
    around = look_around(game, chains, place)
    mine = liberty(place)
    touch(chains, around, mine)
    below, left, right, above = around
    captures = (dies(chains, below, other) | dies(chains, left, other)) | (
        dies(chains, right, other) | dies(chains, above, other)
    )
    breathes = (below == EMPTY) | (left == EMPTY) | (right == EMPTY) | (above == EMPTY)
    breathes |= (lives(chains, below, colour) | lives(chains, left, colour)) | (
        lives(chains, right, colour) | lives(chains, above, colour)
    )
    captured = NONE
    if not (captures | breathes):
        touch(chains, around, U(0) - mine)
        return False, captured
    join(game, chains, place, around, colour)
    if captures:
        for i in range(4):
            found = U(chains.at[neighbour(game, place, i)])
            if dies(chains, found, other):
                captured = either(captured, take_off(game, chains, found))
    return True, captured


@inlined
def join(game, chains, place, around, colour):
    """Make a stone at ``place`` one chain with those of its colour around, whose sums do not count ``place`` any more."""
    at, following, stones, liberties = chains
    row = shape(game).size + U(1)
    below, left, right, above = around
    new = liberty(place - row) if below == EMPTY else U(0)
    new += liberty(place - U(1)) if left == EMPTY else U(0)
    new += liberty(place + U(1)) if right == EMPTY else U(0)
    new += liberty(place + row) if above == EMPTY else U(0)
    one = below if is_chain(below, colour) else EMPTY
    two = left if is_chain(left, colour) else one
    three = right if is_chain(right, colour) else two
    chain = above if is_chain(above, colour) else three
    # Each is a friend's chain or one seen before, so that one that differs from the next is another chain.
    several = ((one != two) & (one != EMPTY)) | ((two != three) & (two != EMPTY)) | ((three != chain) & (three != EMPTY))
    alone = chain == EMPTY
    head = place if alone else chain >> U(1)
    liberties[head] = new + (U(0) if alone else liberties[head])
    stones[head] = U(1) + (U(0) if alone else U(stones[head]))
    behind = place if alone else U(following[head])
    following[place] = behind
    following[head] = place
    at[place] = U(2) * head + colour
    if several:
        for i in range(4):
            found, joined = U(at[neighbour(game, place, i)]), U(at[place])
            if is_chain(found, colour) & (found != joined):
                merge(chains, joined, found)


@inlined
def neighbour(game, place, i):
    """The place next to one in direction ``i``, in the order of ``look_around``."""
    row = shape(game).size + U(1)
    step = row if (i == 0) | (i == 3) else U(1)
    return place - step if i < 2 else place + step


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
    place, gone = head, NONE
    while True:
        back = U(0) - liberty(place)
        at[place] = EMPTY
        touch(chains, look_around(game, chains, place), back)
        gone = either(gone, point_set(game, point_of(game, place)))
        place = U(following[place])
        if place == head:
            return gone


@inlined
def set_stones(game, chains, points, colour):
    """Put all of some Points on the board, whatever stands there; liberties are right once the other colour is there too."""
    left = points
    while not is_empty(left):
        point = lowest(game, left)
        left = less(left, point_set(game, point))
        place = place_of(game, point)
        around = look_around(game, chains, place)
        touch(chains, around, liberty(place))
        join(game, chains, place, around, colour)
