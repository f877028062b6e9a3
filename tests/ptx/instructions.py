"""The instructions that the emulator knows: a table, one entry an instruction, each with what it means in C.

``VALUES`` holds those that make one value of others: their types, and an expression of ``a``, ``b``, ``c`` and ``d``,
which have exactly these types. ``MEMORY``, ``MEETINGS`` and ``OTHERS`` hold the rest, which ``translation`` writes out.
A mnemonic is whole, with all its modifiers: ``mul.lo.s64`` is another instruction than ``mul.hi.s64``, and one that is
in no table is not known.

Sources: PTX ISA 9.0, chapter 9.7. What PTX leaves open, a division by zero say, is ``POISON`` here: code that leans on
it differs from run to run.
"""

from typing import NamedTuple

WIDTHS = (16, 32, 64)
POISON = "lane->poison"


class Value(NamedTuple):
    """``result`` and ``operands`` are types, ``u32``, ``f64`` or ``pred``, say; ``loose`` : registers may be wider."""

    result: str
    operands: tuple[str, ...]
    expression: str
    loose: bool = False


class Access(NamedTuple):
    """A load, a store or an atomic addition of ``count`` elements of a type in a space (``any`` if it is not said)."""

    verb: str  # load, store, add
    space: str
    count: int
    element: str


class Meeting(NamedTuple):
    """What the lanes of a warp do together; ``kind`` as ``lane.h`` names it."""

    kind: str
    operand: str  # the type of what each lane brings


VALUES: dict[str, Value] = {}
MEMORY: dict[str, Access] = {}
MEETINGS: dict[str, Meeting] = {}
OTHERS = (
    *("bra", "bra.uni", "ret", "exit", "trap"),
    *(f"mov.b{width}" for width in (32, 64)),  # which pack and unpack too
    *(f"cvta{to}.{space}.u64" for to in ("", ".to") for space in ("global", "local", "const")),
    *("stacksave.u32", "stackrestore.u32"),  # of a stack that grows by no one
)


def _value(mnemonic: str, types: str, expression: str, loose: bool = False) -> None:
    """Enter an instruction; ``types`` is the result's and the operands'."""
    result, *operands = types.split()
    assert mnemonic not in VALUES, mnemonic
    VALUES[mnemonic] = Value(result, tuple(operands), expression, loose)


# ------------------------------------------------------------------------------------------------------------- integers

for w in WIDTHS:
    u, s = f"u{w}", f"s{w}"
    for kind in (u, s):
        two = f"{u} {u} {u}"
        _value(f"add.{kind}", two, "a + b")
        _value(f"sub.{kind}", two, "a - b")
        _value(f"mul.lo.{kind}", two, "(uint64_t)a * b")
        _value(f"mad.lo.{kind}", f"{u} {u} {u} {u}", "(uint64_t)a * b + c")
        _value(f"min.{kind}", f"{kind} {kind} {kind}", "a < b ? a : b")
        _value(f"max.{kind}", f"{kind} {kind} {kind}", "a > b ? a : b")
    _value(f"mul.hi.{u}", f"{u} {u} {u}", f"(unsigned __int128)a * b >> {w}")
    _value(f"mul.hi.{s}", f"{s} {s} {s}", f"(__int128)a * b >> {w}")
    _value(f"div.{u}", f"{u} {u} {u}", f"b == 0 ? {POISON} : a / b")
    _value(f"rem.{u}", f"{u} {u} {u}", f"b == 0 ? {POISON} : a % b")
    _value(f"div.{s}", f"{s} {s} {s}", f"b == 0 ? (int64_t){POISON} : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b")
    _value(f"rem.{s}", f"{s} {s} {s}", f"b == 0 ? (int64_t){POISON} : b == -1 ? 0 : a % b")
    _value(f"neg.{s}", f"{u} {u}", "0 - a")
    _value(f"abs.{s}", f"{u} {s}", "a < 0 ? 0 - (uint64_t)a : (uint64_t)a")
