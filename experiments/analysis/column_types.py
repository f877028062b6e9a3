"""The types of a table's columns: what the classes of the keys state, so that tables of different sweeps fit together.

A sweep in which a key is null throughout has the same column as one in which it is a number.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from experiments.config.budgets import Budget
from experiments.config.schema import Study
from experiments.players.registry import kind_of
from experiments.runs.presentation import presentation_of
from experiments.runs.results import Result
from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.tree.settings import Settings
from gpumcts.validation import hint_of

CONFIG, RUN = "config.", "run."
WHOLE = ("run.threads", "run.seed", "config.data.games", "config.data.positions", "config.data.to_ply")
"""Columns of whole numbers whose class is not at hand: of a run's record, and of positions, whose module is heavy."""


def types_of(results: Iterable[Result]) -> dict[str, type]:
    """The types of the columns ``config.*`` of some runs, by their names: bool, int, float or str.

    Where runs have options that take a key in several types, it is that which all of them fit.
    """
    hints: dict[str, set[type]] = {}
    for result in results:
        for prefix, cls in _classes(result):
            for field in cls._fields:  # type: ignore[attr-defined]
                hints.setdefault(prefix + field, set()).update(_kinds(hint_of(cls, field)))
    return {name: _widest(kinds) for name, kinds in hints.items()}


def column(name: str, values: Sequence[Any], stated: type | None) -> tuple[list[Any], type | None]:
    """The values of a column as one type, and that type where it has to be said; ``stated`` is that of the class.

    Values that do not fit what is stated, as those of an earlier commit, have a type of their own.
    """
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return list(values), stated or _of_nothing(name)
    if stated is float and kinds <= {int, float}:
        return _each(values, float), float
    if stated is int and kinds <= {int, float} and all(value is None or float(value).is_integer() for value in values):
        return _each(values, int), int
    if stated is str:
        return _each(values, str), str
    if len(kinds) == 1:
        return list(values), None
    return _each(values, float if kinds <= {int, float} else str), None


def _of_nothing(name: str) -> type:
    """The type of a column without a value, of which no class says more: in summaries null stands for a number."""
    if name.startswith((CONFIG, RUN)):
        return int if name in WHOLE else str
    return float


def _each(values: Sequence[Any], kind: type) -> list[Any]:
    return [None if value is None else kind(value) for value in values]


def _classes(result: Result) -> Iterator[tuple[str, type]]:
    """The classes of the keys of a run, each with what stands before its fields in a column's name."""
    for cls in (presentation_of(result.program).keys, Study):
        if cls is not None:
            yield CONFIG, cls
    known = {"budget": Budget, "search": Settings}
    opponent = result.config.get("opponent")
    for prefix, plain in (("", result.config), ("opponent.", opponent if isinstance(opponent, Mapping) else {})):
        groups = {group: plain[group] for group in (*known, *options.FOLDERS, "player") if group in plain}
        for group, values in groups.items():
            cls = (known.get(group) or _named(group, values.get("name"))) if isinstance(values, Mapping) else None
            if cls is not None:
                yield f"{CONFIG}{prefix}{group}.", cls


def _named(group: str, name: Any) -> type | None:
    """The class of an option or of a player's keys; None where it has none, or its module was moved since."""
    try:
        return None if name is None else kind_of(name).keys if group == "player" else options.option(group, name)
    except BadInput:
        return None


def _kinds(hint: Any) -> set[type]:
    """The types of a table's columns that values of an annotation may have; null has none."""
    origin = get_origin(hint)
    if origin is Annotated:
        return _kinds(get_args(hint)[0])
    if origin in (Union, UnionType):
        return {kind for part in get_args(hint) for kind in _kinds(part)}
    if hint is type(None):
        return set()
    return {hint} if hint in (bool, int, float) else {str}  # lists and names are text


def _widest(kinds: set[type]) -> type:
    if len(kinds) == 1:
        return next(iter(kinds))
    return float if kinds == {int, float} else str
