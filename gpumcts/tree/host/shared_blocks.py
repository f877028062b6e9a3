"""Blocks of trees whose leaves are played elsewhere, shared out among threads that stay in compiled code.

A forest is in two halves. A phase is a half's: blocks of its trees are backed up, and select their next leaves. The
coordinator announces it and takes blocks itself, workers take others (``team``). Between two phases workers wait in
compiled code: to call a thread from Python takes a hundred microseconds, all threads one after the other, and a batch
of a thousand leaves takes no longer than that.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.atomic import fetch_add, load, store, wait_long
from gpumcts.jit import entry, inlined
from gpumcts.kernels.cuda.graph_calls import OK, await_played, send_again
from gpumcts.monotonic import now
from gpumcts.tree.host.team import DONE, KIND_BITS, LINE, NO_SHARE, PHASE, SHARES, announce, await_shares, take_share
from gpumcts.tree.iteration.advance import gather, has_room
from gpumcts.tree.iteration.batch import rows_of
from gpumcts.tree.iteration.rows import prepare_rows
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.time_split import BACKUP, clock_if_timed, lap
from gpumcts.verbs import noinline

NUMBER = 10 * LINE  # word of the board behind those of a team: the first iteration to select for
SECOND, BACKED_UP, SELECTED = 1, 2, 4  # kind of a phase: of the second half; what is done with its blocks
LEAVE = 0
TOLD = 5
PHASES, LACKS, ANSWER, SENT, BASE = range(TOLD)
"""What a call of ``take_turns`` tells, and is told.

Phases that it did; whether blocks of its last turn lack room, so that it has still to select; the driver's answer, 0
where all is well; nanoseconds in which leaves were sent; the event that times are told from, by its address.
"""
ROWS_OF_A_BLOCK = 16  # at least: some 10 microseconds
BEGIN, END = 0, 1  # columns of SharedBlocks.spans


class SharedBlocks(NamedTuple):
    """What threads share that go through the blocks of a forest's halves; M threads, the coordinator is number 0."""

    board: np.ndarray  # int64 [11 LINE], as ``team.Team.board``
    spans: np.ndarray  # int64 [2, 2] trees of each half: first, and after the last
    lacking: np.ndarray  # bool [2, blocks of a half at most] those that have yet to select: they lacked room
    size: int  # trees of a block
    leaves: int  # of a tree in a batch
    room: int  # slots that a tree takes for them at most


