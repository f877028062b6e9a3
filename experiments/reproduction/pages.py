"""Pages for people, generated from ``results/``: one a paper, and a first page with all verdicts."""

import math
import shlex
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from experiments.reproduction.catalogue import Item, Paper, Run, papers
from experiments.reproduction.cells import RESULTS, Cell, cells_below
from experiments.reproduction.page_plots import drawn, in_order, write_plots
from experiments.reproduction.quantities import AnyQuantity, Measured, OpenEnded, Points
from experiments.reproduction.verdicts import LINEAR, MARGIN, RATES
from gpumcts.match.statistics import holm

DOCS = Path(__file__).parents[2] / "docs" / "papers"
TEMPLATES = Path(__file__).parent / "templates"
WIDTH = 120
NO_END = "no end"
LEVEL = 0.05
DIGITS = {"rate": 1, "rate difference": 1, "correlation": 2, "slope": 3}
"""Decimals of a difference, of a rate in per cent."""
INDEX = "README.md"
JUDGED = ("agrees", "differs", "open")


class Verdicts(NamedTuple):
    """What the cells of an item come to.

    judged : how many cells at the paper's own budget have each verdict; reduced : cells at another budget
    tried : cells of explanations; word : the item's verdict
    """

    judged: Counter
    reduced: int
    tried: int
    word: str


class ItemPage(NamedTuple):
    """An item as its page shows it."""

    item: Item
    cells: list[Cell]
    explanations: list[Cell]
    verdicts: Verdicts
    adjusted: dict[str, float]
    missing_hours: float


def verdict_of(cells: Sequence[Cell], complete: bool) -> tuple[str, dict[str, float]]:
    """An item's verdict, and the p values of its judged cells, Holm-corrected as one table.

    ``differs`` where a cell differs with an adjusted p below 0.05; ``agrees`` where every cell of the paper's agrees
    and none is missing; ``open`` otherwise. Where no cell is judged: ``reduced``, ``unpublished``, or ``not run``
    without any cell.
    """
    judged = [cell for cell in cells if cell.verdict in JUDGED]
    if not judged:
        words = {cell.verdict for cell in cells}
        return next((word for word in ("reduced", "unpublished") if word in words), "not run"), {}
    compared = [cell.comparison() for cell in judged]
    values = holm([found.p_value for found in compared if found is not None])
    adjusted = {cell.cell: value for cell, value in zip(judged, values, strict=True)}
    if any(cell.verdict == "differs" and adjusted[cell.cell] < LEVEL for cell in judged):
        return "differs", adjusted
    if complete and all(cell.verdict in ("agrees", "unpublished") for cell in cells):
        return "agrees", adjusted
    return "open", adjusted


def waiting_of(item: Item, cells: Sequence[Cell]) -> list[Run]:
    """The runs of an item without a cell at the paper's own budget."""
    return [run for run in item.runs if not any(run.owns(cell.cell) and cell.verdict != "reduced" for cell in cells)]


def page_of(item: Item, cells: Sequence[Cell], sources_wait: bool = False) -> ItemPage:
    """What the page of an item shows of the cells that have files.

    sources_wait : whether runs are missing of the items that it is made of, so that cells are missing
    """
    own = in_order(item, [cell for cell in cells if cell.explains is None])
    tried = [cell for cell in cells if cell.explains is not None]
    waiting = waiting_of(item, cells)
    complete = not sources_wait and not [run for run in waiting if run.explains is None]
    word, adjusted = verdict_of(own, complete)
    judged = Counter(cell.verdict for cell in own if cell.verdict in JUDGED)
    reduced = sum(cell.verdict == "reduced" for cell in own)
    hours = sum(run.hours for run in waiting)
    return ItemPage(item, own, tried, Verdicts(judged, reduced, len(tried), word), adjusted, hours)


def generate(results: Path = RESULTS, docs: Path = DOCS) -> dict[Path, str]:
    """The text of every page, by its path."""
    known: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells_below(results):
        known.setdefault((cell.paper, cell.item), []).append(cell)

    def cells_of(paper: Paper, item: Item) -> list[Cell]:
        return known.get((paper.name, item.name), [])

    pages = [
        (paper, [page_of(item, cells_of(paper, item), _sources_wait(paper, item, cells_of)) for item in paper.items])
        for paper in papers().values()
    ]
    environment = _environment()
    texts = {docs / INDEX: environment.get_template("index.md.j2").render(pages=pages, margin=MARGIN)}
    for paper, shown in pages:
        texts[docs / f"{paper.name}.md"] = environment.get_template("paper.md.j2").render(paper=paper, pages=shown)
    return texts


def _sources_wait(paper: Paper, item: Item, cells_of: Callable[[Paper, Item], list[Cell]]) -> bool:
    """Whether an item is made of items of which runs are missing."""
    sources = [one for one in paper.items if one.name in item.derived_from]
    return any(run.explains is None for one in sources for run in waiting_of(one, cells_of(paper, one)))


