"""Rules and verbs run in plain Python here, where the wrap-around of 64-bit words is meant and not worth a warning."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def wrapping_words():
    """No warnings about uint64 arithmetic modulo 2^64."""
    with np.errstate(over="ignore"):
        yield


@pytest.fixture(autouse=True)
def small_batches_are_shared(monkeypatch):
    """Threads share batches that are too small to gain by it: what they find has to be right all the same."""
    monkeypatch.setattr("gpumcts.tree.host.team.MIN_TEAM_PLAYOUTS", 2)
