"""Compiled steps are made once in a process: numba lets go of none, so each anew would be memory for good."""

from typing import Any

import pytest
from numba import types

import gpumcts as g
from gpumcts import jit
from gpumcts.compiling import cache

BOXES = g.make("dots_and_boxes", rows=1, columns=2)


def step(x):
    return x + 1


def made(kind: Any = types.int64):
    return jit.separate(step, kind(kind), "a step")


def test_a_step_is_made_once_for_its_types_and_folder(tmp_path, monkeypatch):
    whole, real = made(), made(types.float64)
    assert made() is whole and made(types.float64) is real and whole is not real
    monkeypatch.setattr(cache, "folder", lambda classes=frozenset(): tmp_path)
    assert made() is not whole


@pytest.mark.parametrize("settings", [{}, {"table": 16}, {"leaves_per_tree": 64}])
def test_a_search_of_a_known_kind_compiles_and_loads_nothing(settings, monkeypatch):
    found = [_visits(g.Search(BOXES, threads=2, engine="cpu", **settings))]
    monkeypatch.delattr(jit, "cfunc")
    found.append(_visits(g.Search(BOXES, threads=2, engine="cpu", **settings)))
    assert found[0] == found[1]


def _visits(search):
    return search(g.start(BOXES), 200).visits[0].tolist()
