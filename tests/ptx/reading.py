"""PTX as NVVM writes it, read into typed statements.

``read`` takes the text of a module with one kernel and gives a ``Module``. Nothing is translated here; what this reader
has no rule for is a ``PtxError`` that names it and its line.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

BYTES = {f"{kind}{8 * size}": size for size in (1, 2, 4, 8) for kind in "subf"}
HEADER = (".version", ".target", ".address_size")
IGNORED = (".pragma ", ".loc ", ".file ")  # hints for ptxas and debuggers


class PtxError(ValueError):
    """PTX that the emulator does not know; the message is one line."""


# ------------------------------------------------------------------------------------------------------------ operands


class Register(NamedTuple):
    """A register, ``%rd1``, or a special one, ``%tid.x``."""

    name: str


class Number(NamedTuple):
    """An integer constant."""

    value: int


class Double(NamedTuple):
    """A constant ``0d...``: the bits of a double."""

    bits: int


class Symbol(NamedTuple):
    """A label, a variable, a parameter."""

    name: str


class Not(NamedTuple):
    """A predicate's negation, ``!%p1``."""

    register: Register


class Address(NamedTuple):
    """``[base+offset]``."""

    base: "Register | Symbol"
    offset: int


class Group(NamedTuple):
    """``{a, b}``; ``None`` for an element ``_`` that no one wants."""

    items: tuple["Operand | None", ...]


class Pair(NamedTuple):
    """``%r1|%p1``: a result and a predicate that goes with it."""

    result: Register
    predicate: Register


Operand = Register | Number | Double | Symbol | Not | Address | Group | Pair


def written(operand: Operand | None) -> str:
    """An operand as PTX has it, for messages."""
    match operand:
        case Register(name) | Symbol(name):
            return name
        case Number(value):
            return str(value)
        case Double(bits):
            return f"0d{bits:016X}"
        case Not(register):
            return f"!{written(register)}"
        case Address(base, offset):
            return f"[{written(base)}+{offset}]"
        case Group(items):
            return f"{{{', '.join(map(written, items))}}}"
        case Pair(result, predicate):
            return f"{written(result)}|{written(predicate)}"
    return "_"


# ---------------------------------------------------------------------------------------------------------- statements


class Label(NamedTuple):
    """A place to jump to."""

    name: str


class Registers(NamedTuple):
    """Registers that are declared: ``b64`` and their names."""

    kind: str
    names: tuple[str, ...]


class Frame(NamedTuple):
    """The thread's local memory."""

    name: str
    align: int
    size: int


class Scope(NamedTuple):
    """The beginning or the end of a block of statements."""

    begins: bool


class Instruction(NamedTuple):
    """``@guard mnemonic operands``; the guard's register may be negated."""

    line: int
    guard: Register | Not | None
    mnemonic: str
    operands: tuple[Operand, ...]


Statement = Label | Registers | Frame | Scope | Instruction


class Variable(NamedTuple):
    """A variable of the module in ``const`` or ``global`` memory; ``values`` is empty where it begins as zeros."""

    space: str
    name: str
    align: int
    element: str
    count: int
    values: tuple[int, ...]


class Parameter(NamedTuple):
    """A parameter of the kernel, such as ``u64``."""

    name: str
    kind: str


class Module(NamedTuple):
    """A kernel, its parameters, its statements in order, and the variables beside it."""

    name: str
    parameters: tuple[Parameter, ...]
    statements: tuple[Statement, ...]
    variables: tuple[Variable, ...]


# -------------------------------------------------------------------------------------------------------------- reading

ENTRY = re.compile(r"\.visible\s+\.entry\s+(?P<name>[\w$]+)\s*\((?P<parameters>[^)]*)\)(?P<more>[^{]*)\{")
PARAMETER = re.compile(r"\.param\s+\.(?P<kind>\w+)\s+(?P<name>[\w$]+)")
VARIABLE = re.compile(
    r"(?:\.visible\s+|\.common\s+|\.weak\s+)?\.(?P<space>const|global)\s+\.align\s+(?P<align>\d+)\s+"
    r"\.(?P<element>\w+)\s+(?P<name>[\w$]+)(?:\[(?P<count>\d+)\])?(?:\s*=\s*\{(?P<values>[^}]*)\})?\s*$"
)
REGISTERS = re.compile(r"\.reg\s+\.(?P<kind>\w+)\s+(?P<name>%[\w$]+)(?:<(?P<count>\d+)>)?$")
FRAME = re.compile(r"\.local\s+\.align\s+(?P<align>\d+)\s+\.b8\s+(?P<name>[\w$]+)\[(?P<size>\d+)\]$")
LABEL = re.compile(r"\s*([$\w]+):(?!:)")
GUARDED = re.compile(r"(?:@(?P<guard>!?%[\w$]+)\s+)?(?P<mnemonic>[a-z][\w.:]*)(?:\s+(?P<operands>.*))?$", re.DOTALL)
REGISTER = re.compile(r"%[\w$]+(?:\.[xyz])?$")
NUMBER = re.compile(r"-?(?:0x[0-9a-fA-F]+|\d+)U?$")
DOUBLE = re.compile(r"0d[0-9a-fA-F]{16}$")
NAME = re.compile(r"[\w$]+$")
ADDRESS = re.compile(r"\[\s*(?P<base>%?[\w$]+)\s*(?:\+\s*(?P<offset>-?\d+)\s*)?\]$")