for w in (16, 32):
    for kind in "us":
        wide, narrow = f"{kind}{2 * w}", f"{kind}{w}"
        c = "int64_t" if kind == "s" else "uint64_t"
        _value(f"mul.wide.{narrow}", f"{wide} {narrow} {narrow}", f"({c})a * b")
        _value(f"mad.wide.{narrow}", f"u{2 * w} {narrow} {narrow} u{2 * w}", f"(uint64_t)(({c})a * b) + c")

for w in WIDTHS:
    b = f"u{w}"
    for name, sign in {"and": "&", "or": "|", "xor": "^"}.items():
        _value(f"{name}.b{w}", f"{b} {b} {b}", f"a {sign} b")
    _value(f"not.b{w}", f"{b} {b}", "~a")
    _value(f"shl.b{w}", f"{b} {b} u32", f"b >= {w} ? 0 : (uint64_t)a << b")
    for kind in (f"b{w}", f"u{w}"):
        _value(f"shr.{kind}", f"{b} {b} u32", f"b >= {w} ? 0 : a >> b")
    _value(f"shr.s{w}", f"s{w} s{w} u32", f"a >> (b >= {w} ? {w - 1} : b)")
for w in (32, 64):
    b = f"u{w}"
    _value(f"popc.b{w}", f"u32 {b}", "__builtin_popcountll(a)")
    _value(f"clz.b{w}", f"u32 {b}", f"a ? __builtin_clzll(a) - {64 - w} : {w}")
    _value(f"brev.b{w}", f"{b} {b}", f"reversed(a, {w})")
    _value(f"bfi.b{w}", f"{b} {b} {b} u32 u32", f"bits_inserted(a, b, c, d, {w})")
    for kind in "us":
        _value(f"bfe.{kind}{w}", f"{b} {b} u32 u32", f"bits_extracted(a, b, c, {w}, {int(kind == 's')})")
_value("prmt.b32", "u32 u32 u32 u32", "permuted(a, b, c)")
_value("shf.l.wrap.b32", "u32 u32 u32 u32", "((uint64_t)b << 32 | a) << (c & 31) >> 32")
_value("shf.r.wrap.b32", "u32 u32 u32 u32", "((uint64_t)b << 32 | a) >> (c & 31)")
_value("shf.l.clamp.b32", "u32 u32 u32 u32", "((uint64_t)b << 32 | a) << (c < 32 ? c : 32) >> 32")
_value("shf.r.clamp.b32", "u32 u32 u32 u32", "((uint64_t)b << 32 | a) >> (c < 32 ? c : 32)")

# ----------------------------------------------------------------------------------- predicates, choices, comparisons

for name, sign in {"and": "&", "or": "|", "xor": "^"}.items():
    _value(f"{name}.pred", "pred pred pred", f"a {sign} b")
_value("not.pred", "pred pred", "!a")
_value("mov.pred", "pred pred", "a")
for w in WIDTHS:
    for kind in "bus":
        _value(f"selp.{kind}{w}", f"u{w} u{w} u{w} pred", "c ? a : b")
    for kind in "us":
        _value(f"mov.{kind}{w}", f"u{w} u{w}", "a")
    signs = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    for name, sign in signs.items():
        for kind in "us":
            _value(f"setp.{name}.{kind}{w}", f"pred {kind}{w} {kind}{w}", f"a {sign} b")
        if name in ("eq", "ne"):
            _value(f"setp.{name}.b{w}", f"pred u{w} u{w}", f"a {sign} b")
    for name, sign in {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}.items():
        _value(f"setp.{name}.u{w}", f"pred u{w} u{w}", f"a {sign} b")
_value("mov.b16", "u16 u16", "a")

# ---------------------------------------------------------------------------------------------------------- doubles

for name, sign in {"add": "+", "sub": "-", "mul": "*", "div": "/"}.items():
    _value(f"{name}.rn.f64", "f64 f64 f64", f"a {sign} b")
