"""The CUDA kernel of playouts: a thread plays one after another, state in registers, with the CPU's rules and policies.

Imports ``numba.cuda``: ``numba.config.ENABLE_CUDASIM = 1`` must be set before, where the simulator is wanted
(``gpumcts.kernels.engines`` does).
"""

import contextlib
import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import cuda, types

from gpumcts.bits import popcount
from gpumcts.compiling import cache
from gpumcts.compiling.class_names import own_classes, title
from gpumcts.compiling.messages import announced
from gpumcts.games.contract import over, overrun, unpack
from gpumcts.jit import inlined
from gpumcts.kernels.cuda import device, faults
from gpumcts.kernels.cuda.code_options import tables_in_memory
from gpumcts.kernels.cuda.occupancy import tighter
from gpumcts.kernels.cuda.warp import WARP, ballot, fetch_add, lane, peers, rank, shuffle, sums, warp, warps
from gpumcts.kernels.playout_loop import DRAWS, PLIES, SCORE, WINS, kept_at
from gpumcts.playouts.contract import cut, keep, kept_playout, outcome, step
from gpumcts.rng import PLY_STEP, child_key

U = np.uint64
BURST = 8  # plies between two checks for threads that are through: fewer cost checks, more keep them waiting
LONGEST = np.int64(1 << 30)  # no playout is longer; plies are counted in 32 bits
MAX_PER_LAUNCH = 1 << 30  # playouts, so that their numbers fit in 32 bits
MAX_PER_GRAB, GRABS = 256, 16  # playouts that a warp takes at once; how often it does at least, where there are enough
DRAWS_AT, PLIES_AT = 6, 12  # bits of a word of wins, draws and plies: 32 lanes win at most 32 playouts

# A search with few leaves has small launches, and that is right.
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # type: ignore[attr-defined]

with contextlib.suppress(ImportError):  # an older numba-cuda takes numba's own, and the simulator none
    from numba.cuda.core.caching import IndexDataCacheFile

    cache.in_turns(IndexDataCacheFile)


class BatchLayout(NamedTuple):
    """Where in the words of a batch what lies: one word that counts, the keys, the states, the tallies, in this order.

    leaves : B; width : words of a state; rows : of states, B, or 1 where all leaves have the same one
    columns : of a tally, int64 in two's complement; 1 for the outcome of a leaf's one playout (``outcome_word``)
    """

    leaves: int
    width: int
    rows: int
    columns: int

    @property
    def states(self) -> int:
        """The word where the states begin; the keys begin at word 1."""
        return 1 + self.leaves

    @property
    def tally(self) -> int:
        """The word where the tallies begin."""
        return self.states + self.rows * self.width

    @property
    def end(self) -> int:
        """How many words there are."""
        return self.tally + self.leaves * self.columns


class Job(NamedTuple):
    """A launch: ``count`` of the playouts of all leaves, those of a leaf side by side.

    ``words`` is laid out as ``BatchLayout`` says; the first one counts the playouts that warps have taken beyond their
    first, 0 before the launch. One array, since every array costs seven kernel arguments.
    """

    words: np.ndarray  # uint64
    states: int
    stride: int  # from state to state, 0 where all leaves have the same one
    tally: int
    columns: int
    playouts: int  # of a leaf
    leaf: int  # of the first playout
    number: int  # of the first playout among those of its leaf
    count: int
    grab: int  # playouts that a warp takes at once; where its threads play one each, no more of them play than these


KEYS = 1  # the word where the keys begin


