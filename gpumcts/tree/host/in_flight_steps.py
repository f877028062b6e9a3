"""Two batches of a tree in flight, see ``in_flight``: compiled code gathers one beside the other, and counts it.

Where both go to a device as graphs, they are sent and awaited here too (``fly``).
"""

import numpy as np

from gpumcts.jit import entry, inlined
from gpumcts.kernels.cuda.graph_calls import OK, await_played, send_again
from gpumcts.monotonic import now
from gpumcts.tree.forest import ROOT, add_in_flight
from gpumcts.tree.host.shared_blocks import ANSWER, BASE, LACKS, SENT
from gpumcts.tree.iteration.advance import gather, has_room
from gpumcts.tree.iteration.batch import NO_LEAF
from gpumcts.tree.iteration.rows import prepare_rows
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.time_split import BACKUP, SELECTION, clock_if_timed, lap


@inlined
def take_off(forest, rows, batch, playouts):
    """Count so many playouts of ``rows`` rows as in flight along their paths, whose nodes become places.

    A place is that of a node in the block of its parent's children.
    """
    for row in range(rows):
        depth = batch.depths[row]
        if depth == NO_LEAF:
            continue
        tree, path, node = np.int64(batch.trees[row]), batch.paths[row], np.int64(ROOT)
        add_in_flight(forest, tree, node, playouts)
        for k in range(1, depth + 1):
            child = np.int64(path[k])
            path[k] = child - np.int64(forest.first_child[tree, node])
            add_in_flight(forest, tree, child, playouts)
            node = child


@inlined
def land(forest, rows, batch, playouts):
    """Take back what ``take_off`` did: places become nodes, wherever their blocks are by now."""
    for row in range(rows):
        depth = batch.depths[row]
        if depth == NO_LEAF:
            continue
        tree, path, node = np.int64(batch.trees[row]), batch.paths[row], np.int64(ROOT)
        add_in_flight(forest, tree, node, -playouts)
        for k in range(1, depth + 1):
            node = np.int64(forest.first_child[tree, node]) + np.int64(path[k])
            path[k] = node
            add_in_flight(forest, tree, node, -playouts)


@inlined
def gather_beside(steps, method, forest, roots, keys, block, number, leaves, room, pending, rows, batch, ticks):
    """``gather`` with ``rows`` rows of batch ``pending`` in flight; False, and nothing done, where a tree lacks room.

    The rows stay in flight until they are counted. ticks : int64[PARTS]
    """
    if not has_room(forest, block, room):
        return False
    clock = clock_if_timed(ticks, True)
    take_off(forest, rows, pending, method.switches.playouts)
    prepare_rows(method.switches, keys, block, batch)
    lap(ticks, SELECTION, clock, True)
    gather(steps, method, forest, roots, block, number, leaves, batch, ticks, True)
    return True


@inlined
def count(steps, method, forest, rows, batch, in_flight, ticks):
    """Back up so many rows, which another batch was gathered beside if they are ``in_flight``; ticks : int64[PARTS]."""
    clock = clock_if_timed(ticks, True)
    if in_flight:
        land(forest, rows, batch, method.switches.playouts)
    steps.back_up(learner(method.rule), method.operator, forest, method.switches, 0, rows, batch)
    lap(ticks, BACKUP, clock, True)


gather_with_pending, back_up_pending_rows = entry(gather_beside), entry(count)


@entry
def fly(steps, method, forest, roots, keys, block, number, leaves, room, most, batches, graphs, ticks, told, at):
    """Up to ``most`` times: gather and send a batch, await the one before it and count that; how often.

    batches : the first to be gathered, and the one that is in flight by now; graphs : int64[WORDS] of each
    number : the first iteration to select for; leaves : of a tree in a batch
    ticks : int64[PARTS]; told : int64[TOLD], see ``shared_blocks``: LACKS, ANSWER, SENT, BASE
    at : float64[most, 2], filled with when the batches that were counted were played, in seconds since ``told[BASE]``
    """
    rows = (block[1] - block[0]) * leaves
    for done in range(most):
        new, old = done & 1, (done & 1) ^ 1
        args = leaves, room, batches[old], rows, batches[new], ticks
        if not gather_beside(steps, method, forest, roots, keys, block, number + done * leaves, *args):
            told[LACKS] = 1
            return done
        begin = now()
        told[ANSWER] = send_again(graphs[new])
        told[SENT] += now() - begin
        if told[ANSWER] == OK:
            told[ANSWER] = await_played(graphs[old], told[BASE], at[done])
        if told[ANSWER] != OK:
            return done
        count(steps, method, forest, rows, batches[old], True, ticks)
    return most
