"""From finished runs to cells: a module for each kind of run, a function for each kind of item."""

import importlib
from collections.abc import Callable, Sequence

from experiments.reproduction.catalogue import Item, Paper
from experiments.reproduction.cells import Cell
from experiments.runs.results import Result

Gather = Callable[[Paper, Item, Sequence[Result]], list[Cell]]


def gatherer(item: Item) -> Gather:
    """The function that an item names, ``module:function``."""
    module, _, function = item.gather.partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), function)
