"""The digest of a cell's first ten games or searches, from the runs that made them again."""

import subprocess
import sys
from pathlib import Path

import pytest

from experiments.reproduction import again, command_line
from experiments.reproduction.cells import Digests, cells_below
from experiments.runs.results import Result
from gpumcts.errors import BadInput


def test_a_cell_of_several_runs_is_gathered(tmp_path, monkeypatch):
    """Its keys stand by the run, so that no single run is it: section 6.2 of Ramanujan et al. 2010."""
    both = {cell.cell: cell for cell in cells_below() if cell.item == "sec6_claims"}
    cell = both["c70-two"]
    made = [
        both["c70-one"],
        cell.model_copy(update={"digests": cell.digests.model_copy(update={"first_ten": "0" * 64})}),
    ]
    monkeypatch.setattr(again, "gather", lambda paper, item, folder: made)
    assert again.digest_of_folder(cell, tmp_path) == "0" * 64
    made.pop()
    with pytest.raises(BadInput, match="no run of ramanujan2010understanding/sec6_claims/c70-two"):
        again.digest_of_folder(cell, tmp_path)


def test_a_cell_of_searches_is_of_the_run_that_has_all_its_keys(tmp_path, monkeypatch):
    """Scenario A of Ramanujan et al. 2010 has runs on one game that differ in epsilon."""
    cell = next(cell for cell in cells_below() if cell.cell == "deep-deep-f" and cell.item == "table2")
    other = {**cell.asked.keys, "selection": {"name": "another"}}
    runs = [
        Result(Path(name), {}, {"program": "trees", "identity": {**keys, "runs": 10}}, {})
        for name, keys in (("b", other), ("a", cell.asked.keys))
    ]
    monkeypatch.setattr(again, "below", lambda _: runs)
    monkeypatch.setattr(again, "search_digests", lambda folder: Digests(all="0" * 64, first_ten=folder.name * 64))
    assert again.digest_of_folder(cell, tmp_path) == "a" * 64


@pytest.mark.parametrize("reduced", [True, False])
def test_a_reduced_cell_is_made_again_by_its_own_command(tmp_path, monkeypatch, reduced):
    """As it is typed today; and one at the paper's budget by the catalogue's."""
    cell = next(cell for cell in cells_below() if cell.cell == "deep-deep-f" and cell.item == "table2")
    budget = {"runs": 10 if reduced else 100}
    asked = cell.asked.model_copy(update={"command": ["trees", "its=own", "budget=small"], "budget": budget})
    commands = []
    monkeypatch.setattr(again, "digest_of_folder", lambda *_: "")
    monkeypatch.setattr(
        again.subprocess, "run", lambda words, **_: commands.append(words) or subprocess.CompletedProcess(words, 0)
    )
    again.first_ten(cell.model_copy(update={"asked": asked}), tmp_path)
    assert ("its=own" in commands[0]) == reduced and "runs=10" in commands[0]
    assert ("scale=small" in commands[0]) == reduced and "budget=small" not in commands[0]


def test_a_cell_that_takes_too_long_is_told_by_name_and_the_others_are_made(monkeypatch, capsys):
    monkeypatch.setattr(again, "PATIENCE", 0.5)
    monkeypatch.setattr(again, "command_of", lambda *_: [sys.executable, "-c", "import time; time.sleep(60)"])
    measured = next(cell for cell in cells_below() if cell.cell == "deep-deep-f" and cell.item == "table2")
    monkeypatch.setattr(command_line, "cells_below", lambda: [measured, measured])
    assert command_line.again(2, None) == 1
    told = capsys.readouterr().err
    line = f"error: {measured.path}: -c import time; time.sleep(60) took longer than 0.5 s\n"
    assert told.count(line) == 2 and "Traceback" not in told


def test_of_a_command_that_failed_the_last_line_is_told(monkeypatch, tmp_path):
    code = "import sys; sys.exit('compiling ...\\nerror: n=1: too few\\n')"
    monkeypatch.setattr(again, "command_of", lambda *_: [sys.executable, "-c", code])
    measured = next(cell for cell in cells_below() if cell.cell == "deep-deep-f" and cell.item == "table2")
    with pytest.raises(BadInput) as refusal:
        again.first_ten(measured, tmp_path)
    assert str(refusal.value) == f"{measured.path}: -c {code} ended with exit code 1: error: n=1: too few"


def test_a_cell_that_cannot_be_made_again_is_told_and_the_others_are_made(monkeypatch, capsys):
    made = []

    def first_ten(cell, folder):
        made.append(cell)
        if len(made) == 1:
            raise BadInput("it is not there")
        return cell.digests.first_ten

    monkeypatch.setattr(again, "first_ten", first_ten)
    assert command_line.again(3, None) == 1 and len(made) == 3
    told = capsys.readouterr()
    assert told.err.count("error: it is not there\n") == 1 and (told.out + told.err).count("equal: ") == 2
