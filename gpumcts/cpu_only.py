"""Operations of compiled code on the CPU alone: prefetching, and code left out by a constant."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.target_extension import current_target
from numba.extending import intrinsic, overload

from gpumcts.verbs import JIT_OPTIONS


@intrinsic
def _prefetch(typing_context, array, index):
    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        places = cgutils.unpack_tuple(builder, args[1], kind.ndim)
        held = context.make_array(kind)(context, builder, args[0])
        pointer = cgutils.get_item_pointer(context, builder, kind, held, places, wraparound=False)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind_of_call = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind_of_call, "llvm.prefetch.p0i8")
        reading, nearest, data = (ir.Constant(number, n) for n in (0, 3, 1))
        builder.call(function, [builder.bitcast(pointer, byte), reading, nearest, data])
        return context.get_dummy_value()

    return types.none(array, types.UniTuple(types.int64, array.ndim)), codegen


def prefetch(array, index):
    """Ask for the memory of ``array[index]`` (a tuple of int64 for all axes), which is read soon; on the CPU alone."""


@overload(prefetch, jit_options=JIT_OPTIONS)
def _prefetched(array, index):
    asked: Any = _prefetch
    if current_target() == "cpu":
        return lambda array, index: asked(array, index)
    return lambda array, index: None


def compiled_for_cpu():
    """Whether this is code for the CPU, a constant of the compiled code; False in plain Python."""
    return False


@overload(compiled_for_cpu, jit_options=JIT_OPTIONS)
def _compiled_for_cpu():
    return (lambda: True) if current_target() == "cpu" else (lambda: False)
