"""Liberties of chains and of moves, for playouts that keep chains and for those that have bitboards alone.

A *view* is where they come from: ``Floods`` finds chains on the bitboards, ``Linked`` has those that a playout keeps.
What is built on the two verbs below is one source for both, and comes to the same.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import blend
from gpumcts.games.go.chains import (
    BORDER,
    COUNT_MASK,
    Chains,
    is_chain,
    is_empty_place,
    last_liberty,
    look_around,
    neighbour,
    one_liberty,
    place_of,
    point_of,
)
from gpumcts.games.go.points import NO_POINTS, Points, flood, lowest, neighbours, point_set
from gpumcts.games.sets import difference, has, intersection, is_empty, size, union
from gpumcts.jit import inlined
from gpumcts.verbs import verb

U = np.uint64
SIDES = U(4)
MAX_COUNTED = U(4)  # stones of a chain next to one liberty: so often a liberty is counted in its sums


class Floods(NamedTuple):
    """Nothing is kept: chains are flooded."""


class Linked(NamedTuple):
    """What a playout keeps.

    chains : those on the board; ataris : among these points is every last liberty of a chain in atari
    colour : of the player to move, 0 or 1
    """

    chains: Chains
    ataris: Points
    colour: np.uint64


@verb("view")
def liberties_of(view, game, stones, empty, point, enough):
    """The liberties of the chain of the stone on ``point``; where there are ``enough`` (uint64), any so many points.

    stones : those of its colour; empty : the points without a stone
    """


@verb("view")
def at_ease(view, game, own, empty, point):
    """Whether a glance shows that a stone of ``own``'s owner would have two liberties; False tells nothing."""


@verb("view")
def captures_around(view, game, own, opp, empty, point):
    """The last liberties of the chains of ``opp`` in atari that touch the chain of ``own`` on ``point``."""


@verb("view")
def all_captures(view, game, opp, empty):
    """The last liberties of all chains of the opponent of who is to move, ``opp``, that are in atari."""


@inlined
def last_liberties(game, some, opp, empty):
    """The last liberties of the chains of ``opp`` in atari that have stones among ``some``."""
    found = NO_POINTS
    while not is_empty(some):
        chain = flood(game, point_set(game, lowest(game, some)), opp)
        some = difference(some, chain)
        liberties = intersection(neighbours(game, chain), empty)
        if size(liberties) == U(1):
            found = union(found, liberties)
    return found


@liberties_of.implements(Floods)
def flooded_liberties(view, game, stones, empty, point, enough):
    return intersection(neighbours(game, flood(game, point_set(game, point), stones)), empty)


@captures_around.implements(Floods)
def flooded_captures_around(view, game, own, opp, empty, point):
    chain = flood(game, point_set(game, point), own)
    return last_liberties(game, intersection(neighbours(game, chain), opp), opp, empty)


@all_captures.implements(Floods)
def all_flooded_captures(view, game, opp, empty):
    return last_liberties(game, opp, opp, empty)


@liberties_of.implements(Linked)
def linked_liberties(view, game, stones, empty, point, enough):
    chains, found = view.chains, NO_POINTS
    place = place_of(game, point)
    first = place
    sums = chains.liberties[U(chains.at[place]) >> U(1)]
    if (sums & COUNT_MASK) > MAX_COUNTED * (enough - U(1)):
        return empty
    if one_liberty(sums):
        return point_set(game, point_of(game, last_liberty(sums)))
    while True:
        found = union(found, intersection(neighbours(game, point_set(game, point_of(game, place))), empty))
        place = U(chains.following[place])
        if place == first or size(found) >= enough:
            return found


@at_ease.implements(Floods)
def at_ease_on_bitboards(view, game, own, empty, point):
    return size(intersection(neighbours(game, point_set(game, point)), empty)) > U(1)


@inlined
def has_other_liberties(chains, found, colour):
    """1 where a chain (as found on places) is of this colour and counts too many liberties for two points, uint64."""
    many = (chains.liberties[found >> U(1)] & COUNT_MASK) > MAX_COUNTED * U(2)
    return U(is_chain(found, colour)) & U(many)


@at_ease.implements(Linked)
def at_ease_by_chains(view, game, own, empty, point):
    chains, colour = view.chains, view.colour
    below, left, right, above = look_around(game, chains, place_of(game, point))
    free = (is_empty_place(below) + is_empty_place(left)) + (is_empty_place(right) + is_empty_place(above))
    friends = has_other_liberties(chains, below, colour) | has_other_liberties(chains, left, colour)
    friends |= has_other_liberties(chains, right, colour) | has_other_liberties(chains, above, colour)
    return (free > U(1)) | (friends != U(0))


@inlined
def atari_of(game, chains, found):
    """The last liberty, a set of one, of a chain in atari (as found on places); none of another, or of no chain."""
    sums = chains.liberties[found >> U(1)]
    if found <= BORDER or not one_liberty(sums):
        return NO_POINTS
    return point_set(game, point_of(game, last_liberty(sums)))


@inlined
def ataris_at(game, chains, point):
    """The last liberties of the chains in atari on a point (uint64) and on the four next to it."""
    place, side = place_of(game, point), U(0)
    found = atari_of(game, chains, U(chains.at[place]))
    while side < SIDES:
        found = union(found, atari_of(game, chains, U(chains.at[neighbour(game, place, side)])))
        side += U(1)
    return found


@captures_around.implements(Linked)
def linked_captures_around(view, game, own, opp, empty, point):
    chains, captures = view.chains, NO_POINTS
    place = place_of(game, point)
    first, colour = place, U(chains.at[place]) & U(1)
    while True:
        side = U(0)
        while side < SIDES:
            found = U(chains.at[neighbour(game, place, side)])
            if is_chain(found, U(1) - colour):
                captures = union(captures, atari_of(game, chains, found))
            side += U(1)
        place = U(chains.following[place])
        if place == first:
            return captures


@all_captures.implements(Linked)
def all_linked_captures(view, game, opp, empty):
    chains, captures, left = view.chains, NO_POINTS, intersection(view.ataris, empty)
    while not is_empty(left):
        point = lowest(game, left)
        stone = point_set(game, point)
        left = difference(left, stone)
        place, side = place_of(game, point), U(0)
        while side < SIDES:
            found = U(chains.at[neighbour(game, place, side)])
            if is_chain(found, U(1) - view.colour) and one_liberty(chains.liberties[found >> U(1)]):
                captures = union(captures, stone)
            side += U(1)
    return captures


@inlined
def liberties_after(view, game, own, opp, empty, point, enough):
    """The liberties of a stone that ``own``'s owner puts on an empty point; where there are ``enough``, so many points.

    Those of the stone and of the chains that it joins, without its point, and the stones next to it of chains that it
    takes. None: it is suicide. One: it is a self-atari.
    """
    stone = point_set(game, point)
    near = neighbours(game, stone)
    found, left = intersection(near, empty), difference(near, empty)
    while not is_empty(left) and size(found) < enough:
        other = lowest(game, left)
        next_to_it = point_set(game, other)
        left = difference(left, next_to_it)
        mine = has(own, other)
        # A friend's chain loses one to the stone.
        liberties = liberties_of(view, game, blend(mine, own, opp), empty, other, enough + U(1) if mine else U(2))
        if mine:
            found = union(found, difference(liberties, stone))
        elif size(liberties) == U(1):
            found = union(found, next_to_it)
    return found
