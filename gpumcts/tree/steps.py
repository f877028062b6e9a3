"""The four steps of an iteration: select, expand (both within ``select`` and ``reach``), evaluate (the kernels), back up.

On the CPU each step is compiled on its own and handed to the glue as a value: ``select`` for (rule, operator), ``reach`` for
the game, ``evaluate`` for (game, policy), ``back_up`` for the operator. On the device all of them go into one kernel.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

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
    play,
    unpack,
)
from gpumcts.games.contract import score as score_of_game
from gpumcts.jit import blend, inlined, scratch, separate
from gpumcts.kernels.playout_loop import FEWEST_FOR_LANES, LANES, SCORE
from gpumcts.playouts.contract import rescaled_evaluation
from gpumcts.rng import PLY_STEP, draw
from gpumcts.tree.backup.contract import back_up, count, total_count
from gpumcts.tree.forest import NONE, UNSETTLED, add_child, add_children, child_with_move, clear_node
from gpumcts.tree.selection.contract import NoLearner, learn, prepare, score, tries_unvisited
from gpumcts.tree.solve import prove, with_proof

U = np.uint64
TIES, CHANCES = 0, 1  # columns of Batch.streams
NO_LEAF = -1
DONE = -1  # code of a row whose leaf is settled
DEPTH_MASK = (1 << 32) - 1
NEW_CHILD = 1 << 32  # select: the node at this depth gets a new child
THROUGH_CHANCE = 1 << 33  # select: chance moves at the node at this depth; reach: go on selecting from this depth
UNVISITED_DRAW = 0  # draw of a ply of the tie stream that picks among unvisited moves; ties of scores follow


class Batch(NamedTuple):
    """The leaves of one step of a block of trees; row = tree of the block times leaves a tree + leaf."""

    words: np.ndarray  # uint64 [B, W] states; with traces, room for an empty one behind each
    keys: np.ndarray  # uint64 [B] of the playouts
    paths: np.ndarray  # int32 [B, D] nodes from the root
    movers: np.ndarray  # int8 [B, D] who moves at them
    depths: np.ndarray  # int64 [B] of the leaf, or NO_LEAF where the tree's root is proven; on the way, where to go on
    evaluations: np.ndarray  # float64 [B] in [0, 1] for the first player
    tally: np.ndarray  # int64 [B, tally_columns]
    stems: np.ndarray  # uint64 [B, 3] in a tree's first row its keys of playouts, ties and chance
    streams: np.ndarray  # uint64 [B, 2] of ties and chance in this iteration
    codes: np.ndarray  # int64 [B] what select and reach tell each other: a depth and a flag, or DONE


@inlined
def rows_of(batch, begin, end):
    """Rows ``begin`` to ``end`` of a batch."""
    return Batch(
        batch.words[begin:end],
        batch.keys[begin:end],
        batch.paths[begin:end],
        batch.movers[begin:end],
        batch.depths[begin:end],
        batch.evaluations[begin:end],
        batch.tally[begin:end],
        batch.stems[begin:end],
        batch.streams[begin:end],
        batch.codes[begin:end],
    )


# ------------------------------------------------------------------------------------------------------------ select


@inlined
def select(rule, operator, forest, switches, begin, end, leaf, leaves, batch):
    """Select leaf number ``leaf`` of every tree that still looks for it, from ``batch.depths`` on."""
    for tree in range(begin, end):
        row = (tree - begin) * leaves + leaf
        if batch.codes[row] != DONE:
            batch.codes[row] = descend(rule, operator, forest, switches, tree, row, batch)


@inlined
def descend(rule, operator, forest, switches, tree, row, batch):
    """Descend from ``batch.depths[row]`` of the path by the selection rule until the tree ends.

    Returns the depth reached, with NEW_CHILD where an unvisited move of that node is to be tried, or THROUGH_CHANCE where
    chance moves there.
    """
    ties, depth = batch.streams[row, TIES], batch.depths[row]
    node = np.int64(batch.paths[row, depth])
    while True:
        moves, children = np.int64(forest.moves[tree, node]), np.int64(forest.children[tree, node])
        if moves == 0 or (children == 0 and forest.visits[tree, node] < switches.threshold):
            return depth
        if depth > 0 and switches.flat:
            return depth
        if moves < 0:
            return depth | THROUGH_CHANCE
        stream = ties + U(depth) * PLY_STEP
        if children < moves and (
            children == 0
            or (switches.first_play_urgency == np.inf and tries_unvisited(rule, stream, moves - children, moves))
        ):
            return depth | NEW_CHILD
        chosen, best = best_child(rule, operator, forest, switches, tree, node, depth, stream)
        if children < moves and (best == -np.inf or best <= switches.first_play_urgency < np.inf):
            return depth | NEW_CHILD
        node = chosen
        depth += 1
        batch.paths[row, depth] = node


@inlined
def best_child(rule, operator, forest, switches, tree, node, depth, stream):
    """The child of the highest score, and the score."""
    total = selection_total(operator, forest, switches, tree, node)
    prepared = prepare(rule, operator, forest, switches, tree, node, total, depth, stream)
    first = np.int64(forest.first_child[tree, node])
    best, chosen, equal = -np.inf, first, U(0)
    for child in range(first, first + np.int64(forest.children[tree, node])):
        candidate = score(rule, operator, forest, tree, child, prepared, stream)
        if switches.solve:
            candidate = with_proof(forest, tree, child, candidate)
        if candidate > best:
            best, chosen, equal = candidate, child, U(1)
        elif candidate == best:
            equal += U(1)
            if switches.random_ties:
                if draw(stream, equal, equal) == U(0):
                    chosen = child
            elif forest.move[tree, child] < forest.move[tree, chosen]:
                chosen = child
    return np.int64(chosen), best


@inlined
def selection_total(operator, forest, switches, tree, node):
    """n(s): the node's own count, or the sum of its children's."""
    if not switches.children_count:
        return total_count(operator, forest, tree, node)
    total = 0.0
    first = forest.first_child[tree, node]
    for child in range(first, first + forest.children[tree, node]):
        if forest.visits[tree, child] > 0:
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
def grow_all(game, state, forest, tree, node, move, path, depth):
    """Put children for all moves of ``state``, not settled, below ``node``, and the one for ``move`` on the path."""
    block = add_children(forest, tree, node)
    chosen, following = block, np.int64(NO_MOVE)
    for k in range(np.int64(forest.children[tree, node])):
        following = np.int64(move_after(game, state, following, k))
        clear_node(forest, tree, block + k, following)
        forest.moves[tree, block + k] = UNSETTLED
        if following == move:
            chosen = block + k
    path[depth + 1] = chosen
    return chosen


@inlined
def settle(game, state, forest, tree, node):
    """Note in a new node how many moves its position has."""
    moves = np.int64(count_moves(game, state))
    forest.moves[tree, node] = -moves if mover(game, state) == CHANCE else moves


@inlined
def replay(game, state, forest, tree, row, begin, depth, batch):
    """The state at ``depth`` of a selected path, from ``state`` at depth ``begin``; ``batch.movers`` gets who moves there."""
    for k in range(begin, depth):
        batch.movers[row, k] = mover(game, state)
        state = play(game, state, np.int64(forest.move[tree, batch.paths[row, k + 1]]))
    return state


@inlined
def replay_in_lanes(game, forest, begin, end, leaf, leaves, batch, lanes, plan):
    """The same for one row of each of the trees ``begin`` to ``end``, at most LANES, in lockstep; states in ``batch.words``.

    lanes : uint64[W * LANES], plan : int64[3 * LANES], scratch
    """
    from_depth, to_depth, moves = plan[:LANES], plan[LANES : 2 * LANES], plan[2 * LANES :]
    deepest = np.int64(0)
    for lane in range(LANES):
        row = (min(begin + lane, end - 1) - begin) * leaves + leaf
        pack(game, unpack(game, batch.words[row], 0, 1), lanes, lane, LANES)
        busy = begin + lane < end and batch.codes[row] != DONE
        from_depth[lane] = batch.depths[row]
        to_depth[lane] = (batch.codes[row] & DEPTH_MASK) if busy else np.int64(0)
        deepest = max(deepest, to_depth[lane])
    for k in range(deepest):
        for lane in range(min(LANES, end - begin)):
            row = lane * leaves + leaf
            moves[lane] = forest.move[begin + lane, batch.paths[row, k + 1]] if k < to_depth[lane] else 0
        for lane in range(LANES):
            state = unpack(game, lanes, lane, LANES)
            active = (k >= from_depth[lane]) & (k < to_depth[lane])
            after = play(game, state, moves[lane])
            pack(game, blend(active, after, state), lanes, lane, LANES)
            moves[lane] = mover(game, state)
        for lane in range(min(LANES, end - begin)):
            if from_depth[lane] <= k < to_depth[lane]:
                batch.movers[lane * leaves + leaf, k] = moves[lane]
    for lane in range(min(LANES, end - begin)):
        pack(game, unpack(game, lanes, lane, LANES), batch.words[lane * leaves + leaf], 0, 1)


@inlined
def expand(game, state, forest, switches, tree, row, first_row, batch):
    """Expand the tree at the end of the path of ``row``, where its code says so, and settle the leaf.

    ``batch.words`` is left with the leaf's state, ``batch.depths`` with its depth, ``batch.evaluations`` with its evaluation in
    [0, 1] for the first player where the operator wants it; ``batch.codes`` with DONE, or with THROUGH_CHANCE where selection
    is to go on.
    """
    code, packed = batch.codes[row], batch.words[row]
    depth = code & DEPTH_MASK
    node = np.int64(batch.paths[row, depth])
    batch.movers[row, depth] = mover(game, state)
    if switches.cells > 0 and forest.moves[tree, node] == UNSETTLED:
        settle(game, state, forest, tree, node)
    grows = code >= NEW_CHILD
    while grows:
        if mover(game, state) == CHANCE:
            move = np.int64(chance_move(game, state, batch.streams[row, CHANCES] + U(depth) * PLY_STEP))
            known = child_with_move(forest, tree, node, move)
            if known != NONE:
                pack(game, play(game, state, move), packed, 0, 1)
                batch.paths[row, depth + 1] = known
                batch.depths[row], batch.codes[row] = depth + 1, THROUGH_CHANCE
                return
        else:
            stream = batch.streams[row, TIES] + U(depth) * PLY_STEP
            move = np.int64(unvisited_move(game, state, forest, switches, tree, node, stream))
        if switches.cells > 0:
            node = grow_all(game, state, forest, tree, node, move, batch.paths[row], depth)
        else:
            node = grow(game, state, forest, tree, node, move, batch.paths, row, first_row, depth)
        state = play(game, state, move)
        depth += 1
        batch.movers[row, depth] = mover(game, state)
        settle(game, state, forest, tree, node)
        grows = switches.whole_path and forest.moves[tree, node] != 0
    pack(game, state, packed, 0, 1)
    batch.depths[row], batch.codes[row] = depth, DONE
    if switches.evaluate_leaves:
        batch.evaluations[row] = 0.5 + leaf_score(game, state) / (2.0 * SCORE_UNIT)


@inlined
def reach(game, forest, switches, begin, end, leaf, leaves, batch):
    """Play the moves of the selected paths of leaf number ``leaf`` of every tree, and expand the trees.

    Returns how many of them ended at a chance node whose outcome was known: from there selection has to go on.
    """
    again = 0
    for tree in range(begin, end):
        first_row = (tree - begin) * leaves
        row = first_row + leaf
        if batch.codes[row] == DONE:
            continue
        state = unpack(game, batch.words[row], 0, 1)
        state = replay(game, state, forest, tree, row, batch.depths[row], batch.codes[row] & DEPTH_MASK, batch)
        expand(game, state, forest, switches, tree, row, first_row, batch)
        again += batch.codes[row] == THROUGH_CHANCE
    return again


def reach_in_lanes(game, forest, switches, begin, end, leaf, leaves, batch):
    """The same with the paths of LANES trees replayed in lockstep, for games that play in lanes."""
    if end - begin < FEWEST_FOR_LANES:
        return reach(game, forest, switches, begin, end, leaf, leaves, batch)
    again = 0
    lanes, plan = scratch(batch.words.shape[1] * LANES, np.uint64), scratch(3 * LANES, np.int64)
    for some in range(begin, end, LANES):
        rows = (some - begin) * leaves
        part = rows_of(batch, rows, (min(some + LANES, end) - begin) * leaves)
        replay_in_lanes(game, forest, some, min(some + LANES, end), leaf, leaves, part, lanes, plan)
    for tree in range(begin, end):
        first_row = (tree - begin) * leaves
        row = first_row + leaf
        if batch.codes[row] == DONE:
            continue
        state = unpack(game, batch.words[row], 0, 1)
        expand(game, state, forest, switches, tree, row, first_row, batch)
        again += batch.codes[row] == THROUGH_CHANCE
    return again


@inlined
def leaf_score(game, state):
    """The rescaled evaluation of a leaf, or its score where the game is over there."""
    if count_moves(game, state) == 0:
        return np.int64(score_of_game(game, state))
    return np.int64(rescaled_evaluation(game, state))


# ----------------------------------------------------------------------------------------------------------- back up


@inlined
def add_visits(forest, tree, batch, row, playouts):
    """Count ``playouts`` visits along a path; virtual loss when the outcome is not known yet."""
    for k in range(batch.depths[row] + 1):
        forest.visits[tree, batch.paths[row, k]] += playouts


@inlined
def apply(learner, operator, forest, switches, begin, end, leaves, batch):
    """Back up the tallied leaves, in leaf order within a tree, virtual loss taken away first, and let the learner learn."""
    for tree in range(begin, end):
        first_row = (tree - begin) * leaves
        if leaves > 1:
            for row in range(first_row, first_row + leaves):
                add_visits(forest, tree, batch, row, -switches.playouts)
        for row in range(first_row, first_row + leaves):
            depth, score_sum = batch.depths[row], batch.tally[row, SCORE]
            if depth == NO_LEAF:
                continue
            add_visits(forest, tree, batch, row, switches.playouts)
            reward = 0.5 * switches.playouts + score_sum / (2.0 * SCORE_UNIT)
            path, movers = batch.paths[row], batch.movers[row]
            back_up(
                operator, forest, tree, path, movers, depth, reward, switches.playouts, batch.evaluations[row]
            )  # fmt: skip
            learn(learner, forest, switches, tree, path, movers, depth, batch.tally, row)
            if switches.solve:
                prove(forest, tree, path, movers, depth, score_sum, switches.playouts)


# ------------------------------------------------------------------------------------------- compiled on their own

SPAN = (types.int64, types.int64, types.int64, types.int64)  # begin, end, leaf, leaves


def select_step(rule: Any, operator: Any, forest: Any, switches: Any, batch: Batch) -> Any:
    """``select`` compiled for a rule and an operator (values; forest, switches and batch give the types)."""
    typed = (numba.typeof(v) for v in (rule, operator, forest, switches))
    signature = types.void(*typed, *SPAN, numba.typeof(batch))
    return separate(_select, signature, f"selection by {type(rule).__name__} over {type(operator).__name__}")


def _select(rule, operator, forest, switches, begin, end, leaf, leaves, batch):
    select(rule, operator, forest, switches, begin, end, leaf, leaves, batch)


def reach_step(game: Any, forest: Any, switches: Any, batch: Batch) -> Any:
    """``reach`` compiled for a game, in lanes where it plays in lanes."""
    typed = (numba.typeof(v) for v in (game, forest, switches))
    signature = types.int64(*typed, *SPAN, numba.typeof(batch))
    function = reach_in_lanes if game.LANES else _reach
    return separate(function, signature, f"tree moves of {type(game).__name__}")


def _reach(game, forest, switches, begin, end, leaf, leaves, batch):
    return reach(game, forest, switches, begin, end, leaf, leaves, batch)


def back_up_step(learner: Any, operator: Any, forest: Any, switches: Any, batch: Batch) -> Any:
    """``apply`` compiled for an operator, and a learner."""
    typed = (numba.typeof(v) for v in (learner, operator, forest, switches))
    signature = types.void(*typed, types.int64, types.int64, types.int64, numba.typeof(batch))
    learning = "" if isinstance(learner, NoLearner) else f", {type(learner).__name__} learning"
    return separate(_apply, signature, f"backup by {type(operator).__name__}{learning}")


def _apply(learner, operator, forest, switches, begin, end, leaves, batch):
    apply(learner, operator, forest, switches, begin, end, leaves, batch)
