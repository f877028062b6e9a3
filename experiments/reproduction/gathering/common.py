"""What every cell takes from the record of its run."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.papers.ramanujan2010understanding.searches import Mean as Moments
from experiments.papers.ramanujan2010understanding.searches import mean_of
from experiments.reproduction.catalogue import Item, Order, Paper
from experiments.reproduction.cells import Asked, Cell, Digests, Where
from experiments.reproduction.game_files import unplaced_keys, unplaced_word
from experiments.reproduction.quantities import AnyQuantity, Estimate, Mean, Measured, OpenEnded, Published
from experiments.runs.results import Result
from experiments.terminal.console import counted
from gpumcts.errors import BadInput

FIRST = 10
"""Games or searches whose digest is kept apart, to be made again."""


def cell_of(
    paper: Paper, item: Item, name: str, title: str, runs: Sequence[Result],
    measured: Measured, published: Published | None, budget: dict[str, int | float], digests: Digests,
) -> Cell:  # fmt: skip
    """A cell of one run, or of several that are compared with each other, the first of which gives its record.

    ``published`` is None where the paper says nothing of it. Raises BadInput where the catalogue has no budget either:
    of a cell that is checked against none nobody could tell that it was measured with less.
    """
    record, run = runs[0].provenance, item.owner(name)
    if run is not None and run.explains is not None:
        published = unstated(item, run.budget)
    if published is None:
        raise BadInput(f"{item.name}: {name} has no figure in the paper and no budget in the catalogue")
    keys = {run.label: unplaced_keys(run.provenance["identity"]) for run in runs}
    return Cell(
        paper=paper.name,
        item=item.name,
        cell=name,
        title=title,
        explains=None if run is None else run.explains,
        asked=Asked(
            command=_command(record["command"]),
            keys=keys[runs[0].label] if len(runs) == 1 else keys,
            seed=record["seed"] or 0,
            budget=budget,
        ),
        measured=measured,
        published=published,
        digests=digests,
        where=Where(commits=_commits(runs), **{key: record[key] for key in Where.model_fields if key != "commits"}),
    )


def unstated(item: Item, budget: dict[str, int | float]) -> Published:
    """What is checked against a cell of which the paper says nothing: a budget, with less than which it is reduced."""
    return Published(relation="unstated", budget=budget, source=item.place)


def reached(
    count: int, number: float | None, low: float | None, high: float | None, most: float
) -> Estimate | OpenEnded:
    """A figure with its interval, where None lies beyond the most that was drawn: then the interval has no end."""
    if number is None or high is None:
        value = most if number is None else number
        return OpenEnded(count=count, number=number, low=min(value if low is None else low, value), most=most)
    return Estimate(count=count, number=number, low=min(number if low is None else low, number), high=max(high, number))


def mean_of_all(found: Moments) -> Mean:
    """The mean of some searches as a quantity; raises BadInput for fewer than two, which give it no interval."""
    if found.count < 2:
        raise BadInput(f"{counted(found.count, 'search', 'searches')} that ended: no interval of a mean; take more")
    return Mean(count=found.count, mean=found.mean, deviation=found.deviation)


def mean_within(times: np.ndarray, horizon: float) -> Mean | OpenEnded:
    """The mean of times (float64[S], infinite beyond the horizon), in iterations.

    A search beyond the horizon counts as the horizon. The mean is then less than it should be, by what nobody knows, so
    that its interval has a lower end alone.
    """
    return censored(mean_of_all(mean_of(times.clip(max=horizon))), int((times > horizon).sum()), horizon)


def censored(mean: Mean, beyond: int, horizon: float) -> Mean | OpenEnded:
    """A mean from which ``beyond`` searches are missing, or in which they count as the horizon; see ``mean_within``."""
    if not beyond:
        return mean
    number = None if mean.mean >= horizon else mean.mean
    return OpenEnded(count=mean.count, number=number, low=mean.interval[0], most=horizon)


def published_of_order(item: Item, order: Order, other: AnyQuantity | None = None) -> Published:
    """What an order claims, at its item's budget; ``other`` is the quantity of its second name."""
    value = None if order.relation == "unstated" else order.value
    half = 0.0 if order.factor is None or other is None else (order.factor - 1) * other.value
    return Published(relation=order.relation, value=value, half=half, budget=item.budget, source=item.place)


def _commits(runs: Sequence[Result]) -> list[str]:
    """All commits that worked on some runs, in order."""
    every = [name for run in runs for name in (*run.earlier_commits, run.provenance["commit"]) if name]
    return list(dict.fromkeys(every))


def _command(words: list[str]) -> list[str]:
    """The words of the command line without threads, its folder, and where its file of games lay."""
    first = words[0].removesuffix(".py")
    kept = (word for word in words[1:] if not word.startswith(("hydra.", "threads=", "memory_gb=")))
    return [first, *map(unplaced_word, kept)]


def digest_of(arrays: Sequence[np.ndarray], rows: int | None = None) -> str:
    """sha256 over arrays with their dtypes and shapes; over their first ``rows`` rows where that is given."""
    text = hashlib.sha256()
    for array in arrays:
        some = np.ascontiguousarray(array if rows is None else array[:rows])
        text.update(f"{some.dtype.str}{some.shape}".encode())
        text.update(some.tobytes())
    return text.hexdigest()


def digest_of_lines(lines: Sequence[str]) -> str:
    """sha256 over lines, as a match's own digest is made."""
    text = hashlib.sha256()
    for line in lines:
        text.update(f"{line}\n".encode())
    return text.hexdigest()


def of_both(digests: Sequence[Digests]) -> Digests:
    """The digests of runs that are compared: over theirs, in order."""
    if len(digests) == 1:
        return digests[0]
    joined: dict[str, Any] = {
        key: digest_of_lines([getattr(one, key) for one in digests]) for key in Digests.model_fields
    }
    return Digests(**joined)
