"""The steps of one tree on several threads, by the phases of a team: see ``team``.

Each thread adds what it did in the batches that are timed to its row of ``ticks``, int64[M, LINE]. The coordinator's
WAITING is how long the batches took in all: what is no thread's part of that, threads have waited.
"""

import numpy as np

from gpumcts.atomic import fetch_add, load, store, wait_long, wait_while
from gpumcts.jit import entry, inlined
from gpumcts.kernels.cuda.graph_calls import OK, await_played, send_again
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.playouts.contract import plain_game
from gpumcts.tree.forest import NO_NODE, ROOT
from gpumcts.tree.host.shared_blocks import ANSWER, BASE
from gpumcts.tree.host.team import (
    ALONE,
    BACK_UP,
    BEGIN,
    BUNDLE_ROWS,
    COMPLETE,
    DONE,
    EVALUATE,
    GATHER,
    GROUPS,
    JOINED,
    KIND_BITS,
    LEAVE,
    MIN_PLAYOUTS,
    MIN_ROWS,
    NEVER,
    NO_SHARE,
    PATHS,
    PHASE,
    PIECES,
    READY,
    ROWS,
    ROWS_OF_A_BUNDLE,
    SHARES,
    SLOTS,
    announce,
    await_shares,
    ensure_chunk,
    take_share,
    with_slots,
)
from gpumcts.tree.iteration.advance import watch_roots
from gpumcts.tree.iteration.batch import COUNT, NEXT
from gpumcts.tree.iteration.rows import begin_rows, prepare_rows
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.time_split import BACKUP as BACKING_UP
from gpumcts.tree.time_split import GROWTH, PLAYOUTS, SELECTION, WAITING, clock_if_timed, lap, timing_interval
from gpumcts.verbs import noinline

PHASES = 3  # of a batch

# ------------------------------------------------------------------------------------------------ select and expand


@noinline
def take_bundles(steps, method, forest, batch, team, thread, phase, ticks, timed):
    """Take bundles of groups to their leaves until there are no more; ticks : int64[LINE], where ``timed``."""
    mine, game, switches = with_slots(forest, team, thread), plain_game(method.game), method.switches
    number = take_share(team, phase, thread)
    while number != NO_SHARE:
        clock = clock_if_timed(ticks, timed)
        begin, groups = team.bundles[number, BEGIN], team.bundles[number, GROUPS]
        ensure_chunk(forest, team, thread, team.bundles[number, BUNDLE_ROWS] * team.leaf_slots)
        if team.shares_back_up:
            note_rows(begin, groups, batch, team)
        side = 0
        while groups > 0:
            steps.select(method.rule, method.operator, mine, switches, begin, begin + groups, side, batch)
            clock = lap(ticks, SELECTION, clock, timed)
            groups = steps.expand(game, mine, switches, begin, begin + groups, side, batch)
            clock = lap(ticks, GROWTH, clock, timed)
            side = 1 - side
        fetch_add(team.board, DONE, 1)
        number = take_share(team, phase, thread)


@inlined
def note_rows(begin, groups, batch, team):
    """Note the rows of a bundle, and where their paths part from those of others, for the back-up."""
    place = begin
    for i in range(begin, begin + groups):
        head = np.int64(batch.open[i, 0])
        row = head
        while row != NO_NODE:
            team.rows[place], team.tops[row] = row, batch.depths[head]
            place += 1
            row = np.int64(batch.links[row, NEXT])


@inlined
def publish_bundle(team, number, begin, groups, rows):
    """Make a bundle of groups ready for whoever takes it; the number of the next."""
    team.bundles[number, BEGIN], team.bundles[number, GROUPS] = begin, groups
    team.bundles[number, BUNDLE_ROWS] = rows
    store(team.board, READY, number + 1)
    return number + 1


