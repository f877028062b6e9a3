"""A file of JSON lines, one a finished position, that a killed run goes on with."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.ranking.positions import Position
from gpumcts.errors import BadInput

LINES = "results.jsonl"


class Lines:
    """The finished positions of a run: those of its file, and those that are added.

    A line that was cut short by a kill is dropped. Raises BadInput where a line is another position's, or none.
    """

    def __init__(self, path: Path, boards: Sequence[Position]) -> None:
        self._path = path
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        self.found: dict[int, dict[str, Any]] = {}
        for number, line in enumerate(whole.splitlines(), 1):
            record = self._read(line, number)
            board = boards[record["number"]] if 0 <= record["number"] < len(boards) else None
            if board is None or board.text != record["position"]:
                raise BadInput(f"{path}, line {number}: not a position of this run; remove the file, or the folder")
            self.found[record["number"]] = record
        if len(whole) < len(content):
            os.truncate(path, len(whole))  # written anew, all lines would be lost on a full disk

    def _read(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line)
            return {**record, "number": int(record["number"]), "position": str(record["position"])}
        except (ValueError, KeyError, TypeError):
            raise BadInput(
                f"{self._path}, line {number}: damaged; remove the line, and the run makes it again"
            ) from None

    def add(self, record: dict[str, Any]) -> None:
        """One more, written at once."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        self.found[record["number"]] = record

    @property
    def in_order(self) -> list[dict[str, Any]]:
        """All of them by number."""
        return [self.found[number] for number in sorted(self.found)]
