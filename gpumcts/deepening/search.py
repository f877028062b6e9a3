"""Principal-variation search over an explicit stack, so that it can stop at any position and go on later.

Negamax with windows of width one around the first move's value (Marsland, Campbell 1982, *Parallel search of strongly
ordered game trees*), a hash table, and deepening ply by ply until the budget is spent or the value is proven. Values are for
the player who moves, and change sign where the mover does: who moves twice in a row keeps his. A won game is worth WON less
the plies to its end, beyond every evaluation, so wins come soon and losses late; a draw is 0. A win that the game's own
knowledge proves (``decided``) counts as one that is FAR more plies away.

A position counts as searched to the depth asked for only where the table has it at just that depth or to the end of all its
lines, so the value of a root is that of plain minimax of the same depth.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.deepening import ordering
from gpumcts.deepening.ordering import list_moves, move_of, number_of
from gpumcts.deepening.table import (
    EXACT,
    LOWER,
    UPPER,
    WHOLE,
    begin_generation,
    depth_of,
    hash_of,
    keep,
    ordinal_of,
    packed,
    probe,
    value_of,
)
from gpumcts.games.contract import (
    CHANCE,
    count_moves,
    decided,
    evaluation,
    mover,
    nth_move,
    pack,
    play,
    score,
    unpack,
)
from gpumcts.jit import entry, inlined

U = np.uint64
WON = np.int64(1 << 30)
FAR = np.int64(1 << 16)
WON_LEAST = WON - 2 * FAR
"""The least value of a win; -WON_LEAST is the greatest of a loss. Evaluations are clamped to stay between."""
MOST_EVALUATION = np.int64(1 << 29)
NOTHING = np.int64(1 << 40)  # its negative: worse than every value
NONE = -1

# Columns of a node: its window (FLOOR is where it began), best value and the number of its move, plies left to search, moves,
# moves begun, who moves, whether all that was searched holds at any depth, length of the list of moves (NONE before it is
# made), the table's move, the move at hand, whether its window has width one, whether it is to be searched again.
LOW, HIGH, FLOOR, BEST, CHOSEN, LEFT, MOVES, TRIED, SIDE, SURE, LISTED, HASHED, AT_HAND, SCOUTS, AGAIN = range(15)
COLUMNS = 15

ROOT, LEVEL, NODES, DEPTH = range(
    4
)  # of a cursor: the root at hand, its level, positions visited so far, plies of the iteration
NEW, OVER, THROUGH_CHANCE = (
    -1,
    -2,
    -3,
)  # levels of a root not begun, of an iteration that has ended, of one that met chance
DONE, MORE, BY_CHANCE = range(3)  # what ``advance`` answers
UNKNOWN, WIN, LOSS, DRAW = 0, 1, -1, 2  # what is proven


class Roots(NamedTuple):
    """A batch of B roots and what became of them, for the player to move there."""

    words: np.ndarray  # uint64 [B, W] packed states
    keys: np.ndarray  # uint64 [B] for the order of the root's moves
    moves: np.ndarray  # int64 [B] the best
    values: np.ndarray  # int64 [B] what it is worth
    depths: np.ndarray  # int64 [B] plies of the last iteration that was completed
    nodes: np.ndarray  # int64 [B] positions visited
    proven: np.ndarray  # int64 [B] UNKNOWN, WIN, LOSS or DRAW


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
    """(whether a position is worth something without a search, what, whether that holds at any depth)."""
    if moves == 0:
        return True, final_value(game, state, ply), True
    known = np.int64(decided(game, state))
    if known != 0:
        return True, known * (WON - FAR - ply), True
    if left == 0:
        return True, min(max(np.int64(evaluation(game, state)), -MOST_EVALUATION), MOST_EVALUATION), False
    return False, np.int64(0), False


@inlined
def moved(value, plies):
    """A win or loss ``plies`` further from its end: the table holds values as their position sees them, searches as the root."""
    return value - plies if value >= WON_LEAST else value + plies if value <= -WON_LEAST else value


@inlined
def value_in_table(data, left, low, high, ply):
    """The same from an entry of the table (0 for none), for a search of ``left`` plies in the window (low, high)."""
    value, whole = moved(value_of(data), ply), (data & U(WHOLE)) != U(0)
    bounded = ((data & U(LOWER)) != U(0) and value >= high) or ((data & U(UPPER)) != U(0) and value <= low)
    fits = bounded or (data & U(EXACT)) == U(EXACT)
    return fits and (whole or depth_of(data) == left), value, whole


# -------------------------------------------------------------------------------------------------------------- nodes


@inlined
def fill_node(nodes, level, low, high, left, moves, side, listed, hashed):
    """A node before its first move."""
    nodes[level, LOW], nodes[level, HIGH], nodes[level, FLOOR], nodes[level, BEST] = low, high, low, -NOTHING
    nodes[level, CHOSEN], nodes[level, LEFT], nodes[level, MOVES], nodes[level, TRIED] = NONE, left, moves, 0
    nodes[level, SIDE], nodes[level, SURE], nodes[level, LISTED], nodes[level, HASHED] = side, 1, listed, hashed
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
def merge(nodes, level, value, whole):
    """Note what the move at hand is worth for the player who moves at ``level``."""
    low, high = nodes[level, LOW], nodes[level, HIGH]
    if value > nodes[level, BEST]:
        nodes[level, BEST], nodes[level, CHOSEN] = value, number_of(nodes[level, AT_HAND])
    if nodes[level, SCOUTS] != 0 and low < value < high:
        nodes[level, AGAIN], nodes[level, SCOUTS] = 1, 0
        return
    nodes[level, AGAIN] = 0
    nodes[level, LOW] = max(low, value)
    # A cutoff stands on this move alone; anything else on all.
    nodes[level, SURE] = np.int64(whole) & (np.int64(1) if value >= high else nodes[level, SURE])


@inlined
def close_node(stack, table, level):
    """A node is done: write it into the table, and what cut it off into killers and history."""
    nodes = stack.nodes
    best, left = nodes[level, BEST], nodes[level, LEFT]
    bound = np.int64(EXACT)
    if best >= nodes[level, HIGH]:
        bound = np.int64(LOWER)
        move = move_of(nodes[level, AT_HAND])
        if stack.killers[level, 0] != move:
            stack.killers[level, 1], stack.killers[level, 0] = stack.killers[level, 0], move
        ordering.reward(stack.history, ordering.slot_of(nodes[level, SIDE], move), left)
    elif best <= nodes[level, FLOOR]:
        bound = np.int64(UPPER)
    # A win in sight is one at any depth, and so is a loss that no move prevents.
    proven = (bound != UPPER and best >= WON_LEAST) or (bound != LOWER and best <= -WON_LEAST)
    nodes[level, SURE] = np.int64(1) if proven else nodes[level, SURE]
    data = packed(moved(best, -level), nodes[level, CHOSEN], left, bound, nodes[level, SURE])
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
            chosen = next_entry(game, state, stack, level)
            nodes[level, AT_HAND] = chosen
            child = play(game, state, move_of(chosen))
            visited += 1
            moves, side, left = np.int64(count_moves(game, child)), np.int64(mover(game, child)), nodes[level, LEFT] - 1
            if side == CHANCE and moves > 0:
                return np.int64(THROUGH_CHANCE), visited
            same = side == nodes[level, SIDE]
            known, value, whole = value_at_once(game, child, moves, left, level + 1)
            if not known:
                scouts = nodes[level, TRIED] > 1 and nodes[level, AGAIN] == 0
                nodes[level, SCOUTS] = scouts
                low = nodes[level, LOW]
                high = low + 1 if scouts else nodes[level, HIGH]
                low, high = (low, high) if same else (-high, -low)
                pack(game, child, stack.words, (level + 1) * width, 1)
                position = hash_of(stack.words, (level + 1) * width, width)
                data = probe(table, position)
                known, value, whole = value_in_table(data, left, low, high, level + 1)
                if not known:
                    hashed = ordinal_of(data) if data != U(0) else np.int64(NONE)
                    level += 1
                    stack.hashes[level] = position
                    fill_node(nodes, level, low, high, left, moves, side, NONE, hashed)
                    state = child
                    continue
        else:
            close_node(stack, table, level)
            value, whole, side = nodes[level, BEST], nodes[level, SURE] != 0, nodes[level, SIDE]
            if level == 0:
                return np.int64(OVER), visited
            level -= 1
            same = side == nodes[level, SIDE]
            state = unpack(game, stack.words, level * width, 1)
        merge(nodes, level, value if same else -value, whole)


# -------------------------------------------------------------------------------------------------------------- roots


@inlined
def begin(game, stack, table, words, key):
    """Put a root into ``stack``, its moves in the order of ``key``; returns whether chance moves there."""
    begin_generation(table)
    stack.history[:] = 0
    stack.killers[:, :] = NONE
    state = unpack(game, words, 0, 1)
    pack(game, state, stack.words, 0, 1)
    stack.hashes[0] = hash_of(stack.words, 0, words.shape[0])
    moves = np.int64(count_moves(game, state))
    list_moves(game, state, moves, stack.lists, 0)
    ordering.shuffle(stack.lists, moves, key)
    stack.nodes[0, MOVES], stack.nodes[0, SIDE] = moves, mover(game, state)
    return stack.nodes[0, SIDE] == CHANCE


@inlined
def begin_iteration(stack, depth):
    """The root before a search of ``depth`` plies: the best move so far first."""
    moves, side, best = stack.nodes[0, MOVES], stack.nodes[0, SIDE], stack.nodes[0, CHOSEN]
    if depth > 1:
        ordering.bring_to_front(stack.lists, moves, best)
    # No value leaves the window, and a win by the first move cuts off.
    fill_node(stack.nodes, 0, -WON, WON - 1, depth, moves, side, moves, NONE)


@inlined
def chosen_move(stack):
    """The move of the list that is the root's best."""
    best = stack.nodes[0, CHOSEN]
    at = np.int64(0)
    while number_of(stack.lists[at]) != best:
        at += 1
    return move_of(stack.lists[at])


