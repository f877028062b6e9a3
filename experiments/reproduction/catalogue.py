"""The catalogue: every item of every paper, what it claims, and the runs that measure it, in the order they are worth.

One YAML file a paper, ``catalogue/<paper>.yaml``. A run is one command line; ``for`` repeats it over values that its
other words name in braces.
"""

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from experiments.reproduction.quantities import Strict
from gpumcts.errors import BadInput

CATALOGUE = Path(__file__).parent / "catalogue"


class Run(Strict):
    """One command line that measures some cells.

    cells : their names; a name that ends in ``*`` is of all cells that begin so
    command : words behind ``python -m experiments.``
    hours : core hours on one core of an AMD EPYC virtual machine, estimated or measured
    order : its place among all runs, the smallest first
    explains : the deviation that the run tries to explain, for one that is no cell of the paper's
    budget : of a run that explains, what its cells have where they are not reduced, since the paper has no budget for
        them
    again : overrides that make the first ten games or searches
    """

    cells: list[str]
    command: list[str]
    hours: Annotated[float, Field(gt=0)]
    order: float
    explains: str | None = None
    budget: dict[str, int | float] = {}
    again: list[str]

    @model_validator(mode="after")
    def _with_budget(self) -> "Run":
        if (self.explains is None) != (not self.budget):
            raise ValueError("a run has a budget where it explains something, and nowhere else")
        return self

    @property
    def name(self) -> str:
        """Its first cell's name, without the star."""
        return self.cells[0].removesuffix("*").rstrip("-")

    def owns(self, cell: str) -> bool:
        """Whether a cell is one of this run's."""
        return any(cell.startswith(name[:-1]) if name.endswith("*") else cell == name for name in self.cells)


class Order(Strict):
    """A claim in words as a comparison that code judges: a first quantity above or below a second, or a bound.

    first, second : names that the gatherer knows, of methods or counts; value : the bound, where there is no second
    relation : the claimed side; ``near`` where the two are claimed to be alike; ``unstated`` shows a comparison of
        which the paper says nothing
    factor : by how much the two may differ that are near
    """

    cell: str
    first: str
    relation: Literal["above", "below", "near", "unstated"]
    second: str | None = None
    value: float | None = None
    factor: Annotated[float, Field(gt=1)] | None = None

    @model_validator(mode="after")
    def _one_side(self) -> "Order":
        if (self.second is None) == (self.value is None):
            raise ValueError("an order has a second name or a value")
        if (self.relation == "near") != (self.factor is not None):
            raise ValueError("an order has a factor where its relation is near, and nowhere else")
        return self


class Item(Strict):
    """A table, a figure or a section of a paper.

    place : where in the paper; claim : what the paper says there
    gather : the function of ``gathering/`` that makes cells of finished runs
    runs_of : another item of the paper whose experiment makes the runs of this one
    derived_from : items of the paper whose files are all that the cells are made of; nothing is run then
    rule : how a claim in words becomes a verdict; orders : the comparisons of that rule
    budget : the paper's own, of items whose gatherer takes it from here; where the paper names none, the experiment's
    differs : what differs from the paper's set-up, and why a verdict may be what it is
    notes : what else was found that a reader needs, one sentence or two each, without figures
    """

    name: str
    title: str
    place: str
    claim: str
    gather: str
    runs_of: str | None = None
    derived_from: list[str] = []
    rule: str = ""
    orders: list[Order] = []
    budget: dict[str, int | float] = {}
    differs: str = ""
    notes: list[str] = []
    runs: list[Run]

    def owner(self, cell: str) -> Run | None:
        """The run that has a cell of this name."""
        return next((run for run in self.runs if run.owns(cell)), None)


class Paper(Strict):
    """A paper and its items, in its order."""

    name: str
    authors: str
    year: int | None
    title: str
    items: list[Item]

    @property
    def short(self) -> str:
        """Authors and year."""
        return f"{self.authors} {self.year}" if self.year else self.authors


@functools.cache
def papers() -> dict[str, Paper]:
    """All papers by name."""
    return {path.stem: _paper(path) for path in sorted(CATALOGUE.glob("*.yaml"))}


def items() -> dict[str, Item]:
    """All items by ``paper/item``."""
    return {f"{paper.name}/{item.name}": item for paper in papers().values() for item in paper.items}


def item_of(name: str) -> tuple[Paper, Item]:
    """The paper and the item of a name ``paper/item``; raises BadInput where there is none."""
    known = items()
    if name not in known:
        there = [one for one in known if one.startswith(f"{name.partition('/')[0]}/")] or list(known)
        raise BadInput(f"item={name}: must be one of {', '.join(there)}")
    return papers()[name.partition("/")[0]], known[name]


def _paper(path: Path) -> Paper:
    try:
        plain = yaml.safe_load(path.read_text("utf-8"))
        for item in plain["items"]:
            item["runs"] = [run for entry in item["runs"] for run in _spread(entry)]
        return Paper.model_validate({"name": path.stem, **plain})
    except (yaml.YAMLError, ValidationError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: {' '.join(str(error).split())}") from None


def _spread(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The runs of an entry: one for each combination of the values under ``for``, later ones later in order."""
    values = entry.pop("for", {})
    for number, chosen in enumerate(itertools.product(*values.values())):
        named = dict(zip(values, chosen, strict=True))
        run = {key: _filled(value, named) for key, value in entry.items()}
        run["cells"] = [name.replace("_", "-") for name in run["cells"]]
        run["order"] = float(run["order"]) + number / 100
        run["hours"] = float(run["hours"])
        yield run


def _filled(value: Any, named: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_filled(word, named) for word in value]
    return value.format(**named) if isinstance(value, str) and named else value
