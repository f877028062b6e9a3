"""The compiled glue: iterations of a block of trees, with the four steps handed in as values."""

from typing import NamedTuple

import numpy as np

from gpumcts.games.contract import SCORE_UNIT
from gpumcts.jit import entry, inlined
from gpumcts.kernels.playout_loop import SCORE, TALLY_COLUMNS
from gpumcts.rng import CHANCE_STREAM, PLAYOUT_STREAM, TIE_STREAM, child_key
from gpumcts.tree.forest import ROOT
from gpumcts.tree.steps import THROUGH_CHANCE

U = np.uint64


class Batch(NamedTuple):
    """The leaves of one step of a block of trees; row = tree of the block times leaves a tree + leaf."""

    words: np.ndarray  # uint64 [B, W] states
    keys: np.ndarray  # uint64 [B]
    paths: np.ndarray  # int32 [B, D] nodes from the root
    movers: np.ndarray  # int8 [B, D] who moves at them
    depths: np.ndarray  # int64 [B] of the leaf; -1 for no leaf
    evaluations: np.ndarray  # float64 [B] in [0, 1] for the first player
    tally: np.ndarray  # int64 [B, TALLY_COLUMNS]


@inlined
def gather(select, reach, rule, operator, game, forest, switches, roots, keys, begin, end, number, leaves, batch):
    """Select and expand ``leaves`` leaves of every tree from ``begin`` to ``end`` into ``batch``, iteration ``number`` first."""
    for tree in range(begin, end):
        ties, chance = child_key(keys[tree], TIE_STREAM), child_key(keys[tree], CHANCE_STREAM)
        playout_key = child_key(keys[tree], PLAYOUT_STREAM)
        first_row = (tree - begin) * leaves
        for leaf in range(leaves):
            row, iteration = first_row + leaf, U(number + leaf)
            tie_stream, chance_stream = child_key(ties, iteration), child_key(chance, iteration)
            for i in range(roots.shape[1]):
                batch.words[row, i] = roots[tree, i]
            batch.paths[row, 0] = ROOT
            depth = np.int64(0)
            while True:
                code = select(rule, operator, forest, switches, tree, tie_stream, batch.paths[row], depth)
                code = reach(
                    game, forest, switches, tree, tie_stream, chance_stream, batch.words, batch.paths, row, first_row,
                    batch.movers, batch.evaluations, depth, code,
                )  # fmt: skip
                if code < THROUGH_CHANCE:
                    break
                depth = code & ~THROUGH_CHANCE
            batch.depths[row] = code
            batch.keys[row] = child_key(playout_key, iteration)
            if leaves > 1:
                add_visits(forest, tree, batch.paths, row, code, switches.playouts)


@inlined
def add_visits(forest, tree, paths, row, depth, playouts):
    """Count ``playouts`` visits along a path; virtual loss when the outcome is not known yet."""
    for k in range(depth + 1):
        forest.visits[tree, paths[row, k]] += playouts


@inlined
def apply(back_up, operator, forest, switches, begin, end, leaves, batch):
    """Back up the tallied leaves, in leaf order within a tree, virtual loss taken away first."""
    for tree in range(begin, end):
        first_row = (tree - begin) * leaves
        if leaves > 1:
            for row in range(first_row, first_row + leaves):
                add_visits(forest, tree, batch.paths, row, batch.depths[row], -switches.playouts)
        for row in range(first_row, first_row + leaves):
            depth = batch.depths[row]
            add_visits(forest, tree, batch.paths, row, depth, switches.playouts)
            reward = 0.5 * switches.playouts + batch.tally[row, SCORE] / (2.0 * SCORE_UNIT)
            back_up(
                operator, forest, tree, batch.paths[row], batch.movers[row], depth, reward, switches.playouts,
                batch.evaluations[row],
            )  # fmt: skip


@inlined
def has_room(forest, begin, end, slots):
    """Whether every tree of the block can take ``slots`` more."""
    room = True
    for tree in range(begin, end):
        room &= forest.used[tree] + slots <= forest.visits.shape[1]
    return room


@inlined
def advance(
    select, reach, evaluate, back_up, rule, operator, game, policy, forest, switches, roots, keys, begin, end, number, until,
    room, batch,
):  # fmt: skip
    """Iterations ``number`` to ``until`` of the trees ``begin`` to ``end``; the source of the CPU's loop and of the device's.

    Stops early, and returns the iteration it stopped at, where a tree may lack room for one more step of ``room`` slots.
    """
    while number < until:
        leaves = min(switches.leaves, until - number)
        if not has_room(forest, begin, end, room):
            break
        rows = (end - begin) * leaves
        gather(select, reach, rule, operator, game, forest, switches, roots, keys, begin, end, number, leaves, batch)
        for row in range(rows):
            for column in range(TALLY_COLUMNS):
                batch.tally[row, column] = 0
        evaluate(game, policy, batch.words[:rows], batch.keys[:rows], switches.playouts, batch.tally[:rows])
        apply(back_up, operator, forest, switches, begin, end, leaves, batch)
        number += leaves
    return number


@entry
def advance_block(
    select, reach, evaluate, back_up, rule, operator, game, policy, forest, switches, roots, keys, block, numbers, room, batch
):  # fmt: skip
    """``advance`` for iterations ``numbers`` (begin, end) of the trees ``block`` (begin, end), everything compiled."""
    return advance(
        select, reach, evaluate, back_up, rule, operator, game, policy, forest, switches, roots, keys, block[0], block[1],
        numbers[0], numbers[1], room, batch,
    )  # fmt: skip


@entry
def gather_block(
    select, reach, rule, operator, game, forest, switches, roots, keys, block, number, leaves, room, batch
):  # fmt: skip
    """Select and expand alone, for engines that evaluate elsewhere; False, and nothing done, where a tree lacks room."""
    if not has_room(forest, block[0], block[1], room):
        return False
    gather(
        select, reach, rule, operator, game, forest, switches, roots, keys, block[0], block[1], number, leaves, batch
    )
    return True


@entry
def apply_block(back_up, operator, forest, switches, block, leaves, batch):
    """Back up alone."""
    apply(back_up, operator, forest, switches, block[0], block[1], leaves, batch)
