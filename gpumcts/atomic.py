"""How threads in compiled code communicate: words of an array that are read and written atomically, and waiting.

For the CPU. Plain Python has a lock for them.
"""

import platform
import threading
import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from gpumcts.jit import inlined
from gpumcts.monotonic import now
from gpumcts.verbs import JIT_OPTIONS

SPINS = 2_000  # rounds of a waiting thread, some 50 microseconds, before it offers its core to others
PATIENCE = 2_000_000  # nanoseconds after which a thread that may wait for long sleeps between two looks
NAP = 50  # microseconds of such a sleep
LONGEST = 1_000_000_000  # nanoseconds that it waits at most
WORD = 8  # bytes: words of int64 are what is shared
_turn = threading.Lock()  # of plain Python
_is_x86 = platform.machine() in ("x86_64", "AMD64")
_yield_core = types.ExternalFunction("sched_yield", types.int32())
_sleep = types.ExternalFunction("usleep", types.int32(types.uint32))


def _pointer(context: Any, builder: Any, kind: Any, value: Any, index: Any) -> Any:
    array = context.make_array(kind)(context, builder, value)
    return cgutils.get_item_pointer(context, builder, kind, array, [index], wraparound=False)


@intrinsic
def _fetch_add(typing_context, words, index, amount):
    def codegen(context, builder, signature, args):
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(words, types.int64, types.int64), codegen


@intrinsic
def _replace(typing_context, words, index, known, word):
    def codegen(context, builder, signature, args):
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.extract_value(builder.cmpxchg(pointer, args[2], args[3], "seq_cst", "seq_cst"), 1)

    return types.boolean(words, types.int64, types.int64, types.int64), codegen


@intrinsic
def _load(typing_context, words, index):
    def codegen(context, builder, signature, args):
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(pointer, "acquire", WORD)

    return types.int64(words, types.int64), codegen


@intrinsic
def _store(typing_context, words, index, word):
    def codegen(context, builder, signature, args):
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], pointer, "release", WORD)
        return context.get_dummy_value()

    return types.none(words, types.int64, types.int64), codegen


@intrinsic
def _rest(typing_context):
    def codegen(context, builder, signature, args):
        if _is_x86:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.none(), codegen


def fetch_add(words, index, amount):
    """Add to a word (int64[...]); what it was before."""
    with _turn:
        before = int(words[index])
        words[index] += amount
        return before


def replace(words, index, known, word):
    """Write a word (int64[...]) where it is ``known``; whether it was."""
    with _turn:
        found = int(words[index]) == known
        if found:
            words[index] = word
        return found


def load(words, index):
    """A word (int64[...]), and with it all that its writer had written before."""
    return int(words[index])


def store(words, index, word):
    """Write a word (int64[...]) that tells others of all that was written before."""
    words[index] = word


def offer_core():
    """Let another thread have the core."""


def rest():
    """Leave what two threads of a core share to the other one for a moment."""


def nap():
    """Sleep for NAP microseconds."""
    time.sleep(NAP / 1e6)


overload(fetch_add, jit_options=JIT_OPTIONS)(
    lambda words, index, amount: lambda words, index, amount: _fetch_add(words, index, amount)
)
overload(replace, jit_options=JIT_OPTIONS)(
    lambda words, index, known, word: lambda words, index, known, word: _replace(words, index, known, word)
)
overload(load, jit_options=JIT_OPTIONS)(lambda words, index: lambda words, index: _load(words, index))
overload(store, jit_options=JIT_OPTIONS)(
    lambda words, index, word: lambda words, index, word: _store(words, index, word)
)


@overload(offer_core, jit_options=JIT_OPTIONS)
def _offer_core():
    def compiled():
        _yield_core()

    return compiled


@overload(rest, jit_options=JIT_OPTIONS)
def _rest_a_moment():
    return lambda: _rest()


@overload(nap, jit_options=JIT_OPTIONS)
def _nap():
    def compiled():
        _sleep(NAP)

    return compiled


@inlined
def idle(spins):
    """One more round of waiting, after ``spins``; how many those are now."""
    rest()
    if spins >= SPINS:
        offer_core()
    return spins + 1


@inlined
def wait_while(words, index, word):
    """Wait until a word is another than ``word``; what it is then."""
    spins = 0
    while load(words, index) == word:
        spins = idle(spins)
    return load(words, index)


@inlined
def wait_long(words, index, word):
    """The same where it may take long, for a device say: with naps, and no longer than LONGEST; what it is then."""
    spins, begin, waited = 0, now(), np.int64(0)
    while load(words, index) == word and waited < LONGEST:
        spins = idle(spins)
        if spins >= SPINS:
            waited = now() - begin
            if waited > PATIENCE:
                nap()
    return load(words, index)
