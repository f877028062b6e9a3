"""Records of games (SGF, PGN) from files."""

import codecs
import os
import re
import stat
from pathlib import Path
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.games.contract import Record, parse_nth_record

MAX_BYTES = 1 << 26
CODING = re.compile(rb"CA\[([\w.:-]{1,40})\]")
"""Where SGF names its character set."""
TWO_BYTES = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""What a file of UTF-16 begins with, as editors of Windows write it."""


def read_record(game: Any, path: str, plies: int | None = None, number: int = 1) -> Record:
    """Game number ``number`` in a file, up to so many moves or all of them.

    Raises BadInput that names the file, and what is wrong where.
    """
    content = read_text(path)
    try:
        return parse_nth_record(game, content, number, plies)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def read_text(path: str) -> str:
    """The text of a file of games, up to 64 MiB. Raises BadInput that names the file where it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{path} cannot be read: {why}") from None
    if len(content) > MAX_BYTES:
        raise BadInput(f"{path} cannot be read: it has more than {MAX_BYTES >> 20} MiB")
    return _decoded(content)


def is_pipe(path: str) -> bool:
    """Whether a file is a pipe, which a reader may wait for without end."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _decoded(content: bytes) -> str:
    """UTF-16 by its mark; else by the character set that the file names, else UTF-8, else Latin-1, which all is."""
    if content.startswith(TWO_BYTES):
        return content.decode("utf-16", "replace")
    found = CODING.search(content[:10_000])
    for coding in ([found[1].decode("ascii")] if found else []) + ["utf-8"]:
        try:
            if codecs.lookup(coding)._is_text_encoding:
                return content.decode(coding)
        except (LookupError, ValueError):
            continue
    return content.decode("latin-1")