@inlined
def note(stack, roots, b, depth, visited, ended):
    """Write down where the root stands after an iteration, or in the midst of one that the budget has stopped."""
    root, value = stack.nodes[0], stack.nodes[0, BEST]
    roots.nodes[b] = visited
    if root[CHOSEN] == NONE:
        return  # not even the first move is done: what the last iteration said stands
    won, lost = value >= WON_LEAST, value <= -WON_LEAST
    roots.values[b] = value
    roots.moves[b] = chosen_move(stack)
    if ended:
        roots.depths[b] = depth
        proof = np.int64(WIN) if won else np.int64(LOSS) if lost else np.int64(DRAW)
        roots.proven[b] = proof if root[SURE] != 0 else np.int64(UNKNOWN)
    elif won:
        roots.proven[b] = WIN
    elif lost:
        roots.moves[b] = move_of(root[AT_HAND])  # the others lose; of this one nothing is known


@entry
def advance(game, roots, stack, table, cursor, end, most_nodes, most_depth, quota):
    """Search the roots from ``cursor`` to ``end`` until all are done or ``quota`` positions are visited.

    A root is done after ``most_depth`` plies, after ``most_nodes`` positions, or when its value is proven.
    Returns DONE, MORE (call it again with the same cursor, stack and table), or BY_CHANCE where chance moves.
    """
    while cursor[ROOT] < end:
        b = cursor[ROOT]
        if cursor[LEVEL] == NEW:
            cursor[LEVEL], cursor[NODES], cursor[DEPTH] = 0, 0, 1
            if begin(game, stack, table, roots.words[b], roots.keys[b]):
                return BY_CHANCE
            begin_iteration(stack, 1)
        before = cursor[NODES]
        level, visited = search(game, stack, table, cursor[LEVEL], before, min(most_nodes, before + quota))
        cursor[LEVEL], cursor[NODES] = level, visited
        quota -= visited - before
        if level == THROUGH_CHANCE:
            return BY_CHANCE
        if level != OVER and visited < most_nodes:
            return MORE
        note(stack, roots, b, cursor[DEPTH], visited, level == OVER)
        enough = visited >= most_nodes or cursor[DEPTH] >= most_depth or roots.proven[b] != UNKNOWN
        if level != OVER or enough:
            cursor[ROOT], cursor[LEVEL] = b + 1, NEW
        else:
            cursor[LEVEL], cursor[DEPTH] = 0, cursor[DEPTH] + 1
            begin_iteration(stack, cursor[DEPTH])
        if quota <= 0 and cursor[ROOT] < end:
            return MORE
    return DONE
