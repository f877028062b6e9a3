"""Cells of soft traps: section 5 and Figure 2 of Ramanujan et al. 2010."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from experiments.ranking.lines import LINES
from experiments.ranking.statistics import Resampled
from experiments.reproduction.catalogue import Item, Order, Paper
from experiments.reproduction.cells import Cell, Digests
from experiments.reproduction.gathering.common import cell_of, unstated
from experiments.reproduction.gathering.positions import Line, digests_of, estimate, first_of, lines_of
from experiments.reproduction.quantities import Exact, Measured, Published, Share
from experiments.runs.results import Result
from experiments.soft_traps.summary import PRINTED, READINGS, STEPS, examples, share_among
from gpumcts.errors import BadInput
from gpumcts.match.statistics import document_interval

COUNTED = "disagree"
"""The reading of a soft trap that the paper counts games by."""
WORDS = {
    "disagree": "MM-{deep} and MM-{shallow} differ about m",
    "worse": "m is worse than it looks",
    "loses": "another move is better",
    "chosen": "Definition 1 for m",
    "any": "Definition 1 for some move",
    "trap": "m is a soft trap",
    "unseen": "... unseen by MM-{shallow}",
    "escapable": "... unseen, and another move is better",
    "avoided": "... unseen, and avoided by MM-{shallow} playouts",
}
EXAMPLES = 3
Found = tuple[str, str, Any, Any]
"""A cell before its record: name, title, what was measured, what is published."""


def trap_digests(result: Result) -> Digests:
    """Of the searches of every position, and of the first ten."""
    lines = lines_of(result.folder / LINES, result.summary["positions"])
    return digests_of(lines, first_of(lines))


def games(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Section 5: the share of games with a soft trap, a cell a Delta, and for one Delta the other readings."""
    return _cells(paper, item, results, _shares)


