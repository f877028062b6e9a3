"""Informed playouts as CUDA kernels: a thread each, in steps of its search, or a warp each, its lanes the moves.

By a thread (``playouts.steps``, as the CPU's lanes): every thread of a warp makes one step of its search at a time, so
that all do the same whatever their searches have come to; what happens once a ply is done between bursts of steps. For
minimax of depth 1 and 2 where a game packs its moves into a word.

By a warp (any depth, any game): all lanes hold the playout, each searches below one move of the root, and the best is
found by shuffles. Lanes beyond the number of moves have nothing to do, and no lane learns from another what need not be
searched.

Outcomes are those of ``kernels.playout_kernel``. Imports ``numba.cuda``, as that module does.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpumcts.bits import leading_zeros, popcount
from gpumcts.games.contract import (
    CHANCE,
    NO_MOVE,
    chance_move,
    count_moves,
    move_set,
    mover,
    nth_move,
    over,
    overrun,
    play,
    random_move,
)
from gpumcts.jit import inlined
from gpumcts.kernels.cuda.attempts import attempt_kernel
from gpumcts.kernels.cuda.kernels import (
    LONGEST,
    add,
    enter,
    first_share,
    hand_out,
    load,
    next_share,
    outcome_word,
    placed,
    playing,
    playout_kernel,
    whole_kernel,
)
from gpumcts.kernels.cuda.warp import WARP, ballot, highest, lane, rank, shuffle
from gpumcts.kernels.search_loop import drawn_move, move_on, needs_search
from gpumcts.playouts import steps
from gpumcts.playouts.attempts import makes_attempts
from gpumcts.playouts.contract import cut, outcome
from gpumcts.playouts.minimax import BOUND, TIE_DRAWS, child_value, for_player, random_ply
from gpumcts.playouts.traces import Traced, plays_whole
from gpumcts.rng import PLY_STEP, draw

U = np.uint64
STEPS_PER_BURST = 6  # between two checks for threads whose search is over: fewer cost checks, more keep them waiting
NO_MOVES = steps.NO_MOVES


def ways(game: Any, policy: Any) -> dict[str, Callable]:
    """The kernels by name that play a policy, as it travels into compiled code, on a game.

    ``thread`` and ``warp`` as above; ``nested`` for a thread that plays by the loops of the policy, whatever it is;
    ``whole`` for a thread that plays by the game's own ``whole_playout``, where it has one; ``attempts`` for a thread
    that makes an attempt of a ply at a time (``attempts``), where a game's plies are made so. Traces are kept by
    ``nested`` and ``whole`` alone.

    The first is taken where no table of measured rates has the others (``device_choices.fastest_way``). That is
    ``whole`` unless the game's class says ``WHOLE_ON_DEVICE = False``.
    """
    found: dict[str, Callable] = {}
    whole = {"whole": whole_kernel} if plays_whole(policy, game) else {}
    if getattr(getattr(game, "game", game), "WHOLE_ON_DEVICE", True):
        found |= whole
    if makes_attempts(policy, game):
        found["attempts"] = attempt_kernel
    if steps.depth(policy) > 0 and move_set.find(type(game)) is not None:
        found["thread"] = thread_kernel
    found["nested"] = playout_kernel
    if child_value.find(type(policy)) is not None and not isinstance(game, Traced):
        found["warp"] = warp_kernel
    return found | whole


def thread_kernel(game, policy, job):
    """Every thread plays one playout after another, a step of its search at a time.

    Between bursts of steps, threads whose search is over move on, those whose playout is over take another.
    """
    replying = steps.depth(policy) == 2
    limit = np.int32(min(cut(policy), LONGEST))
    at, end = first_share(job)
    lanes = playing(job)
    busy, searching, leaf, number, plies = False, False, np.int32(0), np.int32(0), np.int32(0)
    state, stream = load(game, job, leaf, 0)  # not played, but of the type
    search = steps.begin(state, NO_MOVES, NO_MOVES)
    while True:
        # A lane that does not search has its state, the move set there and the expected move in a search not begun.
        through = busy and not searching and (plies >= limit or over(game, search.root))
        if ballot(through) != U(0):
            enter(policy, game, job, through, leaf, number, search.root, plies)
        busy = busy and not through
        idle = ballot(not busy) & lanes
        if idle != U(0) and at < job.count:
            mine, at, end = hand_out(job, at, end, idle)
            if not busy and lanes >> U(lane()) != U(0) and mine < job.count:
                leaf, number = placed(job, mine)
                state, stream = load(game, job, leaf, number)
                search = steps.begin(state, move_set(game, state), NO_MOVES)
                busy, plies = True, np.int32(0)
            continue  # what was taken may be over already
        if idle == lanes:
            return
        if busy and not searching:
            searching = needs_search(game, policy, search.root, search.untried, stream)
            if not searching:
                state = play(game, search.root, drawn_move(game, search.root, stream))
                search = steps.begin(state, move_set(game, state), NO_MOVES)
                stream += PLY_STEP
                plies = np.int32(plies + 1)
        steps_made = 0
        while steps_made < STEPS_PER_BURST and searching and not steps.over(search):
            search = steps.step_search(replying, game, search)
            steps_made += 1
        if searching and steps.over(search):
            state, moves, hope = move_on(game, search, stream)
            search = steps.begin(state, moves, hope)
            searching = False
            stream += PLY_STEP
            plies = np.int32(plies + 1)


@inlined
def best_together(policy, game, state, stream):
    """``minimax.best_move`` by all lanes of a warp: the same move, after the same draws."""
    player, total = mover(game, state), count_moves(game, state)
    best, chosen, ties = -BOUND, np.int64(NO_MOVE), np.int64(0)
    for first in range(0, total, WARP):
        number = first + lane()
        move, value = np.int64(NO_MOVE), -BOUND
        if number < total:
            move = np.int64(nth_move(game, state, number))
            child = play(game, state, move)
            floor = best - 1 if mover(game, child) != player else -BOUND
            value = for_player(player, game, child, child_value(policy, game, child, floor))
        most = highest(value)
        ties = np.int64(0) if most > best else ties
        best = max(best, most)
        tied = ballot(value == best)
        place = ties + rank(tied) + 1
        takes = value == best and (place == 1 or draw(stream, TIE_DRAWS + move, U(place)) == U(0))
        taking = ballot(takes)
        if taking != U(0):
            chosen = shuffle(move, np.int64(63) - np.int64(leading_zeros(taking)))  # the last one that takes
        ties += np.int64(popcount(tied))
    return chosen


@inlined
def move_together(policy, game, state, stream):
    """The move of a ply, found by all lanes of a warp."""
    if mover(game, state) == CHANCE:
        return chance_move(game, state, stream)
    if random_ply(policy, stream):
        return random_move(game, state, stream)
    chosen = best_together(policy, game, state, stream)
    return chosen if chosen != NO_MOVE else random_move(game, state, stream)


def warp_kernel(game, policy, job):
    """Every warp plays one playout after another; all its lanes hold the same state."""
    limit = np.int32(min(cut(policy), LONGEST))
    at, end = first_share(job)
    while at < job.count:
        leaf, number = placed(job, at)
        state, stream = load(game, job, leaf, number)
        plies = np.int32(0)
        while plies < limit and not over(game, state):
            state = play(game, state, move_together(policy, game, state, stream))
            stream += PLY_STEP
            plies = np.int32(plies + 1)
        if lane() == 0:
            score = np.int64(outcome(policy, game, state))
            gone = np.int64(plies - overrun(game, state))
            if job.columns == 1:
                job.words[job.tally + leaf] = outcome_word(score, gone)
            else:
                add(job, leaf, score, np.int64(score > 0), np.int64(score == 0), gone)
        at += 1
        if at == end:
            at = next_share(job)
            end = at + job.grab
