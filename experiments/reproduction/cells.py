"""A cell of a paper's item as a file: ``results/<paper>/<item>/<cell>.json``.

Everything that can be derived (intervals, the comparison, the verdict) is derived again when a file is read, and a
check sum covers the rest, so that a file edited by hand is refused by name.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from experiments.reproduction.quantities import Measured, Number, Published, Strict
from experiments.reproduction.verdicts import Comparison, Verdict, compare, own_budget
from gpumcts.errors import BadInput
from gpumcts.whole_files import write_whole

FORMAT = 1
RESULTS = Path(__file__).parents[2] / "results"
NAME = re.compile(r"[a-z0-9][a-z0-9_.=-]*")
ORDERED = {"shallow": 1, "mid": 2, "deep": 3}
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Asked(Strict):
    """What was run.

    command : words of the command line, that is ``python -m experiments.<first word> <others>``
    keys : the resolved configuration as far as it decides results
    """

    command: list[str]
    keys: dict[str, Any]
    seed: int
    budget: dict[str, int | float]


class Where(Strict):
    """What it was run with.

    commits : those that worked on it, the last one last; a run that stops may go on with a later commit
    """

    commits: list[str]
    versions: dict[str, str]
    cpu: str
    cores: int
    engine: str
    device: str | None
    time: str


class Digests(Strict):
    """Of all games (or searches) of the cell, and of its first ten, which are cheap to make again."""

    all: Digest
    first_ten: Digest


class Shown(Strict):
    """The derived part, as it stands in the file for readers of JSON: see ``verdicts.Comparison``.

    difference_interval : null at an end that it has not; ``interval`` ends at the most that was drawn
    """

    value: Number
    interval: tuple[Number, Number]
    difference: Number | None = None
    difference_interval: tuple[Number | None, Number | None] | None = None
    margin: Number | None = None
    p_value: Number | None = None


class Cell(Strict):
    """One cell of one item of one paper.

    cell : its name, unique in its item; title : what a table calls it; explains : for an explanation that was tried, of
        which deviation
    published : what the paper says of it; of a cell of which it says nothing, the budget that it should have
    """

    format: Literal[1] = FORMAT
    paper: str
    item: str
    cell: str
    title: str
    explains: str | None = None
    asked: Asked
    measured: Measured
    published: Published
    digests: Digests
    where: Where

    @property
    def path(self) -> Path:
        """Where its file stands below ``results/``."""
        return Path(self.paper, self.item, f"{self.cell}.json")

    @property
    def verdict(self) -> Verdict:
        """The verdict, in one word."""
        found = self.comparison()
        if found is not None:
            return found.verdict
        return "unpublished" if own_budget(self.asked.budget, self.published.budget) else "reduced"

    def comparison(self) -> Comparison | None:
        """The cell beside what is published; None where nothing is that it could be compared with."""
        return compare(self.measured, self.published, self.asked.budget)

    def shown(self) -> Shown:
        """The derived part, to six digits, which every machine's libraries agree on."""
        quantity, found = self.measured.quantity, self.comparison()
        low, high = quantity.interval
        shown = Shown(value=_rounded(quantity.value), interval=(_rounded(low), _rounded(high)))
        if found is None:
            return shown
        difference, low, high, margin, p_value = (_rounded(n) if math.isfinite(n) else None for n in found[:5])
        told = {"difference": difference, "difference_interval": (low, high), "margin": margin, "p_value": p_value}
        return shown.model_copy(update=told)


def text_of(cell: Cell) -> str:
    """The file's text: the cell, the derived part, the verdict, and the check sum of it all."""
    body = cell.model_dump(mode="json")
    derived = {"shown": cell.shown().model_dump(mode="json"), "verdict": cell.verdict}
    return json.dumps({**body, **derived, "check": _check(body)}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write(cell: Cell, results: Path = RESULTS) -> Path:
    """Write a cell's file, whole or not at all; returns where."""
    if not all(NAME.fullmatch(part) for part in (cell.paper, cell.item, cell.cell)):
        raise BadInput(f"{cell.path}: names are lower-case letters, digits and _ . = -")
    path = results / cell.path
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text_of(cell).encode())
    return path


def read(path: Path, results: Path = RESULTS) -> Cell:
    """The cell in a file; raises BadInput, naming the file, where the file is damaged or was edited."""
    try:
        text = path.read_text("utf-8")
        body = json.loads(text)
        told = {key: body.pop(key, None) for key in ("check", "shown", "verdict")}
        cell = Cell.model_validate_json(json.dumps(body))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}; make the cell again") from None
    except (ValueError, AttributeError, RecursionError):
        raise BadInput(f"{path} is not a cell's file; make the cell again") from None
    if results / cell.path != path:
        raise BadInput(f"{path} holds the cell {cell.path}")
    for what, fits in (
        ("check sum", told["check"] == _check(cell.model_dump(mode="json"))),
        ("verdict", told["verdict"] == cell.verdict),
        ("derived part", _alike(told["shown"], cell.shown().model_dump(mode="json"))),
    ):
        if not fits:
            raise BadInput(f"{path}: its {what} does not fit what it holds, so it was edited; make the cell again")
    return cell


def cells_below(results: Path = RESULTS) -> Iterator[Cell]:
    """All cells, by name as people count; raises BadInput at the first file that is not as it was written."""
    for path in sorted(results.glob("*/*/*.json"), key=_natural):
        yield read(path, results)


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """A path in parts: numbers by value, the depths of plans by depth, other words by letters."""
    parts = re.findall(r"\d+|[^\d-]+", f"{path.parent.parent.name}/{path.parent.name}/{path.stem}")
    return [(0, int(part), "") if part.isdigit() else (1, ORDERED.get(part, 0), part) for part in parts]


def _rounded(number: float) -> float:
    return float(f"{number:.6g}")


def _alike(there: Any, here: Any) -> bool:
    """Whether two derived parts are the same but for the last digits."""
    if isinstance(here, dict):
        return isinstance(there, dict) and there.keys() == here.keys() and all(_alike(there[k], here[k]) for k in here)
    if isinstance(here, list):
        return isinstance(there, list) and len(there) == len(here) and all(map(_alike, there, here))
    if isinstance(here, float) and isinstance(there, float):
        return math.isclose(there, here, rel_tol=1e-4, abs_tol=1e-9)
    return there == here


def _check(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, allow_nan=False).encode()).hexdigest()
