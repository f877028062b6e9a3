"""Values for the fields of an option: types and ranges are those that its class states.

A class is a ``NamedTuple`` whose fields say what they take: ``Annotated[float, Interval(gt=0, le=1)]``, ``bool``,
``str``, ``Literal[...]``, or one of these ``| None``. A field whose default is infinite may be infinite; no other may.
"""

import functools
import math
import operator
import types
from collections.abc import Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    SupportsFloat,
    SupportsIndex,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from annotated_types import Interval

from gpumcts.errors import BadInput

MAX_SEED = 2**64 - 1
MAX_SAID = 200  # characters of a value that a message repeats
WORDS: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "True or False",
    str: "text",
    type(None): "None",
}


FIELDS = "a number, bool, str, or a tuple of these"


class Fault(NamedTuple):
    """The first field that a value is wrong for; ``hint`` is its annotation, None where the class has no such field."""

    field: str
    hint: Any = None


@functools.cache
def _adapter(cls: type) -> Any:
    from pydantic import ConfigDict, TypeAdapter  # importing the library needs no pydantic

    return TypeAdapter(cls, config=ConfigDict(strict=True))


def _field_adapter(hint: Any) -> Any:
    """What checks the values of a field; None where its type is, or holds, a class that pydantic cannot check."""
    from pydantic import ConfigDict, PydanticSchemaGenerationError, TypeAdapter

    try:
        return TypeAdapter(hint, config=ConfigDict(strict=True))
    except PydanticSchemaGenerationError:
        return None


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    """What the fields take. Raises BadInput where a type is text that names nothing."""
    try:
        return get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise BadInput(f"{cls.__module__}: the type of a field: {error}") from None


def check_fields(cls: type) -> None:
    """Refuse an option's class with a field that changes in place: options are keys, and code has no memory for lists.

    A default that the field itself would refuse is a mistake as well. Raises BadInput.
    """
    for field, hint in _hints(cls).items():
        plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        kind = get_origin(plain) or plain
        if (isinstance(kind, type) and kind.__hash__ is None) or _field_adapter(hint) is None:
            raise BadInput(f"{cls.__module__}: field {field}: {describe(plain)} is no type of a field: take {FIELDS}")
    defaults: Mapping[str, Any] = cls._field_defaults  # type: ignore[attr-defined]
    for field, default in defaults.items():
        if not _takes(_hints(cls)[field], default):
            must = describe(_hints(cls)[field])
            raise BadInput(f"{cls.__module__}: field {field}: its default is {said(default)}: must be {must}")


def _takes(hint: Any, value: Any) -> bool:
    """Whether a field takes a value."""
    from pydantic import ValidationError

    try:
        _field_adapter(hint).validate_python(_plain(value))
    except ValidationError:
        return False
    return True


def hint_of(cls: type, field: str) -> Any:
    """What a field takes, as its class annotates it; None where there is no such field."""
    return _hints(cls).get(field)


def made(cls: type, values: Mapping[str, Any]) -> Any:
    """The ``cls`` of ``values`` by field, or the ``Fault`` that prevents it."""
    from pydantic import ValidationError

    hints = _hints(cls)
    try:
        value = _adapter(cls).validate_python(dict(values))
    except ValidationError as error:
        fields = [str(fault["loc"][0]) for fault in error.errors()]
        field = next((name for name in fields if name not in hints), fields[0])  # a key misspelt is also a key missed
        return Fault(field, hints.get(field))
    defaults: Mapping[str, Any] = cls._field_defaults  # type: ignore[attr-defined]
    for field in cls._fields:  # type: ignore[attr-defined]
        number = getattr(value, field)
        if isinstance(number, float) and not math.isfinite(number) and number != defaults.get(field):
            return Fault(field, hints[field])
    return value


def checked(cls: type, values: Mapping[str, Any], where: str) -> Any:
    """The ``cls`` of ``values`` by field; NumPy's numbers count as Python's.

    Raises BadInput in one line that names ``where.field``, the value, and what is allowed.
    """
    plain = {name: _plain(value) for name, value in values.items()}
    value = made(cls, plain)
    if not isinstance(value, Fault):
        return value
    if value.hint is None:
        known = ", ".join(cls._fields) or "none"  # type: ignore[attr-defined]
        raise BadInput(f"{where}.{value.field}: unknown parameter; {where} has {known}")
    raise BadInput(f"{where}.{value.field}={said(plain.get(value.field))}: must be {describe(value.hint)}")


def _plain(value: Any) -> Any:
    """NumPy's number as Python's; an array of several is left to be refused."""
    return value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value


def said(value: Any) -> str:
    """A value as a message has it, on one line of at most MAX_SAID characters."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return "(too many digits to show)"
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= MAX_SAID else text[: MAX_SAID - 3] + "..."


def describe(hint: Any, words: Mapping[Any, str] = WORDS) -> str:
    """What a field takes, in words: ``a number in (0, 1]``, ``visits or value``, ``an integer above 0, or None``."""
    origin = get_origin(hint)
    if origin is Annotated:
        base, *details = get_args(hint)
        bounds = next((detail for detail in details if isinstance(detail, Interval)), None)
        return describe(base, words) + (_range(bounds) if bounds else "")
    if origin is Literal:
        *most, last = map(str, get_args(hint))
        return f"{', '.join(most)} or {last}" if most else last
    if origin in (Union, types.UnionType):
        return ", or ".join(describe(part, words) for part in get_args(hint))
    return words.get(hint, getattr(hint, "__name__", str(hint)))


def _plainly(bound: Any) -> Any:
    """A bound without a fraction of nothing: 1000000 for 1000000.0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _range(bounds: Interval) -> str:
    low = _plainly(bounds.ge if bounds.gt is None else bounds.gt)
    high = _plainly(bounds.le if bounds.lt is None else bounds.lt)
    if high is None:
        return f" of at least {low}" if bounds.gt is None else f" above {low}"
    if low is None:
        return f" of at most {high}" if bounds.lt is None else f" below {high}"
    return f" in {'[' if bounds.gt is None else '('}{low}, {high}{']' if bounds.lt is None else ')'}"


def integer(name: str, value: SupportsIndex, least: int, most: int) -> int:
    """``value`` as an int in [least, most]; raises BadInput that names the argument and the range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not least <= number <= most:
        upper = "2^64 - 1" if most == MAX_SEED else most
        raise BadInput(f"{name}={said(value)}: must be an integer in [{least}, {upper}]")
    return number


def check_real(name: str, value: SupportsFloat) -> None:
    """Refuse what is no finite number. Raises BadInput that names the argument."""
    try:
        finite = isinstance(value, SupportsFloat) and math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):  # an array of several, or an integer beyond every float
        finite = False
    if isinstance(_plain(value), bool | str | bytes) or not finite:
        raise BadInput(f"{name}={said(value)}: must be a finite number")


def seed_of(value: SupportsIndex) -> int:
    """A seed, 0 to 2^64 - 1; raises BadInput."""
    return integer("seed", value, 0, MAX_SEED)
