"""What tests of the emulator need: gcc and the packages that compile kernels. CI must have them and skips none."""

import pytest

from tests.ptx.running import missing


@pytest.fixture(scope="session")
def emulator():
    """Skips, with what is missing, where the emulator cannot be built; fails in CI."""
    check_emulator()


def check_emulator():
    """The same of any test."""
    problem, in_ci = missing()
    if problem and in_ci:
        pytest.fail(f"CI lacks {problem}", pytrace=False)
    if problem:
        pytest.skip(f"{problem} not installed")
