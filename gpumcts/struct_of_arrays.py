"""Structs of arrays: a NamedTuple whose fields declare type and shape of their arrays once.

>>> from typing import Annotated, NamedTuple
>>> class Points(NamedTuple):
...     place: Annotated[np.ndarray, Array(np.float64, "axes")]
...     number: Annotated[np.ndarray, Array(np.int32)]
>>> allocate(Points, (10,), {"axes": 3}).place.shape
(10, 3)
>>> bytes_per_row(Points, {"axes": 3})
28
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np

Struct = TypeVar("Struct", bound=tuple)


class Array:
    """What the array of a field holds: the types of elements, and the axes behind those that all arrays begin with.

    dtype : numpy's, or the name of one that depends on the use
    lengths : of the axes, by name or as numbers
    """

    def __init__(self, dtype: Any, *lengths: str | int) -> None:
        self._dtype, self._lengths = dtype, lengths

    def dtype(self, dtypes: Mapping[str, np.dtype]) -> np.dtype:
        """The type of an element, where ``dtypes`` has those that depend on the use."""
        return dtypes[self._dtype] if isinstance(self._dtype, str) else np.dtype(self._dtype)

    def lengths(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The lengths of the axes, where ``sizes`` has those with names."""
        return tuple(sizes[length] if isinstance(length, str) else length for length in self._lengths)


@cache
def arrays_of(kind: type) -> dict[str, Array]:
    """What the arrays of a struct hold, by the names of its fields and in their order."""
    return {name: get_args(hint)[1] for name, hint in get_type_hints(kind, include_extras=True).items()}


def allocate(
    kind: type[Struct],
    leading: tuple[int, ...],
    sizes: Mapping[str, int],
    dtypes: Mapping[str, np.dtype] | None = None,
    zeros: Callable = np.zeros,
) -> Struct:
    """A struct whose arrays begin with the axes ``leading``; each is made by ``zeros(shape, dtype)``."""
    own = tuple(dtypes.items()) if dtypes else ()
    return kind(*[zeros(leading + axes, dtype) for axes, dtype in _axes_and_types(kind, tuple(sizes.items()), own)])


@lru_cache(maxsize=1024)
def _axes_and_types(
    kind: type, sizes: tuple[tuple[str, int], ...], dtypes: tuple[tuple[str, np.dtype], ...]
) -> list[tuple[tuple[int, ...], np.dtype]]:
    """Of every array; kept, since working it out takes as long as some twenty iterations of a search."""
    lengths, types = dict(sizes), dict(dtypes)
    return [(array.lengths(lengths), array.dtype(types)) for array in arrays_of(kind).values()]


def bytes_per_row(kind: type, sizes: Mapping[str, int], dtypes: Mapping[str, np.dtype] | None = None) -> int:
    """Memory of one place of the leading axes, over all arrays of a struct."""
    arrays = arrays_of(kind).values()
    return sum(array.dtype(dtypes or {}).itemsize * int(np.prod(array.lengths(sizes))) for array in arrays)
