"""Records of games (SGF) from files."""

import codecs
import re
from pathlib import Path
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.games.contract import Record, parse_record

MOST_BYTES = 1 << 26
CODING = re.compile(rb"CA\[([\w.:-]{1,40})\]")
"""Where SGF names its character set."""


def read_record(game: Any, path: str, plies: int | None = None) -> Record:
    """The game in a file, up to so many moves or all of them; raises BadInput that names the file, and what is wrong where."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{path} cannot be read: {why}") from None
    if len(content) > MOST_BYTES:
        raise BadInput(f"{path} cannot be read: it has more than {MOST_BYTES >> 20} MiB")
    try:
        return parse_record(game, _decoded(content), plies)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def _decoded(content: bytes) -> str:
    """By the character set that the file names, else UTF-8, else Latin-1, which everything is."""
    found = CODING.search(content[:10_000])
    for coding in ([found[1].decode("ascii")] if found else []) + ["utf-8"]:
        try:
            if codecs.lookup(coding)._is_text_encoding:
                return content.decode(coding)
        except (LookupError, ValueError):
            continue
    return content.decode("latin-1")
