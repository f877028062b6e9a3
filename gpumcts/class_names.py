"""What option classes are called in messages, and those of one name, which compiled code would take for each other."""

from typing import Any

from gpumcts.errors import BadInput

_known: dict[str, tuple[type | None, ...]] = {}
"""Classes of the arguments of each signature that a function was compiled for alone."""


def title(option: Any) -> str:
    """What messages call an option, or its class: the TITLE it has, else the name of the class.

    A game of several sizes travels into compiled code as a class for each: what a user named is their TITLE.
    """
    found = getattr(option, "TITLE", None)
    if isinstance(found, str):
        return found
    return (option if isinstance(option, type) else type(option)).__name__


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
                f"{now.__name__}: two classes have this name, {_path(before)} and {_path(now)}, and compiled code "
                "cannot tell them apart; rename your own, or use them in different processes"
            )


def _path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
