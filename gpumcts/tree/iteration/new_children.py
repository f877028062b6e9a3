"""New children of a node, what is noted in them, and the leaf that a row ends at."""

import numpy as np

from gpumcts.games.contract import (
    CHANCE,
    NO_MOVE,
    SCORE_UNIT,
    chance_move,
    count_moves,
    move_after,
    mover,
    nth_move,
    pack,
)
from gpumcts.games.contract import score as score_of_game
from gpumcts.jit import inlined
from gpumcts.playouts.contract import rescaled_evaluation
from gpumcts.rng import PLY_STEP, draw
from gpumcts.tree.forest import (
    BEYOND_MOVES,
    BEYOND_PLIES,
    NO_NODE,
    UNSETTLED,
    add_child,
    add_children,
    child_with_move,
    clear_node,
)
from gpumcts.tree.iteration.batch import CHANCES, DONE, PATH_BEYOND_PLIES, TIES

U = np.uint64
GUESSES = 2  # at the number of an unvisited move, by how many are missing
UNVISITED_DRAW = 0  # draw of a ply of the tie stream that picks among unvisited moves; ties of scores follow


@inlined
def unvisited_move(game, state, forest, switches, tree, node, stream):
    """A legal move of ``state`` that has no child yet: uniformly random, or the first in order of generation.

    With r drawn among the unvisited ones it is the move number x that has r of them before it. Numbering a move may be
    dear (Amazons: a microsecond), so the search begins where x is to be expected, and halves what is left soon after.
    """
    moves, children = np.int64(forest.move_count[tree, node]), np.int64(forest.child_count[tree, node])
    unvisited = moves - children
    r = np.int64(draw(stream, UNVISITED_DRAW, unvisited)) if switches.random_ties else np.int64(0)
    first = np.int64(forest.first_child[tree, node])
    low, high, x, guesses = np.int64(0), moves - 1, r * moves // unvisited, GUESSES
    while True:
        move = nth_move(game, state, x)
        visited, is_visited = np.int64(0), np.int64(0)
        for child in range(first, first + children):
            visited += np.int64(forest.action[tree, child] <= move)
            is_visited += np.int64(forest.action[tree, child] == move)
        missing = r - (x - visited + is_visited)
        if missing == 0 and is_visited == 0:
            return move
        if missing >= 0:
            low = x + missing + is_visited
        else:
            high = x + missing
        x = min(max(x + missing * moves // unvisited, low), high) if guesses > 0 else (low + high) // 2
        guesses -= 1


@inlined
def add_all_children(game, state, forest, tree, node, move):
    """Put children for all moves of ``state``, not settled, below ``node``; the one for ``move``."""
    block = add_children(forest, tree, node)
    chosen, following = block, np.int64(NO_MOVE)
    for k in range(np.int64(forest.child_count[tree, node])):
        following = np.int64(move_after(game, state, following, k))
        clear_node(forest, tree, block + k, following)
        forest.move_count[tree, block + k] = UNSETTLED
        if following == move:
            chosen = block + k
    return chosen


@inlined
def chosen_child(game, state, forest, switches, tree, node, depth, row, batch):
    """The child that a row gets where chance moves, or where it tries an unvisited move: (node, whether it is new).

    A new one is not settled.
    """
    if mover(game, state) == CHANCE:
        move = np.int64(chance_move(game, state, batch.streams[row, CHANCES] + U(depth) * PLY_STEP))
        known = child_with_move(forest, tree, node, move)
        if known != NO_NODE:
            return known, False
    else:
        stream = batch.streams[row, TIES] + U(depth) * PLY_STEP
        move = np.int64(unvisited_move(game, state, forest, switches, tree, node, stream))
    if switches.cells > 0:
        return add_all_children(game, state, forest, tree, node, move), True
    child = add_child(forest, tree, node, move)
    forest.move_count[tree, child] = UNSETTLED
    return child, True


@inlined
def settle(game, state, forest, switches, tree, node, depth, batch):
    """Note in a new node at ``depth`` how many moves its position has: none where there is no room for them."""
    moves = np.int64(count_moves(game, state))
    if moves > switches.most_moves:
        forest.beyond[tree], moves = BEYOND_MOVES, 0
    elif moves > 0 and depth >= batch.paths.shape[1] - PATH_BEYOND_PLIES:
        forest.beyond[tree], moves = BEYOND_PLIES, 0
    forest.move_count[tree, node] = -moves if mover(game, state) == CHANCE else moves


@inlined
def leaf_score(game, state):
    """The rescaled evaluation of a leaf, or its score where the game is over there."""
    if count_moves(game, state) == 0:
        return np.int64(score_of_game(game, state))
    return np.int64(rescaled_evaluation(game, state))


@inlined
def finish(game, state, switches, row, depth, batch):
    """A row's leaf is at ``depth``: leave its state, and its evaluation where the operator wants it."""
    batch.movers[row, depth] = mover(game, state)
    pack(game, state, batch.words[row], 0, 1)
    batch.depths[row], batch.codes[row] = depth, DONE
    if switches.evaluate_leaves:
        batch.evaluations[row] = 0.5 + leaf_score(game, state) / (2.0 * SCORE_UNIT)
