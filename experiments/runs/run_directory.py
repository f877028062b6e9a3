"""The folder of a run: its name, whether it can be used, and the three files every run leaves in it.

``config.yaml``      the resolved configuration
``provenance.json``  what is needed to do it again: versions, commit, device, seed, command line, and the run's identity
``summary.json``     the result
"""

import hashlib
import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.config.json_files import read_json
from experiments.config.schema import Checked
from gpumcts.compiling.own_sources import changed
from gpumcts.errors import BadInput

CONFIG, PROVENANCE, SUMMARY = "config.yaml", "provenance.json", "summary.json"
WORK = "work.json"  # of a run that goes on: what its processes have measured
SWEEP = "sweep.json"  # of the folder of a sweep
DIGITS = 10
ADVICE = "; remove it, and the command that made the folder writes it anew"  # on a damaged summary or record of a sweep


@dataclass(frozen=True)
class Run:
    """Where a run works: its folder, its number among those of a sweep (from 1), and what sets it apart there."""

    folder: Path
    number: int = 1
    of: int = 1
    label: str = ""


def read_summary(folder: Path) -> dict[str, Any]:
    """The summary of a run; raises BadInput, and says what to do, where it is damaged."""
    return read_json(folder / SUMMARY, ADVICE)


def digest(value: Any) -> str:
    """Ten hexadecimal digits of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:DIGITS]


def folder_name(config: Checked, apart: Mapping[str, Any] | None = None) -> str:
    """What a run's folder is called: readable, then the digest of what decides the result.

    apart : keys that decide none, with their values, by which runs of a sweep are told apart
    """
    readable = re.sub(r"[^A-Za-z0-9.=]+", "_", config.slug)[:60].strip("_")
    values = "".join(f"-{key}={_short(value)}" for key, value in (apart or {}).items())
    return f"{readable}-{digest(config.identity)}{values}"


def _short(value: Any) -> str:
    """A JSON value in the name of a file: as it is where it is a short word or a number, else its digest."""
    if isinstance(value, dict) and set(value) == {"name"}:  # of a group that has no other keys
        value = value["name"]
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 40 and 40.0 are one number of games
    text = value if isinstance(value, str) else json.dumps(value)
    return text if re.fullmatch(r"[A-Za-z0-9_.]{1,30}", text) else digest(value)


def check_folder(folder: Path, config: Checked, program: str) -> None:
    """Raise BadInput where ``folder`` cannot be written or holds another run. Leaves nothing behind.

    program : the command that is to work there, as ``match``
    """
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        raise BadInput(f"the folder {folder} cannot be made: {existing} is a file")
    try:
        with tempfile.TemporaryDirectory(dir=existing):
            pass
    except OSError as error:
        raise BadInput(f"the folder {folder} cannot be written: {error.strerror}") from None
    if not (folder / PROVENANCE).exists():
        return
    try:
        record = json.loads((folder / PROVENANCE).read_text("utf-8"))
        known, before = record["identity"], record.get("program", program)
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(f"{folder / PROVENANCE} cannot be read; choose another folder") from None
    if before != program:
        raise BadInput(f"{folder} holds a run of experiments.{before}; choose another folder for experiments.{program}")
    difference = _first_difference(known, json.loads(json.dumps(config.identity)))
    if difference is not None:
        key, there, here = difference
        if line := changed(key, folder, there):
            raise BadInput(line)
        raise BadInput(f"{key}={here} differs from the run in {folder}, where it is {there}; choose another folder")


def _first_difference(there: Any, here: Any, key: str = "") -> tuple[str, str, str] | None:
    from gpumcts.match.journal import first_difference

    return first_difference(there, here, key)
