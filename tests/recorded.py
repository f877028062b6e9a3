"""What recorded commands left: ``data/digests.jsonl`` has commands and digests, ``data/folders/`` folders to resume.

Commit b863a2c made both. A row has the command, the folders that it leaves with their digests or the digest of its
standard output, and whether ``make test`` runs it (``quick``). To record further rows with some checkout:

    cd EMPTY_FOLDER && PYTHONPATH=CHECKOUT python PATH/tests/recorded.py ROWS > MORE_ROWS

ROWS has a command a line, ``quick`` or ``slow`` in front of it and its standard input as a JSON string behind ``<``.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
ROWS, FOLDERS = DATA / "digests.jsonl", DATA / "folders.jsonl"
SUMMARY = "summary.json"
KEPT = ("games.jsonl", "curve.csv", "results.jsonl", "ranks.csv", "values/*.jsonl", "sgf/*", "games.pgn")
"""Files that hold results beside the summary; which of them a folder has depends on the command."""
VOLATILE = re.compile(
    r"seconds|per_second|time|engine|threads|earlier|interrupted|device|program|longest_move|folder|file|memory"
)
"""Keys, columns and headers that tell of the machine or of the clock."""
INTERVALS = {"low", "high", "iterations_to_95"}
"""Of failure rates of synthetic trees: how intervals are computed has changed, and no result with it."""
DIGITS = 16


def rows(file: Path = ROWS) -> list[dict[str, Any]]:
    """The recorded commands, or those of the recorded folders."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def digest_of(folder: Path, totals: bool = True) -> str:
    """A digest of all that a run left in its folder and that a clock or a machine does not change.

    totals : with the work that was done, of which a kill leaves out a part
    """
    summary = steady(json.loads((folder / SUMMARY).read_text("utf-8")))
    intervals = INTERVALS if summary.keys() >= INTERVALS else set()
    left_out = intervals | (set() if totals else {"player", "opponent", "iterations"})
    found: dict[str, Any] = {SUMMARY: {key: value for key, value in summary.items() if key not in left_out}}
    for pattern in KEPT:
        for path in sorted(folder.glob(pattern)):
            found[str(path.relative_to(folder))] = _content(path, intervals)
    return digest(found)


def digest(value: Any) -> str:
    """Sixteen hexadecimal digits of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:DIGITS]


def steady(value: Any) -> Any:
    """A JSON value without the keys that are volatile."""
    if isinstance(value, dict):
        return {key: steady(inner) for key, inner in value.items() if not VOLATILE.search(key)}
    return [steady(inner) for inner in value] if isinstance(value, list) else value


def left_in(folder: Path, totals: bool = True) -> dict[str, str]:
    """The digest of every run below a folder, by its path there."""
    paths = sorted(path.parent for path in folder.rglob(SUMMARY))
    return {str(path.relative_to(folder)): digest_of(path, totals) for path in paths}


def said(text: str) -> str:
    """The digest of what a command says to a program that asks it."""
    return digest([line for line in text.splitlines() if not re.search(r"nps|time|version|^id ", line)])


def _content(path: Path, left_out: Collection[str]) -> Any:
    """What a file holds; of a table without the columns that are ``left_out``."""
    text = path.read_text("utf-8")
    if path.suffix == ".jsonl":
        return sorted(json.dumps(steady(json.loads(line))) for line in text.splitlines())
    if path.suffix == ".csv":
        heads, *lines = (line.split(",") for line in text.splitlines())
        steady_ones = [i for i, head in enumerate(heads) if not VOLATILE.search(head) and head not in left_out]
        return [[line[i] for i in steady_ones if i < len(line)] for line in (heads, *lines)]
    return [line for line in text.splitlines() if not re.search(r"\[Date|\[DT|DT\[|gpumcts", line)]


def _record(line: str, work: Path) -> dict[str, Any]:
    """A row: the command is done, by whatever checkout ``PYTHONPATH`` names, in an empty folder."""
    speed, command = line.split(" ", 1)
    command, _, given = command.partition(" < ")
    name, *words = command.split()
    row: dict[str, Any] = {"command": command, "quick": speed == "quick"}
    text = json.loads(given) if given else ""
    done = subprocess.run(
        [sys.executable, "-m", f"experiments.{name}", *words],
        input=text, capture_output=True, text=True, cwd=work, env={**os.environ, "COLUMNS": "160"},
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{command}: {done.returncode}: {done.stderr}")
    return {**row, "input": text, "said": said(done.stdout)} if given else {**row, "left": left_in(work)}


if __name__ == "__main__":
    for row_line in Path(sys.argv[1]).read_text("utf-8").splitlines():
        if row_line and not row_line.startswith("#"):
            with tempfile.TemporaryDirectory() as empty:
                print(json.dumps(_record(row_line, Path(empty))), flush=True)
