"""Every instruction that makes a value: against Python's integers, fractions and doubles, edges included."""

import json
import math

import pytest

from tests.ptx.instructions import VALUES
from tests.ptx.reference import UNSPECIFIED, double, reference
from tests.ptx.running import python

POISONS = (0xA5A5A5A5A5A5A5A5, 0x5A5A5A5A5A5A5A5A)


@pytest.fixture(scope="module")
def results(emulator):
    """Operands and results of every instruction, by its mnemonic; the results under two poisons."""
    done = python("-m", "tests.ptx.arithmetic", timeout=900)
    assert done.code == 0, done.errors[-2000:]
    return json.loads(done.output)


@pytest.mark.parametrize("mnemonic", VALUES)
def test_value(results, mnemonic):
    columns, *runs = results[mnemonic]
    expected = [reference(mnemonic)(*words) for words in zip(*columns, strict=True)]
    assert len(set(expected)) > 1, "operands that tell nothing"
    for poison, found in zip(POISONS, runs, strict=True):
        for words, wanted, got in zip(zip(*columns, strict=True), expected, found, strict=True):
            assert same(mnemonic, wanted, got, poison), (words, wanted, got)


def same(mnemonic, wanted, got, poison):
    """Whether a result is the one expected: any NaN for a NaN, the poison of the run where nothing is specified."""
    entry = VALUES[mnemonic]
    if wanted is UNSPECIFIED:
        return got == poison % 2 ** int(entry.result[1:])
    if entry.result == "f64" and math.isnan(double(wanted)):
        return math.isnan(double(got))
    return got == wanted
