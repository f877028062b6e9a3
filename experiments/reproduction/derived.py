"""Cells that are made of the files of other items alone: shares of draws, one table beside another.

Nothing is run for them. Each has the keys of what it was made of by ``item/cell``, and its digests: a later commit
makes the same cell of the same files, and ``--check`` says where the files have changed since.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from experiments.reproduction.catalogue import Item, Paper, papers
from experiments.reproduction.cells import Asked, Cell, Digests, cells_below
from experiments.reproduction.gathering import gatherer
from experiments.reproduction.gathering.common import digest_of_lines
from experiments.reproduction.quantities import Measured, Published
from gpumcts.errors import BadInput

Derive = Callable[[Paper, Item, Sequence[Cell]], list[Cell]]


def derived(paper: Paper, item: Item, results: Path) -> list[Cell]:
    """The cells that an item's files give; raises BadInput where there is none yet."""
    sources = [
        cell
        for cell in cells_below(results)
        if cell.paper == paper.name and cell.item in item.derived_from and cell.explains is None
    ]
    make: Derive = gatherer(item)  # type: ignore[assignment]
    found = make(paper, item, sources)
    if not found:
        raise BadInput(f"{paper.name}/{item.name}: is made of the cells of {', '.join(item.derived_from)}; run these")
    return found


def every_derived(results: Path) -> Iterator[Cell]:
    """The cells of all such items that have something to be made of."""
    for paper in papers().values():
        for item in paper.items:
            if item.derived_from:
                try:
                    yield from derived(paper, item, results)
                except BadInput:
                    continue  # none of its sources was run


def cell_from(
    item: Item, sources: Sequence[Cell], name: str, title: str, measured: Measured, published: Published
) -> Cell:
    """A cell made of some others, the first of which gives the command, the seed, the budget and the machine."""
    first = sources[0]
    keys = {f"{cell.item}/{cell.cell}": cell.asked.keys for cell in sources}
    commits = dict.fromkeys(commit for cell in sources for commit in cell.where.commits)
    return Cell(
        paper=first.paper,
        item=item.name,
        cell=name,
        title=title,
        asked=Asked(command=first.asked.command, keys=keys, seed=first.asked.seed, budget=_least(sources)),
        measured=measured,
        published=published,
        digests=Digests(**{key: joined([getattr(c.digests, key) for c in sources]) for key in Digests.model_fields}),
        where=first.where.model_copy(update={"commits": list(commits)}),
    )


def _least(sources: Sequence[Cell]) -> dict[str, int | float]:
    """The budget that all of them have at least."""
    shared = set.intersection(*(set(cell.asked.budget) for cell in sources))
    return {
        name: min(cell.asked.budget[name] for cell in sources) for name in sources[0].asked.budget if name in shared
    }


def sources_of(cell: Cell) -> list[Path]:
    """The files below ``results/`` that a derived cell was made of; none for a cell that was measured."""
    item = next((one for one in papers()[cell.paper].items if one.name == cell.item), None)
    if item is None or not item.derived_from:
        return []
    return [Path(cell.paper, f"{name}.json") for name in cell.asked.keys]


def joined(digests: Sequence[str]) -> str:
    """The digest of one source, or of several in order."""
    return digests[0] if len(digests) == 1 else digest_of_lines(digests)
