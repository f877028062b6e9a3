"""What instructions mean, in Python's integers, fractions and doubles: written from the PTX ISA, not from the table.

``reference(mnemonic)`` is a function of words, as registers hold them, that gives the word of the result (a predicate
is 0 or 1); UNSPECIFIED where the ISA leaves it open.
"""

import math
import struct
from collections.abc import Callable
from fractions import Fraction

UNSPECIFIED = None
COMPARED: dict[str, Callable] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lo": lambda a, b: a < b,
    "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b,
    "hs": lambda a, b: a >= b,
}


def double(word: int) -> float:
    """The double of 64 bits."""
    return struct.unpack("<d", struct.pack("<Q", word))[0]


def bits(value: float) -> int:
    """The 64 bits of a double."""
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def signed(word: int, width: int) -> int:
    """Two's complement."""
    return word - 2**width if word >> (width - 1) & 1 else word


def reference(mnemonic: str) -> Callable[..., int | None]:
    """The meaning of an instruction."""
    name, *modifiers = mnemonic.split(".")
    kind = modifiers[-1]
    if name == "cvt":
        return _conversion(modifiers)
    if kind == "pred":
        return {
            "and": lambda a, b: a & b,
            "or": lambda a, b: a | b,
            "xor": lambda a, b: a ^ b,
            "not": lambda a: 1 - a,
            "mov": lambda a: a,
        }[name]
    if name == "mov":
        return lambda a: a
    if name == "selp":
        return lambda a, b, choice: a if choice else b
    if kind == "f64":
        return _of_doubles(name, modifiers)
    return _of_integers(name, modifiers, kind[0], int(kind[1:]))


# ------------------------------------------------------------------------------------------------------------- integers


def _of_integers(name: str, modifiers: list[str], kind: str, width: int) -> Callable[..., int | None]:
    def value(word: int) -> int:
        return signed(word, width) if kind == "s" else word

    def cut(number: int, to: int = width) -> int:
        return number % 2**to

    if name == "setp":
        return lambda a, b: int(COMPARED[modifiers[0]](value(a), value(b)))
    if name in ("mul", "mad"):
        return _product(name, modifiers[0], value, width)
    if name in ("div", "rem"):
        return _quotient(name, value, width)
    shifts: dict[str, Callable[..., int]] = {
        "shl": lambda a, b: cut(a << b) if b < width else 0,
        "shr": lambda a, b: cut(value(a) >> min(b, width)),
    }
    plain: dict[str, Callable[..., int]] = {
        "add": lambda a, b: cut(a + b),
        "sub": lambda a, b: cut(a - b),
        "min": lambda a, b: cut(min(value(a), value(b))),
        "max": lambda a, b: cut(max(value(a), value(b))),
        "neg": lambda a: cut(-a),
        "abs": lambda a: cut(abs(value(a))),
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
        "not": lambda a: cut(~a),
        "popc": lambda a: a.bit_count(),
        "clz": lambda a: width - a.bit_length(),
        "brev": lambda a: int(f"{a:0{width}b}"[::-1], 2),
        "prmt": _permuted,
    }
    if name in ("bfi", "bfe"):
        return _field(name, kind, width)
    if name == "shf":
        return _funnel(modifiers[0], modifiers[1])
    return {**plain, **shifts}[name]


def _product(name: str, part: str, value: Callable[[int], int], width: int) -> Callable[..., int]:
    def product(a: int, b: int, c: int = 0) -> int:
        whole = value(a) * value(b)
        if part == "hi":
            return (whole >> width) % 2**width
        return (whole + c) % 2 ** (2 * width if part == "wide" else width)

    return product


def _quotient(name: str, value: Callable[[int], int], width: int) -> Callable[..., int | None]:
    def quotient(a: int, b: int) -> int | None:
        if b == 0:
            return UNSPECIFIED
        top, below = value(a), value(b)
        whole = abs(top) // abs(below) * (1 if (top < 0) == (below < 0) else -1)  # toward zero, as C has it
        return (whole if name == "div" else top - whole * below) % 2**width

    return quotient


