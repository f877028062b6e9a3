"""The calls of the driver that compiled code makes for a ``captured_graph``, by the words of the graph.

Every call answers with the driver's code, 0 where all is well. In plain Python the same calls go through ``ctypes``.
"""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from gpumcts.jit import inlined
from gpumcts.kernels.cuda.captured_graph import BACK, BEGIN, ELAPSED, END, GRAPH, LAUNCH, PLAYED, RECORD, STREAM, WAIT
from gpumcts.verbs import JIT_OPTIONS

INT, WORD, FLOAT = ir.IntType(32), ir.IntType(64), ir.FloatType()
OK = 0


@intrinsic
def _call(typing_context: Any, address: Any, first: Any, second: Any):
    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(INT, [WORD, WORD])
        function = builder.inttoptr(args[0], kind.as_pointer())
        return builder.sext(builder.call(function, args[1:]), WORD)

    return types.int64(types.int64, types.int64, types.int64), codegen


@intrinsic
def _milliseconds(typing_context: Any, address: Any, earlier: Any, later: Any):
    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(INT, [FLOAT.as_pointer(), WORD, WORD])
        function = builder.inttoptr(args[0], kind.as_pointer())
        told = cgutils.alloca_once_value(builder, ir.Constant(FLOAT, 0.0))
        builder.call(function, [told, args[1], args[2]])
        return builder.fpext(builder.load(told), ir.DoubleType())

    return types.float64(types.int64, types.int64, types.int64), codegen


def call(address, first, second):
    """The driver's answer, int64, to a function of one handle or two; the second is passed over where it takes one."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    return kind(int(address))(int(first), int(second))


def milliseconds(address, earlier, later):
    """Milliseconds (float64) between two events that were waited for, by the driver's function at an address."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p)
    told = ctypes.c_float()
    kind(int(address))(ctypes.byref(told), int(earlier), int(later))
    return told.value


overload(call, jit_options=JIT_OPTIONS)(
    lambda address, first, second: lambda address, first, second: _call(address, first, second)  # type: ignore[call-arg]
)
overload(milliseconds, jit_options=JIT_OPTIONS)(
    lambda address, earlier, later: lambda address, earlier, later: _milliseconds(address, earlier, later)  # type: ignore[call-arg]
)


@inlined
def send_again(words):
    """Queue a graph, and the event after it; nothing where the words are those of no graph. The driver's answer."""
    if words[LAUNCH] == 0:
        return np.int64(OK)
    answer = np.int64(call(words[LAUNCH], words[GRAPH], words[STREAM]))
    if answer != OK:
        return answer
    words[PLAYED] = 0
    return np.int64(call(words[RECORD], words[BACK], words[STREAM]))


@inlined
def await_played(words, base, span):
    """Wait until all of a graph is done; the driver's answer.

    span : float64[2], filled with seconds since the event ``base`` when its kernel began and ended
    """
    if words[LAUNCH] == 0:
        return np.int64(OK)
    answer = np.int64(call(words[WAIT], words[BACK], np.int64(0)))
    if answer == OK:
        words[PLAYED] = 1
        span[0] = 1e-3 * milliseconds(words[ELAPSED], base, words[BEGIN])
        span[1] = 1e-3 * milliseconds(words[ELAPSED], base, words[END])
    return answer
