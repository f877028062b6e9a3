"""Memory layout of states: the class of a game's states, and its words read and written with a stride.

A game names the class of its states by a decorator, and needs no bodies of ``pack`` and ``unpack`` then::

    @contract.state_of(LastStone)
    class State(NamedTuple):
        left: np.uint64
        turn: np.uint64
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from gpumcts.compiling.class_names import title
from gpumcts.verbs import JIT_OPTIONS

S = TypeVar("S", bound=type)


def state_of(*games: type) -> Callable[[S], S]:
    """Decorator: a NamedTuple of uint64 is the class of the states of ``games``, which get its width as ``WORDS``.

    games : classes as they travel into compiled code; their subclasses inherit the class of the states
    Raises TypeError where a game's class says another width.
    """

    def name(kind: S) -> S:
        fields = getattr(kind, "_fields", None)
        if fields is None or any(kind.__annotations__[field] not in (np.uint64, "np.uint64") for field in fields):
            raise TypeError(f"{title(kind)}: the class of a game's states is a NamedTuple of np.uint64")
        for game in games:
            said = vars(game).get("WORDS", len(fields))
            if said != len(fields):
                raise TypeError(
                    f"{title(game)}.WORDS = {said}, but its states have {len(fields)} words: leave WORDS out"
                )
            game.WORDS, game.STATE = len(fields), kind  # type: ignore[attr-defined]
        return kind

    return name


def class_of_states(game: Any) -> type | None:
    """The class that ``state_of`` named for a game (its value); None where there is none. Plain Python."""
    return getattr(type(game), "STATE", None)


def unpacked(game, words, at, stride):
    """The state in ``words[at + i * stride]`` (uint64[n]), of the class that ``state_of`` named."""
    kind = type(game).STATE
    return kind(*[words[at + i * stride] for i in range(len(kind._fields))])


def unpacked_rows(game, words):
    """The states in the rows of ``words`` (uint64[K, W]), one by one, of that class: ``unpacked`` in half the time."""
    return map(type(game).STATE, *(list(column) for column in words.T))


def packed(state, words, at, stride):
    """Write the words of a state, a tuple of uint64, to ``words[at + i * stride]`` (uint64[n])."""
    for i, word in enumerate(state):
        words[at + i * stride] = word


def _pointers(context, builder, kind, words, at, stride, count):
    """Pointers to the words of a state. They lie within the array: nothing is said of negative numbers."""
    array = context.make_array(kind)(context, builder, words)
    shape, strides = cgutils.unpack_tuple(builder, array.shape), cgutils.unpack_tuple(builder, array.strides)
    for _ in range(count):
        yield cgutils.get_item_pointer2(context, builder, array.data, shape, strides, kind.layout, [at])
        at = builder.add(at, stride)


@intrinsic
def _unpacked(typing_context, game, words, at, stride):
    kind = getattr(getattr(game, "instance_class", None), "STATE", None)
    if kind is None or not _are_words(words):
        return None
    count = len(kind._fields)

    def codegen(context, builder, signature, args):
        state = ir.Constant(context.get_value_type(signature.return_type), ir.Undefined)
        for i, pointer in enumerate(_pointers(context, builder, words, *args[1:], count)):
            state = builder.insert_value(state, builder.load(pointer), i)
        return state

    state = types.NamedUniTuple(types.uint64, count, kind)
    return state(game, words, types.intp, types.intp), codegen


@intrinsic
def _packed(typing_context, state, words, at, stride):
    if not isinstance(state, types.UniTuple | types.NamedUniTuple) or not _are_words(words):
        return None

    def codegen(context, builder, signature, args):
        for i, pointer in enumerate(_pointers(context, builder, words, *args[1:], len(state))):
            builder.store(builder.extract_value(args[0], i), pointer)
        return context.get_dummy_value()

    return types.none(state, words, types.intp, types.intp), codegen


def _are_words(words: Any) -> bool:
    return isinstance(words, types.Array) and words.ndim == 1 and words.dtype == types.uint64


overload(unpacked, jit_options=JIT_OPTIONS)(
    lambda game, words, at, stride: lambda game, words, at, stride: _unpacked(game, words, at, stride)
)
overload(packed, jit_options=JIT_OPTIONS)(
    lambda state, words, at, stride: lambda state, words, at, stride: _packed(state, words, at, stride)
)
