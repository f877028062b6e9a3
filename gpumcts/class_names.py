"""Option classes of one name in one process, which compiled code would take for each other."""

from typing import Any

from gpumcts.errors import BadInput

_known: dict[str, tuple[type | None, ...]] = {}
"""Classes of the arguments of each signature that a function was compiled for alone."""


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
