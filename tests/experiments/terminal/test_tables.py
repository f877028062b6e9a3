"""Tables on terminals of any width, and in files."""

import pytest

from experiments.analysis.result_table import SECONDARY
from experiments.terminal.console import show, table

COLUMNS = {
    "run": "left", "games": "right", "wins": "right", "draws": "right", "losses": "right", "win %": "right",
    "Wilson 95 %": "right", "playouts/s": "right", "nodes a move": "right", "sees its win at ply": "right",
    "seconds": "right",
}  # fmt: skip
RUNS = ("backup=accelerated backup.decay=0.999 playout=minimax", "backup=average")
NUMBERS = (
    "1,000",
    "512",
    "17",
    "471",
    "52.1",
    "49.0 - 55.1",
    "18.7 k / 65.9 k",
    "1,500 / 1,500",
    "46.0 / 37.0",
    "11.2",
)
ROWS = [[run, *NUMBERS] for run in RUNS]


@pytest.fixture
def shown(monkeypatch, capsys):
    """``shown(80, table)``: the lines of a table at a width."""

    def lines(width, drawn):
        monkeypatch.setenv("COLUMNS", str(width))
        show(drawn)
        return capsys.readouterr().out.splitlines()

    return lines


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_numbers_and_intervals_are_whole_at_any_width(shown, width):
    lines = shown(width, table("match", COLUMNS, ROWS, SECONDARY, "table.csv"))
    assert max(map(len, lines)) <= width
    there = [number for number in NUMBERS if any(number in line for line in lines)]
    first = next(line for line in lines if line.startswith(" backup=accelerated"))
    assert [number for number in NUMBERS if number in first] == there  # in one line
    assert {"1,000", "52.1", "49.0 - 55.1"} <= set(there)


def test_a_narrow_table_says_what_it_has_no_room_for(shown):
    told = " ".join(shown(80, table("match", COLUMNS, ROWS, SECONDARY, "table.csv")))
    assert "no room for: playouts/s, nodes a move, sees its win at ply, seconds; table.csv has them" in told
    wide = shown(200, table("match", COLUMNS, ROWS, SECONDARY, "table.csv"))
    assert all(heading in wide[1] for heading in COLUMNS) and not any("no room" in line for line in wide)


def test_a_table_that_fits_nowhere_is_wider_than_the_terminal(shown):
    lines = shown(30, table("", {"size": "right", "samples": "right"}, [["1", "12,345 (10,000 - > 200,000) of all"]]))
    assert "12,345 (10,000 - > 200,000) of all" in lines[3]


def test_words_fold_between_words_and_only_longer_ones_than_a_column_within(shown):
    columns = {"run": "left", "win %": "right"}
    lines = shown(40, table("", columns, [["planner=uct game.size=12 budget.iterations=100", "50.0"], ["a" * 60, "1"]]))
    assert [line.split()[0] for line in lines[3:7]] == ["planner=uct", "budget.iterations=100", "a" * 32, "a" * 28]


def test_long_words_break_behind_a_mark(shown):
    names = ["hashimoto2012accelerated/overhead/othello", "ramanujan2010understanding/slices/c70-line"]
    lines = shown(40, table("", {"run": "left", "hours": "right"}, [[name, "0.5"] for name in names]))
    words = [line.split()[0] for line in lines[3:7]]
    assert words == ["hashimoto2012accelerated/", "overhead/othello", "ramanujan2010understanding/", "slices/c70-line"]


def test_lines_of_a_file_end_without_blanks_and_a_title_stands_in_one(shown):
    title = "A title that is much longer than the table below it, which is narrow"
    lines = shown(120, table(title, {"a": "right", "b": "left"}, [["1", "x"], ["22", "a longer cell"]]))
    assert lines[0] == title
    assert [line for line in lines if line != line.rstrip()] == []
