"""The tests of ``tests/patience.txt`` are marked ``slow``: each takes seconds, and others of its kind are quick.

A test that takes patience by its nature has the mark where it stands. The file is for cases among many, by what a run
with an empty cache measured: most of it is compiling, for one more pair of a game and an operator. A line is a test's
name as pytest has it; a test that is no longer there is refused.
"""

from pathlib import Path

import pytest

FILE = Path(__file__).with_suffix(".txt")
NAMES = frozenset(line for line in FILE.read_text("utf-8").splitlines() if line and not line.startswith("#"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark them before tests are chosen by mark."""
    found = {item.nodeid: item for item in items}
    for name in NAMES & found.keys():
        found[name].add_marker(pytest.mark.slow)
    if any("::" in word for word in config.args):
        return  # single tests were asked for
    files = {name.partition("::")[0] for name in found}
    gone = sorted(name for name in NAMES - found.keys() if name.partition("::")[0] in files)
    if gone:
        raise pytest.UsageError(f"{FILE.name}: there is no test {gone[0]}")