def write_pages(results: Path = RESULTS, docs: Path = DOCS) -> list[Path]:
    """Write all pages and their plots; returns where."""
    texts = generate(results, docs)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [*texts, *write_plots(results, docs)]


# ---------------------------------------------------------------------------------------------------------- in words


def value_text(quantity: AnyQuantity, unit: str) -> str:
    """A quantity with its 95 % interval: ``51.0 [47.9, 54.1]`` (per cent), ``1,234 [1,100, 1,368]``.

    One that was not reached: ``over 1,000``, or ``over 1,000 [900, no end]``.
    """
    low, high = quantity.interval
    if isinstance(quantity, OpenEnded):
        middle = number_text(quantity.value, unit)
        middle = f"over {middle}" if quantity.number is None else middle
        return middle if quantity.number is None and low == high else f"{middle} [{number_text(low, unit)}, {NO_END}]"
    if low == high:
        return number_text(quantity.value, unit)
    return f"{number_text(quantity.value, unit)} [{number_text(low, unit)}, {number_text(high, unit)}]"


def number_text(value: float, unit: str) -> str:
    """A number of a unit: rates in per cent with one decimal, others with as many digits as they bear."""
    if unit in RATES:
        return f"{100 * value:.1f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def published_text(cell: Cell) -> str:
    """What the paper says of a cell."""
    published, unit = cell.published, cell.measured.unit
    if published.relation in ("equals", "unstated"):
        if published.value is None:
            return ""
        half = f" ± {number_text(published.half, unit)}" if published.count else ""
        return f"{number_text(published.value, unit)}{half}"
    against = cell.measured.names[1] if cell.measured.names else number_text(published.value or 0.0, unit)
    return f"{published.relation} {against}"


def difference_text(cell: Cell) -> str:
    """Ours less the paper's with its 95 % interval, a factor where ratios count; empty where that has no end at all."""
    found = cell.comparison()
    if found is None or found.low == found.high or (math.isinf(found.low) and math.isinf(found.high)):
        return ""
    if cell.measured.unit in LINEAR:
        scale = 100 if cell.measured.unit in RATES else 1
        digits = DIGITS[cell.measured.unit]
        middle, low, high = (f"{scale * end:+.{digits}f}" for end in found[:3])
    else:
        middle, low, high = (_factor_text(end) for end in found[:3])
    return f"{middle} [{low}, {high}]"


def _factor_text(logarithm: float) -> str:
    return f"x {math.exp(logarithm):.2f}" if math.isfinite(logarithm) else NO_END


def without_text(cell: Cell, cells: Sequence[Cell]) -> str:
    """What stands without an explanation: what its cell measured beside it, or that cell of ``cells`` it changes."""
    if cell.measured.other is not None:
        return value_text(cell.measured.other, cell.measured.unit)
    changed = next((one for one in cells if cell.cell.startswith(f"{one.cell}-")), None)
    return value_text(changed.measured.quantity, changed.measured.unit) if changed else ""


def count_text(measured: Measured) -> str:
    """How many games or searches, and how they came out where that is known."""
    quantity = measured.quantity
    if isinstance(quantity, Points):
        return f"{quantity.count:,} (+{quantity.wins} ={quantity.draws} -{quantity.losses})"
    return f"{quantity.count:,}"


def command_text(words: Sequence[str]) -> str:
    """The command line of a run, quoted for a POSIX shell."""
    return shlex.join(["python", "-m", f"experiments.{words[0]}", *words[1:]])


def commits_text(cells: Sequence[Cell]) -> str:
    """Where the cells were measured: commits, machines, engines."""
    commits = ", ".join(
        f"`{name}`" for name in dict.fromkeys(name[:7] for cell in cells for name in cell.where.commits)
    )
    machines = ", ".join(dict.fromkeys(f"{cell.where.device or cell.where.cpu}" for cell in cells))
    return f"Commit {commits}; {machines}; seed {', '.join(map(str, sorted({c.asked.seed for c in cells})))}."


def wrapped(words: str, first: str = "", others: str = "") -> str:
    """A paragraph of Markdown, or an entry of a list."""
    told = " ".join(words.split())
    return textwrap.fill(
        told, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )


def _environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    filters: dict[str, Any] = {
        "wrap": wrapped,
        "bullet": lambda words: wrapped(words, "- ", "  "),
        "published": published_text,
        "without": without_text,
        "difference": difference_text,
        "counted": count_text,
        "drawn": drawn,
        "command": command_text,
        "commits": commits_text,
        "ours": lambda cell: value_text(cell.measured.quantity, cell.measured.unit),
    }
    environment.filters.update(filters)
    return environment
