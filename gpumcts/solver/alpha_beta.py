"""Exact values by alpha-beta for whole batches of roots, and alpha-beta as a player whose budget is a number of leaves.

Any game of the contract without chance. Results do not depend on threads or on how roots are batched.
"""

import itertools
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games.bounds import beyond
from gpumcts.games.contract import NO_MOVE
from gpumcts.kernels.batch import Rules, check_batch
from gpumcts.options import compiled
from gpumcts.rng import FINAL_STREAM, child_key
from gpumcts.solver.search_loop import (
    BEYOND_MOVES,
    BEYOND_PLIES,
    BY_CHANCE,
    DONE,
    LEAVES_THEN,
    MOVE_SEARCHED,
    NEW,
    VALUE,
    SolverRoots,
    advance,
    empty_stack,
)
from gpumcts.stop_event import StopEvent

U = np.uint64
QUOTA = 2_000_000  # leaves of a compiled call: some 0.1 s, so that Ctrl-C lives
PARTS_A_THREAD = 16
NO_LIMIT = 1 << 62


class Solved(NamedTuple):
    """What B roots are worth: scores for the first player and leaves counted, int64[B] each."""

    score: np.ndarray
    leaves: np.ndarray


class Anytime(NamedTuple):
    """The moves of a search that may be stopped.

    moves : int64[B, C] at each of the C checkpoints
    leaves : int64[B] leaves of the whole search; -1 where it needs more than the last checkpoint
    """

    moves: np.ndarray
    leaves: np.ndarray


def solve(
    game: Any,
    states: np.ndarray,
    keys: np.ndarray | None = None,
    signs: bool = True,
    threads: int = 1,
    limit: int | None = None,
    stop: threading.Event | None = None,
) -> Solved:
    """Exact scores of ``states`` (uint64[B, W]) under best play of both sides, for the first player.

    Parameters
    ----------
    keys : uint64[B]; moves are tried in a random order keyed by (key of the root, path), in the moves' order if None
    signs : search for win, draw or loss alone (-SCORE_UNIT, 0, SCORE_UNIT), window (-1, +1); else for scores
    limit : leaves a root may take; BadInput where one needs more
    stop : KeyboardInterrupt is raised where it is set meanwhile

    A game that is over is one leaf. Raises BadInput for arrays of other shapes, fewer threads than 1, and where chance
    moves.
    """
    game = compiled(game)
    check_batch(game, states, keys)
    roots = _roots(game, states, keys, recorded=False)
    _run(game, roots, keys is not None, signs, threads, NO_LIMIT if limit is None else limit, stop)
    if not roots.finished.all():
        raise BadInput(f"limit={limit}: {np.sum(~roots.finished)} of {len(states)} roots need more leaves")
    return Solved(roots.scores, roots.leaves)


