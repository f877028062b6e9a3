"""Principal-variation search over an explicit stack, so that it can stop at any position and go on later.

Negamax with windows of width one around the first move's value (Marsland, Campbell 1982, *Parallel search of strongly
ordered game trees*), and a hash table. Values are for the player who moves, and change sign where the mover does: who moves
twice in a row keeps his. A won game is worth WON less the plies to its end, beyond every evaluation, so wins come soon and
losses late; a draw is 0. A win that the game's own knowledge proves (``decided``) counts as one that is FAR more plies away.

What the table has of a position answers a search of just its depth. It answers a deeper one where it lasts: where every line
that it stands on goes to the end of the game or to a position that is decided. A bound stands on less than a value does, so
the lower and the upper one last each for itself: that a move wins will hold, but a deeper search may find a sooner win.
So an iteration is worth what plain minimax of its depth is, with decided positions as leaves.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.deepening import ordering
from gpumcts.deepening.ordering import list_moves, move_of, number_of
from gpumcts.deepening.table import (
    EXACT,
    LOWER,
    UPPER,
    bounds_for,
    hash_of,
    keep,
    lasting_of,
    ordinal_of,
    packed,
    probe,
    value_of,
)
from gpumcts.games.contract import CHANCE, count_moves, decided, evaluation, mover, nth_move, pack, play, score, unpack
from gpumcts.jit import inlined

U = np.uint64
WON = np.int64(1 << 30)
FAR = np.int64(1 << 16)
WON_LEAST = WON - 2 * FAR
"""The least value of a win; -WON_LEAST is the greatest of a loss. Evaluations are clamped to stay between."""
MOST_EVALUATION = np.int64(1 << 29)
NOTHING = np.int64(1 << 40)  # its negative: worse than every value
NONE = -1

# Columns of a node: its window (FLOOR is where it began), best value and the number of its move, plies left to search, moves,
# moves begun, who moves, which bounds last (LOWER that of the best value so far, UPPER of all moves so far), length of the list
# of moves (NONE before it is made), the table's move, the move at hand, whether its answer may be no more than a bound since
# its window has width one, whether it is to be searched again.
LOW, HIGH, FLOOR, BEST, CHOSEN, LEFT, MOVES, TRIED, SIDE, LASTING, LISTED, HASHED, AT_HAND, SCOUTS, AGAIN = range(15)
COLUMNS = 15

# What ``search`` answers in place of a level: the iteration has ended, or chance moves.
OVER, THROUGH_CHANCE = -2, -3


class Stack(NamedTuple):
    """One search: L levels, of which the last is the node at hand; what orders moves."""

    words: np.ndarray  # uint64 [L * W] states
    nodes: np.ndarray  # int64 [L, COLUMNS]
    hashes: np.ndarray  # uint64 [L]
    lists: np.ndarray  # int64 [L * M] entries of moves, M for each level
    killers: np.ndarray  # int64 [L, 2] moves
    history: np.ndarray  # int32 [SLOTS]


def empty_stack(game, depth) -> Stack:
    """Room for searches of ``game`` (an option value) of up to ``depth`` plies."""
    levels = depth + 1
    return Stack(
        np.zeros(levels * game.WORDS, np.uint64),
        np.zeros((levels, COLUMNS), np.int64),
        np.zeros(levels, np.uint64),
        np.zeros(levels * game.MAX_MOVES, np.int64),
        np.zeros((levels, 2), np.int64),
        np.zeros(ordering.SLOTS, np.int32),
    )


# ------------------------------------------------------------------------------------------------------------- values


@inlined
def final_value(game, state, ply):
    """What a finished game is worth for the player to move, ``ply`` plies below the root."""
    found = np.int64(score(game, state))
    won = (np.int64(found > 0) - np.int64(found < 0)) * (WON - ply)
    return -won if mover(game, state) == 1 else won


@inlined
def value_at_once(game, state, moves, left, ply):
    """(whether a position is worth something without a search, what, which bounds of it last)."""
    if moves == 0:
        return True, final_value(game, state, ply), np.int64(EXACT)
    known = np.int64(decided(game, state))
    if known != 0:
        return True, known * (WON - FAR - ply), np.int64(EXACT)
    if left == 0:
        return True, min(max(np.int64(evaluation(game, state)), -MOST_EVALUATION), MOST_EVALUATION), np.int64(0)
    return False, np.int64(0), np.int64(0)


@inlined
def moved(value, plies):
    """A win or loss ``plies`` further from its end: the table holds values as their position sees them, searches as the root."""
    return value - plies if value >= WON_LEAST else value + plies if value <= -WON_LEAST else value


@inlined
def answers(bounds, value, low, high):
    """Whether a value with these bounds is all that a search in the window (low, high) would find."""
    return bounds == EXACT or (bounds == LOWER and value >= high) or (bounds == UPPER and value <= low)


@inlined
def turned(bounds):
    """The bounds of a value after its sign has changed."""
    return (bounds & LOWER) * UPPER + (bounds & UPPER) // UPPER


# -------------------------------------------------------------------------------------------------------------- nodes


@inlined
def fill_node(nodes, level, low, high, left, moves, side, listed, hashed):
    """A node before its first move."""
    nodes[level, LOW], nodes[level, HIGH], nodes[level, FLOOR], nodes[level, BEST] = low, high, low, -NOTHING
    nodes[level, CHOSEN], nodes[level, LEFT], nodes[level, MOVES], nodes[level, TRIED] = NONE, left, moves, 0
    nodes[level, SIDE], nodes[level, LASTING], nodes[level, LISTED], nodes[level, HASHED] = side, EXACT, listed, hashed
    nodes[level, SCOUTS], nodes[level, AGAIN] = 0, 0


@inlined
def goes_on(nodes, level):
    """Whether the node has a move to search."""
    untried = nodes[level, TRIED] < nodes[level, MOVES] and nodes[level, LOW] < nodes[level, HIGH]
    return nodes[level, AGAIN] != 0 or untried


@inlined
def next_entry(game, state, stack, level):
    """The move to search now: the last one again, the table's, or the best of the list, which is made when it is needed."""
    nodes = stack.nodes
    tried, hashed = nodes[level, TRIED], nodes[level, HASHED]
    if nodes[level, AGAIN] != 0:
        return nodes[level, AT_HAND]
    nodes[level, TRIED] = tried + 1
    if tried == 0 and hashed != NONE:
        return ordering.entry_of(np.int64(0), hashed, np.int64(nth_move(game, state, hashed)))
    width = stack.lists.shape[0] // stack.hashes.shape[0]
    at, before = level * width, np.int64(hashed != NONE)
    if nodes[level, LISTED] == NONE:
        moves = nodes[level, MOVES]
        list_moves(game, state, moves, stack.lists, at)
        length = ordering.without(stack.lists, at, moves, hashed) if hashed != NONE else moves
        nodes[level, LISTED] = length
        ordering.score_moves(stack.history, stack.killers, level, nodes[level, SIDE], stack.lists, at, length)
    first = at + tried - before
    if level > 0 and tried < ordering.SORTED:
        ordering.bring_best(stack.lists, first, at + nodes[level, LISTED])
    return stack.lists[first]


