"""The bits of words and floats, and choices without a branch, for compiled code and plain Python alike."""

import struct
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.target_extension import current_target
from numba.extending import intrinsic, overload

from gpumcts.verbs import JIT_OPTIONS, inlined

U = np.uint64


@intrinsic
def _ctpop(typing_context, x):
    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _cttz(typing_context, x):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def _ctlz(typing_context, x):
    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def _bitreverse(typing_context, x):
    def codegen(context, builder, signature, args):
        return builder.bitreverse(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _bswap(typing_context, x):
    def codegen(context, builder, signature, args):
        return builder.bswap(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _deposit(typing_context, n_bit, mask):
    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        pdep = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(word, [word, word]), "llvm.x86.bmi.pdep.64"
        )
        return builder.call(pdep, args)

    return types.uint64(types.uint64, types.uint64), codegen


@intrinsic
def _to_bits(typing_context, x):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.uint64(types.float64), codegen


@intrinsic
def _from_bits(typing_context, x):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.uint64), codegen


@intrinsic
def _blend(typing_context, condition, a, b):
    if a != b or not isinstance(a, types.BaseNamedTuple | types.Integer):
        return None

    def codegen(context, builder, signature, args):
        condition, chosen, other = args
        if isinstance(a, types.Integer):
            return builder.select(condition, chosen, other)
        for i in range(len(a)):
            word = builder.select(condition, builder.extract_value(chosen, i), builder.extract_value(other, i))
            chosen = builder.insert_value(chosen, word, i)
        return chosen

    return a(types.boolean, a, a), codegen


@intrinsic
def _word_at(typing_context, words, index):
    if not isinstance(words, types.UniTuple) or not isinstance(index, types.Integer):
        return None

    def codegen(context, builder, signature, args):
        found = builder.extract_value(args[0], 0)
        for i in range(1, words.count):
            here = builder.icmp_unsigned("==", args[1], ir.Constant(ir.IntType(64), i))
            found = builder.select(here, builder.extract_value(args[0], i), found)
        return found

    return words.dtype(words, types.int64), codegen


@intrinsic
def _with_bits(typing_context, words, index, bits):
    if not isinstance(words, types.UniTuple) or not isinstance(index, types.Integer):
        return None

    def codegen(context, builder, signature, args):
        changed = args[0]
        for i in range(words.count):
            here = builder.icmp_unsigned("==", args[1], ir.Constant(ir.IntType(64), i))
            word = builder.extract_value(args[0], i)
            changed = builder.insert_value(changed, builder.select(here, builder.or_(word, args[2]), word), i)
        return changed

    return words(words, types.int64, words.dtype), codegen


def popcount(x):
    """Number of set bits of a uint64, as uint64."""
    return U(int(x).bit_count())


def trailing_zeros(x):
    """Index of the lowest set bit of a uint64, as uint64; 64 for zero."""
    return U((int(x) & -int(x)).bit_length() - 1) if x else U(64)


def leading_zeros(x):
    """Number of zeros above the highest set bit of a uint64, as uint64; 64 for zero."""
    return U(64 - int(x).bit_length())


def bit_reverse(x):
    """A uint64 with its bits in reverse order."""
    return U(int(f"{int(x):064b}"[::-1], 2))


def byte_swap(x):
    """A uint64 with its bytes in reverse order: the ranks of an 8x8 board upside down."""
    return U(int.from_bytes(int(x).to_bytes(8, "little"), "big"))


def blend(condition, a, b):
    """``a if condition else b`` without a branch where compiled: integers, or NamedTuples of them word by word."""
    return a if condition else b


def word_at(words, index):
    """Word ``index`` (int64) of a tuple of words, the first if there is no such one; compiled, without a branch."""
    return words[index if 0 <= index < len(words) else 0]


def with_bits(words, index, bits):
    """A tuple of words with ``bits`` set in word ``index`` (int64), if it is there; compiled, without a branch."""
    return tuple([word | bits if i == index else word for i, word in enumerate(words)])


def put_word(words, at, word):
    """Write a word (uint64) to ``words[at]``, an array of uint64, or of int64 in two's complement."""
    words[at] = U(word).astype(words.dtype)


def float_bits(x):
    """The IEEE bits of a float64, as uint64."""
    return U(struct.unpack("<Q", struct.pack("<d", x))[0])


def bits_float(x):
    """The float64 whose IEEE bits are the uint64 ``x``."""
    return struct.unpack("<d", struct.pack("<Q", int(x)))[0]


def _target(plain: Callable, compiled: Callable) -> None:
    """Let compiled code use the intrinsic where plain Python uses the function."""
    overload(plain, jit_options=JIT_OPTIONS)(lambda x: lambda x: compiled(x))


_target(popcount, _ctpop)
_target(trailing_zeros, _cttz)
_target(leading_zeros, _ctlz)
_target(bit_reverse, _bitreverse)
_target(byte_swap, _bswap)
_target(float_bits, _to_bits)
_target(bits_float, _from_bits)
overload(word_at, jit_options=JIT_OPTIONS)(lambda words, index: lambda words, index: _word_at(words, index))
overload(with_bits, jit_options=JIT_OPTIONS)(
    lambda words, index, bits: lambda words, index, bits: _with_bits(words, index, bits)
)


@overload(put_word, jit_options=JIT_OPTIONS)
def _put_word(words, at, word):
    def compiled(words, at, word):
        words[at] = word

    return compiled


overload(blend, jit_options=JIT_OPTIONS)(lambda condition, a, b: lambda condition, a, b: _blend(condition, a, b))


@inlined
def nth_set_bit(mask, n):
    """Index (uint64, 0 to 63) of the n-th set bit of a uint64 from the lowest, without a branch; n < popcount(mask)."""
    position = U(0)
    for width in (32, 16, 8, 4, 2, 1):
        low = popcount((mask >> position) & ((U(1) << U(width)) - U(1)))
        beyond = n >= low
        n = n - low if beyond else n
        position = position + U(width) if beyond else position
    return position


def nth_bit(mask, n):
    """The n-th set bit of a uint64, from the lowest, as a uint64 with that bit alone; n < popcount(mask).

    One instruction where processors have it, which keeps a loop in lanes from being vectorised: there ``nth_set_bit``.
    """
    return U(1) << nth_set_bit(mask, n)


@overload(nth_bit, jit_options=JIT_OPTIONS)
def _nth_bit(mask, n):
    if current_target() == "cpu" and _deposits_bits():
        return lambda mask, n: _deposit(U(1) << n, mask)
    return lambda mask, n: U(1) << nth_set_bit(mask, n)


def _deposits_bits() -> bool:
    """Whether the processor code is made for deposits bits in one instruction: BMI2, where that is not microcode."""
    triple, name, features = cpu_target.target_context.codegen().magic_tuple()
    return triple.startswith("x86_64") and "+bmi2" in features.split(",") and name not in ("znver1", "znver2")
