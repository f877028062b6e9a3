"""The benchmark of playouts."""

import itertools

import pytest

from benchmarks import playouts
from benchmarks.measure import Contender


@pytest.mark.parametrize(("seconds", "units"), [(1.5, 20), (0.001, 1500), (100.0, 1)])
def test_a_turn_of_slow_playouts_is_short(monkeypatch, seconds, units):
    clock, asked = itertools.count(), []
    monkeypatch.setattr(playouts.time, "perf_counter", lambda: seconds * next(clock))
    monkeypatch.setattr(playouts, "TURN_SECONDS", 30.0)
    assert playouts._within_a_turn(Contender("minimax", asked.append, 1500)).units == units
    assert asked == [1, 1]
