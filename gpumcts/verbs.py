"""The verb table: one body per option class, found by type in compiled code and in plain Python alike.

A *verb* is a function such as ``play(game, state, move)`` that means something for every option of a kind. Its bodies
are plain Python functions registered for a class with ``@play.implements(Othello)``. Compiled code (CPU and CUDA)
resolves the verb through :func:`numba.extending.overload`; plain Python resolves it through the same table, so
``NUMBA_DISABLE_JIT=1`` is a debugger and a reference.
"""

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.target_extension import current_target
from numba.extending import intrinsic, overload

from gpumcts.compiling.class_names import name_as_written
from gpumcts.compiling.flags import JIT_OPTIONS
from gpumcts.compiling.own_sources import note_body
from gpumcts.compiling.uncompiled import let_words_wrap
from gpumcts.compiling.vectors import prefer_widest

prefer_widest()
let_words_wrap()


def inlined(function: Callable) -> Callable:
    """Decorator for scalar helpers: compiled into every caller on every target, and itself in plain Python.

    Not ``njit``: called from plain Python it hands a uint64 back as an int, which NumPy refuses to mix with one.
    """
    overload(function, strict=False, jit_options=JIT_OPTIONS)(lambda *args: function)
    return function


@intrinsic
def _not_inlined(typing_context):
    def codegen(context, builder, signature, args):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen


def noinline(function: Callable) -> Callable:
    """Decorator for large helpers outside lanes: on the CPU callers call the function, and do not inline it.

    An inlined function is optimised anew in each place, this one once: the playouts of Chess compile in three quarters
    of the time. Take ``inlined`` in a loop that is to become vector code, and for code that costs little against a
    call. On CUDA it is inlined: a call there hands its arguments over by local memory, and registers of both add up.
    """
    body = inlined(function)
    options = {**JIT_OPTIONS, "forceinline": False}  # said, or the caller's would be inherited

    @functools.wraps(function)
    def call(*args):
        return body(*args)

    @overload(call, strict=False, jit_options=options)
    def compiled(*args):
        def alone(*args):
            _not_inlined()
            return body(*args)

        return alone if current_target() == "cpu" else function

    return call


def verb(*on: str) -> Callable[[Callable], Any]:
    """Turn a function into a verb that dispatches on the classes of the arguments named in ``on``.

    The decorated function gives the name, the arguments and the docstring (the contract); its own body is never run.
    Bodies are inherited: a body for a class serves its subclasses, a body for ``object`` is the default.
    """

    def make(contract: Callable) -> Any:
        names = list(inspect.signature(contract).parameters)
        where = [names.index(name) for name in on]
        bodies: dict[tuple[type, ...], Callable] = {}

        found: dict[tuple[type | None, ...], Callable | None] = {}  # plain Python asks at every call

        def find(classes: tuple[type | None, ...]) -> Callable | None:
            if classes not in found:
                lines = [(*c.__mro__, object) if c else (object,) for c in classes]
                found[classes] = next((bodies[key] for key in itertools.product(*lines) if key in bodies), None)
            return found[classes]

        @functools.wraps(contract)
        def call(*args):
            classes = tuple([type(args[i]) for i in where])
            body = find(classes)
            if body is None:
                raise TypeError(f"{contract.__name__} has no body for {', '.join(map(name_as_written, classes))}")
            return body(*args)

        @overload(call, strict=False, jit_options=JIT_OPTIONS)
        def resolve(*args):
            return find(tuple([getattr(args[i], "instance_class", None) for i in where]))

        def implements(*classes: type) -> Callable[[Callable], Callable]:
            if len(classes) != len(on) or not all(isinstance(one, type) for one in classes):
                raise TypeError(f"{contract.__name__}.implements takes a class for each of: {', '.join(on)}")

            def register(body: Callable) -> Callable:
                if list(inspect.signature(body).parameters) != names:
                    raise TypeError(f"{contract.__name__}: a body takes ({', '.join(names)})")
                if classes in bodies:
                    raise TypeError(f"{contract.__name__} has a body for {classes} already")
                bodies[classes] = body
                note_body(contract, classes, body)
                found.clear()
                return body

            return register

        call.implements = implements
        call.find = lambda *classes: find(classes)
        return call

    return make
