"""The compiled glue: iterations of a block of trees, by the ``Steps`` of a ``Method`` (``tree.steps``).

A block is trees (begin, end) of the forest.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.jit import entry, inlined
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.playouts.contract import plain_game
from gpumcts.rng import CHANCE_STREAM, PLAYOUT_STREAM, TIE_STREAM, child_key
from gpumcts.tree.backup.contract import value
from gpumcts.tree.batch import CHANCES, NO_LEAF, TIES, begin_group, join_group
from gpumcts.tree.forest import ROOT
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.solve import all_solved
from gpumcts.tree.time_split import BACKUP, GROWTH, PLAYOUTS, SELECTION, batches_a_look, lap, look_at_clock
from gpumcts.verbs import apart

U = np.uint64


class Watch(NamedTuple):
    """Looks after every step whether a root's value is below a level; an empty ``below`` looks at nothing."""

    level: float  # in [0, 1], for the player who moves at the root
    below: np.ndarray  # int64 [T] iterations after which the value was last below the level; 0 for never


NO_WATCH = Watch(0.0, np.zeros(0, np.int64))


@inlined
def watch_roots(operator, forest, watch, block, number):
    """Note the trees of a block whose root's value is below the level after ``number`` iterations."""
    for tree in range(block[0], block[1]):
        if value(operator, forest, tree, ROOT) < watch.level:
            watch.below[tree] = number


@inlined
def begin_rows(forest, switches, roots, keys, block, number, leaves, batch):
    """Put the rows of each tree in a group at its root, under keys of iterations from ``number`` on; how many groups.

    A tree whose root is proven stays as it is: its rows have no leaf.
    """
    groups, (begin, end) = 0, block
    for tree in range(begin, end):
        playouts, ties = child_key(keys[tree], PLAYOUT_STREAM), child_key(keys[tree], TIE_STREAM)
        chances = child_key(keys[tree], CHANCE_STREAM)
        head = (tree - begin) * leaves
        proven = switches.solve and forest.proof[tree, ROOT] != 0
        for row in range(head, head + leaves):
            iteration = U(number + row - head)
            batch.keys[row] = child_key(playouts, iteration)
            batch.streams[row, TIES] = child_key(ties, iteration)
            batch.streams[row, CHANCES] = child_key(chances, iteration)
            batch.trees[row], batch.paths[row, 0] = tree, ROOT
            for i in range(roots.shape[1], batch.words.shape[1]):
                batch.words[row, i] = 0  # the trace of a playout that has not begun
            if proven:
                batch.depths[row] = NO_LEAF
            elif row == head:
                begin_group(batch, row, 0)
            else:
                join_group(batch, head, row)
        for row in range(head, head + (leaves if proven else 1)):  # playouts of rows without a leaf begin at the root
            for i in range(roots.shape[1]):
                batch.words[row, i] = roots[tree, i]
        if not proven:
            batch.open[groups, 0] = head
            groups += 1
    return groups


@inlined
def gather(steps, method, forest, roots, keys, block, number, leaves, batch):
    """Select and expand ``leaves`` leaves of the trees of a block into ``batch``, iteration ``number`` and on."""
    game, switches = plain_game(method.game), method.switches
    open_groups, side = begin_rows(forest, switches, roots, keys, block, number, leaves, batch), 0
    while open_groups > 0:
        steps.select(method.rule, method.operator, forest, switches, 0, open_groups, side, batch)
        open_groups = steps.expand(game, forest, switches, 0, open_groups, side, batch)
        side = 1 - side


@inlined
def play_leaves(steps, method, rows, batch):
    """The playouts of the first ``rows`` rows, into an empty tally."""
    for row in range(rows):
        for column in range(TALLY_COLUMNS):
            batch.tally[row, column] = 0
    words, keys, tally = batch.words[:rows], batch.keys[:rows], batch.tally[:rows]
    steps.evaluate(method.game, method.policy, words, keys, 0, method.switches.playouts, tally)


@inlined
def has_room(forest, block, slots):
    """Whether every tree of the block can take ``slots`` more."""
    room = True
    for tree in range(block[0], block[1]):
        room &= forest.used[tree] + slots <= forest.visits.shape[1]
    return room


