"""The four steps of an iteration: select, expand (both within ``select`` and ``reach``), evaluate (the kernels), back up.

On the CPU each step is compiled on its own and handed to the glue as a value: ``select`` for (rule, operator), ``reach`` for
the game, ``evaluate`` for (game, policy), ``back_up`` for the operator. On the device all of them go into one kernel.
"""

from typing import Any

import numba
import numpy as np
from numba import types

from gpumcts.games.contract import (
    CHANCE,
    SCORE_UNIT,
    chance_move,
    count_moves,
    mover,
    nth_move,
    pack,
    play,
    unpack,
)
from gpumcts.jit import inlined, separate
from gpumcts.playouts.contract import outcome, rescaled_evaluation
from gpumcts.rng import PLY_STEP, draw
from gpumcts.tree.backup.contract import back_up, count, total_count
from gpumcts.tree.forest import NONE, add_child, child_with_move
from gpumcts.tree.selection.contract import prepare, score

U = np.uint64
DEPTH_MASK = (1 << 32) - 1
NEW_CHILD = 1 << 32  # select: the node at this depth gets a new child
THROUGH_CHANCE = 1 << 33  # select: chance moves at the node at this depth; reach: go on selecting from this depth
UNVISITED_DRAW = 0  # draw of a ply of the tie stream that picks among unvisited moves; ties of scores follow


# ------------------------------------------------------------------------------------------------------------ select


@inlined
def select(rule, operator, forest, switches, tree, ties, path, depth):
    """Descend from ``path[depth]`` by the selection rule until the tree ends.

    Returns the depth reached, with NEW_CHILD where an unvisited move of that node is to be tried, or THROUGH_CHANCE where
    chance moves there. ``ties`` (uint64) is the stream of this iteration's random ties.
    """
    node = np.int64(path[depth])
    while True:
        moves, children = np.int64(forest.moves[tree, node]), np.int64(forest.children[tree, node])
        if moves == 0 or (children == 0 and forest.visits[tree, node] < switches.threshold):
            return depth
        if moves < 0:
            return depth | THROUGH_CHANCE
        if children < moves and (children == 0 or switches.first_play_urgency == np.inf):
            return depth | NEW_CHILD
        first = np.int64(forest.first_child[tree, node])
        prepared = prepare(rule, selection_total(operator, forest, switches, tree, node), depth, forest.horizon[tree])
        best, chosen, equal = -np.inf, first, U(0)
        for child in range(first, first + children):
            candidate = score(rule, operator, forest, tree, child, prepared)
            if candidate > best:
                best, chosen, equal = candidate, child, U(1)
            elif candidate == best:
                equal += U(1)
                if switches.random_ties:
                    if draw(ties + U(depth) * PLY_STEP, equal, equal) == U(0):
                        chosen = child
                elif forest.move[tree, child] < forest.move[tree, chosen]:
                    chosen = child
        if children < moves and switches.first_play_urgency >= best:
            return depth | NEW_CHILD
        node = np.int64(chosen)
        depth += 1
        path[depth] = node


@inlined
def selection_total(operator, forest, switches, tree, node):
    """n(s): the node's own count, or the sum of its children's."""
    if not switches.children_count:
        return total_count(operator, forest, tree, node)
    total = 0.0
    first = forest.first_child[tree, node]
    for child in range(first, first + forest.children[tree, node]):
        total += count(operator, forest, tree, child)
    return total


# ------------------------------------------------------------------------------------------------------------- reach


@inlined
def unvisited_move(game, state, forest, switches, tree, node, stream):
    """A legal move of ``state`` that has no child yet: uniformly random, or the first in order of generation.

    With r drawn among the unvisited ones, move number x is the one where x = r + (visited moves up to x); the iteration from
    x = r climbs to the smallest such x, since moves are ordered.
    """
    children = np.int64(forest.children[tree, node])
    unvisited = np.int64(forest.moves[tree, node]) - children
    r = np.int64(draw(stream, UNVISITED_DRAW, unvisited)) if switches.random_ties else np.int64(0)
    first = np.int64(forest.first_child[tree, node])
    x = r
    while True:
        move = nth_move(game, state, x)
        visited = np.int64(0)
        for child in range(first, first + children):
            visited += np.int64(forest.move[tree, child] <= move)
        if x == r + visited:
            return move
        x = r + visited