def avoided(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Soft traps that a search does not see and playouts of its players avoid, and examples: Figure 2."""
    return _cells(paper, item, results, _steps)


def _cells(paper: Paper, item: Item, results: Sequence[Result], found_in: Callable[..., Iterator[Found]]) -> list[Cell]:
    found = []
    for result in results:
        lines, digests = lines_of(result.folder / LINES, result.summary["positions"]), trap_digests(result)
        for name, title, measured, published in found_in(item, result, lines):
            told = title.format(**{key: result.config[key] for key in ("deep", "shallow")})
            found.append(cell_of(paper, item, name, told, [result], measured, published, _budget(result), digests))
    return found


def _budget(result: Result) -> dict[str, int | float]:
    """The depths, what decides traps and playouts, the positions, and the games where they are complete."""
    config, data = result.config, result.config["data"]
    complete = data["positions"] is None and not data["from_ply"] and data.get("to_ply") is None
    deciding = {key: result.provenance["identity"][key] for key in ("delta", "playouts")}
    own = {"depth": config["deep"], "shallow": config["shallow"], "positions": result.summary["positions"]}
    return {**own, **deciding, **({"games": result.summary["games"]} if complete else {})}


# ----------------------------------------------------------------------------------------------------- shares of games


def _shares(item: Item, result: Result, lines: Sequence[Line]) -> Iterator[Found]:
    """Shares of games by Delta, counted again from the positions."""
    value, count = PRINTED
    half = document_interval(value, count)
    printed = unstated(item, item.budget).model_copy(update={"value": value, "count": count, "half": half})
    one = _delta(result)
    for reading, shares in result.summary["shares"].items():
        for delta, told in zip(result.summary["deltas"], shares, strict=True):
            having = {line["game"] for line in lines if (READINGS[reading](line) or 0) >= delta}
            if len(having) != told["games"]:
                raise BadInput(f"{result.folder}: its positions are not those of its summary: {reading} at {delta}")
            if reading == COUNTED or delta == one:
                share = Share(hits=len(having), count=result.summary["games"])
                published = printed if reading == COUNTED else unstated(item, item.budget)
                measured = Measured(unit="rate", quantity=share)
                name = reading if reading == COUNTED else f"reading-{reading}"
                yield f"{name}-{delta}", f"Delta {delta:,}: {WORDS[reading]}", measured, published


def _delta(result: Result) -> int:
    """The Delta of what is told in words: the run's own, by its identity, where the default is the game's unit."""
    return result.provenance["identity"]["delta"]


# ------------------------------------------------------------------------------------------------------ avoided traps


def _steps(item: Item, result: Result, lines: Sequence[Line]) -> Iterator[Found]:
    """The claims of the item, the share of positions of each step, how many playouts avoid, and some of these."""
    delta, counts = _delta(result), _counts(result, lines)
    for order in item.orders:
        yield _claimed(item, order, counts, len(lines))
    for number, (name, row) in enumerate(result.summary["traps"].items(), 1):
        measured = Measured(unit="rate", quantity=estimate(len(lines), row["share"], result.folder))
        yield f"step{number}-{name}", f"{WORDS[name]}, of all positions", measured, unstated(item, item.budget)
    if counts.get("escapable") and "avoided" in counts:
        share = estimate(counts["escapable"], _avoided(lines, delta), result.folder)
        chance = Exact(number=result.summary["by_chance"] / counts["escapable"])
        measured = Measured(unit="rate", quantity=share, other=chance, names=("playouts", "a random move"))
        title = f"MM-{{shallow}} playouts avoid, of those escapable (a random move: {100 * chance.number:.0f})"
        yield "steps-avoided-of-escapable", title, measured, unstated(item, item.budget)
    for number, line in enumerate(examples([*lines], delta, EXAMPLES), 1):
        gain = Exact(number=line["playouts_deep"] - line["deep"])
        yield f"trap-{number}", _example(line), Measured(unit="evaluation", quantity=gain), unstated(item, item.budget)


def _avoided(lines: Sequence[Line], delta: int) -> list[float | None]:
    """The share of escapable traps that playouts avoid, with its interval by game."""
    avoided, escapable = (np.array([STEPS[name](line, delta) for line in lines]) for name in ("avoided", "escapable"))
    games = np.array([line["game"] for line in lines])
    found = share_among(Resampled(games), avoided, escapable, games)
    assert found is not None  # the caller has counted some
    return found


def _counts(result: Result, lines: Sequence[Line]) -> dict[str, int]:
    """Positions of each step, counted again; raises BadInput where the summary has others."""
    counts = {}
    for name, row in result.summary["traps"].items():
        counts[name] = sum(STEPS[name](line, _delta(result)) for line in lines)
        if counts[name] != row["positions"]:
            raise BadInput(f"{result.folder}: its positions are not those of its summary: {name}")
    return counts


def _claimed(item: Item, order: Order, counts: dict[str, int], count: int) -> Found:
    """A count of positions beside a bound: with none found, the claim that there are some stays open."""
    if order.first not in counts or order.value is None:
        raise BadInput(f"{item.name}: {order.cell} needs a count of the run ({', '.join(counts)}) and a value")
    published = Published(relation=order.relation, value=order.value, budget=item.budget, source=item.place)
    measured = Measured(unit="positions", quantity=Exact(number=counts[order.first]))
    title = f"of {count:,} positions, those with a soft trap {WORDS[order.first].removeprefix('... ')}"
    return order.cell, title, measured, published


def _example(line: Line) -> str:
    """A trap in a line: the position, MM-2's move and what refutes it, and the playouts' move."""
    after = " ".join(line["line"][:EXAMPLES])
    better = " ".join(line["better_line"][: EXAMPLES - 1])
    return (
        f"`{line['position']}`: MM-{{shallow}} plays {line['move']} ({after}), playouts "
        f"{line['playouts_choose']} ({better}); gain to MM-{{deep}}, in units of the evaluation"
    )
