"""Rules and verbs run in plain Python here, where the wrap-around of 64-bit words is meant and not worth a warning."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def wrapping_words():
    """No warnings about uint64 arithmetic modulo 2^64."""
    with np.errstate(over="ignore"):
        yield
