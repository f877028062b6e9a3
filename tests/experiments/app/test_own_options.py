"""A user's own operator or game on the command line: a mistake, and another version than that of an earlier run."""

import importlib
import json
import sys

import pytest

from experiments.config.schema import Checked
from experiments.match import COMMAND
from experiments.runs.run_directory import PROVENANCE, check_folder, folder_name
from gpumcts import options
from gpumcts.errors import BadInput
from tests.games.conformance import heap, lab

CONFIGURED = {"backup": "name: lab_commands.own\nstep: 0.05\n", "game": "name: lab_commands.own\nstones: 21\n"}


@pytest.fixture
def written(tmp_path, monkeypatch, request):
    """``written(kind, *changes)``: an option and its configuration, as a process that begins now sees them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions within a second have the same stamp
    request.addfinalizer(lambda: heap.forget("lab_commands.own"))

    def write(kind, *changes):
        heap.forget("lab_commands.own")
        if kind == "game":
            heap.write(tmp_path, "lab_commands.own", *changes)
            importlib.invalidate_caches()
        else:
            lab.write(tmp_path, kind, "lab_commands.own", *changes)
        (tmp_path / "conf" / kind).mkdir(parents=True, exist_ok=True)
        (tmp_path / "conf" / kind / "own.yaml").write_text(CONFIGURED[kind])

    return write


def refusal(capsys, *words) -> str:
    """What is said of a command line that is refused."""
    assert COMMAND.main(["--config-dir", "conf", *words]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    return line


def test_a_mistake_is_one_line_before_there_is_a_folder(written, tmp_path, capsys):
    written("backup", ("        node = path[k]", "        node = [path[k], 0][0]"))
    line = refusal(capsys, "backup=own", "games=2", "budget.iterations=9")
    assert line.startswith("error: lab_commands/own.py:")
    assert "back_up does not compile: it makes a list" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["conf", "lab_commands"]


def test_changed_rules_are_another_run_and_its_named_folder_is_refused(written, tmp_path):
    runs = []
    for change in ((), (("np.int64(k + 1)", "np.int64(1 + k)"),)):
        written("game", *change)
        identity = {"game": options.identity(options.option("game", "lab_commands.own")())}
        runs.append(Checked(identity, "own", None))
    first, edited = runs
    (tmp_path / PROVENANCE).write_text(json.dumps({"identity": first.identity}))
    check_folder(tmp_path, first, "match")
    with pytest.raises(BadInput, match=r"^lab_commands/own\.py has changed since the run in"):
        check_folder(tmp_path, edited, "match")
    assert folder_name(first) != folder_name(edited)
