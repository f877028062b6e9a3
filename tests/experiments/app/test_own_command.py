"""A new command is one module and one YAML file: nothing else must know its name for sweeps, tables, plots, reports."""

import csv
import json
import shutil
import sys
import textwrap

import pytest

import experiments
from experiments.app.error_messages import CONF
from experiments.runs.presentation import PRESENTATIONS

COMMAND = '''
"""Roll a die, and say how it fell on average."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from experiments.analysis.plots import speed_panel
from experiments.app.command import Command
from experiments.config.schema import Checked, top_keys
from experiments.runs.presentation import Presentation


class DiceKeys(NamedTuple):
    rolls: Annotated[int, Interval(ge=1, le=1000)] = 10
    sides: int = 6
    seed: int = 1


def dice_config(plain, given=None):
    keys = top_keys(DiceKeys, plain, ())
    return Checked(keys._asdict(), f"die of {keys.sides}", keys)


def work(config, run):
    rolled = np.random.default_rng(config.keys.seed).integers(1, config.keys.sides + 1, config.keys.rolls)
    return {"mean": float(rolled.mean()), "rolls": len(rolled)}


def cells(result):
    return {"rolls": str(result.summary["rolls"]), "mean": f"{result.summary['mean']:.2f}"}


COMMAND = Command("dice", dice_config, work, results=Presentation(cells, speed_panel("mean")))
'''
YAML = """
# python -m experiments.dice: a die
defaults:
  - shared: hydra
  - _self_

rolls: 10  # how often it is rolled
sides: 6  # of the die
seed: 1  # of the rolls

hydra:
  job:
    name: dice
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    (tmp_path / "own").mkdir()
    (tmp_path / "own/dice.py").write_text(textwrap.dedent(COMMAND))
    shutil.copytree(CONF, tmp_path / "conf")
    (tmp_path / "conf/dice.yaml").write_text(YAML.lstrip())
    monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(tmp_path / "own")])
    for module in ("command", "error_messages", "hydra_calls"):
        monkeypatch.setattr(f"experiments.app.{module}.CONF", tmp_path / "conf")
    yield
    sys.modules.pop("experiments.dice", None)
    PRESENTATIONS.pop("dice", None)


def test_a_command_of_ones_own_has_sweeps_tables_plots_and_reports(lab, run, only, tmp_path):
    done = run("dice -m rolls=3,5 sides=6,20")
    assert done.code == 0, done.err
    assert "rolls=5 sides=20" in done.out and "mean" in done.out
    sweep = only("multirun/dice-*")
    assert (sweep / "plot.png").exists()
    with (sweep / "table.csv").open(newline="") as file:
        assert [row["rolls"] for row in csv.DictReader(file)] == ["3", "3", "5", "5"]
    PRESENTATIONS.pop("dice")  # as in a process that has not imported it
    sys.modules.pop("experiments.dice")
    assert run("report runs=multirun/**").code == 0
    page = (only("outputs/report/*") / "report.html").read_text("utf-8")
    assert "4 runs" in page and '<th class="right">mean</th>' in page
    help_ = run("dice --help")
    assert help_.code == 0 and "Roll a die" in help_.out and "of the die" in help_.out


def test_its_bad_input_is_one_line_too(lab, run, tmp_path):
    for words, said in (("rolls=0", "rolls=0: must be an integer in [1, 1000]"), ("role=3", "role: unknown key")):
        done = run(f"dice {words}")
        assert done.code == 2 and said in done.err and done.err.count("\n") == 1
    assert not (tmp_path / "outputs").exists()


def test_a_run_of_a_command_that_is_gone_is_listed_in_no_report(run, tmp_path):
    folder = tmp_path / "outputs/gone/x"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("{}\n")
    (folder / "provenance.json").write_text(json.dumps({"program": "gone", "name": "x", "label": "x"}))
    (folder / "summary.json").write_text("{}")
    done = run("report runs=outputs/**")
    assert done == (2, "", "error: runs=outputs/**: its runs are of gone, which have no reports\n")