@inlined
def advance(steps, method, forest, roots, keys, block, numbers, room, batch, watch):
    """Iterations ``numbers`` (begin, end) of the trees of a block; the source of the CPU's and device's loops.

    Stops early, and returns the iteration it stopped at, where a tree may lack room for another step of ``room`` slots.
    Where every root is proven, the iterations left would change nothing and are not made.
    """
    (begin, end), (number, until), switches = block, numbers, method.switches
    while number < until:
        if switches.solve and all_solved(forest, begin, end):
            if watch.below.shape[0] > 0:
                watch_roots(method.operator, forest, watch, block, until)
            return until
        leaves = min(switches.leaves, until - number)
        if not has_room(forest, block, room):
            break
        rows = (end - begin) * leaves
        gather(steps, method, forest, roots, keys, block, number, leaves, batch)
        play_leaves(steps, method, rows, batch)
        steps.back_up(learner(method.rule), method.operator, forest, switches, 0, rows, batch)
        number += leaves
        if watch.below.shape[0] > 0:
            watch_roots(method.operator, forest, watch, block, number)
    return number


# ------------------------------------------------------------------------------------------- on the CPU, by the clock


@inlined
def gather_timed(steps, method, forest, roots, keys, block, number, leaves, batch, ticks):
    """``gather``, timed; the time at its end."""
    clock = look_at_clock(True)
    game, switches = plain_game(method.game), method.switches
    open_groups, side = begin_rows(forest, switches, roots, keys, block, number, leaves, batch), 0
    while open_groups > 0:
        steps.select(method.rule, method.operator, forest, switches, 0, open_groups, side, batch)
        clock = lap(ticks, SELECTION, clock, True)
        open_groups = steps.expand(game, forest, switches, 0, open_groups, side, batch)
        clock = lap(ticks, GROWTH, clock, True)
        side = 1 - side
    return clock


@apart
def advance_timed(steps, method, forest, roots, keys, block, number, leaves, batch, ticks):
    """The batch of ``advance`` that begins with iteration ``number``, timed, where there is room for it."""
    rows = (block[1] - block[0]) * leaves
    clock = gather_timed(steps, method, forest, roots, keys, block, number, leaves, batch, ticks)
    play_leaves(steps, method, rows, batch)
    clock = lap(ticks, PLAYOUTS, clock, True)
    steps.back_up(learner(method.rule), method.operator, forest, method.switches, 0, rows, batch)
    lap(ticks, BACKUP, clock, True)


@entry
def advance_block(steps, method, forest, roots, keys, block, numbers, room, batch, watch, ticks):
    """``advance``, everything compiled.

    ticks : int64[PARTS]; one batch in several is timed (``time_split``)
    """
    (begin, end), (number, until), switches = block, numbers, method.switches
    untimed = (batches_a_look((end - begin) * switches.leaves, switches.playouts) - 1) * switches.leaves
    while number < until:
        goes_on = has_room(forest, block, room) and not (switches.solve and all_solved(forest, begin, end))
        if goes_on:
            leaves = min(switches.leaves, until - number)
            advance_timed(steps, method, forest, roots, keys, block, number, leaves, batch, ticks)
            number += leaves
            if watch.below.shape[0] > 0:
                watch_roots(method.operator, forest, watch, block, number)
        wanted = min(number + untimed, until) if goes_on else until
        number = advance(steps, method, forest, roots, keys, block, (number, wanted), room, batch, watch)
        if number < wanted:
            break
    return number


@entry
def gather_block(steps, method, forest, roots, keys, block, number, leaves, room, batch, ticks):
    """Select and expand alone, for engines that evaluate elsewhere; False, and nothing done, where a tree lacks room.

    ticks : int64[PARTS]
    """
    if not has_room(forest, block, room):
        return False
    gather_timed(steps, method, forest, roots, keys, block, number, leaves, batch, ticks)
    return True


@entry
def back_up_block(back_up, rule, operator, forest, switches, rows, batch, ticks):
    """Back up so many rows alone; ticks : int64[PARTS]."""
    clock = look_at_clock(True)
    back_up(learner(rule), operator, forest, switches, 0, rows, batch)
    lap(ticks, BACKUP, clock, True)
