"""Numba's options, the intrinsics that games need, and functions that are compiled on their own."""

import functools
import struct
import threading
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import cfunc, njit, types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.registry import cpu_target
from numba.core.target_extension import current_target
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic, overload, typeof_impl

from gpumcts import cache  # noqa: F401  it chooses the folder before anything is compiled
from gpumcts.class_names import check_signature
from gpumcts.compile_messages import announced
from gpumcts.verbs import JIT_OPTIONS, inlined

U = np.uint64
SEPARATE: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


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


class _Scratch(type(_ctpop)):
    """An intrinsic that plain Python may call too."""

    def __call__(self, count: Any, dtype: Any) -> np.ndarray:
        return np.zeros(count, dtype)


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


# Not a function that calls an intrinsic: that would give its stack back before the caller has used it.
scratch = _Scratch("scratch", _stack_array)
scratch._register()


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


# ------------------------------------------------------------------------------------------------- separate compilation


@functools.cache
def _wake_numba() -> None:
    """Load numba's own registries before the first compilation or load does, so that they are not announced as one."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def entry(function: Callable) -> Callable:
    """Decorator for compiled functions that Python calls: compiled for the arguments' types, kept in the disk cache.

    Like all compiled code here they fill arrays that they are given; numba refuses one that makes an array.

    Numba fixes a function's cache folder when it decorates it. Here that happens at the first call, and again once a
    user's option file has changed the folder, so that code which takes an option in is never older than the option.
    """
    made: dict[str, Callable] = {}
    making = threading.Lock()

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        folder = str(numba.config.CACHE_DIR)
        if folder not in made:
            with making:
                made.setdefault(folder, njit(**SEPARATE)(function))
        return made[folder](*arguments)

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


def separate(function: Callable, signature: Any, name: str) -> Any:
    """Compile ``function`` on its own, to be handed to compiled glue as a value.

    Code linked into its caller is optimised again in every caller, and compile times of game, policy, rule and operator
    would multiply; as values they add up. Under ``NUMBA_DISABLE_JIT=1`` the function itself comes back.

    Parameters
    ----------
    function : the plain Python function
    signature : numba signature, ``returned(argument, ...)``
    name : what to call it in progress messages

    Raises BadInput where a class of its arguments has the name of another that was compiled for.
    """
    if numba.config.DISABLE_JIT:
        return function
    check_signature(signature)
    _wake_numba()
    with announced(name, may_load=True):
        return cfunc(signature, cache=True, nopython=True, error_model="numpy", _nrt=False)(function)
