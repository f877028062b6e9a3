"""Runs of several games in one report: what is drawn together, on the page and in plot.png."""

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from experiments import match  # noqa: F401  it says how its runs are shown
from experiments.analysis.by_game import drawn_together
from experiments.analysis.grid import grid_of
from experiments.analysis.html_report import _figures, _lacks
from experiments.analysis.plots import plot
from experiments.runs.results import Result


def played(label, game, sweep="a"):
    identity = {"game": {"name": game}}
    record = {"program": "match", "name": "m", "label": label, "identity": identity, "command": ["match.py", "-m"]}
    summary = {"games": 10, "win_rate": 0.5, "ci95_low": 0.2, "ci95_high": 0.8, "seed": 1}
    return Result(Path(sweep) / label, {}, record, summary)


def labels(parts):
    return [[result.label for result in some] for some in parts]


MIXED = [
    *(played(f"game=othello n={n}", "othello", "a") for n in (1, 2, 3)),
    *(played(f"game=go backup={name}", "go", "b") for name in ("average", "minimax")),
]


def test_runs_of_several_games_are_apart_and_their_labels_name_no_game():
    assert labels(drawn_together(MIXED)) == [["n=1", "n=2", "n=3"], ["backup=average", "backup=minimax"]]


def test_runs_of_one_game_or_one_run_of_each_are_together():
    of_one = [played(f"game=othello n={n}", "othello") for n in (1, 2)]
    assert drawn_together(of_one) == [of_one]
    each = [played(f"game={name}", name) for name in ("go", "othello")]
    assert drawn_together(each) == [each]


@pytest.mark.parametrize(("sweeps", "left_out", "parts"), [("aa", 0, 1), ("aa", 1, 1), ("ab", 0, 1), ("ab", 1, 2)])
def test_a_matrix_over_games_stays_whole_unless_no_sweep_asked_for_what_lacks(sweeps, left_out, parts):
    games = zip(("go", "othello"), sweeps, strict=True)
    runs = [played(f"game={name} b={b}", name, sweep) for name, sweep in games for b in "uvw"]
    assert len(drawn_together(runs[left_out:])) == parts


def test_the_page_has_a_figure_for_each_game():
    (figure,) = _figures(MIXED)
    assert "<figcaption>Othello: win rate over n</figcaption>" in figure
    assert _lacks(MIXED) == []
    runs = [played(f"game={name} n={n}", name, name) for name in ("go", "othello") for n in (1, 2, 3, 4)]
    two = _figures([played("game=go n=0", "go", "go"), *runs])
    assert [figure.split("figcaption>")[1][:8] for figure in two] == ["Go: win ", "Othello:"]


def test_what_lacks_is_told_with_its_game():
    keys = [f"n={n} b={b}" for n in (1, 2) for b in "uv"]
    some = [played(f"game={name} {key}", name) for name in ("go", "othello", "havannah") for key in keys]
    assert [line for line in _lacks(some[:-1]) if "missing" in line] == ["Havannah: n=2 b=v: missing"]


def test_the_plot_has_a_panel_for_each_game(tmp_path, monkeypatch):
    titles = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **__: titles.extend(a.get_title("left") for a in self.axes))
    assert plot(MIXED, tmp_path / "plot.png") and titles == ["Othello", "Go"]


def test_runs_that_no_sweep_made_are_no_matrix_with_holes():
    """``n=1 b=u`` and ``n=2 b=v``, each by a command of its own: nobody asked for the two that lack."""
    alone = [replace(run, provenance={**run.provenance, "command": ["match.py"]}) for run in map(played, "ab", "ab")]
    runs = [
        replace(run, provenance={**run.provenance, "label": f"n={n} b={b}"})
        for run, n, b in zip(alone, "12", "uv", strict=True)
    ]
    grid = grid_of(runs)
    assert grid is not None and grid.missing == [] and grid.scattered
