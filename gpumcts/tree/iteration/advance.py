"""The compiled glue: iterations of a block of trees, by the ``Steps`` of a ``Method`` (``tree.iteration.steps``).

A block is trees (begin, end) of the forest.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.jit import entry, inlined
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.playouts.contract import plain_game
from gpumcts.tree.backup.contract import value
from gpumcts.tree.forest import ROOT
from gpumcts.tree.iteration.rows import begin_rows, prepare_rows
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.solve import all_solved
from gpumcts.tree.time_split import BACKUP, GROWTH, PLAYOUTS, SELECTION, clock_if_timed, lap, timing_interval


class LevelWatch(NamedTuple):
    """Looks after every step whether a root's value is below a level; an empty ``below`` looks at nothing."""

    level: float  # in [0, 1], for the player who moves at the root
    below: np.ndarray  # int64 [T] iterations after which the value was last below the level; 0 for never


NO_WATCH = LevelWatch(0.0, np.zeros(0, np.int64))


@inlined
def watch_roots(operator, forest, watch, block, number):
    """Note the trees of a block whose root's value is below the level after ``number`` iterations."""
    for tree in range(block[0], block[1]):
        if value(operator, forest, tree, ROOT) < watch.level:
            watch.below[tree] = number


@inlined
def gather(steps, method, forest, roots, block, number, leaves, batch, ticks, timed):
    """Select and expand ``leaves`` leaves of the trees of a block into prepared rows, iteration ``number`` and on.

    roots : uint64[T, W], states of the trees' roots
    ticks : int64[PARTS], or None where nothing is timed; the time at the end is returned, see ``time_split.lap``
    """
    clock = clock_if_timed(ticks, timed)
    game, switches = plain_game(method.game), method.switches
    open_groups, side = begin_rows(forest, switches, roots, block, number, leaves, batch), 0
    while open_groups > 0:
        steps.select(method.rule, method.operator, forest, switches, 0, open_groups, side, batch)
        clock = lap(ticks, SELECTION, clock, timed)
        open_groups = steps.expand(game, forest, switches, 0, open_groups, side, batch)
        clock = lap(ticks, GROWTH, clock, timed)
        side = 1 - side
    return clock


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
def advance(steps, method, forest, roots, keys, block, numbers, room, batch, watch, ticks):
    """Iterations ``numbers`` (begin, end) of the trees of a block; the source of the CPU's and device's loops.

    roots : uint64[T, W]; keys : uint64[T]; block, numbers : int64 (begin, end); room : int64, slots

    Stops early, and returns the iteration it stopped at, where a tree may lack room for another step of ``room`` slots.
    Where every root is proven, the iterations left would change nothing and are not made.

    ticks : int64[PARTS], one batch in several is timed (``time_split``); None where none is
    """
    (begin, end), (number, until), switches = block, numbers, method.switches
    prepare_rows(switches, keys, block, batch)
    interval, batches = timing_interval((end - begin) * switches.leaves, switches.playouts), np.int64(0)
    while number < until:
        if switches.solve and all_solved(forest, begin, end):
            if watch.below.shape[0] > 0:
                watch_roots(method.operator, forest, watch, block, until)
            return until
        leaves = min(switches.leaves, until - number)
        if not has_room(forest, block, room):
            break
        rows, timed = (end - begin) * leaves, batches == 0
        clock = gather(steps, method, forest, roots, block, number, leaves, batch, ticks, timed)
        play_leaves(steps, method, rows, batch)
        clock = lap(ticks, PLAYOUTS, clock, timed)
        steps.back_up(learner(method.rule), method.operator, forest, switches, 0, rows, batch)
        lap(ticks, BACKUP, clock, timed)
        number += leaves
        batches = batches + 1 if batches + 1 < interval else 0
        if watch.below.shape[0] > 0:
            watch_roots(method.operator, forest, watch, block, number)
    return number


advance_block = entry(advance)
"""``advance`` for the CPU, everything compiled."""
