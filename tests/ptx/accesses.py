"""Runs every load, store and atomic addition of ``instructions.MEMORY``; prints what they leave, for ``test_accesses``.

Thread i copies a vector at 32 i of its source: from global to local memory, from there to global memory, by the
instructions of one space; single elements are widened to words as well.
"""

import itertools
import json
import sys
from collections.abc import Iterator

import numpy as np

from tests.ptx.bare import Kernel, Memory, written
from tests.ptx.instructions import ELEMENTS, MEMORY

THREADS, VECTOR = 8, 32  # bytes of the longest one
BANKS = {8: "%rs", 16: "%rs", 32: "%r", 64: "%rd"}
WAYS = (("global", "local"), ("global.nc", "local"), ("", ""), ("global", ""), ("", "local"))  # spaces of the two loads


def source() -> np.ndarray:
    """Bytes of all kinds, uint64[4 THREADS]."""
    return np.random.default_rng(2).integers(0, 2**64, VECTOR // 8 * THREADS, dtype=np.uint64)


def copies() -> list[tuple[str, int, str, str]]:
    """Element, elements of a vector, and the spaces of a copy's two loads."""
    return [
        (element, count, first, second)
        for (first, second), element, count in itertools.product(WAYS, ELEMENTS, (1, 2, 4))
        if _name("ld", first, count, element) in MEMORY
    ]


def _name(verb: str, space: str, count: int, element: str) -> str:
    vector = {1: "", 2: ".v2", 4: ".v4"}[count]
    return f"{verb}{'.' * bool(space)}{space}{vector}.{element}"


def _registers(element: str, count: int, first: int) -> str:
    bank = "%fd" if element == "f64" else BANKS[int(element[1:])]
    names = [f"{bank}{first + k}" for k in range(count)]
    return names[0] if count == 1 else "{" + ", ".join(names) + "}"


def _copy(number: int, element: str, count: int, first: str, second: str) -> str:
    """%rd3 is the thread's source, %rd4 its target, %rd17 its frame."""
    there, back = _registers(element, count, 5), _registers(element, count, 5)
    return "\n".join(
        [
            f"{_name('ld', first, count, element)} {there}, [%rd3];",
            f"{_name('st', 'local' if second == 'local' else '', count, element)} [%rd17], {there};",
            f"{_name('ld', second, count, element)} {back}, [%rd17];",
            f"{_name('st', 'global' if first else '', count, element)} [%rd4+{number * VECTOR * THREADS}], {back};",
        ]
    )


def _lines() -> Iterator[str]:
    yield f".local .align 32 .b8 frame[{VECTOR}]; mov.u64 %rd17, frame; shl.b64 %rd16, %rd18, 5;"
    yield "add.s64 %rd3, %rd1, %rd16; add.s64 %rd4, %rd2, %rd16;"
    for number, copy in enumerate(copies()):
        yield _copy(number, *copy)


def widened() -> dict[str, list[int]]:
    """Of each element but doubles: what a load of the thread's first one leaves in a register of 64 bits."""
    kinds = [element for element in ELEMENTS if element != "f64"]
    lines = ["shl.b64 %rd16, %rd18, 5; add.s64 %rd3, %rd1, %rd16; shl.b64 %rd15, %rd18, 3; add.s64 %rd4, %rd2, %rd15;"]
    for number, element in enumerate(kinds):
        lines.append(f"ld.global.{element} %rd5, [%rd3]; st.global.u64 [%rd4+{8 * THREADS * number}], %rd5;")
    target = Memory(len(kinds) * THREADS)
    Kernel(written("\n".join(lines), 2))(1, THREADS, Memory(source()).address, target.address)
    return dict(zip(kinds, target.values().reshape(len(kinds), THREADS).tolist(), strict=True))


ADDED = {"u32": ("%r", 4), "s32": ("%r", 4), "u64": ("%rd", 8), "f64": ("%fd", 8)}


def added() -> dict[str, list[int]]:
    """Of each atomic addition: what six threads leave of a word, and the largest value that one found before."""
    found = {}
    for mnemonic in (name for name, access in MEMORY.items() if access.verb == "add"):
        element = MEMORY[mnemonic].element
        bank, size = ADDED[element]
        one = "0d3FF8000000000000" if element == "f64" else "3"
        code = [
            f"mad.lo.s64 %rd4, %rd18, 8, %rd2; mov.u64 %rd5, 0; st.global.u64 [%rd4], %rd5; "
            f"mov.{_mov(element)} {bank}6, {one};"
        ]
        returns = mnemonic.startswith("atom")
        code.append(f"{mnemonic} {f'{bank}7, ' if returns else ''}[%rd1], {bank}6;")
        code.append(f"st.global.{element} [%rd4], {bank}7;" if returns else "")
        word, before = Memory([0]), Memory(6)
        Kernel(written("\n".join(code), 2))(2, 3, word.address, before.address)
        found[mnemonic] = [int(word.values()[0]), sorted(before.values().tolist())]
    return found


def _mov(element: str) -> str:
    return element if element == "f64" else f"u{element[1:]}"


def main() -> None:
    """All of it."""
    rows = len(copies())
    target = Memory(np.zeros(rows * THREADS * VECTOR // 8, np.uint64))
    Kernel(written("\n".join(_lines()), 2))(1, THREADS, Memory(source()).address, target.address)
    told = target.values().reshape(rows, THREADS * VECTOR // 8).tolist()
    json.dump({"copies": told, "widened": widened(), "added": added()}, sys.stdout)


if __name__ == "__main__":
    main()
