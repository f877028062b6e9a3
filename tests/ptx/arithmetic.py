"""Runs every instruction of ``instructions.VALUES`` on operands with all edges: for ``test_arithmetic``.

One kernel has all of them; thread i runs each on operands number i.
"""

import itertools
import json
import sys

import numpy as np

from tests.ptx.bare import Kernel, Memory, begin, written
from tests.ptx.instructions import VALUES, Value

COUNT = 160  # operands of each instruction
RANDOM = np.random.default_rng(1)
WORDS = [
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    2**31 - 1,
    2**31,
    2**32 - 1,
]
WORDS += [2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]
DOUBLES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    1e300,
    -1e300,
    5e-324,
    -5e-324,
    2.0**-1022,
    1.7976931348623157e308,
]
DOUBLES += [
    float("inf"),
    float("-inf"),
    float("nan"),
    2.0**31,
    2.0**31 - 0.5,
    -(2.0**31) - 1,
    2.0**32,
    2.0**63,
    -(2.0**63),
    2.0**64,
]
EQUAL = 8  # pairs of one value twice


def operands(mnemonic: str, entry: Value) -> np.ndarray:
    """Words for each operand, uint64[operands, COUNT]: pairs of edges first, then random ones of all lengths."""
    columns: list[list[int]] = []
    edges = [_edges(kind) for kind in entry.operands]
    pairs = list(itertools.product(*edges[:2]))
    chosen = RANDOM.permutation(len(pairs))[: COUNT // 2]
    for place, kind in enumerate(entry.operands):
        column = [pairs[k][place] if place < 2 else edges[place][k % len(edges[place])] for k in chosen]
        column += [_random(kind) for _ in range(COUNT - len(column))]
        if place == 1 and entry.operands[0] == kind:
            column[-EQUAL:] = columns[0][-EQUAL:]
        columns.append(column)
    return np.array(columns, np.uint64)


def _edges(kind: str) -> list[int]:
    if kind == "pred":
        return [0, 1]
    if kind == "f64":
        return [int(np.float64(value).view(np.uint64)) for value in DOUBLES]
    return [word % 2 ** int(kind[1:]) for word in WORDS]


def _random(kind: str) -> int:
    word = int(RANDOM.integers(0, 2**64, dtype=np.uint64))
    if kind == "pred":
        return word & 1
    if kind == "f64":
        value = np.float64((word / 2**63 - 1) * 2.0 ** int(RANDOM.integers(-70, 70)))
        return int(value.view(np.uint64))
    width = int(kind[1:])
    return (
        (word >> int(RANDOM.integers(0, width))) % 2**width
        if width == 64
        else (word % 2**width) >> int(RANDOM.integers(0, width))
    )


REGISTERS = {8: "%rs", 16: "%rs", 32: "%r", 64: "%rd"}


def _code(number: int, mnemonic: str, entry: Value) -> str:
    """Load the operands, do it, store the result; word j of operands of instruction k lies at (4 k + j) COUNT."""
    lines, names = [], []
    for place, kind in enumerate(entry.operands):
        lines.append(f"ld.global.u64 %rd{5 + place}, [%rd3+{8 * COUNT * (4 * number + place)}];")
        names.append(_operand(lines, kind, place))
    result, more = _result(entry.result)
    lines += [f"{mnemonic} {result}, {', '.join(names)};", *more, f"st.global.u64 [%rd4+{8 * COUNT * number}], %rd17;"]
    return "\n".join(lines)


def _operand(lines: list[str], kind: str, place: int) -> str:
    source = f"%rd{5 + place}"
    if kind == "pred":
        lines.append(f"setp.ne.s64 %p{1 + place}, {source}, 0;")
        return f"%p{1 + place}"
    if kind == "f64":
        lines.append(f"mov.b64 %fd{1 + place}, {source};")
        return f"%fd{1 + place}"
    width = int(kind[1:])
    if width == 64:
        return source
    name = f"{REGISTERS[width]}{4 + place}"
    lines.append(f"cvt.u{max(width, 16)}.u64 {name}, {source};")
    return name


def _result(kind: str) -> tuple[str, list[str]]:
    """The register of a result, and how it becomes the word %rd17."""
    if kind == "pred":
        return "%p8", ["selp.u64 %rd17, 1, 0, %p8;"]
    if kind == "f64":
        return "%fd8", ["mov.b64 %rd17, %fd8;"]
    width = max(16, int(kind[1:]))
    if width == 64:
        return "%rd17", []
    return f"{REGISTERS[width]}8", [f"cvt.u64.u{width} %rd17, {REGISTERS[width]}8;"]


def main() -> None:
    """Of each instruction its operands and results, under both poisons."""
    given = {mnemonic: operands(mnemonic, entry) for mnemonic, entry in VALUES.items()}
    words = np.zeros((len(VALUES), 4, COUNT), np.uint64)
    for block, columns in zip(words, given.values(), strict=True):
        block[: len(columns)] = columns
    body = ["shl.b64 %rd18, %rd18, 3;", "add.s64 %rd3, %rd1, %rd18;", "add.s64 %rd4, %rd2, %rd18;"]
    body += [_code(number, mnemonic, entry) for number, (mnemonic, entry) in enumerate(VALUES.items())]
    kernel, results = Kernel(written("\n".join(body), 2)), []
    for run in range(2):
        begin(run)
        target = Memory(len(VALUES) * COUNT)
        kernel(COUNT // 32, 32, Memory(words.ravel()).address, target.address)
        results.append(target.values().reshape(len(VALUES), COUNT))
    told = {
        mnemonic: [columns.tolist(), results[0][number].tolist(), results[1][number].tolist()]
        for number, (mnemonic, columns) in enumerate(given.items())
    }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
