"""What experiments.reproduce shows: a screen of what is done and what comes next, and every run where it is asked."""

import re

import pytest

from experiments.reproduction import again, command_line
from experiments.reproduction.command_line import main
from experiments.reproduction.schedule import tasks


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """``told("--list")``: what goes to stdout and stderr on 80 columns, where no run is done."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(command_line, "tasks", lambda: tasks(tmp_path))
    monkeypatch.setattr(command_line, "work", lambda *_: pytest.fail("a run was begun"))

    def run(*words):
        assert main(words) == 0
        return capsys.readouterr()

    return run


def test_without_options_a_screen_tells_what_is_done_and_what_comes_next(told):
    out, err = told()
    lines = out.splitlines() + err.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    papers = {task.paper.name for task in tasks()}
    assert papers <= {line.split()[0] for line in lines if line.strip()}
    first = next(task for task in tasks() if task.lacks is None)
    assert f" {first.name} " in out
    assert f"0 of {len(tasks())} runs are done; " in err


def test_every_run_is_listed_where_it_is_asked(told):
    out, err = told("--list")
    told_words = set(re.split(r"[\s/-]+", out))  # names break between these, and not within
    assert {word for task in tasks() for word in re.split("[/-]", task.name)} <= told_words
    assert sum(" missing " in line for line in out.splitlines()) + out.count(" unfinished ") == len(tasks())
    assert f"0 of {len(tasks())} runs are done; " in err


def test_an_item_is_listed_and_not_run(told):
    out, err = told("item=hashimoto2012accelerated/fig1", "--list")
    assert "hashimoto2012accelerated/fig1/all" in out and "fig2" not in out
    assert "0 of 1 runs are done" in err


def test_what_is_done_is_told_with_its_verdicts_and_how_to_make_it_again(monkeypatch, capsys):
    monkeypatch.setattr(command_line, "work", lambda *_: pytest.fail("a run was begun"))
    assert main(["item=hashimoto2012accelerated/fig2"]) == 0
    out, err = capsys.readouterr()
    assert "hashimoto2012accelerated/fig2/all" in out and "agrees 3" in out
    assert "nothing is missing: what is named is done; --again " in err


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (["--again", "item=hashimoto2012accelerated/fig2"], 3),
        (["item=hashimoto2012accelerated/fig2", "--again"], 3),
        (["--again", "2", "item=hashimoto2012accelerated/fig2"], 2),
        (["--again", "run=hashimoto2012accelerated/fig2/all"], 3),
    ],
)
def test_the_cells_that_are_named_are_made_again(monkeypatch, capsys, words, made):
    monkeypatch.setattr(again, "first_ten", lambda cell, folder: cell.digests.first_ten)
    assert main(words) == 0
    told = capsys.readouterr()
    assert (told.out + told.err).count("equal: hashimoto2012accelerated/fig2/") == made
