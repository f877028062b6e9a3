"""A run knows of which version of a user's own option it is, and nothing of those of the library."""

import sys

import pytest

from gpumcts import options
from gpumcts.compiling.own_sources import SOURCES, sources_of
from gpumcts.errors import BadInput
from gpumcts.match.journal import Journal
from gpumcts.tree.backup.average import Average
from tests.games.conformance import heap, lab


@pytest.fixture
def version(tmp_path, monkeypatch):
    """``version(*changes)``: the operator of a module, as a process that begins now sees it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions within a second have the same stamp

    def load(*changes):
        heap.forget("lab_version.moving")
        lab.write(tmp_path, "backup", "lab_version.moving", *changes)
        return lab.load("backup", "lab_version.moving")

    yield load
    heap.forget("lab_version.moving")


def test_an_option_of_the_library_is_its_name_and_fields():
    assert options.identity(Average()) == {"name": "average"}


def test_an_edit_makes_another_identity_and_taking_it_back_the_first(version):
    first = options.identity(version())
    edited = options.identity(version(("operator.step * (mean", "2.0 * operator.step * (mean")))
    assert {**first, SOURCES: None} == {**edited, SOURCES: None} and first != edited
    assert options.identity(version()) == first


def test_a_module_that_it_imports_counts_and_one_beside_it_does_not(version, tmp_path):
    folder = tmp_path / "lab_version"
    folder.mkdir()
    (folder / "helpers.py").write_text("STEP = 1\n")
    (folder / "other.py").write_text("STEP = 1\n")
    imported = ("VALUE = 0\n", "from lab_version import helpers  # noqa\n\nVALUE = 0\n")
    first = sources_of(version(imported))
    assert sorted(first) == ["lab_version.helpers", "lab_version.moving"]
    (folder / "other.py").write_text("STEP = 2\n")
    assert sources_of(version(imported)) == first
    (folder / "helpers.py").write_text("STEP = 2\n")
    assert sources_of(version(imported)) != first


@pytest.mark.parametrize("constant", ["STEP =", "STEP: float =", "STEP, ZERO = 0,", "STEP = ZERO ="])
@pytest.mark.parametrize("apart", ["", "\f"], ids=["lines", "form feeds"])
def test_of_a_script_its_definitions_count(version, tmp_path, monkeypatch, apart, constant):
    """What it does with them, such as the number of games, is no part of an option."""
    kind = type(version())
    monkeypatch.setattr(kind, "__module__", "__main__")
    found = []
    for games, step in ((10, 1), (20, 1), (20, 2)):
        script = tmp_path / "script.py"
        script.write_text(
            f"games = {games}\n{apart}\n{constant} {step}\n{apart}\n\ndef body():\n    return STEP\n\n\nprint(games)\n"
        )
        monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script), raising=False)
        again = type(kind.__name__, (tuple,), {"__module__": "__main__"})  # as a script that is run once more
        found.append(sources_of(again()))
    assert found[0] == found[1] != found[2] and list(found[0]) == ["__main__"]


def test_a_script_that_is_no_python_by_now_counts_as_a_whole(version, tmp_path, monkeypatch):
    """Its user edits it while it runs."""
    script = tmp_path / "script.py"
    script.write_text("def body(:\n")
    kind = type(version())
    monkeypatch.setattr(kind, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script), raising=False)
    again = type(kind.__name__, (tuple,), {"__module__": "__main__"})
    assert list(sources_of(again())) == ["__main__"]


def test_the_folder_of_another_version_is_refused_in_one_line(version, tmp_path):
    def identity(value):
        return {"backup": options.identity(value)}

    with Journal(tmp_path / "run", identity(version())):
        pass
    edited = identity(version(("operator.step * (mean", "2.0 * operator.step * (mean")))
    with pytest.raises(BadInput) as refusal, Journal(tmp_path / "run", edited):
        pass
    said = str(refusal.value)
    assert said.startswith(f"lab_version/moving.py has changed since the run in {tmp_path / 'run'};")


def test_a_folder_that_names_no_version_is_refused_in_one_line(version, tmp_path):
    with Journal(tmp_path / "run", {"backup": {"name": "lab_version.moving", "step": 0.05}}):
        pass
    with pytest.raises(BadInput, match="does not say of which version"):
        Journal(tmp_path / "run", {"backup": options.identity(version())}).__enter__()