@noinline
def share_out(steps, method, forest, batch, team, ticks, timed):
    """Take the group at the root down until its parts are small, and hand those out in bundles.

    A bundle has the places of the open lists 0 and 1 that its rows, in all, come to: groups never take more.
    """
    mine, clock = with_slots(forest, team, 0), clock_if_timed(ticks, timed)
    game, switches = plain_game(method.game), method.switches
    open_groups, side, bundle, begin, groups, rows = 1, 2, 0, np.int64(0), np.int64(0), np.int64(0)
    batch.open[0, side] = batch.open[0, 0]
    while open_groups > 0:
        large = 0
        for i in range(open_groups):
            head = np.int64(batch.open[i, side])
            size = np.int64(batch.links[head, COUNT])
            if size > team.largest:
                batch.open[large, side] = head
                large += 1
                continue
            batch.open[begin + groups, 0] = head
            groups, rows = groups + 1, rows + size
            if rows >= ROWS_OF_A_BUNDLE:
                bundle = publish_bundle(team, bundle, begin, groups, rows)
                begin, groups, rows = begin + rows, np.int64(0), np.int64(0)
        open_groups = np.int64(0)
        if large > 0:
            ensure_chunk(forest, team, 0, large * team.node_slots)
            steps.select(method.rule, method.operator, mine, switches, 0, large, side, batch)
            clock = lap(ticks, SELECTION, clock, timed)
            open_groups = steps.expand(game, mine, switches, 0, large, side, batch)
            clock = lap(ticks, GROWTH, clock, timed)
            side ^= 1
    if groups > 0:
        publish_bundle(team, bundle, begin, groups, rows)
    store(team.board, COMPLETE, 1)
    lap(ticks, SELECTION, clock, timed)


@inlined
def gather_together(steps, method, forest, roots, number, leaves, batch, team, phase, ticks, timed):
    """``advance.gather`` for one tree, its groups shared out where they are many."""
    clock = clock_if_timed(ticks, timed)
    begin_rows(forest, method.switches, roots, (0, 1), number, leaves, batch)
    for row in range(leaves):
        team.tops[row] = NEVER
    announce(team, phase, GATHER if leaves >= MIN_ROWS else ALONE, 0)
    lap(ticks, SELECTION, clock, timed)
    share_out(steps, method, forest, batch, team, ticks, timed)
    take_bundles(steps, method, forest, batch, team, 0, phase, ticks, timed)
    await_shares(team)
    store(team.board, PATHS, load(team.board, READY))


# ----------------------------------------------------------------------------------------------------------- evaluate


