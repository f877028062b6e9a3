"""Expansion: replays the selected paths, adds nodes, and splits groups below the nodes at which they chose."""

import numpy as np
from numba.core.target_extension import current_target
from numba.extending import overload

from gpumcts.bits import blend
from gpumcts.cpu_only import compiled_for_cpu, prefetch
from gpumcts.games.contract import mover, pack, play, unpack
from gpumcts.jit import inlined
from gpumcts.kernels.playout_loop import LANE_COUNT, MIN_FOR_LANES
from gpumcts.scratch import scratch
from gpumcts.tree.forest import NO_NODE, UNSETTLED, add_in_flight
from gpumcts.tree.iteration.batch import (
    AT,
    CHOICE,
    COUNT,
    DEPTH_MASK,
    NEW_CHILD,
    NEXT,
    SIBLING,
    STAYS,
    THROUGH_CHANCE,
    UNTIL,
    begin_group,
    is_alone,
    join_group,
)
from gpumcts.tree.iteration.new_children import chosen_child, finish, settle
from gpumcts.tree.iteration.select import is_leaf
from gpumcts.tree.settings import OneLeaf, SearchSwitches
from gpumcts.verbs import JIT_OPTIONS, noinline, verb

MIN_ROWS_FOR_TABLE = 16  # of a group: fewer look for their own among the groups below, one after the other
AHEAD = 4  # groups whose memory is on its way


# -------------------------------------------------------------------------------------------------- a row that is alone


@inlined
def replay(game, state, forest, tree, row, begin, depth, batch):
    """The state at ``depth`` of a selected path, from ``state`` at depth ``begin``; fills ``batch.movers`` between."""
    for k in range(begin, depth):
        batch.movers[row, k] = mover(game, state)
        state = play(game, state, np.int64(forest.action[tree, batch.paths[row, k + 1]]))
    return state


@inlined
def replay_in_lanes(game, forest, batch, rows, used, lanes, plan):
    """The same for ``used`` rows, at most LANE_COUNT, in lockstep: ``batch.words`` and ``batch.depths`` are the end's.

    rows : int64[LANE_COUNT]; lanes : uint64[W * LANE_COUNT] and plan : int64[3 * LANE_COUNT], scratch
    """
    from_depth, to_depth, moves = plan[:LANE_COUNT], plan[LANE_COUNT : 2 * LANE_COUNT], plan[2 * LANE_COUNT :]
    first, last = np.int64(DEPTH_MASK), np.int64(0)
    for lane in range(LANE_COUNT):
        row = rows[min(lane, used - 1)]
        pack(game, unpack(game, batch.words[row], 0, 1), lanes, lane, LANE_COUNT)
        from_depth[lane] = batch.depths[row]
        to_depth[lane] = batch.codes[row] & DEPTH_MASK
        first, last = min(first, from_depth[lane]), max(last, to_depth[lane])
    for k in range(first, last):
        for lane in range(used):
            row = rows[lane]
            on_way = from_depth[lane] <= k < to_depth[lane]
            moves[lane] = forest.action[np.int64(batch.trees[row]), batch.paths[row, k + 1]] if on_way else 0
        for lane in range(LANE_COUNT):
            state = unpack(game, lanes, lane, LANE_COUNT)
            active = (k >= from_depth[lane]) & (k < to_depth[lane])
            after = play(game, state, moves[lane])
            pack(game, blend(active, after, state), lanes, lane, LANE_COUNT)
            moves[lane] = mover(game, state)
        for lane in range(used):
            if from_depth[lane] <= k < to_depth[lane]:
                batch.movers[rows[lane], k] = moves[lane]
    for lane in range(used):
        pack(game, unpack(game, lanes, lane, LANE_COUNT), batch.words[rows[lane]], 0, 1)
        batch.depths[rows[lane]] = to_depth[lane]


@inlined
def replay_alone(game, forest, begin, end, side, batch):
    """Replay the rows that are alone among the open groups ``begin`` to ``end``, in lanes as far as they fill them."""
    lanes, plan = scratch(batch.words.shape[1] * LANE_COUNT, np.uint64), scratch(3 * LANE_COUNT, np.int64)
    rows, used = scratch(LANE_COUNT, np.int64), 0
    for i in range(begin, end):
        head = np.int64(batch.open[i, side])
        if is_alone(batch, head) and batch.depths[head] < (batch.codes[head] & DEPTH_MASK):
            rows[used] = head
            used += 1
        if used == LANE_COUNT or (i + 1 == end and used >= MIN_FOR_LANES):
            replay_in_lanes(game, forest, batch, rows, used, lanes, plan)
            used = 0


def replay_ahead(game, forest, switches, begin, end, side, batch):
    """Compiled for the CPU, and for a game that may play in lanes: ``replay_alone`` where the groups may fill them."""


