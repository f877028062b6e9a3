"""What becomes of a file: the damage that commands have to name."""


def damage_to(whole: bytes) -> list[bytes]:
    """Another kind of file, an empty one, some cut at various lengths, and one with a byte changed within."""
    middle = len(whole) // 2
    changed = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    return [b"no archive", b"", whole[:100], whole[:middle], whole[:-1], changed]
