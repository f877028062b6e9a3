"""Arrays on the stack: scratch memory that a compiled function loses when it returns."""

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic


def _stack_array(typing_context, count, dtype):
    """An array [count] of zeros for compiled functions, which can make no other (see ``verbs.JIT_OPTIONS``).

    It lies on the stack and is gone when the function that makes it returns. Not for use in a loop, nor for much.
    """
    kind = types.Array(parse_dtype(dtype), 1, "C")

    def codegen(context, builder, signature, args):
        element = context.get_data_type(kind.dtype)
        size = context.get_constant(types.intp, context.get_abi_sizeof(element))
        data = builder.alloca(element, size=args[0])
        data.align = 64
        cgutils.memset(builder, data, builder.mul(args[0], size), 0)
        array = context.make_array(kind)(context, builder)
        context.populate_array(array, data=data, shape=[args[0]], strides=[size], itemsize=size, meminfo=None)
        return array._getvalue()

    return kind(types.intp, dtype), codegen


class _Scratch(type(intrinsic(_stack_array))):
    """An intrinsic that plain Python may call too."""

    def __call__(self, count: Any, dtype: Any) -> np.ndarray:
        return np.zeros(count, dtype)


# Not a function that calls an intrinsic: that would give its stack back before the caller has used it.
scratch = _Scratch("scratch", _stack_array)
scratch._register()
