"""Names of option classes: in messages, and in compiled code for a user's own classes.

Numba knows a class by its name: compiled code for one class can be taken for that of another of the same name, in one
process and from the disk cache. So a user's own class gets a name that is its alone before anything is compiled for it.
"""

import functools
import hashlib
import threading
from collections.abc import Iterable
from typing import Any, get_type_hints

import numpy as np

from gpumcts.compiling.own_sources import Version, is_extended, is_own, version_of
from gpumcts.errors import BadInput

DIGITS = 8

_known: dict[str, tuple[type | None, ...]] = {}
"""Classes of the arguments of each signature that a function was compiled for alone."""
_written: dict[type, str] = {}
"""The names of users' own classes, as they are written."""
_taken: dict[str, int] = {}
"""How many classes have got a name."""
_admitting = threading.Lock()
_looked_at: dict[type, tuple[bool, bool]] = {}
"""Whether classes are users' own, and whether their values may hold tuples: every call of compiled code asks."""
PLAIN = {np.ndarray, int, float, bool}
NONE: frozenset[type] = frozenset()


def title(option: Any) -> str:
    """What messages call an option, or its class: the TITLE it has, else the name of the class as it is written.

    A game of several sizes travels into compiled code as a class for each: what a user named is their TITLE.
    """
    found = getattr(option, "TITLE", None)
    return found if isinstance(found, str) else name_as_written(option if isinstance(option, type) else type(option))


def name_as_written(kind: type) -> str:
    """The name of a class as it is written in its source."""
    return _written.get(kind, kind.__name__)


@functools.cache
def admit(kind: type) -> bool:
    """Give a user's own class of values a name that no other has; False for all other classes.

    Before it is asked for its numba type. The name has a digest of the class's module and source, so that another
    version and another module's class have another one. Messages and ``repr`` go on with the name as it is written.
    """
    if not hasattr(kind, "_fields") or not is_own(kind):
        return False
    version = version_of(kind)  # before the lock: it reads files
    with _admitting:
        if kind not in _written:
            _rename(kind, version)
    return True


def _rename(kind: type, version: Version) -> None:
    name = kind.__name__
    plain: Any = kind.__repr__
    text = repr((kind.__module__, kind.__qualname__, version.sources, version.constants))
    unique = f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:DIGITS]}"
    _taken[unique] = number = _taken.get(unique, 0) + 1
    _written[kind] = name
    kind.__name__ = unique if number == 1 else f"{unique}_{number}"

    def shown(value: Any) -> str:
        return plain(value).replace(type(value).__name__, name_as_written(type(value)), 1)

    kind.__repr__ = shown  # type: ignore[method-assign]


def own_classes(values: Iterable[Any]) -> frozenset[type]:
    """The users' own classes of values and of what is in them, and those of the library with bodies of users' own.

    The users' own have names of their own then.

    values : Python values, or their numba types
    """
    found: set[type] = set()
    for value in values:
        if isinstance(value, tuple):
            _collect(value, found)
        elif hasattr(value, "instance_class"):
            _collect_typed(value, found)
    return frozenset(found) if found else NONE


def _collect(value: tuple, found: set[type]) -> None:
    kind = type(value)
    if kind not in _looked_at:
        _looked_at[kind] = admit(kind), not _is_plain(kind)
    own, may_hold_tuples = _looked_at[kind]
    if own or is_extended(kind):
        found.add(kind)
    if may_hold_tuples:
        for inner in value:
            if isinstance(inner, tuple):
                _collect(inner, found)


def _is_plain(kind: type) -> bool:
    """Whether values of a class of the library hold arrays and numbers alone, by its annotations."""
    return not is_own(kind) and hasattr(kind, "_fields") and set(get_type_hints(kind).values()) <= PLAIN


def _collect_typed(kind: Any, found: set[type]) -> None:
    if admit(kind.instance_class) or is_extended(kind.instance_class):
        found.add(kind.instance_class)
    for inner in getattr(kind, "types", ()):
        if hasattr(inner, "instance_class"):
            _collect_typed(inner, found)


def check_signature(signature: Any) -> None:
    """Refuse a signature (numba's) that another one equals but for a class of the same name.

    A function that is handed over as a value has a type made of the names of its arguments' types, and numba keeps one
    such type for each name: the first class would stand for the second. Raises BadInput naming both.
    """
    classes = tuple(getattr(kind, "instance_class", None) for kind in signature.args)
    there = _known.setdefault(str(signature), classes)
    for before, now in zip(there, classes, strict=True):
        if before is not None and now is not None and before is not now:
            raise BadInput(
                f"{name_as_written(now)}: two classes have this name, {_path(before)} and {_path(now)}, and compiled "
                "code cannot tell them apart; rename your own, or use them in different processes"
            )


def _path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
