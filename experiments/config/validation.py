"""Plain values from a configuration become typed ones: types and ranges are those of the class; a mistake is one line.

A class is a ``NamedTuple`` whose fields say what they take: ``Annotated[float, Interval(gt=0, le=1)]``, ``bool``,
``str``, ``Literal[...]``, or one of these ``| None``. A field whose default is infinite may be infinite; no other may.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar, get_args

import yaml
from annotated_types import Interval

from gpumcts import validation
from gpumcts.errors import BadInput
from gpumcts.validation import Fault, hint_of, made

T = TypeVar("T")
PLAIN_WORD = re.compile(r"[\w.:*/-]+")  # stands in a list on a command line without quotes
EXACT = 2.0**53  # up to here every integer is a float of its own
RENAMED = {"yardstick": "reference"}
"""Keys by the names that they had."""
WORDS = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "text",
    type(None): "null",
    list[int]: "a list of integers, such as [0,12]",
    list[Annotated[int, Interval(ge=1, le=1_000_000)]]: "a list of integers in [1, 1000000], such as [1,100]",
    list[float]: "a list of numbers, such as [0,10]",
    list[str]: 'a list of texts, such as ["level 1"]',
    dict[str, bool | int | float | str | None]: "names with values, such as {Hash:16,Threads:1}",
}


def typed(cls: type[T], plain: Mapping[str, Any], where: str = "") -> T:
    """``plain`` as a ``cls``; ``where`` is the key it stands under (``opponent.backup``), empty at the top.

    Where an integer is wanted, ``1e3`` is one.

    Raises BadInput that names the full key, the value, and what is allowed.
    """
    plain = {key: _whole(value, hint_of(cls, key)) for key, value in plain.items()}
    value = made(cls, plain)
    if isinstance(value, Fault):
        raise _refusal(cls, plain, where, value)
    return value


def _whole(value: Any, hint: Any) -> Any:
    """``as_integer`` where an integer is wanted."""
    parts = {hint, *get_args(hint), *(part for arg in get_args(hint) for part in get_args(arg))}
    wanted = int in parts and float not in parts
    return as_integer(value) if wanted else value


def as_integer(value: Any) -> Any:
    """The integer that a number such as ``1e3`` stands for, which is read as 1000.0; another value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT else value


def group_at(plain: Any, where: str) -> Mapping[str, Any]:
    """The keys of the group ``where`` (``playout``, ``opponent.playout``), which are ``plain``.

    Raises BadInput where a choice stands in their place: ``opponent.playout=minimax`` sets the key itself, it chooses
    nothing.
    """
    if isinstance(plain, Mapping):
        return plain
    group = where.rpartition(".")[2]
    how = f"{group}@{where}={shown(plain)}" if "." in where else f"'override /{group}: {shown(plain)}' under defaults"
    raise BadInput(f"{where}={shown(plain)}: choose it as {how}")


def _refusal(cls: type, plain: Mapping[str, Any], where: str, fault: Fault) -> BadInput:
    field, hint = fault
    key = f"{where}.{field}" if where else field
    if hint is None and field in RENAMED:
        return BadInput(renamed(key))
    if hint is None:
        known = ", ".join(cls._fields) or "no keys"  # type: ignore[attr-defined]
        return BadInput(f"{key}: unknown key; {where or 'the command'} has {known}")
    value, allowed = plain.get(field), describe(hint)
    if str in (hint, *get_args(hint)) and isinstance(value, bool | int | float):
        read = f"{key}={shown(value)} is read as {_kind(value)}"
        return BadInput(f"{read}; it must be text, which is quoted twice: '{key}=\"...\"'")
    if list[str] in (hint, *get_args(hint)) and isinstance(value, str) and PLAIN_WORD.fullmatch(value):
        return BadInput(f"{key}={value}: must be a list, which stands in brackets: {key}=[{value}]")
    return BadInput(f"{key}={_as_given(value)}: must be {allowed}")


def _as_given(value: Any) -> str:
    """A value that is refused; text that reads as something else (``"4"``) in the quotes that made it text."""
    if not isinstance(value, str):
        return shown(value)
    try:
        read = yaml.safe_load(value) if PLAIN_WORD.fullmatch(value) else value
    except (yaml.YAMLError, ValueError):  # ``*x``; ``2026-13-01`` is a date to YAML, of no month
        return value
    return value if isinstance(read, str) else f'"{value}"'


def renamed(key: str) -> str:
    """The error message about a key that has another name now: ``yardstick: the key is called reference now``."""
    return f"{key}: the key is called {RENAMED[key.rpartition('.')[2]]} now"


def _kind(value: bool | int | float) -> str:
    return "true or false" if isinstance(value, bool) else "a number"


def shown(value: Any) -> str:
    """A value as one writes it on a command line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def as_typed(value: Any) -> str:
    """The same of what Hydra's configuration holds: a list without quotes, ``[win_rate,seconds]``."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return f"[{','.join(map(shown, value))}]" if is_list else shown(value)


def describe(hint: Any) -> str:
    """What a field takes, in words: ``a number in (0, 1]``, ``visits or value``, ``an integer above 0, or null``."""
    return validation.describe(hint, WORDS)
