"""Structs of arrays: what the fields of a NamedTuple say, and the arrays made from it."""

import doctest
from typing import Annotated, NamedTuple

import numpy as np
import pytest

from gpumcts import struct_of_arrays
from gpumcts.struct_of_arrays import Array, allocate, bytes_per_row
from gpumcts.tree.forest import PER_NODE, Forest, Layout, bytes_per_slot, empty_forest
from gpumcts.tree.iteration.batch import empty_batch
from gpumcts.tree.roots import Roots


class Mixed(NamedTuple):
    counts: Annotated[np.ndarray, Array("counts", "slots")]
    pairs: Annotated[np.ndarray, Array(np.int16, "slots", 2)]
    single: Annotated[np.ndarray, Array(np.float64)]


def test_its_example():
    names = vars(struct_of_arrays)
    (example,) = doctest.DocTestFinder(recurse=False).find(struct_of_arrays, globs=dict(names))
    assert doctest.DocTestRunner().run(example) == (0, 4)


def test_arrays_are_what_the_fields_say():
    made = allocate(Mixed, (2, 3), {"slots": 5}, {"counts": np.dtype(np.int8)})
    assert [(a.dtype.name, a.shape) for a in made] == [
        ("int8", (2, 3, 5)),
        ("int16", (2, 3, 5, 2)),
        ("float64", (2, 3)),
    ]
    assert 6 * bytes_per_row(Mixed, {"slots": 5}, {"counts": np.dtype(np.int8)}) == sum(a.nbytes for a in made)


def test_a_length_without_a_number_is_an_error():
    with pytest.raises(KeyError, match="slots"):
        allocate(Mixed, (1,), {}, {"counts": np.dtype(np.int8)})


@pytest.mark.parametrize("solve", [False, True])
@pytest.mark.parametrize("unobserved", [False, True])
def test_memory_of_a_slot_is_what_a_forest_of_many_takes(solve, unobserved):
    layout = Layout(2, 40, solve, unobserved)
    few, many = (empty_forest(3, slots, layout) for slots in (10, 110))
    more = sum(a.nbytes for a in many) - sum(a.nbytes for a in few)
    assert more == 3 * 100 * bytes_per_slot(layout)


def test_the_first_arrays_of_a_forest_and_no_others_have_a_place_a_node():
    few, many = (empty_forest(1, slots, Layout(1, 9, solve=True, counts_unobserved=True)) for slots in (10, 20))
    grown = [name for name, a, b in zip(Forest._fields, few, many, strict=True) if a.shape != b.shape]
    assert tuple(grown) == Forest._fields[:PER_NODE]


def test_arrays_come_from_who_is_asked():
    asked = []

    def zeros(shape, dtype):
        asked.append((shape, np.dtype(dtype).name))
        return np.zeros(shape, dtype)

    empty_batch(4, words=2, depth=7, columns=0, zeros=zeros)
    assert asked[:3] == [((4, 2), "uint64"), ((4,), "uint64"), ((4, 7), "int32")] and ((4, 0), "int64") in asked
    allocate(Roots, (3,), {"words": 2}, zeros=zeros)
    assert asked[-4:] == [((3, 2), "uint64"), ((3,), "uint64"), ((3,), "int64"), ((3,), "float64")]
