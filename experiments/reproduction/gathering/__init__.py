"""From finished runs to cells: a module for each kind of run, a function for each kind of item."""

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

from experiments.config.amounts import BUDGET, Changes
from experiments.config.scales import DOCUMENT
from experiments.config.validation import shown
from experiments.reproduction.catalogue import Item, Paper
from experiments.reproduction.cells import Cell
from experiments.runs.results import Result, below
from gpumcts.errors import BadInput

Gather = Callable[[Paper, Item, Sequence[Result]], list[Cell]]


def gather(paper: Paper, item: Item, folder: Path, scale: str | None = None) -> list[Cell]:
    """The cells of the finished runs of an item in a folder and below it.

    scale : that of the runs where there are several; None for the paper's own, or whichever there is
    Raises BadInput where there is no such run, or no cell, and for a run that is not as the item has it.
    """
    name = f"{paper.name}/{item.name}"
    mine = [result for result in below(folder) if _is_of(result, paper, item)]
    done = [result for result in mine if result.finished and not result.summary.get("interrupted")]
    if not done:
        raise BadInput(f"{folder}: no finished run of {name}")
    some = _of_one_scale(done, scale)
    if not some:
        raise BadInput(f"{folder}: no finished run of {name} with scale={scale}")
    for result in some:
        if others := _others(result, paper, item):
            told = ", ".join(f"{key}={shown(ours)} (of the item: {shown(theirs)})" for key, (ours, theirs) in others)
            raise BadInput(f"{result.folder} is no run of {name}: {told}")
    if not (found := gatherer(item)(paper, item, some)):
        raise BadInput(f"{folder}: the finished runs of {name} give no cell")
    return found


def gatherer(item: Item) -> Gather:
    """The function that an item names, ``module:function``."""
    module, _, function = item.gather.partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), function)


def _is_of(result: Result, paper: Paper, item: Item) -> bool:
    told = result.config.get("document") or result.config.get("figure")
    return told in (f"{paper.name}/{item.name}", f"{paper.name}/{item.runs_of}")


def _of_one_scale(results: Sequence[Result], scale: str | None) -> list[Result]:
    """The runs of a scale, and those whose experiment has none: all scales of a run work in one folder."""
    scales = [result.config.get("scale") for result in results]
    wanted = scale or (DOCUMENT if DOCUMENT in scales else None)
    return [result for result, own in zip(results, scales, strict=True) if wanted is None or own in (None, wanted)]


def _others(result: Result, paper: Paper, item: Item) -> list[tuple[str, list]]:
    """What a command line changed that no run of the item does, so that a cell would be of something else.

    A cell says how many games, trees or runs it is of, and of a match how many iterations; of trees, iterations are
    where their curves end. Of a group's choice, ``playout@opponent.playout=uniform``, the record has the place alone.
    """
    runs = [run for one in paper.items if one.name in (item.name, item.runs_of) for run in one.runs]
    named = {word.partition("=")[0].rpartition("@")[2] for run in runs for word in run.command}
    ends: Changes = {}
    if result.program == "trees":
        ends = {key: pair for key, pair in result.changes.items() if BUDGET in key.split(".")[:-1]}
    return [(key, pair) for key, pair in {**result.departures, **ends}.items() if key not in named]
