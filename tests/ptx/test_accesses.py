"""Every load and store moves the bytes it should, and no others; narrow elements are widened as their type says."""

import json
import struct

import numpy as np
import pytest

from tests.ptx.accesses import ELEMENTS, THREADS, VECTOR, copies, source
from tests.ptx.instructions import MEMORY
from tests.ptx.reading import BYTES
from tests.ptx.reference import signed
from tests.ptx.running import python


@pytest.fixture(scope="module")
def told(emulator):
    """What ``accesses`` prints."""
    done = python("-m", "tests.ptx.accesses", timeout=900)
    assert done.code == 0, done.errors[-2000:]
    return json.loads(done.output)


def test_copies_move_their_bytes_alone(told):
    sources = source().view(np.uint8).reshape(THREADS, VECTOR)
    for (element, count, first, second), words in zip(copies(), told["copies"], strict=True):
        size = count * BYTES[element]
        expected = np.zeros((THREADS, VECTOR), np.uint8)
        expected[:, :size] = sources[:, :size]
        found = np.array(words, np.uint64).view(np.uint8).reshape(THREADS, VECTOR)
        assert (found == expected).all(), (element, count, first, second)


def test_copies_use_every_load_and_store():
    used = {(element, count) for element, count, *_ in copies()}
    assert used == {(access.element, access.count) for access in MEMORY.values() if access.verb != "add"}


def test_narrow_elements_are_widened(told):
    firsts = source().reshape(THREADS, -1)[:, 0].tolist()
    assert set(told["widened"]) == set(ELEMENTS) - {"f64"}
    for element, found in told["widened"].items():
        width = int(element[1:])
        narrow = [word % 2**width for word in firsts]
        assert found == [(signed(word, width) if element[0] == "s" else word) % 2**64 for word in narrow], element


def test_additions(told):
    assert set(told["added"]) == {name for name, access in MEMORY.items() if access.verb == "add"}
    for mnemonic, (after, before) in told["added"].items():
        double = mnemonic.endswith("f64")
        values = [_word(1.5 * k) if double else 3 * k for k in range(7)]
        assert after == values[6], mnemonic
        assert before == (sorted(values[:6]) if mnemonic.startswith("atom") else [0] * 6), mnemonic


def _word(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]