def grab_size(count: int, warps: int, least: int = WARP) -> int:
    """Playouts one of so many warps takes at once: many save atomics and keep a warp at a leaf, few end together.

    least : as many as a warp plays at a time
    """
    return max(least, min(MAX_PER_GRAB, count // (warps * GRABS) // least * least))


@inlined
def load(game, job, leaf, number):
    """The state of a leaf and the stream of its playout ``number``."""
    state = unpack(game, job.words, job.states + leaf * job.stride, 1)
    return state, child_key(job.words[KEYS + leaf], U(number))


@inlined
def placed(job, playout):
    """(leaf, number among its playouts) of playout ``playout`` of the job."""
    place = np.uint32(job.number + playout)
    after = place // np.uint32(job.playouts)  # a division of 32 bits: one of 64 takes four times as long
    return np.int32(job.leaf + np.int64(after)), np.int32(place - after * np.uint32(job.playouts))


@inlined
def first_share(job):
    """The playouts [at, end) that this warp begins with."""
    at = warp() * np.int64(job.grab)
    return at, at + np.int64(job.grab)


@inlined
def playing(job):
    """The lanes of a warp that play, as a set."""
    return (U(1) << U(min(np.int64(job.grab), np.int64(WARP)))) - U(1)


@inlined
def next_share(job):
    """The first of the next playouts that are this warp's: its first lane takes them for all."""
    at = np.int64(0)
    if lane() == 0:
        at = np.int64(fetch_add(job.words, 0, U(job.grab)))
    return warps() * job.grab + shuffle(at, 0)


@inlined
def hand_out(job, at, end, idle):
    """A playout for every lane of the set ``idle``: (this lane's, the warp's share that is left)."""
    mine, following = at + rank(idle), at + np.int64(popcount(idle))
    if following > end:  # the share does not suffice, but with a second one it does
        share = next_share(job)
        mine = mine if mine < end else share + (mine - end)
        following, end = share + (following - end), share + job.grab
    return mine, following, end


@inlined
def row_of(job, leaf):
    """Where the tally of a leaf begins."""
    return job.tally + leaf * job.columns


@inlined
def add(job, leaf, score, wins, draws, plies):
    """Add to the tally of a leaf."""
    row = row_of(job, leaf)
    fetch_add(job.words, row + SCORE, U(score))
    fetch_add(job.words, row + WINS, U(wins))
    fetch_add(job.words, row + DRAWS, U(draws))
    fetch_add(job.words, row + PLIES, U(plies))


@inlined
def outcome_word(score, plies):
    """What becomes of a leaf's one playout, as a word: the score (int32) above its plies."""
    return (U(score) << U(32)) | (U(plies) & U(0xFFFFFFFF))


@inlined
def enter(policy, game, job, through, leaf, number, state, plies):
    """Add the outcomes of the lanes that are ``through`` to the tallies."""
    score, gone = np.int64(0), np.int64(0)
    if through:
        score, gone = np.int64(outcome(policy, game, state)), np.int64(plies - overrun(game, state))
        keep(game, state, score, job.words, row_of(job, leaf) + kept_at(game, number))
    enter_scores(job, through, leaf, score, gone)


@inlined
def enter_scores(job, through, leaf, score, plies):
    """The same of scores and plies, 0 where a lane is not ``through``: lanes of one leaf add up, one of them writes."""
    if job.columns == 1:
        if through:
            job.words[job.tally + leaf] = outcome_word(score, plies)
        return
    counts = np.int64(0)
    if through:
        counts = np.int64(score > 0) + (np.int64(score == 0) << DRAWS_AT) + plies * (1 << PLIES_AT)
    same = peers(leaf if through else np.int32(-1 - lane()))
    score, counts = sums(same, score, counts)
    if through and rank(same) == 0:
        few = np.int64((1 << DRAWS_AT) - 1)
        add(job, leaf, score, counts & few, (counts >> DRAWS_AT) & few, counts >> PLIES_AT)


def playout_kernel(game, policy, job):
    """Every thread plays one playout after another.

    The threads of a warp step together for a burst of plies; then those whose playout is over enter its outcome and
    take the next one of the warp's share, and of another share when that is empty.
    """
    limit = np.int32(min(cut(policy), LONGEST))
    at, end = first_share(job)
    lanes = playing(job)
    busy, leaf, number, plies = False, np.int32(0), np.int32(0), np.int32(0)
    state, stream = load(game, job, leaf, 0)  # not played, but of the type
    while True:
        through = busy and (plies >= limit or over(game, state))
        if ballot(through) != U(0):
            enter(policy, game, job, through, leaf, number, state, plies)
        busy = busy and not through
        idle = ballot(not busy) & lanes
        if idle != U(0) and at < job.count:
            mine, at, end = hand_out(job, at, end, idle)
            if not busy and lanes >> U(lane()) != U(0) and mine < job.count:
                leaf, number = placed(job, mine)
                state, stream = load(game, job, leaf, number)
                busy, plies = True, np.int32(0)
            continue  # what was taken may be over already
        if idle == lanes:
            return
        until = np.int32(min(plies + BURST, limit)) if busy else np.int32(0)
        while plies < until and not over(game, state):
            state = step(game, policy, state, stream)
            stream += PLY_STEP
            plies = np.int32(plies + 1)


def whole_kernel(game, policy, job):
    """Every thread plays playout after playout by the game's own ``whole_playout``; a warp waits for its longest."""
    at, end = first_share(job)
    while at < job.count:
        mine = at + lane()
        busy = mine < min(end, job.count)
        leaf, score, plies = np.int32(0), np.int64(0), np.int64(0)
        if busy:
            leaf, number = placed(job, mine)
            state, key = load(game, job, leaf, number)
            where = row_of(job, leaf) + kept_at(game, number)
            score, plies = kept_playout(game, policy, state, key, job.words, where)
        enter_scores(job, busy, leaf, score, plies)
        at += WARP
        if at >= end:
            at = next_share(job)
            end = at + job.grab


# ---------------------------------------------------------------------------------------------------------- compilation


def kernel_signature(game: Any, policy: Any) -> tuple:
    """The types of the arguments of a playout kernel, for a game and a policy as it travels into compiled code."""
    job = Job(np.zeros(1, np.uint64), 0, 0, 0, 0, 0, 0, 0, 0, 0)
    return numba.typeof(game), numba.typeof(policy), numba.typeof(job)


def jit(signature: tuple, registers: int | None = None) -> Any:
    """``cuda.jit`` with our options, which the simulator does not know; ``registers`` a thread at most, if not None.

    Without ``lto``, what runs on the device is what ``gpumcts.kernels.compile_check`` looks at. Numba's cache does not
    tell code for other numbers of registers apart: kernels with a cap must have names of their own.
    """
    classes = own_classes(signature)
    options: dict[str, Any] = {} if device.simulated() else {"lto": False}
    if registers is not None and not device.simulated():
        options["max_registers"] = registers

    def compiled(kernel: Callable) -> Any:
        with cache.pointed(classes) as kept:
            own = {} if device.simulated() else {"cache": kept}
            return cuda.jit(signature, **options, **own)(kernel)

    return compiled


@functools.cache
@device.telling  # code is loaded where it is compiled
def compiled_kernel(kernel: Callable, signature: tuple) -> Any:
    """A playout kernel for the types of a game and a policy: compiled, or loaded from the cache, once a process."""
    game, policy = (getattr(t, "instance_class", t) for t in signature[:2])
    with announced(f"CUDA playouts of {title(policy)} on {title(game)}"):
        if device.simulated():
            return jit(signature)(kernel)
        with tables_in_memory():
            return tightened(kernel, signature, jit(signature)(kernel))


def tightened(kernel: Callable, signature: tuple, usual: Any) -> Any:
    """The kernel with a few registers less, if more warps are resident then and nothing is spilled; else the ``usual``.

    nvJitLink ignores the steps of occupancy: it may use one register too many for another warp.
    """
    cap = tighter(usual.get_regs_per_thread(), device.describe().capability)
    if cap is None:
        return usual
    named = FunctionType(kernel.__code__, kernel.__globals__, kernel.__name__, kernel.__defaults__, kernel.__closure__)
    named.__qualname__ = f"{kernel.__qualname__}_{cap}_registers"
    capped = jit(signature, cap)(named)
    return capped if capped.get_local_mem_per_thread() <= usual.get_local_mem_per_thread() else usual


def empty_kernel(game, policy, job):
    """Nothing, with the arguments of a playout kernel: what a launch costs."""


def trial_kernel(words, number):
    """Add ``number`` to every word."""
    i = cuda.grid(1)
    if i < words.shape[0]:
        words[i] += number


def trial() -> str:
    """What keeps the device from running a small kernel, on one line; empty if nothing does.

    A device may be there and useless, for instance with packages newer than its driver, or lost to this process since.
    """
    return device.lost() or device.other_device() or _trial()


def is_tried() -> bool:
    """Whether ``trial`` has been asked before, so that its answer is at hand."""
    return _trial.cache_info().currsize > 0


@functools.cache
def _trial() -> str:
    try:
        kernel = jit((types.uint64[::1], types.uint64))(trial_kernel)
        buffer = device.host_device_buffer(64)
        buffer.host[:] = np.arange(64, dtype=np.uint64)
        buffer.upload(0, 64)
        kernel[2, 32, buffer.stream](buffer.device, U(5))
        buffer.download(0, 64)
        buffer.record_event().wait()
    except Exception as error:  # whatever it is, it is the environment's, and belongs in front of the user
        if fault := faults.fault_of(error):
            faults.lose(fault)
        return f"a first kernel failed: {type(error).__name__}: {device.first_line(error)}"
    return "" if np.array_equal(buffer.host, np.arange(5, 69, dtype=np.uint64)) else "a first kernel gave wrong results"
