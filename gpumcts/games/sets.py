"""Sets of numbers as the bits of N words, for any N: number i is bit i % 64 of word i // 64.

A set is a NamedTuple of uint64 of whatever class a game chooses; what is made of sets has the class of the first.
Compiled, each function is straight code over the words, without a branch and without a loop, so that lanes take it;
what is done with a word that is the constant 0 disappears.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from gpumcts.bits import nth_set_bit
from gpumcts.jit import inlined
from gpumcts.verbs import JIT_OPTIONS

U = np.uint64
WORD = 64
_WORD = ir.IntType(WORD)


class Two(NamedTuple):
    """A set of numbers below 128, for boards of one word too, where ``high`` is the constant 0."""

    low: np.uint64
    high: np.uint64


def _is_set(kind: Any) -> bool:
    return isinstance(kind, types.BaseTuple) and len(kind) > 0 and all(part == types.uint64 for part in kind)


def _word(number: int) -> ir.Constant:
    return ir.Constant(_WORD, number % (1 << WORD))


def _words(builder: ir.IRBuilder, x: Any, kind: Any) -> list[Any]:
    return [builder.extract_value(x, i) for i in range(len(kind))]


def _joined(builder: ir.IRBuilder, x: Any, words: list[Any]) -> Any:
    for i, word in enumerate(words):
        x = builder.insert_value(x, word, i)
    return x


def _of_two(build: Callable) -> Callable:
    """A function of two sets compiled word by word as ``build(builder, word, word)``."""

    @intrinsic
    def compiled(typing_context, x, y):
        if not _is_set(x) or x != y:
            return None

        def codegen(context, builder, signature, args):
            pairs = zip(*(_words(builder, arg, x) for arg in args), strict=True)
            return _joined(builder, args[0], [build(builder, a, b) for a, b in pairs])

        return x(x, y), codegen

    def decorate(plain: Callable) -> Callable:
        overload(plain, jit_options=JIT_OPTIONS)(lambda x, y: lambda x, y: compiled(x, y))
        return plain

    return decorate


@_of_two(lambda builder, a, b: builder.and_(a, b))
def intersection(x, y):
    """Numbers in both sets."""
    return type(x)(*[a & b for a, b in zip(x, y, strict=True)])


@_of_two(lambda builder, a, b: builder.or_(a, b))
def union(x, y):
    """Numbers in one of the sets."""
    return type(x)(*[a | b for a, b in zip(x, y, strict=True)])


@_of_two(lambda builder, a, b: builder.and_(a, builder.not_(b)))
def difference(x, y):
    """Numbers in ``x`` that are not in ``y``."""
    return type(x)(*[a & ~b for a, b in zip(x, y, strict=True)])


@_of_two(lambda builder, a, b: builder.xor(a, b))
def symmetric_difference(x, y):
    """Numbers in one of the sets, but not in both."""
    return type(x)(*[a ^ b for a, b in zip(x, y, strict=True)])


@intrinsic
def _or_of_words(typing_context, x):
    if not _is_set(x):
        return None

    def codegen(context, builder, signature, args):
        first, *others = _words(builder, args[0], x)
        for word in others:
            first = builder.or_(first, word)
        return first

    return types.uint64(x), codegen


def or_of_words(x):
    """The words of a set, or-ed: 0 (uint64) where it is empty."""
    found = U(0)
    for word in x:
        found |= word
    return found


overload(or_of_words, jit_options=JIT_OPTIONS)(lambda x: lambda x: _or_of_words(x))


@inlined
def is_empty(x):
    """Whether a set is empty."""
    return or_of_words(x) == U(0)


@inlined
def same(x, y):
    """Whether two sets are equal."""
    return or_of_words(symmetric_difference(x, y)) == U(0)


@intrinsic
def _size(typing_context, x):
    if not _is_set(x):
        return None

    def codegen(context, builder, signature, args):
        counts = [builder.ctpop(word) for word in _words(builder, args[0], x)]
        while len(counts) > 1:  # by pairs, as a tree
            counts = [
                builder.add(*counts[i : i + 2]) if i + 1 < len(counts) else counts[i] for i in range(0, len(counts), 2)
            ]
        return counts[0]

    return types.uint64(x), codegen


def size(x):
    """How many numbers a set has, as uint64."""
    return U(sum(int(word).bit_count() for word in x))


overload(size, jit_options=JIT_OPTIONS)(lambda x: lambda x: _size(x))


def _shifts(builder: ir.IRBuilder, words: list[Any], n: Any, up: bool) -> list[Any]:
    one_way, other_way = (builder.shl, builder.lshr) if up else (builder.lshr, builder.shl)
    m, moved = builder.sub(_word(WORD), n), []
    for i, word in enumerate(words):
        beside = i - 1 if up else i + 1
        found = one_way(word, n)
        moved.append(builder.or_(found, other_way(words[beside], m)) if 0 <= beside < len(words) else found)
    return moved


def _shifted(up: bool) -> Callable:
    @intrinsic
    def compiled(typing_context, x, n):
        if not _is_set(x) or not isinstance(n, types.Integer):
            return None

        def codegen(context, builder, signature, args):
            return _joined(builder, args[0], _shifts(builder, _words(builder, args[0], x), args[1], up))

        return x(x, types.uint64), codegen

    def decorate(plain: Callable) -> Callable:
        overload(plain, jit_options=JIT_OPTIONS)(lambda x, n: lambda x, n: compiled(x, n))
        return plain

    return decorate


@_shifted(up=True)
def higher(x, n):
    """The set with ``n`` (uint64, 1 to 63) added to every number; those that leave the last word are gone."""
    return _of_bits(x, int_of(x) << int(n))


@_shifted(up=False)
def lower(x, n):
    """The set with ``n`` (uint64, 1 to 63) taken from every number; those that become negative are gone."""
    return _of_bits(x, int_of(x) >> int(n))


@intrinsic
def _single(typing_context, x, number):
    if not _is_set(x) or not isinstance(number, types.Integer):
        return None

    def codegen(context, builder, signature, args):
        index, bit = _place(builder, args[1])
        words = [builder.select(_is_word(builder, index, i), bit, _word(0)) for i in range(len(x))]
        return _joined(builder, args[0], words)

    return x(x, types.uint64), codegen


def _place(builder: ir.IRBuilder, number: Any) -> tuple[Any, Any]:
    """Index of the word of a number, and its bit there."""
    return builder.lshr(number, _word(6)), builder.shl(_word(1), builder.and_(number, _word(WORD - 1)))


def _is_word(builder: ir.IRBuilder, index: Any, i: int) -> Any:
    return builder.icmp_unsigned("==", index, _word(i))


def single(x, number):
    """The set of one number (uint64), of the class of ``x``; empty where the words do not reach that far."""
    return _of_bits(x, 1 << int(number) if number < WORD * len(x) else 0)


overload(single, jit_options=JIT_OPTIONS)(lambda x, number: lambda x, number: _single(x, number))


@inlined
def has(x, number):
    """Whether a number (uint64) is in the set."""
    return not is_empty(intersection(x, single(x, number)))


@intrinsic
def _word_of_nth(typing_context, x, n):
    if not _is_set(x) or not isinstance(n, types.Integer):
        return None

    def codegen(context, builder, signature, args):
        words, n = _words(builder, args[0], x), args[1]
        word, start = words[0], _word(0)
        for i in range(1, len(words)):
            count = builder.ctpop(word)
            past = builder.icmp_unsigned(">=", n, count)
            if i > 1:  # an earlier word is not left again
                past = builder.and_(builder.icmp_unsigned("==", start, _word(WORD * (i - 1))), past)
            word, start = builder.select(past, words[i], word), builder.select(past, _word(WORD * i), start)
            n = builder.select(past, builder.sub(n, count), n)
        return context.make_tuple(builder, signature.return_type, (word, start, n))

    return types.UniTuple(types.uint64, 3)(x, types.uint64), codegen


def word_of_nth(x, n):
    """(word, number of its lowest bit, bits to skip there), uint64 each: where the n-th number (uint64) of a set is."""
    start = 0
    for i, word in enumerate(x):
        count = int(word).bit_count()
        if n < count or i == len(x) - 1:
            return word, U(start), U(n)
        n, start = U(int(n) - count), start + WORD
    raise AssertionError("a set has words")


overload(word_of_nth, jit_options=JIT_OPTIONS)(lambda x, n: lambda x, n: _word_of_nth(x, n))


@inlined
def nth(x, n):
    """The n-th number (uint64) of a set, from the lowest, for lanes; n is below its size."""
    word, start, rest = word_of_nth(x, n)
    return start + nth_set_bit(word, rest)


@intrinsic
def _lowest(typing_context, x):
    if not _is_set(x):
        return None

    def codegen(context, builder, signature, args):
        *before, last = _words(builder, args[0], x)
        poison = ir.Constant(ir.IntType(1), 0)
        found = builder.add(builder.cttz(last, poison), _word(WORD * len(before)))
        for i in reversed(range(len(before))):
            here = builder.add(builder.cttz(before[i], poison), _word(WORD * i))
            found = builder.select(builder.icmp_unsigned("==", before[i], _word(0)), found, here)
        return found

    return types.uint64(x), codegen


def lowest(x):
    """The lowest number (uint64) of a set; 64 N where it is empty."""
    number = int_of(x)
    return U((number & -number).bit_length() - 1) if number else U(WORD * len(x))


overload(lowest, jit_options=JIT_OPTIONS)(lambda x: lambda x: _lowest(x))


@intrinsic
def _from(typing_context, x, number):
    if not _is_set(x) or not isinstance(number, types.Integer):
        return None

    def codegen(context, builder, signature, args):
        words = _words(builder, args[0], x)
        for i, word in enumerate(words):
            n = builder.sub(args[1], _word(WORD * i))
            ahead = builder.icmp_signed("<=", n, _word(0))
            within = builder.icmp_signed("<", n, _word(WORD))
            some = builder.shl(_word(-1), builder.and_(n, _word(WORD - 1)))
            mask = builder.select(ahead, _word(-1), builder.select(within, some, _word(0)))
            words[i] = builder.and_(word, mask)
        return _joined(builder, args[0], words)

    return x(x, types.int64), codegen


def from_number(x, number):
    """The numbers of ``x`` that are not below ``number`` (int64)."""
    below = (1 << max(int(number), 0)) - 1
    return _of_bits(x, int_of(x) & ~below)


overload(from_number, jit_options=JIT_OPTIONS)(lambda x, number: lambda x, number: _from(x, number))


# --------------------------------------------------------------------------------------- two sets and a word as a state


def _part(number: int) -> Callable:
    @intrinsic
    def compiled(typing_context, like, state):
        if not _is_set(like) or not _is_set(state) or len(state) < (number + 1) * len(like):
            return None

        def codegen(context, builder, signature, args):
            words = _words(builder, args[1], state)[number * len(like) : (number + 1) * len(like)]
            return _joined(builder, args[0], words)

        return like(like, state), codegen

    def decorate(plain: Callable) -> Callable:
        overload(plain, jit_options=JIT_OPTIONS)(lambda like, state: lambda like, state: compiled(like, state))
        return plain

    return decorate


@_part(0)
def first_set(like, state):
    """The first words of a state as a set of the class of ``like``."""
    return type(like)(*state[: len(like)])


@_part(1)
def second_set(like, state):
    """The words of a state after those of ``first_set`` as such a set."""
    return type(like)(*state[len(like) : 2 * len(like)])


@intrinsic
def _of_parts(typing_context, state, first, second, last):
    if not (_is_set(state) and _is_set(first) and first == second and len(state) == 2 * len(first) + 1):
        return None

    def codegen(context, builder, signature, args):
        words = [*_words(builder, args[1], first), *_words(builder, args[2], second), args[3]]
        return _joined(builder, args[0], words)

    return state(state, first, second, types.uint64), codegen


def of_parts(state, first, second, last):
    """A state of the class of ``state``: the words of two sets, and one word (uint64) more."""
    return type(state)(*first, *second, last)


overload(of_parts, jit_options=JIT_OPTIONS)(
    lambda state, first, second, last: lambda state, first, second, last: _of_parts(state, first, second, last)
)


# ------------------------------------------------------------------------------------------------------- plain Python


def int_of(x: Any) -> int:
    """The numbers of a set as the bits of one. Plain Python."""
    return sum(int(word) << WORD * i for i, word in enumerate(x))


def set_of(kind: Any, bits: int) -> Any:
    """The set of a class whose numbers are the bits of ``bits``; those beyond its words are left out. Plain Python."""
    return kind(*(U(bits >> WORD * i & (1 << WORD) - 1) for i in range(len(kind._fields))))


def _of_bits(like: Any, bits: int) -> Any:
    return set_of(type(like), bits)
