"""Principal-variation search over an explicit stack, so that it can stop at any position and go on later.

Negamax with windows of width one around the first move's value (Marsland, Campbell 1982, *Parallel search of strongly
ordered game trees*), and a hash table. Values are for the player who moves, and change sign where the mover does: who
moves twice in a row keeps his. What stands at the horizon, and what a finished game is worth, says the leaf
(``leaves``).

What the table has of a position answers a search of just its depth. It answers a deeper one where it lasts: where every
line that it stands on goes to the end of the game or to a position that is decided. A bound stands on less than a value
does, so the lower and the upper one last each for itself: that a move wins will hold, but a deeper search may find a
sooner win. So an iteration is worth what plain minimax of its depth is, with decided positions as leaves.

How much is known of the root's moves is up to its slack: the window of a move begins so far below the best value so
far. With a slack of 0 worse moves and equal ones are not told apart, with 1 those that are as good as the best are
known, and with EVERY_MOVE each move has its own exact value.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.alpha_beta import ordering
from gpumcts.alpha_beta.leaves import (
    MAX_NOISY,
    WON_LEAST,
    goes_beyond,
    has_table,
    path_below,
    scouts_ahead,
    value_at_once,
)
from gpumcts.alpha_beta.ordering import list_moves, move_of, number_of
from gpumcts.alpha_beta.table import (
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
from gpumcts.games.contract import CHANCE, count_moves, mover, nth_move, pack, play, unpack
from gpumcts.jit import inlined

U = np.uint64
NOTHING = np.int64(1 << 40)  # its negative: worse than every value
NO_MOVE = -1
EVERY_MOVE = np.int64(1 << 41)
"""The slack of a root each of whose moves is searched with the whole window."""

# Columns of a node: its window (FLOOR is where it began), best value and the number of its move, plies left to search,
# moves, moves begun, who moves, which bounds last (LOWER that of the best value so far, UPPER of all moves so far),
# length of the list of moves (NO_MOVE before it is made), the table's move, the move at hand, whether its answer may be
# no more than a bound since its window has width one, whether it is to be searched again, and the slack.
LOW, HIGH, FLOOR, BEST, CHOSEN, LEFT, MOVES, TRIED, SIDE, LASTING, LISTED, HASHED, AT_HAND, SCOUTS, AGAIN, SLACK = (
    range(16)
)
COLUMNS = 16

# Answers of ``search`` in place of a level: iteration over, chance moves, a position with more than MAX_MOVES moves.
OVER, THROUGH_CHANCE, TOO_MANY_MOVES = -2, -3, -4


class Stack(NamedTuple):
    """One search: L levels, of which the last is the node at hand; what orders moves."""

    words: np.ndarray  # uint64 [L * W] states
    nodes: np.ndarray  # int64 [L, COLUMNS]
    hashes: np.ndarray  # uint64 [L] of the states, or keys of the paths to them
    lists: np.ndarray  # int64 [L * M] entries of moves, M for each level
    killers: np.ndarray  # int64 [L, 2] moves
    history: np.ndarray  # int32 [SLOTS]
    values: np.ndarray  # int64 [M] of the root's moves, by number; of those worse than the slack allows, upper bounds
    ranks: np.ndarray  # int64 [M] of the root's moves, by number: the order in which equal ones are preferred


def empty_stack(game, depth, leaf) -> Stack:
    """Room for searches of ``game`` (an option value) of up to ``depth`` plies, over a ``leaf``."""
    levels = depth + 1 + (MAX_NOISY if goes_beyond(leaf) else 0)
    return Stack(
        np.zeros(levels * game.WORDS, np.uint64),
        np.zeros((levels, COLUMNS), np.int64),
        np.zeros(levels, np.uint64),
        np.zeros(levels * game.MAX_MOVES, np.int64),
        np.zeros((levels, 2), np.int64),
        np.zeros(ordering.SLOTS, np.int32),
        np.zeros(game.MAX_MOVES, np.int64),
        np.zeros(game.MAX_MOVES, np.int64),
    )


# ------------------------------------------------------------------------------------------------------------- values


@inlined
def moved(value, plies):
    """A win or loss ``plies`` further from its end: the table counts from the position, searches from the root."""
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
    nodes[level, CHOSEN], nodes[level, LEFT], nodes[level, MOVES], nodes[level, TRIED] = NO_MOVE, left, moves, 0
    nodes[level, SIDE], nodes[level, LASTING], nodes[level, LISTED], nodes[level, HASHED] = side, EXACT, listed, hashed
    nodes[level, SCOUTS], nodes[level, AGAIN], nodes[level, SLACK] = 0, 0, 0


@inlined
def goes_on(nodes, level):
    """Whether the node has a move to search."""
    untried = nodes[level, TRIED] < nodes[level, MOVES] and nodes[level, LOW] < nodes[level, HIGH]
    return nodes[level, AGAIN] != 0 or untried


@inlined
def next_entry(game, leaf, state, stack, level):
    """The move to search now: the last one again, the table's, or the best of the list, which is made when needed.

    Where leaves tell nothing of one another (``has_table``) moves are in order of replies, but above leaves themselves,
    where the draw alone decides and replies are not worth counting.
    """
    nodes = stack.nodes
    tried, hashed = nodes[level, TRIED], nodes[level, HASHED]
    if nodes[level, AGAIN] != 0:
        return nodes[level, AT_HAND]
    nodes[level, TRIED] = tried + 1
    if tried == 0 and hashed != NO_MOVE:
        return ordering.entry_of(np.int64(0), hashed, np.int64(nth_move(game, state, hashed)))
    width = stack.lists.shape[0] // stack.hashes.shape[0]
    at, before = level * width, np.int64(hashed != NO_MOVE)
    if nodes[level, LISTED] == NO_MOVE:
        moves = nodes[level, MOVES]
        list_moves(game, state, moves, stack.lists, at)
        length = ordering.without(stack.lists, at, moves, hashed) if hashed != NO_MOVE else moves
        nodes[level, LISTED] = length
        if has_table(leaf) or nodes[level, LEFT] == 1:
            ordering.score_moves(
                game, state, stack.history, stack.killers, level, nodes[level, SIDE], stack.lists, at, length
            )
        else:
            ordering.score_by_replies(game, state, nodes[level, SIDE], stack.lists, at, length)
    first = at + tried - before
    if level > 0 and tried < ordering.SORTED:
        ordering.bring_best(stack.lists, first, at + nodes[level, LISTED])
    return stack.lists[first]


@inlined
def answer_or_enter(game, leaf, stack, table, level, child, moves, side):
    """(whether the child of the node at ``level`` is worth something without a search, what, which bounds of it last).

    Where it is not, it is put on the stack, one level deeper. The value is for ``side``, who moves there.
    """
    nodes, ply = stack.nodes, level + 1
    left = nodes[level, LEFT] - 1
    scouts = nodes[level, TRIED] > 1 and nodes[level, AGAIN] == 0 and nodes[level, SLACK] < EVERY_MOVE
    scouts = scouts and scouts_ahead(leaf)
    nodes[level, SCOUTS] = 0
    path = path_below(leaf, stack.hashes[level], move_of(nodes[level, AT_HAND]))
    known, value, lasting = value_at_once(leaf, game, child, moves, left, ply, path)
    if known:
        return True, value, lasting
    low = nodes[level, LOW]
    high = low + 1 if scouts else nodes[level, HIGH]
    low, high = (low, high) if side == nodes[level, SIDE] else (-high, -low)
    if goes_beyond(leaf) and left <= 0:
        nodes[level, SCOUTS] = scouts
        return enter_noisy(game, stack, ply, child, moves, side, left, low, high, value), value, np.int64(0)
    width = stack.words.shape[0] // stack.hashes.shape[0]
    pack(game, child, stack.words, ply * width, 1)
    position, data = path, U(0)
    if has_table(leaf):
        position = hash_of(stack.words, ply * width, width)
        data = probe(table, position)
    bounds, value = bounds_for(data, left), moved(value_of(data), ply)
    nodes[level, SCOUTS] = scouts and bounds != EXACT
    if answers(bounds, value, low, high):
        return True, value, lasting_of(data)
    stack.hashes[ply] = position
    fill_node(
        nodes, ply, low, high, left, moves, side, NO_MOVE, ordinal_of(data) if data != U(0) else np.int64(NO_MOVE)
    )
    return False, value, np.int64(0)


@inlined
def enter_noisy(game, stack, ply, child, moves, side, left, low, high, stands):
    """Push a position beyond the horizon, with its noisy moves alone; True where what it ``stands`` at is enough."""
    width, room = stack.words.shape[0] // stack.hashes.shape[0], stack.lists.shape[0] // stack.hashes.shape[0]
    if stands >= high:
        return True
    listed = ordering.list_noisy(game, child, moves, stack.lists, ply * room)
    if listed == 0:
        return True
    pack(game, child, stack.words, ply * width, 1)
    stack.hashes[ply] = U(0)
    fill_node(stack.nodes, ply, low, high, left, listed, side, listed, NO_MOVE)
    stack.nodes[ply, LOW], stack.nodes[ply, BEST], stack.nodes[ply, LASTING] = max(low, stands), stands, 0
    return False


@inlined
def merge(stack, level, side, value, lasting):
    """Note at ``level`` what the move at hand is worth for ``side``, who moves after it."""
    nodes = stack.nodes
    if side != nodes[level, SIDE]:
        value, lasting = -value, turned(lasting)
    if level == 0:
        stack.values[number_of(nodes[0, AT_HAND])] = value
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
    nodes[level, LOW] = max(low, value - nodes[level, SLACK])
    nodes[level, LASTING] &= lasting | LOWER
    if level == 0 and value <= -WON_LEAST:
        ordering.mark_lost(stack.lists, nodes[0, TRIED] - 1)


@inlined
def close_node(leaf, stack, table, level):
    """A node is done: write it into the table, and what cut it off into killers and history."""
    nodes = stack.nodes
    best, left = nodes[level, BEST], nodes[level, LEFT]
    if left <= 0:
        return
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
    if has_table(leaf):
        data = packed(moved(best, -level), nodes[level, CHOSEN], left, bounds, nodes[level, LASTING])
        keep(table, stack.hashes[level], data)


@inlined
def search(game, leaf, stack, table, level, visited, until):
    """Go on with the iteration in ``stack``, at ``level``, until it ends or ``visited`` positions reach ``until``.

    Returns (level, visited), the level being OVER once the iteration has ended, THROUGH_CHANCE where chance moves, and
    TOO_MANY_MOVES where a position has more than there is room for.
    """
    nodes = stack.nodes
    width, room = stack.words.shape[0] // stack.hashes.shape[0], stack.values.shape[0]
    state = unpack(game, stack.words, level * width, 1)
    while True:
        if goes_on(nodes, level):
            if visited >= until:
                return level, visited
            nodes[level, AT_HAND] = next_entry(game, leaf, state, stack, level)
            child = play(game, state, move_of(nodes[level, AT_HAND]))
            visited += 1
            moves, side = np.int64(count_moves(game, child)), np.int64(mover(game, child))
            if side == CHANCE and moves > 0:
                return np.int64(THROUGH_CHANCE), visited
            if moves > room:
                return np.int64(TOO_MANY_MOVES), visited
            known, value, lasting = answer_or_enter(game, leaf, stack, table, level, child, moves, side)
            if not known:
                level, state = level + 1, child
                continue
        else:
            close_node(leaf, stack, table, level)
            if level == 0:
                return np.int64(OVER), visited
            value, lasting, side = nodes[level, BEST], nodes[level, LASTING], nodes[level, SIDE]
            level -= 1
            state = unpack(game, stack.words, level * width, 1)
        merge(stack, level, side, value, lasting)
