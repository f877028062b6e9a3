"""Functions that are compiled on their own, and numba's options for them.

What games call beside ``inlined`` stands in ``bits`` and ``scratch``; it can be had from here too.
"""

import functools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba import cfunc, njit, types
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.extending import typeof_impl

from gpumcts.bits import (
    bit_reverse,
    bits_float,
    blend,
    byte_swap,
    float_bits,
    leading_zeros,
    nth_bit,
    nth_set_bit,
    popcount,
    put_word,
    trailing_zeros,
    with_bits,
    word_at,
)
from gpumcts.compiling import cache
from gpumcts.compiling.claims import claimed
from gpumcts.compiling.class_names import check_signature, own_classes
from gpumcts.compiling.messages import announced
from gpumcts.scratch import scratch
from gpumcts.verbs import JIT_OPTIONS, inlined

__all__ = [
    "JIT_OPTIONS",
    "SEPARATE",
    "Source",
    "bit_reverse",
    "bits_float",
    "blend",
    "byte_swap",
    "entry",
    "float_bits",
    "inlined",
    "keep_type",
    "leading_zeros",
    "nth_bit",
    "nth_set_bit",
    "popcount",
    "put_word",
    "scratch",
    "separate",
    "trailing_zeros",
    "type_of_steps",
    "with_bits",
    "word_at",
]

SEPARATE: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


@functools.cache
def _wake_numba() -> None:
    """Load numba's own registries before the first compilation or load does, so that they are not announced as one.

    Under numba's lock: another thread may compile already, and numba raises ValueError where two load them at once.
    """
    with global_compiler_lock:
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()


def entry(function: Callable) -> Any:
    """Decorator for compiled functions that Python calls: compiled for the arguments' types, kept in the disk cache.

    Like all compiled code here they fill arrays that they are given; numba refuses one that makes an array. Its method
    ``prepare(kinds, name)`` compiles or loads the code for arguments of these numba types, without a call, and returns
    numba's dispatcher; ``name`` is what to call it in progress messages.

    Numba fixes a function's cache folder when it decorates it. Here that happens at the first call with each set of
    users' own classes, whose code lies in folders of its own (see ``cache``).
    """
    made: dict[frozenset[type], Any] = {}
    making = threading.Lock()

    def made_for(classes: frozenset[type]) -> Any:
        if classes not in made:
            with making, cache.pointed(classes) as kept:
                made.setdefault(classes, njit(**{**SEPARATE, "cache": kept})(function))
        return made[classes]

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        return made_for(own_classes(arguments))(*arguments)

    def prepare(kinds: tuple, name: str) -> Any:
        if numba.config.DISABLE_JIT:
            return function
        _wake_numba()
        classes = own_classes(kinds)
        with announced(name, may_load=True), claimed(function, kinds, cache.folder(classes)):
            dispatcher = made_for(classes)
            dispatcher.compile(kinds)
            return dispatcher

    call.prepare = prepare  # type: ignore[attr-defined]
    return call


_type_of_step = typeof_impl.dispatch(CFunc)


@typeof_impl.register(CFunc)
def _known_type_of_step(step: CFunc, context: Any) -> Any:
    """Numba builds the type of a function as a value anew at each call: half the cost of a call with four of them."""
    if not hasattr(step, "numba_type"):
        step.numba_type = _type_of_step(step, context)
    return step.numba_type


def keep_type(bundle: type) -> None:
    """Let numba keep the types of a NamedTuple class of steps: it would build one of page-long names at each call."""

    @functools.lru_cache(maxsize=64)
    def built(steps: Any) -> Any:
        return types.BaseTuple.from_types([numba.typeof(step) for step in steps], bundle)

    typeof_impl.register(bundle)(lambda steps, context: built(steps))


def type_of_steps(bundle: type, signatures: Sequence[Any]) -> Any:
    """The numba type of a NamedTuple class of steps with these signatures; None for steps that are None."""
    kinds = [types.none if signature is None else types.FunctionType(signature) for signature in signatures]
    return types.BaseTuple.from_types(kinds, bundle)


class Source(NamedTuple):
    """What ``separate`` compiles."""

    function: Callable
    signature: Any
    name: str


_separate: dict[tuple[Callable, Any, Path], Any] = {}
"""What ``separate`` has made, by function, signature and cache folder. Numba lets go of no compiled code, so a search
that loaded its steps anew would cost 0.4 MiB for good."""


def separate(function: Callable, signature: Any, name: str) -> Any:
    """Compile ``function`` on its own, to be handed to compiled glue as a value.

    Code linked into its caller is optimised again in every caller, and compile times of game, policy, rule and operator
    would multiply; as values they add up. Under ``NUMBA_DISABLE_JIT=1`` the function itself comes back.

    Parameters
    ----------
    function : the plain Python function
    signature : numba signature, ``returned(argument, ...)``
    name : what to call it in progress messages

    In a process the code for the same types is made once, and comes back again.

    Raises BadInput where a class of its arguments has the name of another that was compiled for.
    """
    if numba.config.DISABLE_JIT:
        return function
    check_signature(signature)
    _wake_numba()
    classes = own_classes(signature.args)
    folder = cache.folder(classes)
    key = function, signature, folder
    if key not in _separate:
        with announced(name, may_load=True), cache.pointed(classes) as kept, claimed(function, signature, folder):
            made = cfunc(signature, cache=kept, nopython=True, error_model="numpy", _nrt=False)(function)
        _separate.setdefault(key, made)
    return _separate[key]