def shared_blocks(spans: list[tuple[int, int]], threads: int, leaves: int, room: int) -> SharedBlocks:
    """Blocks of one half or two (trees begin, end), such that threads end together and none has too little to do."""
    both = np.array([*spans, (0, 0)][:2], np.int64)
    trees = max(end - begin for begin, end in spans)
    size = max(-(-trees // (SHARES * threads)), -(-ROWS_OF_A_BLOCK // leaves))
    return SharedBlocks(
        board=np.zeros(11 * LINE, np.int64),
        spans=both,
        lacking=np.ones((2, -(-trees // size)), np.bool_),
        size=size,
        leaves=leaves,
        room=room,
    )


@inlined
def blocks_of(shared, half):
    """How many blocks a half has."""
    return (shared.spans[half, END] - shared.spans[half, BEGIN] + shared.size - 1) // shared.size


@noinline
def take_blocks(steps, method, forest, roots, keys, batches, shared, thread, phase, kind, ticks):
    """Take blocks of a phase until there are no more; ticks : int64[LINE]."""
    half = kind & SECOND
    batch, first = batches[half], shared.spans[half, BEGIN]
    number, switches = load(shared.board, NUMBER), method.switches
    share = take_share(shared, phase, thread)
    while share != NO_SHARE:
        begin = first + share * shared.size
        block = begin, min(begin + shared.size, shared.spans[half, END])
        mine = rows_of(batch, (begin - first) * shared.leaves, (block[1] - first) * shared.leaves)
        if kind & BACKED_UP:
            clock, rows = clock_if_timed(ticks, True), (block[1] - begin) * shared.leaves
            steps.back_up(learner(method.rule), method.operator, forest, switches, 0, rows, mine)
            lap(ticks, BACKUP, clock, True)
            shared.lacking[half, share] = True
        if kind & SELECTED and shared.lacking[half, share] and has_room(forest, block, shared.room):
            if not kind & BACKED_UP:
                prepare_rows(switches, keys, block, mine)
            gather(steps, method, forest, roots, block, number, shared.leaves, mine, ticks, True)
            shared.lacking[half, share] = False
        fetch_add(shared.board, DONE, 1)
        share = take_share(shared, phase, thread)


@inlined
def do_phase(steps, method, forest, roots, keys, batches, shared, phase, kind, number, ticks):
    """Do a phase with whoever has joined; whether blocks lack room for their next leaves.

    batches : a Batch for each half, its rows those of the half's trees
    phase : 1 and up, one more each time; kind : see SECOND; number : the first iteration to select for
    ticks : int64[M, LINE], a row for each thread
    """
    half = kind & SECOND
    store(shared.board, NUMBER, np.int64(number))
    announce(shared, phase, kind, blocks_of(shared, half))
    take_blocks(steps, method, forest, roots, keys, batches, shared, 0, phase, kind, ticks[0])
    await_shares(shared)
    lacking = False
    if kind & SELECTED:
        for share in range(blocks_of(shared, half)):
            lacking |= shared.lacking[half, share]
    return lacking


@entry
def take_turns(steps, method, forest, roots, keys, batches, shared, phase, span, turn, most, graphs, ticks, told, at):
    """Take up to ``most`` turns of the halves, from ``turn`` on; how many are through.

    In a turn a half's leaves come back, they are backed up, the next ones are selected and go off. The halves take
    turns; each has one more turn than batches: the first only selects, the last only backs up.

    phase : the number of the first phase, 1 and up; span : the iterations [begin, end) of each tree
    graphs : int64[WORDS] for each half; zeros where Python waits for leaves and sends them
    ticks : int64[M, LINE], a row for each thread
    told : int64[TOLD], see PHASES
    at : float64[most, 2], filled with when a turn's leaves were played, (begin, end) in seconds since ``told[BASE]``
    """
    halves, done = (2 if shared.spans[1, END] > 0 else 1), 0
    while done < most:
        half = (turn + done) % halves
        words, number = graphs[half], span[0] + (turn + done) // halves * shared.leaves
        kind = half & SECOND
        if number > span[0] and told[LACKS] == 0:
            told[ANSWER] = await_played(words, told[BASE], at[done])
            kind |= BACKED_UP
        if number < span[1]:
            kind |= SELECTED
        if told[ANSWER] == OK:
            told[PHASES] += 1
            args = batches, shared, phase + told[PHASES] - 1, kind, number, ticks
            told[LACKS] = do_phase(steps, method, forest, roots, keys, *args)
        if told[ANSWER] != OK or told[LACKS] != 0:
            break
        if kind & SELECTED:
            clock = now()
            told[ANSWER] = send_again(words)
            told[SENT] += now() - clock
            if told[ANSWER] != OK:  # what is there of this half is the last batch's
                break
        done += 1
    return done


@entry
def join_phases(steps, method, forest, roots, keys, batches, shared, thread, ticks):
    """Join the coordinator as thread 1 and up, and take blocks of its phases until ``end_phases``.

    Ends too where no phase begins for a while: nobody waits for a thread that has taken no block.
    """
    phase = np.int64(0)
    while True:
        before, phase = phase, wait_long(shared.board, PHASE, phase)
        kind = phase & ((1 << KIND_BITS) - 1)
        if kind == LEAVE or phase == before:
            return
        more = batches, shared, thread, phase >> KIND_BITS, kind, ticks[thread]
        take_blocks(steps, method, forest, roots, keys, *more)


@entry
def end_phases(shared, phase):
    """Let whoever has joined leave, and whoever joins yet."""
    announce(shared, phase, LEAVE, 0)