@inlined
def share_of_rows(number, rows, threads, least):
    """Rows (begin, end) of share ``number``: each is a part of what is left, so that they get smaller to the end."""
    begin, size = np.int64(0), np.int64(0)
    for _ in range(number + 1):
        begin += size
        size = min(max((rows - begin) // (2 * threads), least), rows - begin)
    return begin, begin + size


@inlined
def shares_of_rows(rows, threads, least):
    """How many such shares there are."""
    shares, end = np.int64(0), np.int64(0)
    while end < rows:
        end += min(max((rows - end) // (2 * threads), least), rows - end)
        shares += 1
    return shares


@inlined
def min_share_rows(switches, team):
    """Rows of a share of playouts at least."""
    return max(np.int64(1), np.int64(team.min_share_playouts) // switches.playouts)


@inlined
def clear_tally(tally, begin, end):
    """No playouts in the sums of rows ``begin`` to ``end``."""
    for row in range(begin, end):
        for column in range(TALLY_COLUMNS):
            tally[row, column] = 0


@inlined
def play_rows(steps, method, begin, end, batch):
    """Play a share of the leaves."""
    clear_tally(batch.tally, begin, end)
    words, keys, tally = batch.words[begin:end], batch.keys[begin:end], batch.tally[begin:end]
    steps.evaluate(method.game, method.policy, words, keys, 0, method.switches.playouts, tally)


@inlined
def piece_of(number, pieces, playouts):
    """(leaf, first playout, playouts) of piece ``number``."""
    leaf = number // pieces
    first = playouts * (number - leaf * pieces) // pieces
    return leaf, first, playouts * (number + 1 - leaf * pieces) // pieces - first


@inlined
def play_piece(steps, method, number, pieces, batch, team):
    """Play a piece of a leaf's playouts into a tally of its own."""
    leaf, first, playouts = piece_of(number, pieces, method.switches.playouts)
    clear_tally(team.tally, number, number + 1)
    words, keys, tally = batch.words[leaf : leaf + 1], batch.keys[leaf : leaf + 1], team.tally[number : number + 1]
    steps.evaluate(method.game, method.policy, words, keys, first, playouts, tally)


@noinline
def play_shares(steps, method, batch, team, thread, phase, ticks, timed):
    """What a thread does in a phase of playouts."""
    number = take_share(team, phase, thread)
    while number != NO_SHARE:
        clock = clock_if_timed(ticks, timed)
        rows, pieces = load(team.board, ROWS), load(team.board, PIECES)
        if pieces > 0:
            play_piece(steps, method, number, pieces, batch, team)
        else:
            begin, end = share_of_rows(number, rows, team.chunks.shape[0], min_share_rows(method.switches, team))
            play_rows(steps, method, begin, end, batch)
        lap(ticks, PLAYOUTS, clock, timed)
        fetch_add(team.board, DONE, 1)
        number = take_share(team, phase, thread)


@noinline
def join_pieces(switches, rows, pieces, batch, team):
    """Add the pieces' sums up, and put what is kept of each playout in its place."""
    kept = (batch.tally.shape[1] - TALLY_COLUMNS) // switches.playouts
    clear_tally(batch.tally, 0, rows)
    for number in range(rows * pieces):
        leaf, first, playouts = piece_of(number, pieces, switches.playouts)
        for column in range(TALLY_COLUMNS):
            batch.tally[leaf, column] += team.tally[number, column]
        for column in range(TALLY_COLUMNS + first * kept, TALLY_COLUMNS + (first + playouts) * kept):
            batch.tally[leaf, column] = team.tally[number, column]


@inlined
def evaluate_together(steps, method, rows, batch, team, phase, ticks, timed):
    """The playouts of a batch, shared out by leaves, or where those are few by pieces of their playouts."""
    threads, switches = team.chunks.shape[0], method.switches
    pieces, shares = np.int64(0), shares_of_rows(rows, threads, min_share_rows(switches, team))
    if rows < SHARES * threads:
        pieces = min(switches.playouts // MIN_PLAYOUTS, team.tally.shape[0] // rows)
        shares = rows * pieces if pieces > 0 else shares
    store(team.board, ROWS, rows)
    store(team.board, PIECES, pieces)
    announce(team, phase, EVALUATE, shares)
    play_shares(steps, method, batch, team, 0, phase, ticks, timed)
    await_shares(team)
    if pieces > 0:
        clock = clock_if_timed(ticks, timed)
        join_pieces(switches, rows, pieces, batch, team)
        lap(ticks, PLAYOUTS, clock, timed)


@inlined
def take_playouts(evaluate, steps, method, batch, team, thread, phase, ticks, timed):
    """What a worker does in a phase of playouts; there is none where ``evaluate`` is None."""
    if evaluate is None:
        return
    play_shares(steps, method, batch, team, thread, phase, ticks, timed)


@inlined
def play_together(evaluate, steps, method, rows, batch, team, phase, device, ticks, timed):
    """The playouts of a batch, by all threads, or where ``evaluate`` is None by a device; whether they are there.

    device : the graph, ``told`` and ``at`` of ``run_coordinator``, and the number of the batch
    """
    if evaluate is None:
        graph, told, at, number = device
        clock = clock_if_timed(ticks, timed)
        told[ANSWER] = send_again(graph)
        lap(ticks, PLAYOUTS, clock, timed)
        if told[ANSWER] == OK:
            told[ANSWER] = await_played(graph, told[BASE], at[number])
        return told[ANSWER] == OK
    evaluate_together(steps, method, rows, batch, team, phase, ticks, timed)
    return True


@inlined
def await_phase(evaluate, team, phase):
    """The next phase after one, as the board has it; a thread that waits for a device takes naps."""
    if evaluate is None:
        return wait_long(team.board, PHASE, phase)
    return wait_while(team.board, PHASE, phase)


# ------------------------------------------------------------------------------------------------------------ back up


@inlined
def take_paths(steps, method, forest, batch, team, thread, phase, ticks, timed):
    """Back up bundles, as far as nodes are theirs alone, until there are no more."""
    number = take_share(team, phase, thread)
    while number != NO_SHARE:
        clock = clock_if_timed(ticks, timed)
        begin = team.bundles[number, BEGIN]
        end = begin + team.bundles[number, BUNDLE_ROWS]
        steps.back_up_part(method.operator, forest, method.switches, team.rows, team.tops, begin, end, False, batch)
        lap(ticks, BACKING_UP, clock, timed)
        fetch_add(team.board, DONE, 1)
        number = take_share(team, phase, thread)


@inlined
def back_up_together(steps, method, forest, leaves, batch, team, phase, ticks, timed):
    """Back up a batch: bundles are shared where the operator allows it, what is above them is the coordinator's."""
    bundles, clock = load(team.board, PATHS), clock_if_timed(ticks, timed)
    operator, switches = method.operator, method.switches
    if not team.shares_back_up or leaves < MIN_ROWS or bundles == 0:
        steps.back_up(learner(method.rule), operator, forest, switches, 0, leaves, batch)
        lap(ticks, BACKING_UP, clock, timed)
        return
    announce(team, phase, BACK_UP, bundles)
    steps.back_up_part(operator, forest, switches, team.every_row, team.tops, 0, leaves, True, batch)
    lap(ticks, BACKING_UP, clock, timed)
    take_paths(steps, method, forest, batch, team, 0, phase, ticks, timed)
    await_shares(team)


# ---------------------------------------------------------------------------------------------------- the threads


@inlined
def is_timed(phase, switches):
    """Whether the batch of a phase is timed: all threads find the same."""
    return (phase - 1) // PHASES % timing_interval(switches.leaves, switches.playouts) == 0


@entry
def run_coordinator(steps, method, forest, roots, keys, numbers, room, batch, watch, team, graph, told, at, ticks):
    """``advance`` for iterations ``numbers`` (begin, end) of a forest of one tree, with whoever joins.

    graph : int64[WORDS], of the batch; zeros where the CPU plays its leaves
    told : int64[TOLD], see ``shared_blocks``: ANSWER, BASE. It ends early where the answer is not 0
    at : float64[batches, 2], filled with when leaves were played, (begin, end) in seconds since ``told[BASE]``
    """
    (number, until), switches, phase, mine, batches = numbers, method.switches, np.int64(1), ticks[0], 0
    store(team.board, SLOTS, np.int64(forest.used[0]))
    prepare_rows(switches, keys, (0, 1), batch)
    while number < until:
        if switches.solve and forest.proof[0, ROOT] != 0:
            number = until
        else:
            leaves = min(switches.leaves, until - number)
            if forest.used[0] + room > forest.visits.shape[1]:
                break
            timed = is_timed(phase, switches)
            clock = clock_if_timed(ticks, timed)
            gather_together(steps, method, forest, roots, number, leaves, batch, team, phase, mine, timed)
            forest.used[0] = load(team.board, SLOTS)
            device = graph, told, at, batches
            if not play_together(steps.evaluate, steps, method, leaves, batch, team, phase + 1, device, mine, timed):
                break
            back_up_together(steps, method, forest, leaves, batch, team, phase + 2, mine, timed)
            lap(mine, WAITING, clock, timed)
            number += leaves
            phase += PHASES
            batches += 1
        if watch.below.shape[0] > 0:
            watch_roots(method.operator, forest, watch, (0, 1), number)
    announce(team, phase + PHASES, LEAVE, 0)
    return number


@entry
def run_worker(steps, method, forest, batch, team, ticks):
    """Join the coordinator of a tree, and take shares of its phases until it leaves."""
    thread, phase = fetch_add(team.board, JOINED, 1) + 1, np.int64(0)
    mine = ticks[thread]
    while True:
        phase = await_phase(steps.evaluate, team, phase)
        number, kind = phase >> KIND_BITS, phase & ((1 << KIND_BITS) - 1)
        if kind == LEAVE:
            return
        timed = is_timed(number, method.switches)
        if kind == GATHER:
            take_bundles(steps, method, forest, batch, team, thread, number, mine, timed)
        elif kind == EVALUATE:
            take_playouts(steps.evaluate, steps, method, batch, team, thread, number, mine, timed)
        elif kind == BACK_UP:
            take_paths(steps, method, forest, batch, team, thread, number, mine, timed)