def root_scores(
    game: Any,
    states: np.ndarray,
    keys: np.ndarray | None = None,
    signs: bool = True,
    threads: int = 1,
    limit: int | None = None,
    stop: threading.Event | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Exact scores of all moves of ``states`` (uint64[B, W]) for the first player; parameters as for ``solve``.

    Returns int64[B, M], M being the most moves of any of them, in the order of the moves, unused columns 0; and the
    number of moves, int64[B]. ``limit`` counts for each move.
    """
    game = compiled(game)
    check_batch(game, states, keys)
    rules = Rules(game)
    counts = rules.count_moves(states)
    owners = np.repeat(np.arange(len(states)), counts)
    moves = np.concatenate([np.empty(0, np.int64), *(rules.legal_moves(state) for state in states)])
    with np.errstate(over="ignore"):
        below = None if keys is None else child_key(keys[owners], moves.astype(np.uint64))
    solved = solve(game, rules.play(states[owners], moves), below, signs, threads, limit, stop)
    scores = np.zeros((len(states), counts.max(initial=0)), np.int64)
    scores[np.arange(scores.shape[1]) < counts[:, None]] = solved.score
    return scores, counts


def search_budget(
    game: Any,
    states: np.ndarray,
    keys: np.ndarray,
    checkpoints: Sequence[int],
    best_so_far: bool = False,
    shuffled: bool = True,
    signs: bool = True,
    threads: int = 1,
    stop: threading.Event | None = None,
) -> Anytime:
    """The moves that alpha-beta returns at ``states`` (uint64[B, W]), which are not over, after so many counted leaves.

    "It would pick a move randomly if the search has not been completed within a number of leaf nodes" (Kocsis et al.
    2006 and Kocsis and Szepesvári 2006, section 3.1); with ``best_so_far`` it picks the best of the root moves whose
    search is completed (Kocsis and Szepesvári 2006, footnote 8), and a random one if none is. Of equal moves the first
    one searched is the best.

    Parameters
    ----------
    keys : uint64[B]; random moves are drawn under them, a fresh one for each number of leaves
    checkpoints : numbers of leaves, in any order
    shuffled : moves are tried in a random order keyed by (key, path), in place of the order of the moves
    signs, threads, stop : as for ``solve``; so are its errors. BadInput too for a game that is over, and checkpoints
        below 1
    """
    game = compiled(game)
    check_batch(game, states, keys)
    if not len(checkpoints) or min(checkpoints) < 1:
        raise BadInput(f"checkpoints={list(checkpoints)}: must be numbers of leaves of at least 1")
    if not Rules(game).count_moves(states).all():
        raise BadInput("states: a game is over there, and there is no move to choose")
    roots = _roots(game, states, keys, recorded=True)
    _run(game, roots, shuffled, signs, threads, max(checkpoints), stop)
    searched, values, ends = (roots.progress[:, :, column] for column in (MOVE_SEARCHED, VALUE, LEAVES_THEN))
    for_mover = np.where(Rules(game).movers(states)[:, None] == 1, -values, values)
    moves = np.empty((len(states), len(checkpoints)), np.int64)
    for column, leaves in enumerate(checkpoints):
        complete = (ends > 0) & (ends <= leaves)
        best = np.where(complete, for_mover, -NO_LIMIT).argmax(axis=1)
        known = complete.any(axis=1) if best_so_far else roots.finished & (roots.leaves <= leaves)
        chosen = np.take_along_axis(searched, best[:, None], axis=1)[:, 0]
        moves[:, column] = np.where(known, chosen, _random_moves(game, states, keys, leaves))
    return Anytime(moves, np.where(roots.finished, roots.leaves, -1))


def _random_moves(game: Any, states: np.ndarray, keys: np.ndarray, leaves: int) -> np.ndarray:
    """A random move of each state, fresh for each number of leaves."""
    with np.errstate(over="ignore"):
        fresh = child_key(child_key(keys, FINAL_STREAM), U(leaves))
    return Rules(game).random_moves(states, fresh)


def _roots(game: Any, states: np.ndarray, keys: np.ndarray | None, recorded: bool) -> SolverRoots:
    """A batch before its search; ``recorded`` if the moves of the roots are to be known one by one."""
    count = len(states)
    progress = np.zeros((count if recorded else 0, game.MAX_MOVES, 3), np.int64)
    progress[:, :, MOVE_SEARCHED] = NO_MOVE
    return SolverRoots(
        np.ascontiguousarray(states, np.uint64),
        np.zeros(count, np.uint64) if keys is None else np.ascontiguousarray(keys, np.uint64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        progress,
    )


def _run(
    game: Any, roots: SolverRoots, shuffled: bool, signs: bool, threads: int, limit: int, stop: threading.Event | None
) -> None:
    """Search all roots, parts of them in turn on each of ``threads`` threads."""
    if threads < 1:
        raise BadInput(f"threads={threads} is not at least 1")
    size = max(1, -(-len(roots.words) // (threads * PARTS_A_THREAD))) if threads > 1 else max(1, len(roots.words))
    begins = itertools.count(0, size)  # of parts; taking the next one is atomic
    stop_event = StopEvent(stop)

    def work() -> None:
        stack = empty_stack(game)
        while (begin := next(begins)) < len(roots.words):
            cursor, answer = np.array([begin, NEW, 0], np.int64), -1
            end = min(begin + size, len(roots.words))
            while answer != DONE and not stop_event.is_set():
                answer = advance(game, roots, stack, shuffled, signs, cursor, end, limit, QUOTA)
                if answer == BY_CHANCE:
                    raise BadInput(f"game: alpha-beta takes games without chance; in {title(game)} chance moves")
                if answer in (BEYOND_MOVES, BEYOND_PLIES):
                    raise beyond(game, "MAX_MOVES" if answer == BEYOND_MOVES else "MAX_PLIES")

    if threads == 1:
        work()
    else:
        with ThreadPoolExecutor(threads) as pool:
            try:
                for done in [pool.submit(work) for _ in range(threads)]:
                    done.result()
            finally:
                stop_event.set()  # before the pool waits for what is under way
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