@inlined
def grow(game, state, forest, tree, node, move, paths, row, first_row, depth):
    """Put a new child for ``move`` below ``node`` at ``depth`` of row ``row``.

    The paths of the tree's other leaves of the batch follow a block that moves.
    """
    child, moved_from = add_child(forest, tree, node, move)
    if moved_from != NONE:
        shift = forest.first_child[tree, node] - moved_from
        end = moved_from + forest.children[tree, node] - 1
        for other in range(first_row, row):
            for k in range(depth + 1, paths.shape[1]):
                if moved_from <= paths[other, k] < end:
                    paths[other, k] += shift
    paths[row, depth + 1] = child
    return child


@inlined
def settle(game, state, forest, tree, node):
    """Note in a new node how many moves its position has."""
    moves = np.int64(count_moves(game, state))
    forest.moves[tree, node] = -moves if mover(game, state) == CHANCE else moves


@inlined
def reach(game, forest, switches, tree, ties, chance, words, paths, row, first_row, movers, evaluations, begin, code):
    """Play the moves of the selected path, from its node at depth ``begin``, and expand the tree where ``code`` says so.

    ``words`` (uint64[rows, W]) holds in ``row`` the state at depth ``begin`` and is left with the leaf's. ``movers`` gets who
    moves at every depth, ``evaluations`` the leaf's evaluation in [0, 1] for the first player where the operator wants it.
    Returns the depth of the leaf, or with THROUGH_CHANCE the depth from which to go on selecting.
    """
    depth = code & DEPTH_MASK
    packed = words[row]
    state = unpack(game, packed, 0, 1)
    for k in range(begin, depth):
        movers[row, k] = mover(game, state)
        state = play(game, state, np.int64(forest.move[tree, paths[row, k + 1]]))
    movers[row, depth] = mover(game, state)
    node = np.int64(paths[row, depth])
    grows = code >= NEW_CHILD
    while grows:
        if mover(game, state) == CHANCE:
            move = np.int64(chance_move(game, state, chance + U(depth) * PLY_STEP))
            known = child_with_move(forest, tree, node, move)
            if known != NONE:
                pack(game, play(game, state, move), packed, 0, 1)
                paths[row, depth + 1] = known
                return (depth + 1) | THROUGH_CHANCE
        else:
            move = np.int64(unvisited_move(game, state, forest, switches, tree, node, ties + U(depth) * PLY_STEP))
        node = grow(game, state, forest, tree, node, move, paths, row, first_row, depth)
        state = play(game, state, move)
        depth += 1
        movers[row, depth] = mover(game, state)
        settle(game, state, forest, tree, node)
        grows = switches.whole_path and forest.moves[tree, node] != 0
    pack(game, state, packed, 0, 1)
    if switches.evaluate_leaves:
        evaluations[row] = 0.5 + leaf_score(game, state) / (2.0 * SCORE_UNIT)
    return depth


@inlined
def leaf_score(game, state):
    """The rescaled evaluation of a leaf, or its score where the game is over there."""
    if count_moves(game, state) == 0:
        return np.int64(outcome(game, state))
    return np.int64(rescaled_evaluation(game, state))


# ------------------------------------------------------------------------------------------- compiled on their own


def select_step(rule: Any, operator: Any, forest: Any, switches: Any) -> Any:
    """``select`` compiled for a rule and an operator (values; forest and switches give the types)."""
    typed = (numba.typeof(v) for v in (rule, operator, forest, switches))
    signature = types.int64(*typed, types.int64, types.uint64, types.int32[::1], types.int64)
    return separate(select, signature, f"selection by {type(rule).__name__} over {type(operator).__name__}")


def reach_step(game: Any, forest: Any, switches: Any) -> Any:
    """``reach`` compiled for a game."""
    signature = types.int64(
        *(numba.typeof(v) for v in (game, forest, switches)),
        types.int64,  # tree
        types.uint64,  # ties
        types.uint64,  # chance
        types.uint64[:, ::1],  # words
        types.int32[:, ::1],  # paths
        types.int64,  # row
        types.int64,  # first_row
        types.int8[:, ::1],  # movers
        types.float64[::1],  # evaluations
        types.int64,  # begin
        types.int64,  # code
    )
    return separate(reach, signature, f"tree moves of {type(game).__name__}")


def _back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation)


def back_up_step(operator: Any, forest: Any) -> Any:
    """``back_up`` compiled for an operator."""
    typed = (numba.typeof(operator), numba.typeof(forest), types.int64, types.int32[::1], types.int8[::1])
    signature = types.void(*typed, types.int64, types.float64, types.int64, types.float64)
    return separate(_back_up, signature, f"backup by {type(operator).__name__}")
