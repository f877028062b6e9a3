"""Ways to play in several games: one table, one plot."""

import csv
from pathlib import Path

import pytest

from experiments.papers.playout_comparison import _rows, comparison
from experiments.runs.results import Result


@pytest.mark.slow
def test_random_against_informed_in_little(run, only):
    """Of Dots and Boxes alone, at equal playouts and at equal time."""
    sweep = "board=dots_and_boxes policy=own,mm1 by=playouts,time"
    done = run(f"match experiment=playouts/random_vs_informed scale=small {sweep} games=4 threads=1")
    assert done.code == 0, done.err
    assert "dots_and_boxes, playouts" in done.out and "dots_and_boxes, time" in done.out
    folder = only("multirun/**/comparison.png").parent
    with (folder / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["config.policy"] for row in rows) == ["mm1", "mm1", "own", "own"]
    assert all(int(row["games"]) == 4 for row in rows)


OTHELLO, GO, CHESS = ((board, "time") for board in ("othello", "go", "chess"))


@pytest.mark.parametrize(
    "places, columns, rows",
    [
        ([OTHELLO], ["player", "othello"], [["MM-1", "90"], ["MM-2", ""]]),
        ([OTHELLO, GO, CHESS], ["game", "MM-1", "MM-2"], [["othello", "90", ""], ["go", "", ""], ["chess", "", "7"]]),
    ],
)
def test_of_games_and_ways_the_more_are_rows(places, columns, rows):
    found = {("MM-1", OTHELLO): "90", ("MM-2", CHESS): "7"}
    made = _rows(found, ["MM-1", "MM-2"], {place: place[0] for place in places})
    assert (list(made[0]), made[1]) == (columns, rows)


def result_of(label: str, by: str, iterations: int) -> Result:
    """A match of a sweep whose kinds are named by each run's own budget."""
    said = f"{iterations} iterations a move"
    config = {"board": "havannah", "boards": {"havannah": {}}, "by": by, "kinds": {"few": said, "many": said}}
    summary = {"games": 10, "win_rate": 0.5, "ci95_low": 0.2, "ci95_high": 0.8}
    return Result(Path(label), config, {"program": "match", "label": label}, summary)


def test_columns_and_panels_are_named_by_their_own_runs(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    titles = []
    monkeypatch.setattr("matplotlib.axes.Axes.set_title", lambda axes, title, **more: titles.append(title))
    some = [result_of("decay 0.9", by, n) for by, n in (("few", 500), ("many", 2000))]
    assert comparison(some, tmp_path) == ["comparison.png"]
    said = capsys.readouterr().out
    assert "havannah, 500 iterations a move" in said and "havannah, 2000 iterations a move" in said
    assert titles == ["500 iterations a move", "2000 iterations a move"]
