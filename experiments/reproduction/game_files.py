"""Files of games that a run of the catalogue needs and the repository does not carry.

The catalogue and the results have its name alone, ``data.pgn=gm_games.pgn``. Where it lies is a matter of the machine:
the folder of the environment variable ``GPUMCTS_DATA``, or the one where the command is run.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpumcts.errors import BadInput

VARIABLE = "GPUMCTS_DATA"
KEY = "data.pgn="
QUOTES = "'\""


def folder() -> Path:
    """Where files of games lie on this machine: an absolute path, since a command may run in another folder."""
    return Path(os.environ.get(VARIABLE) or Path.cwd()).absolute()


def lacking(words: Sequence[str]) -> Path | None:
    """The first file that a command names and that is not there; None where all are."""
    places = (_place(word) for word in words if word.startswith(KEY))
    return next((place for place in places if not place.is_file()), None)


def placed(words: Sequence[str]) -> list[str]:
    """The words of a command with the places of its files; raises BadInput where one is not there."""
    missing = lacking(words)
    if missing is not None:
        raise BadInput(f"{KEY}{missing.name}: {missing} is not there; set {VARIABLE} to the folder that has it")
    return [f"{KEY}{quoted(_place(word))}" if word.startswith(KEY) else word for word in words]


def quoted(path: Path) -> str:
    """A path as Hydra takes it on a command line, whatever letters it has."""
    text = re.sub(r"(\\*)'", r"\1\1\\'", str(path))  # within quotes backslashes count before a quote alone
    behind = len(text) - len(text.rstrip("\\"))
    return f"'{text}{behind * chr(92)}'"


def unplaced_word(word: str) -> str:
    """A word of a command with the name of its file in place of where it lay."""
    return f"{KEY}{Path(word.removeprefix(KEY).strip(QUOTES)).name}" if word.startswith(KEY) else word


def unplaced_keys(keys: Mapping[str, Any]) -> dict[str, Any]:
    """A run's identity with the name of its file likewise; the digest of its content stands beside it."""
    data = keys.get("data")
    if not isinstance(data, Mapping) or not data.get("pgn"):
        return dict(keys)
    return {**keys, "data": {**data, "pgn": Path(data["pgn"]).name}}


def _place(word: str) -> Path:
    return folder() / word.removeprefix(KEY)