_value("fma.rn.f64", "f64 f64 f64 f64", "fma(a, b, c)")
_value("sqrt.rn.f64", "f64 f64", "sqrt(a)")
_value("rcp.rn.f64", "f64 f64", "1.0 / a")
_value("neg.f64", "f64 f64", "double_of_bits(bits_of_double(a) ^ 1ull << 63)")
_value("abs.f64", "f64 f64", "double_of_bits(bits_of_double(a) & ~(1ull << 63))")
_value("min.f64", "f64 f64 f64", "smaller(a, b)")
_value("max.f64", "f64 f64 f64", "larger(a, b)")
_value("mov.f64", "f64 f64", "a")
_value("selp.f64", "f64 f64 f64 pred", "c ? a : b")
for name, sign in {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    _value(f"setp.{name}.f64", "pred f64 f64", f"a {sign} b")
    _value(f"setp.{name}u.f64", "pred f64 f64", f"a {sign} b || a != a || b != b")
_value("setp.ne.f64", "pred f64 f64", "a < b || a > b")
_value("setp.neu.f64", "pred f64 f64", "!(a == b)")
_value("setp.num.f64", "pred f64 f64", "a == a && b == b")
_value("setp.nan.f64", "pred f64 f64", "a != a || b != b")

# ------------------------------------------------------------------------------------------------------- conversions

for to in (8, 16, 32, 64):
    for of in (8, 16, 32, 64):
        for to_kind in "us":
            for of_kind in "us":
                if (to_kind, to) != (of_kind, of):
                    _value(f"cvt.{to_kind}{to}.{of_kind}{of}", f"{to_kind}{to} {of_kind}{of}", "a", loose=True)
ROUNDED = {"rzi": "trunc(a)", "rni": "nearbyint(a)", "rmi": "floor(a)", "rpi": "ceil(a)"}
for kind in "us":
    for w in (8, 16, 32, 64):
        _value(f"cvt.rn.f64.{kind}{w}", f"f64 {kind}{w}", "(double)a", loose=True)
    for w in (32, 64):
        for mode, rounded in ROUNDED.items():
            expression = f"integer_of({rounded}, {w}, {int(kind == 's')})"
            _value(f"cvt.{mode}.{kind}{w}.f64", f"u{w} f64", expression)
for mode, rounded in ROUNDED.items():
    _value(f"cvt.{mode}.f64.f64", "f64 f64", rounded)

# ------------------------------------------------------------------------------------------------------------ memory

ELEMENTS = [f"{kind}{width}" for width in (8, 16, 32, 64) for kind in "bus"] + ["f64"]
for element in ELEMENTS:
    for count, vector in {1: "", 2: ".v2", 4: ".v4"}.items():
        for space in ("", "global", "local", "const", "param"):
            said = f".{space}" if space else ""
            MEMORY[f"ld{said}{vector}.{element}"] = Access("load", space or "any", count, element)
            if space not in ("const", "param"):
                MEMORY[f"st{said}{vector}.{element}"] = Access("store", space or "any", count, element)
        MEMORY[f"ld.global.nc{vector}.{element}"] = Access("load", "global", count, element)
for element in ("u32", "s32", "u64", "f64"):
    for said in ("", ".global"):
        MEMORY[f"atom{said}.add.{element}"] = Access("add", "global", 1, element)
        MEMORY[f"red{said}.add.{element}"] = Access("add", "global", 1, element)

# ------------------------------------------------------------------------------------------------------------- meetings

MEETINGS["vote.sync.ballot.b32"] = Meeting("VOTE_BALLOT", "pred")
for kind in ("any", "all", "uni"):
    MEETINGS[f"vote.sync.{kind}.pred"] = Meeting(f"VOTE_{kind.upper()}", "pred")
for element in ("b32", "b64"):
    MEETINGS[f"match.any.sync.{element}"] = Meeting("MATCH_ANY", f"u{element[1:]}")
for kind in ("idx", "up", "down", "bfly"):
    MEETINGS[f"shfl.sync.{kind}.b32"] = Meeting(f"SHUFFLE_{kind.upper()}", "u32")

KNOWN = frozenset([*VALUES, *MEMORY, *MEETINGS, *OTHERS])
