"""What methods say of moves of positions, kept by method: judging ranks otherwise, or adding a method, loses none.

``values/NAME-DIGEST.jsonl`` has a line for each position, with the method's definition, of which the digest is made.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.ranking.lines import Lines
from experiments.ranking.methods import Valued
from experiments.ranking.positions import Position
from experiments.runs.run_directory import digest
from gpumcts.errors import BadInput

VALUES = "values"


def values_file(folder: Path, name: str, definition: Mapping[str, Any]) -> Path:
    """Where a run's folder has the values of a method of this definition."""
    readable = re.sub(r"[^A-Za-z0-9]+", "_", name)[:60]
    return folder / VALUES / f"{readable}-{digest(definition)}.jsonl"


class Values:
    """The values of a run's methods on its positions: those in its folder, and those that are added.

    definitions : of each method, JSON values that decide what it says

    Raises BadInput where a file is not of these methods and positions.
    """

    def __init__(self, folder: Path, boards: Sequence[Position], definitions: Mapping[str, Mapping[str, Any]]) -> None:
        self.folder, self._boards = folder / VALUES, boards
        self.folder.mkdir(exist_ok=True)
        self._definitions = {name: json.loads(json.dumps(own)) for name, own in definitions.items()}
        self._lines = {name: self._read(name) for name in definitions}

    def _read(self, name: str) -> Lines:
        definition = self._definitions[name]
        path = values_file(self.folder.parent, name, definition)
        lines = Lines(path, self._boards)
        for record in lines.found.values():
            if record.get("method") != definition:
                raise BadInput(f"{path}: position {record['number']} is not of method.{name}; remove the file")
        return lines

    def missing(self, number: int) -> list[str]:
        """The methods that have not said anything of a position."""
        return [name for name, lines in self._lines.items() if number not in lines.found]

    def done(self) -> int:
        """How many positions all methods have judged."""
        return sum(not self.missing(number) for number in range(len(self._boards)))

    def add(self, name: str, number: int, valued: Valued) -> None:
        """What a method says of a position, written at once."""
        board = self._boards[number]
        record = {
            "number": number, "game": board.game, "ply": board.ply, "position": board.text,
            "method": self._definitions[name], "values": valued.values.tolist(), "seconds": valued.seconds,
            "nodes": valued.nodes, "curve": _listed(valued.curve), "curve_seconds": _listed(valued.curve_seconds),
            "distinct": _listed(valued.distinct),
        }  # fmt: skip
        self._lines[name].add(record)

    def of(self, number: int, points: Mapping[str, list[int]]) -> dict[str, Any]:
        """All that is said of a position, by method; ``points`` are the numbers of playouts behind each curve."""
        said = {name: lines.found[number] for name, lines in self._lines.items()}
        board = self._boards[number]
        return {
            "number": number, "game": board.game, "ply": board.ply, "title": board.title, "position": board.text,
            "values": {name: one["values"] for name, one in said.items()},
            "seconds": {name: one["seconds"] for name, one in said.items()},
            "nodes": {name: one["nodes"] for name, one in said.items() if one["nodes"]},
            "curves": {
                name: {"points": points[name], "values": one["curve"], "seconds": one["curve_seconds"]}
                for name, one in said.items()
                if one["curve"] is not None
            },
            "distinct": {name: one["distinct"] for name, one in said.items() if one["distinct"] is not None},
        }  # fmt: skip


def _listed(array: Any) -> Any:
    return None if array is None else array.tolist()