@overload(replay_ahead, jit_options=JIT_OPTIONS)
def _replay_ahead(game, forest, switches, begin, end, side, batch):
    def in_lanes(game, forest, switches, begin, end, side, batch):
        if switches.in_lanes and end - begin >= MIN_FOR_LANES:
            replay_alone(game, forest, begin, end, side, batch)

    if current_target() == "cpu" and game.instance_class.LANES is not False:  # True, or a property of the instance
        return in_lanes
    return lambda game, forest, switches, begin, end, side, batch: None


@inlined
def expand_row(game, forest, switches, row, opened, side, batch):
    """Expand the tree at the end of a path of one row alone, where its code says so; how many groups are open now.

    The row is finished, or stays open, its code THROUGH_CHANCE, where a known outcome of chance leads on.
    """
    tree, code = np.int64(batch.trees[row]), batch.codes[row]
    depth = code & DEPTH_MASK
    node = np.int64(batch.paths[row, depth])
    state = replay(game, unpack(game, batch.words[row], 0, 1), forest, tree, row, batch.depths[row], depth, batch)
    if switches.cells > 0 and forest.move_count[tree, node] == UNSETTLED:
        settle(game, state, forest, switches, tree, node, depth, batch)
    adds_node = code >= NEW_CHILD
    while adds_node:
        batch.movers[row, depth] = mover(game, state)
        node, is_new = chosen_child(game, state, forest, switches, tree, node, depth, row, batch)
        state = play(game, state, np.int64(forest.action[tree, node]))
        depth += 1
        batch.paths[row, depth] = node
        if not is_new:
            pack(game, state, batch.words[row], 0, 1)
            batch.depths[row], batch.codes[row] = depth, THROUGH_CHANCE
            batch.open[opened, side] = row
            return opened + 1
        settle(game, state, forest, switches, tree, node, depth, batch)
        adds_node = switches.whole_path and forest.move_count[tree, node] != 0
    finish(game, state, switches, row, depth, batch)
    return opened


# ------------------------------------------------------------------------------------------------- a group of several


@inlined
def give_children(game, state, forest, switches, tree, head, batch):
    """Give children to the rows from AT on: by chance to all, by unvisited moves up to UNTIL, where AT is then."""
    code = batch.codes[head]
    depth = code & DEPTH_MASK
    node, row = np.int64(batch.paths[head, depth]), np.int64(batch.links[head, AT])
    by_chance = code >= THROUGH_CHANCE
    until = np.int64(NO_NODE) if by_chance else np.int64(batch.links[head, UNTIL])
    while row != until:
        child, _ = chosen_child(game, state, forest, switches, tree, node, depth, row, batch)
        batch.links[row, CHOICE] = child - np.int64(forest.first_child[tree, node])
        add_in_flight(forest, tree, child, switches.playouts)
        if by_chance:
            add_in_flight(forest, tree, node, switches.playouts)
        row = np.int64(batch.links[row, NEXT])
    batch.links[head, AT] = row


@inlined
def goes_below(game, state, switches, first, depth, row, batch):
    """Put a row at the child that it chose, or finish it where it stays; whether it goes on."""
    choice = np.int64(batch.links[row, CHOICE])
    if choice == STAYS:
        finish(game, state, switches, row, depth, batch)
        return False
    batch.movers[row, depth] = mover(game, state)
    batch.paths[row, depth + 1] = first + choice
    return True


@inlined
def part(game, state, forest, switches, tree, head, batch):
    """Part a group whose rows have chosen, and finish the rows that stay.

    Returns the first of the groups below, which SIBLING links, or NO_NODE.
    """
    if compiled_for_cpu() and batch.links[head, COUNT] >= MIN_ROWS_FOR_TABLE:
        return part_by_table(game, state, forest, switches, tree, head, batch)
    depth = batch.codes[head] & DEPTH_MASK
    node = np.int64(batch.paths[head, depth])
    first = np.int64(forest.first_child[tree, node])
    groups, row = np.int64(NO_NODE), head
    while row != NO_NODE:
        following, choice = np.int64(batch.links[row, NEXT]), np.int64(batch.links[row, CHOICE])
        if goes_below(game, state, switches, first, depth, row, batch):
            group = groups
            while group != NO_NODE and batch.links[group, CHOICE] != choice:
                group = np.int64(batch.links[group, SIBLING])
            if group == NO_NODE:
                begin_group(batch, row, depth + 1)
                batch.links[row, SIBLING] = groups
                groups = row
            else:
                join_group(batch, group, row)
        row = following
    return groups


