"""Leaves in parallel: Elo by L and way, its plot, and the sweep in little."""

import csv
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from experiments import match
from experiments.app.task import plain_of
from experiments.papers import parallel
from experiments.runs.results import Result
from gpumcts.tree.settings import Settings

CONF = Path(match.__file__).resolve().parents[1] / "conf"
NAME = "experiment=parallel/leaves"
OPTIONS = {"virtual_loss": {"title": "virtual loss"}, "unobserved": {"title": "unobserved samples"}}


def composed(*overrides):
    """A checked run of the experiment."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return match.match_config(plain_of(compose("match", [NAME, "scale=document", *overrides])))


def result_of(option, column, rate, by="time"):
    """A match of the sweep."""
    config = {"panel": f"othello, equal {by}, choose", "option": option, "column": column, "options": OPTIONS}
    config |= {"round": "choose", "board": "othello", "by": by, "document": "parallel/leaves"}
    summary = {"games": 100, "win_rate": rate, "ci95_low": rate - 0.1, "ci95_high": rate + 0.1, "seed": 1}
    label = f"{OPTIONS[option]['title']}, L = {column}"
    return Result(Path(label), config, {"program": "match", "label": label, "command": ["match", NAME]}, summary)


SOME = [result_of("unobserved", 16, 0.64), result_of("virtual_loss", 4, 0.5), result_of("virtual_loss", 16, 0.25)]


def test_elo_by_leaves_and_way():
    """A win rate of 64 % is 100 Elo, one of 1/4 is 191 less."""
    columns, rows = parallel.rows(SOME)
    assert list(columns) == ["L", "virtual loss", "unobserved samples"]
    assert rows == [["4", "+0 [-70, +70]", ""], ["16", "-191 [-301, -108]", "+100 [+28, +182]"]]


def test_a_sweep_ends_with_tables_a_plot_and_a_command_for_each_way(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    more = [result_of("unobserved", 4, 0.5), result_of("virtual_loss", 4, 0.95, by="iterations")]
    assert parallel.leaves([*SOME, *more], tmp_path) == ["leaves.png"]
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("Elo against L = 1 [95 %]") == 2 and "+512 [+301, +inf]" in said
    assert f"{NAME} board=othello by=time option=unobserved column=16 round=confirm" in said
    assert "option=virtual_loss column=4 round=confirm" in said
    assert (tmp_path / "leaves.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    "words, settings",
    [
        ("option=virtual_loss", Settings(leaves_per_tree=64)),
        ("option=unobserved column=1024", Settings(leaves_per_tree=1024, in_flight="unobserved")),
        ("option=trees column=16 board=havannah", Settings(roots=16)),
        ("option=virtual_loss column=4 board=chess", Settings(leaves_per_tree=4)),
    ],
)
def test_each_way_is_what_it_is_called(words, settings):
    config = composed("by=iterations", *words.split())
    assert config.player.settings == settings and config.opponent.settings == Settings()
    batch = settings.leaves_per_tree * settings.roots
    assert config.player.budget.iterations == config.opponent.budget.iterations >= 50 * batch


def test_equal_time_is_measured_on_one_tree():
    config = composed("by=time")
    assert config.keys.games_in_flight == 1
    assert config.player.budget.seconds == config.opponent.budget.seconds == 0.1


@pytest.mark.slow
def test_the_sweep_in_little(run, only):
    line = f"match {NAME} scale=small by=iterations column=4 option=unobserved,trees games=2 threads=1 engine=cpu"
    done = run(line)
    assert done.code == 0, done.err
    assert "othello, equal iterations, choose: Elo against L = 1" in " ".join(done.out.split())
    folder = only("multirun/parallel/*/leaves.png").parent
    with (folder / "table.csv").open(newline="") as file:
        assert sorted(row["config.option"] for row in csv.DictReader(file)) == ["trees", "unobserved"]
