"""The compiled glue of a search in a table: iterations of a block of trees, steps handed in as values; root tables."""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from gpumcts.compiling.class_names import title
from gpumcts.games.contract import NO_MOVE, count_moves, move_after, mover, play, unpack
from gpumcts.jit import entry, inlined, keep_type, separate
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.rng import CHANCE_STREAM, PLAYOUT_STREAM, TIE_STREAM, child_key
from gpumcts.tree.forest import NO_NODE
from gpumcts.tree.tables.steps import ARRIVED, Frontier, Paths, enter, pick, walk
from gpumcts.tree.tables.table import REWARDS, Table, find, rewards_for, table_index, visits_of
from gpumcts.tree.time_split import BACKUP, PLAYOUTS, SELECTION, clock_if_timed, lap, timing_interval

U = np.uint64


class TableSteps(NamedTuple):
    """The steps of a search in a table as compiled code calls them."""

    walk: Any
    pick: Any
    evaluate: Any


class Block(NamedTuple):
    """Trees that advance together: their tables, and rows to go down in."""

    table: Table
    frontier: Frontier
    paths: Paths


keep_type(TableSteps)


def walk_step(game: Any, replacement: Any, switches: Any, table: Table, frontier: Frontier, paths: Paths) -> Any:
    """``walk`` compiled for a game (values; the others give the types)."""
    typed = (numba.typeof(v) for v in (game, table, replacement, frontier, paths, switches))
    return separate(walk, types.int64(*typed), f"table moves of {title(game)}")


def pick_step(rule: Any, operator: Any, switches: Any, frontier: Frontier, paths: Paths) -> Any:
    """``pick`` compiled for a rule and an operator."""
    values = (rule, operator, frontier.forest, switches, paths.streams, paths.depths, paths.codes)
    name = f"selection by {title(rule)} over {title(operator)} in a table"
    return separate(pick, types.void(*(numba.typeof(v) for v in values)), name)


@inlined
def set_out(paths, roots, keys, number):
    """Put every row at its root, under the keys of iteration ``number``."""
    for row in range(paths.codes.shape[0]):
        for i in range(roots.shape[1]):
            paths.words[row, i] = roots[row, i]
        paths.keys[row] = child_key(child_key(keys[row], PLAYOUT_STREAM), U(number))
        paths.streams[row, 0] = child_key(child_key(keys[row], TIE_STREAM), U(number))
        paths.streams[row, 1] = child_key(child_key(keys[row], CHANCE_STREAM), U(number))
        paths.codes[row], paths.depths[row] = ARRIVED, 0


@inlined
def advance(steps, method, block, replacement, roots, keys, span, ticks):
    """Iterations ``span`` (begin, end) of the trees of a block, row t of everything being tree t.

    ticks : int64[PARTS]; one iteration in several is timed (``time_split``)
    Returns 0, or BEYOND_MOVES or BEYOND_PLIES where a search met what its rows have no room for.
    """
    game, switches = method.game, method.switches
    table, frontier, paths = block
    interval = timing_interval(paths.codes.shape[0], switches.playouts)
    for number in range(span[0], span[1]):
        timed = (number - span[0]) % interval == 0
        clock = clock_if_timed(ticks, timed)
        set_out(paths, roots, keys, number)
        waiting = steps.walk(game, table, replacement, frontier, paths, switches)
        while waiting > 0:
            steps.pick(
                method.rule, method.operator, frontier.forest, switches, paths.streams, paths.depths, paths.codes
            )
            waiting = steps.walk(game, table, replacement, frontier, paths, switches)
        if waiting < 0:
            return waiting
        clock = lap(ticks, SELECTION, clock, timed)
        if not switches.whole_path:  # else every leaf is the end of a game, and its score is known
            for row in range(paths.codes.shape[0]):
                for column in range(TALLY_COLUMNS):
                    paths.tally[row, column] = 0
            steps.evaluate(game, method.policy, paths.words, paths.keys, 0, switches.playouts, paths.tally)
            clock = lap(ticks, PLAYOUTS, clock, timed)
        enter(table, replacement, paths, switches)
        lap(ticks, BACKUP, clock, timed)
    return np.int64(0)


@entry
def advance_block(steps, method, block, replacement, roots, keys, span, ticks):
    """``advance``, everything compiled; roots : uint64[B, W], keys : uint64[B]."""
    return advance(steps, method, block, replacement, roots, keys, span, ticks)


@entry
def fill_root_table(game, table, replacement, roots, found):
    """What the tables have of the moves of each of ``roots``, in order of the moves, into the RootTable ``found``."""
    words, width = roots.reshape(-1), roots.shape[1]
    for tree in range(roots.shape[0]):
        state = unpack(game, words, tree * width, 1)
        stored, move = 0, np.int64(NO_MOVE)
        for rank in range(count_moves(game, state)):
            move = np.int64(move_after(game, state, move, rank))
            slot = find(table, tree, replacement, table_index(game, play(game, state, move)))
            if slot != NO_NODE:
                visits = visits_of(table, tree, slot)
                rewards = rewards_for(mover(game, state), table.entries[tree, slot, REWARDS], visits)
                found.move[tree, stored], found.visits[tree, stored] = move, visits
                found.value[tree, stored] = rewards / visits
                stored += 1
        found.count[tree] = stored
