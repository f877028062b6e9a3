"""Faults planted in gpumcts' kernels and in what drives them are caught: by the emulator, or by another result."""

import pytest

from tests.ptx.kernel_faults import FAULTS, by_emulator, planted

QUICK = ("missing_atomic",)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FAULTS]
)
def test_planted_fault(emulator, name):
    assert by_emulator(FAULTS[name])


@pytest.mark.parametrize("name", FAULTS)
def test_text_is_there(name):
    """A fault is planted at one place: whoever rewrites that, plants it anew."""
    with planted(FAULTS[name]):
        pass