def _field(name: str, kind: str, width: int) -> Callable[..., int]:
    def inserted(a: int, b: int, position: int, length: int) -> int:
        position, length = position & 255, length & 255
        digits = [b >> i & 1 for i in range(width)]
        for i in range(length):
            if position + i < width:
                digits[position + i] = a >> i & 1
        return sum(digit << i for i, digit in enumerate(digits))

    def extracted(a: int, position: int, length: int) -> int:
        position, length = position & 255, length & 255
        if length == 0:
            return 0
        sign = a >> min(position + length - 1, width - 1) & 1 if kind == "s" else 0
        digits = [(a >> (position + i) & 1) if i < length and position + i < width else sign for i in range(width)]
        return sum(digit << i for i, digit in enumerate(digits))

    return inserted if name == "bfi" else extracted


def _permuted(a: int, b: int, selectors: int) -> int:
    choices = list(a.to_bytes(4, "little") + b.to_bytes(4, "little"))
    found = []
    for i in range(4):
        selector = selectors >> 4 * i & 15
        byte = choices[selector & 7]
        found.append((255 if byte & 128 else 0) if selector & 8 else byte)
    return int.from_bytes(bytes(found), "little")


def _funnel(direction: str, mode: str) -> Callable[[int, int, int], int]:
    def shifted(a: int, b: int, by: int) -> int:
        count = by & 31 if mode == "wrap" else min(by, 32)
        whole = b << 32 | a
        return (whole << count >> 32 if direction == "l" else whole >> count) % 2**32

    return shifted


# -------------------------------------------------------------------------------------------------------------- doubles


def _of_doubles(name: str, modifiers: list[str]) -> Callable[..., int | None]:
    if name == "setp":
        return _double_compared(modifiers[0])
    if name == "neg":
        return lambda a: a ^ 1 << 63
    if name == "abs":
        return lambda a: a & ~(1 << 63)
    compute: dict[str, Callable[..., float]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": _divided,
        "rcp": lambda a: _divided(1.0, a),
        "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
        "fma": _fused,
        "min": lambda a, b: _extreme(a, b, -1),
        "max": lambda a, b: _extreme(a, b, 1),
    }
    return lambda *words: bits(compute[name](*map(double, words)))


def _divided(a: float, b: float) -> float:
    if b != 0 or math.isnan(a):
        return a / b if b != 0 else math.nan
    return math.nan if a == 0 else math.copysign(math.inf, a) * math.copysign(1, b)


def _fused(a: float, b: float, c: float) -> float:
    """Rounded once, from fractions; what is not finite, and zeros, have no fraction to round."""
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c if not (math.isfinite(a) and math.isfinite(b)) else c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if Fraction(a) * Fraction(b) == 0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _extreme(a: float, b: float, sign: int) -> float:
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return max((a, b), key=lambda value: (sign * value, sign * math.copysign(1, value)))


def _double_compared(name: str) -> Callable[[int, int], int]:
    def compared(a: int, b: int) -> int:
        unordered = math.isnan(double(a)) or math.isnan(double(b))
        if name in ("nan", "num"):
            return int(unordered == (name == "nan"))
        if unordered:
            return int(len(name) == 3)  # equ, neu, ltu and so on
        return int(COMPARED[name[:2]](double(a), double(b)))

    return compared


# ---------------------------------------------------------------------------------------------------------- conversions

ROUNDED: dict[str, Callable[[float], int]] = {"rzi": math.trunc, "rni": round, "rmi": math.floor, "rpi": math.ceil}


def _conversion(modifiers: list[str]) -> Callable[[int], int]:
    to, of = modifiers[-2:]
    width = int(of[1:])

    def value(word: int) -> int:
        word %= 2**width
        return signed(word, width) if of[0] == "s" else word

    if to == of == "f64":
        return lambda a: bits(_whole(modifiers[0], double(a)))
    if to == "f64":
        return lambda a: bits(float(value(a)))
    if of == "f64":
        return lambda a: _integer(modifiers[0], double(a), to[0], int(to[1:]))

    def converted(a: int) -> int:
        target = int(to[1:])
        word = value(a) % 2**target
        return (signed(word, target) if to[0] == "s" else word) % 2 ** max(16, target)  # a register's least width is 16

    return converted


def _whole(mode: str, value: float) -> float:
    if not math.isfinite(value):
        return value
    return math.copysign(float(ROUNDED[mode](value)), value)


def _integer(mode: str, value: float, kind: str, width: int) -> int:
    if math.isnan(value):
        return 2 ** (width - 1)
    least, most = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if kind == "s" else (0, 2**width - 1)
    if math.isinf(value):
        return (most if value > 0 else least) % 2**width
    return min(max(ROUNDED[mode](value), least), most) % 2**width