@inlined
def answer_or_enter(game, stack, table, level, child, moves, side):
    """(whether the child of the node at ``level`` is worth something without a search, what, which bounds of it last).

    Where it is not, it is put on the stack, one level deeper. The value is for ``side``, who moves there.
    """
    nodes, ply = stack.nodes, level + 1
    left = nodes[level, LEFT] - 1
    scouts = nodes[level, TRIED] > 1 and nodes[level, AGAIN] == 0
    nodes[level, SCOUTS] = 0
    known, value, lasting = value_at_once(game, child, moves, left, ply)
    if known:
        return True, value, lasting
    low = nodes[level, LOW]
    high = low + 1 if scouts else nodes[level, HIGH]
    low, high = (low, high) if side == nodes[level, SIDE] else (-high, -low)
    width = stack.words.shape[0] // stack.hashes.shape[0]
    pack(game, child, stack.words, ply * width, 1)
    position = hash_of(stack.words, ply * width, width)
    data = probe(table, position)
    bounds, value = bounds_for(data, left), moved(value_of(data), ply)
    nodes[level, SCOUTS] = scouts and bounds != EXACT
    if answers(bounds, value, low, high):
        return True, value, lasting_of(data)
    stack.hashes[ply] = position
    fill_node(nodes, ply, low, high, left, moves, side, NONE, ordinal_of(data) if data != U(0) else np.int64(NONE))
    return False, value, np.int64(0)