@noinline
def part_by_table(game, state, forest, switches, tree, head, batch):
    """``part`` with the heads in a table by child, so that no row looks through all groups for its own."""
    depth = batch.codes[head] & DEPTH_MASK
    node = np.int64(batch.paths[head, depth])
    first, children = np.int64(forest.first_child[tree, node]), np.int64(forest.child_count[tree, node])
    heads = scratch(children, np.int32)  # 0 for none, else the row + 1
    row = head
    while row != NO_NODE:
        following, choice = np.int64(batch.links[row, NEXT]), np.int64(batch.links[row, CHOICE])
        if goes_below(game, state, switches, first, depth, row, batch):
            if heads[choice] > 0:
                join_group(batch, np.int64(heads[choice]) - 1, row)
            else:
                begin_group(batch, row, depth + 1)
                heads[choice] = row + 1
        row = following
    groups = np.int64(NO_NODE)
    for child in range(children - 1, -1, -1):
        if heads[child] > 0:
            group = np.int64(heads[child]) - 1
            batch.links[group, SIBLING] = groups
            groups = group
    return groups


@inlined
def go_below(game, state, forest, switches, tree, groups, opened, side, batch):
    """Play the moves to the groups below a node, open these, finish rows whose leaf is there; how many are open now."""
    group = groups
    while group != NO_NODE:
        depth = batch.depths[group]
        child = np.int64(batch.paths[group, depth])
        add_in_flight(forest, tree, child, -np.int64(batch.links[group, COUNT]) * switches.playouts)
        after = play(game, state, np.int64(forest.action[tree, child]))
        if forest.move_count[tree, child] == UNSETTLED:
            settle(game, after, forest, switches, tree, child, depth, batch)
        if is_alone(batch, group) and is_leaf(forest, switches, tree, child, depth):
            finish(game, after, switches, group, depth, batch)
        else:
            pack(game, after, batch.words[group], 0, 1)
            batch.open[opened, side] = group
            opened += 1
        group = np.int64(batch.links[group, SIBLING])
    return opened


@inlined
def expand_group(game, forest, switches, head, opened, side, batch):
    """Take a group of several rows on, as its code says; groups that go on are opened in list ``side``: how many are.

    What is in flight is taken back where the group parts: its rows meet nobody else's below.
    """
    tree, code, rows = np.int64(batch.trees[head]), batch.codes[head], np.int64(batch.links[head, COUNT])
    state = unpack(game, batch.words[head], 0, 1)
    if code >= NEW_CHILD:
        give_children(game, state, forest, switches, tree, head, batch)
        if batch.links[head, AT] != NO_NODE:
            batch.open[opened, side] = head
            return opened + 1
    node = np.int64(batch.paths[head, code & DEPTH_MASK])
    add_in_flight(forest, tree, node, -rows * switches.playouts)
    groups = part(game, state, forest, switches, tree, head, batch)
    return go_below(game, state, forest, switches, tree, groups, opened, side, batch)


# ------------------------------------------------------------------------------------------------------------- the step


@inlined
def prefetch_block(forest, head, batch):
    """Ask for the block of children at the node that a row alone has reached, where its next child goes."""
    tree, code = np.int64(batch.trees[head]), batch.codes[head]
    if NEW_CHILD <= code < THROUGH_CHANCE and is_alone(batch, head):
        node = np.int64(batch.paths[head, code & DEPTH_MASK])
        first, count = np.int64(forest.first_child[tree, node]), np.int64(forest.child_count[tree, node])
        if count > 0:
            child = first + count - 1
            prefetch(forest.visits, (tree, child))
            prefetch(forest.first_child, (tree, child))
            prefetch(forest.child_count, (tree, child))
            prefetch(forest.move_count, (tree, child))
            prefetch(forest.action, (tree, child))
            prefetch(forest.columns, (tree, child, np.int64(0)))


@verb("switches")
def expand(game, forest, switches, begin, end, side, batch):
    """Take the open groups ``begin`` to ``end`` of list ``side`` on as ``select`` told; how many are open afterwards.

    They are in the other list of the pair, from ``begin`` on.
    """


@expand.implements(OneLeaf)
def expand_rows(game, forest, switches, begin, end, side, batch):
    """Every row is alone in its tree."""
    replay_ahead(game, forest, switches, begin, end, side, batch)
    opened = begin
    for i in range(begin, end):
        opened = expand_row(game, forest, switches, np.int64(batch.open[i, side]), opened, side ^ 1, batch)
    return opened - begin


@expand.implements(SearchSwitches)
def expand_groups(game, forest, switches, begin, end, side, batch):
    """What a row writes is asked for some groups ahead: rows wait for memory otherwise."""
    replay_ahead(game, forest, switches, begin, end, side, batch)
    opened = begin
    for i in range(begin, end):
        if i + AHEAD < end:
            prefetch_block(forest, np.int64(batch.open[i + AHEAD, side]), batch)
        head = np.int64(batch.open[i, side])
        if is_alone(batch, head):
            opened = expand_row(game, forest, switches, head, opened, side ^ 1, batch)
        else:
            opened = expand_group(game, forest, switches, head, opened, side ^ 1, batch)
    return opened - begin
