"""Plain values from a configuration become typed ones: types and ranges are those of the class; a mistake is one line.

A class is a ``NamedTuple`` whose fields say what they take: ``Annotated[float, Interval(gt=0, le=1)]``, ``bool``,
``str``, ``Literal[...]``, or one of these ``| None``. A field whose default is infinite may be infinite; no other may.
"""

import functools
import math
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from annotated_types import Interval
from pydantic import ConfigDict, TypeAdapter, ValidationError

from gpumcts.errors import BadInput

T = TypeVar("T")
WORDS = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "text",
    list[int]: "a list of integers, such as [0,12]",
    list[str]: 'a list of texts, such as ["level 1"]',
    dict[str, bool | int | float | str | None]: "names with values, such as {Hash:16,Threads:1}",
}


@functools.cache
def _adapter(cls: type) -> TypeAdapter:
    return TypeAdapter(cls, config=ConfigDict(strict=True))


def typed(cls: type[T], plain: Mapping[str, Any], where: str = "") -> T:
    """``plain`` as a ``cls``; ``where`` is the key it stands under (``opponent.backup``), empty at the top.

    Raises BadInput that names the full key, the value, and what is allowed.
    """
    try:
        value = _adapter(cls).validate_python(dict(plain))
    except ValidationError as error:
        first = error.errors()[0]
        raise _refusal(cls, plain, where, str(first["loc"][0])) from None
    for field in cls._fields:  # type: ignore[attr-defined]
        number = getattr(value, field)
        infinite = isinstance(number, float) and not math.isfinite(number)
        if infinite and number != cls._field_defaults.get(field):  # type: ignore[attr-defined]
            raise _refusal(cls, plain, where, field)
    return value


def group_at(plain: Any, where: str) -> Mapping[str, Any]:
    """The keys of the group ``where`` (``playout``, ``opponent.playout``), which are ``plain``.

    Raises BadInput where a choice stands in their place: ``opponent.playout=minimax`` sets the key itself, and chooses nothing.
    """
    if isinstance(plain, Mapping):
        return plain
    group = where.rpartition(".")[2]
    how = f"{group}@{where}={shown(plain)}" if "." in where else f"'override /{group}: {shown(plain)}' under defaults"
    raise BadInput(f"{where}={shown(plain)}: choose it as {how}")


def _refusal(cls: type, plain: Mapping[str, Any], where: str, field: str) -> BadInput:
    key = f"{where}.{field}" if where else field
    hints = get_type_hints(cls, include_extras=True)
    if field not in hints:
        known = ", ".join(cls._fields) or "no keys"  # type: ignore[attr-defined]
        return BadInput(f"{key}: unknown key; {where or 'the command'} has {known}")
    value, allowed = plain.get(field), describe(hints[field])
    if str in (hints[field], *get_args(hints[field])) and isinstance(value, bool | int | float):
        read = f"{key}={shown(value)} is read as {_kind(value)}"
        return BadInput(f"{read}; it must be text, which is quoted twice: '{key}=\"...\"'")
    return BadInput(f"{key}={shown(value)}: must be {allowed}")


def _kind(value: bool | int | float) -> str:
    return "true or false" if isinstance(value, bool) else "a number"


def shown(value: Any) -> str:
    """A value as one writes it on a command line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def describe(hint: Any) -> str:
    """What a field takes, in words: ``a number in (0, 1]``, ``visits or value``, ``an integer above 0, or null``."""
    origin = get_origin(hint)
    if origin is Annotated:
        base, *details = get_args(hint)
        bounds = next((detail for detail in details if isinstance(detail, Interval)), None)
        return describe(base) + (_range(bounds) if bounds else "")
    if origin is Literal:
        *most, last = map(str, get_args(hint))
        return f"{', '.join(most)} or {last}" if most else last
    if origin in (Union, types.UnionType):
        return ", or ".join("null" if part is type(None) else describe(part) for part in get_args(hint))
    return WORDS.get(hint, getattr(hint, "__name__", str(hint)))


def _range(bounds: Interval) -> str:
    low, high = (bounds.ge if bounds.gt is None else bounds.gt), (bounds.le if bounds.lt is None else bounds.lt)
    if high is None:
        return f" of at least {low}" if bounds.gt is None else f" above {low}"
    if low is None:
        return f" of at most {high}" if bounds.lt is None else f" below {high}"
    return f" in {'[' if bounds.gt is None else '('}{low}, {high}{']' if bounds.lt is None else ')'}"
