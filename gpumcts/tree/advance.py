"""The compiled glue: iterations of a block of trees, with the four steps handed in as values."""

from typing import NamedTuple

import numpy as np

from gpumcts.jit import entry, inlined
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.playouts.contract import plain_game
from gpumcts.rng import CHANCE_STREAM, PLAYOUT_STREAM, TIE_STREAM, child_key
from gpumcts.tree.backup.contract import value
from gpumcts.tree.forest import ROOT
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.solve import all_solved
from gpumcts.tree.steps import CHANCES, DONE, NO_LEAF, TIES, add_visits

U = np.uint64


class Watch(NamedTuple):
    """Looks after every step whether a root's value is below a level; an empty ``below`` looks at nothing."""

    level: float  # in [0, 1], for the player who moves at the root
    below: np.ndarray  # int64 [T] iterations after which the value was last below the level; 0 for never


NO_WATCH = Watch(0.0, np.zeros(0, np.int64))


@inlined
def look(operator, forest, watch, begin, end, number):
    """Note the trees whose root's value is below the level after ``number`` iterations."""
    for tree in range(begin, end):
        if value(operator, forest, tree, ROOT) < watch.level:
            watch.below[tree] = number


@inlined
def plant_stems(keys, begin, end, leaves, batch):
    """Write the keys that a tree keeps for all its iterations into its first row."""
    for tree in range(begin, end):
        row = (tree - begin) * leaves
        batch.stems[row, 0] = child_key(keys[tree], PLAYOUT_STREAM)
        batch.stems[row, 1] = child_key(keys[tree], TIE_STREAM)
        batch.stems[row, 2] = child_key(keys[tree], CHANCE_STREAM)


@inlined
def begin_leaves(forest, switches, roots, begin, end, number, leaf, leaves, batch):
    """Put leaf number ``leaf`` of every tree at its root, under the keys of iteration ``number``."""
    for tree in range(begin, end):
        first_row = (tree - begin) * leaves
        row = first_row + leaf
        batch.keys[row] = child_key(batch.stems[first_row, 0], U(number))
        batch.streams[row, TIES] = child_key(batch.stems[first_row, 1], U(number))
        batch.streams[row, CHANCES] = child_key(batch.stems[first_row, 2], U(number))
        for i in range(roots.shape[1]):
            batch.words[row, i] = roots[tree, i]
        for i in range(roots.shape[1], batch.words.shape[1]):
            batch.words[row, i] = 0  # the trace of a playout that has not begun
        batch.paths[row, 0] = ROOT
        batch.depths[row], batch.codes[row] = 0, 0
        if switches.solve and forest.proof[tree, ROOT] != 0:
            batch.depths[row], batch.codes[row] = NO_LEAF, DONE  # the tree stays as it is


@inlined
def gather(select, reach, rule, operator, game, forest, switches, roots, begin, end, number, leaves, batch):
    """Select and expand ``leaves`` leaves of every tree from ``begin`` to ``end`` into ``batch``, iteration ``number`` first."""
    for leaf in range(leaves):
        begin_leaves(forest, switches, roots, begin, end, number + leaf, leaf, leaves, batch)
        open_leaves = end - begin
        while open_leaves > 0:
            select(rule, operator, forest, switches, begin, end, leaf, leaves, batch)
            open_leaves = reach(game, forest, switches, begin, end, leaf, leaves, batch)
        if leaves > 1:
            for tree in range(begin, end):
                add_visits(forest, tree, batch, (tree - begin) * leaves + leaf, switches.playouts)


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
    room, batch, watch,
):  # fmt: skip
    """Iterations ``number`` to ``until`` of the trees ``begin`` to ``end``; the source of the CPU's loop and of the device's.

    game : what playouts are played on: the game, or a ``traces.Traced`` that holds it
    Stops early, and returns the iteration it stopped at, where a tree may lack room for one more step of ``room`` slots. Where
    every root is proven, the iterations left would change nothing and are not made.
    """
    while number < until:
        if switches.solve and all_solved(forest, begin, end):
            if watch.below.shape[0] > 0:
                look(operator, forest, watch, begin, end, until)
            return until
        leaves = min(switches.leaves, until - number)
        if not has_room(forest, begin, end, room):
            break
        rows = (end - begin) * leaves
        plant_stems(keys, begin, end, leaves, batch)
        plain = plain_game(game)
        gather(select, reach, rule, operator, plain, forest, switches, roots, begin, end, number, leaves, batch)
        for row in range(rows):
            for column in range(TALLY_COLUMNS):
                batch.tally[row, column] = 0
        evaluate(game, policy, batch.words[:rows], batch.keys[:rows], switches.playouts, batch.tally[:rows])
        back_up(learner(rule), operator, forest, switches, begin, end, leaves, batch)
        number += leaves
        if watch.below.shape[0] > 0:
            look(operator, forest, watch, begin, end, number)
    return number


@entry
def advance_block(
    select, reach, evaluate, back_up, rule, operator, game, policy, forest, switches, roots, keys, block, numbers, room,
    batch, watch,
):  # fmt: skip
    """``advance`` for iterations ``numbers`` (begin, end) of the trees ``block`` (begin, end), everything compiled."""
    return advance(
        select, reach, evaluate, back_up, rule, operator, game, policy, forest, switches, roots,
        keys, block[0], block[1], numbers[0], numbers[1], room, batch, watch,
    )  # fmt: skip


@entry
def gather_block(
    select, reach, rule, operator, game, forest, switches, roots, keys, block, number, leaves, room, batch
):  # fmt: skip
    """Select and expand alone, for engines that evaluate elsewhere; False, and nothing done, where a tree lacks room."""
    if not has_room(forest, block[0], block[1], room):
        return False
    plant_stems(keys, block[0], block[1], leaves, batch)
    gather(
        select, reach, rule, operator, game, forest, switches, roots, block[0], block[1],
        number, leaves, batch,
    )  # fmt: skip
    return True


@entry
def apply_block(back_up, rule, operator, forest, switches, block, leaves, batch):
    """Back up alone."""
    back_up(learner(rule), operator, forest, switches, block[0], block[1], leaves, batch)
