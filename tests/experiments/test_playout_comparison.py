"""Ways to play in several games: one table, one plot."""

import csv

import pytest

from experiments.playout_comparison import _rows


@pytest.mark.slow
def test_random_against_informed_in_little(run, only):
    """Of Dots and Boxes alone, at equal playouts and at equal time."""
    sweep = "board=dots_and_boxes policy=own,mm1 by=playouts,time"
    done = run(f"match experiment=playouts/random_vs_informed budget=small {sweep} games=4 threads=1")
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