@inlined
def merge(stack, level, side, value, lasting):
    """Note at ``level`` what the move at hand is worth for ``side``, who moves after it."""
    nodes = stack.nodes
    if side != nodes[level, SIDE]:
        value, lasting = -value, turned(lasting)
    low, high = nodes[level, LOW], nodes[level, HIGH]
    if value > nodes[level, BEST]:
        nodes[level, BEST], nodes[level, CHOSEN] = value, number_of(nodes[level, AT_HAND])
        nodes[level, LASTING] &= UPPER
    if value == nodes[level, BEST]:
        nodes[level, LASTING] |= lasting & LOWER
    if nodes[level, SCOUTS] != 0 and low < value < high:
        nodes[level, AGAIN], nodes[level, SCOUTS] = 1, 0
        return
    nodes[level, AGAIN] = 0
    nodes[level, LOW] = max(low, value)
    nodes[level, LASTING] &= lasting | LOWER
    if level == 0 and value <= -WON_LEAST:
        ordering.mark_lost(stack.lists, nodes[0, TRIED] - 1)


@inlined
def close_node(stack, table, level):
    """A node is done: write it into the table, and what cut it off into killers and history."""
    nodes = stack.nodes
    best, left = nodes[level, BEST], nodes[level, LEFT]
    bounds = np.int64(EXACT)
    if best >= nodes[level, HIGH]:
        bounds = np.int64(LOWER)
        move = move_of(nodes[level, AT_HAND])
        if stack.killers[level, 0] != move:
            stack.killers[level, 1], stack.killers[level, 0] = stack.killers[level, 0], move
        ordering.reward(stack.history, ordering.slot_of(nodes[level, SIDE], move), left)
    elif best <= nodes[level, FLOOR]:
        bounds = np.int64(UPPER)
    nodes[level, LASTING] &= bounds
    data = packed(moved(best, -level), nodes[level, CHOSEN], left, bounds, nodes[level, LASTING])
    keep(table, stack.hashes[level], data)


@inlined
def search(game, stack, table, level, visited, until):
    """Go on with the iteration in ``stack``, at ``level``, until it ends or ``visited`` positions reach ``until``.

    Returns (level, visited), the level being OVER once the iteration has ended and THROUGH_CHANCE where chance moves.
    """
    nodes = stack.nodes
    width = stack.words.shape[0] // stack.hashes.shape[0]
    state = unpack(game, stack.words, level * width, 1)
    while True:
        if goes_on(nodes, level):
            if visited >= until:
                return level, visited
            nodes[level, AT_HAND] = next_entry(game, state, stack, level)
            child = play(game, state, move_of(nodes[level, AT_HAND]))
            visited += 1
            moves, side = np.int64(count_moves(game, child)), np.int64(mover(game, child))
            if side == CHANCE and moves > 0:
                return np.int64(THROUGH_CHANCE), visited
            known, value, lasting = answer_or_enter(game, stack, table, level, child, moves, side)
            if not known:
                level, state = level + 1, child
                continue
        else:
            close_node(stack, table, level)
            if level == 0:
                return np.int64(OVER), visited
            value, lasting, side = nodes[level, BEST], nodes[level, LASTING], nodes[level, SIDE]
            level -= 1
            state = unpack(game, stack.words, level * width, 1)
        merge(stack, level, side, value, lasting)
