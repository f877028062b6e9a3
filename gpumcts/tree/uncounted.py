"""Compiled code that counts no references to arrays.

Numba counts a reference for every array of a ``NamedTuple`` that is handed to a function, even where the function is inlined, and
takes it back at the end; LLVM removes the pairs from straight code, but not from loops. With the forty arrays of a search in a
table that was six sevenths of its time. Code that only reads and writes arrays that its caller holds needs no counting:
``uncounted`` is ``inlined``, and ``separate_uncounted`` is ``separate``, without it. Such code can neither make an array nor
return one.
"""

from collections.abc import Callable
from typing import Any

from numba import cfunc
from numba.core import config
from numba.extending import overload

from gpumcts.jit import announced
from gpumcts.verbs import JIT_OPTIONS

UNCOUNTED: Any = {"_nrt": False}  # known to numba, not to its type stubs
INLINED: Any = {**JIT_OPTIONS, **UNCOUNTED}


def uncounted(function: Callable) -> Callable:
    """Decorator for helpers of compiled code, inlined into every caller; in plain Python the function itself."""
    overload(function, strict=False, jit_options=INLINED)(lambda *args: function)
    return function


def separate_uncounted(function: Callable, signature: Any, name: str) -> Any:
    """Compile ``function`` on its own, to be handed to compiled glue as a value (see ``jit.separate``)."""
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return function
    options: Any = {"cache": True, "nopython": True, "error_model": "numpy", **UNCOUNTED}
    with announced(name):
        return cfunc(signature, **options)(function)