def read(text: str) -> Module:
    """The module of a PTX text. Raises PtxError for what it does not know, and where there is not just one kernel."""
    text = re.sub(r"//[^\n]*", "", text)
    entries = list(ENTRY.finditer(text))
    if len(entries) != 1:
        raise PtxError(f"a PTX text of {len(entries)} kernels: one is wanted")
    (entry,) = entries
    end = text.rindex("}")
    if entry["more"].strip() or text[end + 1 :].strip():
        raise PtxError(
            f"PTX line {_line(text, entry.end())}: something besides a kernel: "
            f"{_short(entry['more'] or text[end + 1 :])}"
        )
    parameters = tuple(_parameter(text, entry, part) for part in entry["parameters"].split(",") if part.strip())
    statements = tuple(_statements(text, entry.end(), end))
    return Module(entry["name"], parameters, statements, tuple(_variables(text, entry.start())))


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _short(text: str) -> str:
    return " ".join(text.split())[:80]


def _parameter(text: str, entry: re.Match[str], part: str) -> Parameter:
    found = PARAMETER.fullmatch(part.strip())
    if not found or found["kind"] not in BYTES:
        raise PtxError(f"PTX line {_line(text, entry.start())}: unknown parameter {_short(part)}")
    return Parameter(found["name"], found["kind"])


def _variables(text: str, end: int) -> Iterator[Variable]:
    """What is declared before the kernel."""
    position = 0
    for part in text[:end].split("\n"):  # a header's lines have no semicolons
        position += len(part) + 1
        if not part.strip().startswith(HEADER) and part.strip():
            position -= len(part) + 1
            break
    for part in text[position:end].split(";"):
        if part.strip():
            found = VARIABLE.fullmatch(part.strip())
            if not found or found["element"] not in BYTES:
                raise PtxError(f"PTX line {_line(text, position + len(part))}: unknown declaration {_short(part)}")
            values = tuple(int(value, 0) for value in (found["values"] or "").split(",") if value.strip())
            yield Variable(
                found["space"], found["name"], int(found["align"]), found["element"], int(found["count"] or 1), values
            )
        position += len(part) + 1


def _statements(text: str, begin: int, end: int) -> Iterator[Statement]:
    position, line = begin, _line(text, begin)
    while position < end:
        if text[position] == "\n":
            line += 1
        if text[position].isspace():
            position += 1
        elif text[position] in "{}":
            yield Scope(text[position] == "{")
            position += 1
        elif found := LABEL.match(text, position, end):
            yield Label(found[1])
            position = found.end()
        else:
            stop = text.find(";", position, end)
            if stop < 0:
                raise PtxError(f"PTX line {line}: no end of a statement: {_short(text[position:end])}")
            yield from _statement(text[position:stop].strip(), line)
            line += text.count("\n", position, stop)
            position = stop + 1


def _statement(text: str, line: int) -> Iterator[Statement]:
    if text.startswith(IGNORED):
        return
    if found := REGISTERS.match(text):
        count = found["count"]
        names = (found["name"],) if count is None else tuple(f"{found['name']}{i}" for i in range(int(count)))
        yield Registers(found["kind"], names)
    elif found := FRAME.match(text):
        yield Frame(found["name"], int(found["align"]), int(found["size"]))
    elif found := GUARDED.match(text):
        guard = found["guard"] and _operand(found["guard"], line)
        operands = tuple(_operand(part, line) for part in _parts(found["operands"] or ""))
        yield Instruction(line, guard or None, found["mnemonic"], operands)
    else:
        raise PtxError(f"PTX line {line}: unknown statement {_short(text)}")


def _parts(text: str) -> Iterator[str]:
    """What commas part, but for those in brackets."""
    depth, begin = 0, 0
    for position, sign in enumerate(text):
        depth += (sign in "[{") - (sign in "]}")
        if sign == "," and depth == 0:
            yield text[begin:position].strip()
            begin = position + 1
    if text[begin:].strip():
        yield text[begin:].strip()


def _operand(text: str, line: int) -> Operand:
    if REGISTER.match(text):
        return Register(text)
    if NUMBER.match(text):
        return Number(int(text.rstrip("U"), 0))
    if DOUBLE.match(text):
        return Double(int(text[2:], 16))
    if text.startswith("!"):
        return Not(Register(text[1:]))
    if text.startswith("{") and text.endswith("}"):
        return Group(tuple(None if part == "_" else _operand(part, line) for part in _parts(text[1:-1])))
    if found := ADDRESS.match(text):
        base = found["base"]
        return Address(Register(base) if base.startswith("%") else Symbol(base), int(found["offset"] or 0))
    if "|" in text:
        result, predicate = text.split("|")
        return Pair(Register(result.strip()), Register(predicate.strip()))
    if NAME.match(text):
        return Symbol(text)
    raise PtxError(f"PTX line {line}: unknown operand {_short(text)}")
