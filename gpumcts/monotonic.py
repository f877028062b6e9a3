"""The monotonic clock, for compiled code on the CPU: a call of some 20 nanoseconds that asks the C library by name."""

import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from gpumcts.verbs import JIT_OPTIONS

NANOSECONDS = 1_000_000_000  # of a second


@intrinsic
def _now(typing_context: Any):
    def codegen(context, builder, signature, args):
        word, number = ir.IntType(64), ir.IntType(32)  # time_t and long are words on every system with 64-bit addresses
        kind = ir.FunctionType(number, [number, word.as_pointer()])
        clock_gettime = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        told = cgutils.alloca_once(builder, word, size=ir.Constant(word, 2))
        builder.call(clock_gettime, [ir.Constant(number, time.CLOCK_MONOTONIC), told])
        seconds, rest = builder.load(told), builder.load(cgutils.gep_inbounds(builder, told, 1))
        return builder.add(builder.mul(seconds, ir.Constant(word, NANOSECONDS)), rest)

    return types.int64(), codegen


def now():
    """Nanoseconds since some moment, int64; never less than before, on any thread."""
    return time.monotonic_ns()


overload(now, jit_options=JIT_OPTIONS)(lambda: lambda: _now())
