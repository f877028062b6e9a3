"""Random playouts as a CUDA kernel whose threads make an attempt of a ply each, together.

Threads of a warp that play ply by ply wait at every ply for the one whose draws are refused most, and for the longest
flood of each draw. Here a thread that is refused draws again while others go on to their next ply.

Outcomes are those of ``kernels.playout_kernel``. Imports ``numba.cuda``, as that module does.
"""

import numpy as np

from gpumcts.games.contract import over
from gpumcts.kernels.cuda.kernels import LONGEST, enter, first_share, hand_out, load, placed
from gpumcts.kernels.cuda.warp import ALL, ballot
from gpumcts.playouts.attempts import FIRST, SECOND, decide, look, look_further, none_refused, under_way
from gpumcts.playouts.contract import cut
from gpumcts.rng import PLY_STEP

U = np.uint64
ATTEMPTS_PER_BURST = 8  # between two checks for threads that are through: fewer cost checks, more keep them waiting


def attempt_kernel(game, policy, job):
    """Every thread plays one playout after another, an attempt of a ply at a time (``playouts.attempts``)."""
    limit = np.int32(min(cut(policy), LONGEST))
    at, end = first_share(job)
    busy, leaf, number, plies = False, np.int32(0), np.int32(0), np.int32(0)
    state, stream = load(game, job, leaf, 0)  # not played, but of the type
    refused = none_refused(game)
    while True:
        through = busy and (plies >= limit or over(game, state))
        if ballot(through) != U(0):
            enter(policy, game, job, through, leaf, number, state, plies)
        busy = busy and not through
        idle = ballot(not busy)
        if idle != U(0) and at < job.count:
            mine, at, end = hand_out(job, at, end, idle)
            if not busy and mine < job.count:
                leaf, number = placed(job, mine)
                state, stream = load(game, job, leaf, number)
                refused, busy, plies = none_refused(game), True, np.int32(0)
            continue  # what was taken may be over already
        if idle == ALL:
            return
        left = ATTEMPTS_PER_BURST if busy else 0
        while left > 0 and plies < limit and not over(game, state):
            attempt = look(policy, game, state, refused, stream)
            while under_way(FIRST, game, attempt):
                attempt = look_further(FIRST, game, state, attempt)
            while under_way(SECOND, game, attempt):
                attempt = look_further(SECOND, game, state, attempt)
            state, refused, made = decide(game, state, refused, attempt)
            if made:
                stream += PLY_STEP
                plies = np.int32(plies + 1)
            left -= 1
