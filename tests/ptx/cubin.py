"""What a cubin says of its kernel: registers and local memory, from the linker's attributes in its ELF sections."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

INFO = ".nv.info"
WORDS = 4  # the format of an attribute with a size and words behind it; others have two bytes
REGISTERS, STACK = 0x2F, 0x12  # EIATTR_REGCOUNT and EIATTR_MIN_STACK_SIZE, each with a symbol and a number


class Resources(NamedTuple):
    """Registers of a thread, and bytes of its local memory."""

    registers: int
    local: int


def resources(cubin: bytes) -> Resources:
    """What the one kernel of a cubin takes. Raises ValueError where the attributes are not there."""
    found: dict[int, int] = {}
    for name, section in _sections(cubin):
        if name == INFO:
            found.update(_attributes(section))
    if REGISTERS not in found:
        raise ValueError("a cubin does not say how many registers its kernel takes")
    return Resources(found[REGISTERS], found.get(STACK, 0))


def _sections(elf: bytes) -> Iterator[tuple[str, bytes]]:
    if elf[:5] != b"\x7fELF\x02":
        raise ValueError("a cubin is no 64-bit ELF file")
    table, (size, count, names) = struct.unpack_from("<Q", elf, 40)[0], struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    strings = headers[names][4]
    for name, kind, _, _, offset, length in headers:
        begin = strings + name
        text = elf[begin : elf.index(b"\0", begin)].decode()
        if kind != 8:  # a section without bytes in the file
            yield text, elf[offset : offset + length]


def _attributes(section: bytes) -> Iterator[tuple[int, int]]:
    """Of each attribute of a symbol: its code and its number."""
    at = 0
    while at + 4 <= len(section):
        kind, code, size = struct.unpack_from("<BBH", section, at)
        at += 4
        if kind == WORDS:
            if size == 8:
                yield code, struct.unpack_from("<II", section, at)[1]
            at += size
