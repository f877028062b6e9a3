"""What the tests of configurations share."""

import pytest

from experiments.app.hydra_speed import quicken


@pytest.fixture(autouse=True, scope="module")
def quick_hydra():
    """As every command has it."""
    quicken()
