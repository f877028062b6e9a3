"""Which tests are slow is a list beside them: what it names is marked, and a name that is gone is refused."""

from types import SimpleNamespace

import pytest

from tests import patience


def items(*names):
    marks = {name: [] for name in names}
    return [SimpleNamespace(nodeid=name, add_marker=marks[name].append) for name in names], marks


def collected(names, asked=("tests",)):
    found, marks = items(*names)
    patience.pytest_collection_modifyitems(SimpleNamespace(args=list(asked)), found)
    return [name for name in names if [mark.name for mark in marks[name]] == ["slow"]]


@pytest.fixture(autouse=True)
def listed(monkeypatch):
    monkeypatch.setattr(patience, "NAMES", frozenset({"tests/test_a.py::test_one[2]"}))


def test_those_of_the_list_are_slow():
    names = ["tests/test_a.py::test_one[1]", "tests/test_a.py::test_one[2]", "tests/test_b.py::test_two"]
    assert collected(names) == ["tests/test_a.py::test_one[2]"]


def test_a_name_that_is_gone_is_refused():
    with pytest.raises(pytest.UsageError, match=r"^patience\.txt: there is no test tests/test_a\.py::test_one\[2\]$"):
        collected(["tests/test_a.py::test_one[1]"])


@pytest.mark.parametrize(
    ("names", "asked"),
    [(["tests/test_b.py::test_two"], ["tests"]), (["tests/test_a.py::test_one[1]"], ["tests/test_a.py::test_one[1]"])],
)
def test_what_was_not_asked_for_is_not_missed(names, asked):
    assert collected(names, asked) == []
