"""Ramanujan et al. 2010 in Chess: what its Table 1 and section 4 end with, on results made up."""

from pathlib import Path
from typing import Any

import pytest

from experiments.papers import ramanujan2010understanding as document
from experiments.papers.ramanujan2010understanding import chess
from experiments.runs.results import Result
from gpumcts.match.statistics import wilson, win_rate


def cell(column: str, wins: int, draws: int = 0, games: int = 100, budget: Any = None) -> Result:
    """A run of a cell at the document's budget, unless another is given for the first side."""
    own, theirs = chess.BUDGETS[column]
    item = "sec4" if column.startswith("uct_h") else "table1"
    sides = [{"iterations": number, "depth": None} for number in (budget or own or 1, theirs)]
    config = {
        "document": f"ramanujan2010understanding/{item}",
        "title": column,
        "column": column,
        "budget": sides[0],
        "opponent": {"budget": sides[1]},
    }
    low, high = wilson(wins, draws, games)
    summary = {"wins": wins, "draws": draws, "games": games, "win_rate": win_rate(wins, draws, games)}
    return Result(Path(column), config, {"program": "match"}, {**summary, "ci95_low": low, "ci95_high": high})


def as_printed(item: str, games: int = 100) -> list[Result]:
    """The document's own success rates as if they were ours."""
    return [cell(column, round(rate * games), games=games) for column, rate in chess.RATES[item].items()]


def test_every_cell_has_a_budget_and_a_place_in_the_order():
    assert set(chess.BUDGETS) == {column for rates in chess.RATES.values() for column in rates}
    for item, steps in chess.STEPS.items():
        rates = chess.RATES[item]
        assert all(rates[low] < rates[high] for low, high in steps)
        assert set(rates) - {"mm6r_mm2r", "uct_h_mm2"} == {column for step in steps for column in step}


# ------------------------------------------------------------------------------------------------------ section 4


@pytest.mark.parametrize(
    "wins, draws, verdict",
    [
        (200, 0, "about equal, as in the document (two one-sided tests, margin 10 points, p < 0.001)"),
        (180, 72, "about equal"),  # 54 %
        (140, 60, "open (two one-sided tests, margin 10 points, p = 0.159)"),  # 42.5 %: z = (0.075 - 0.1) * 2 * 20 = -1
        (232, 0, "open"),  # 58 %
        (300, 0, "not about equal"),
        (100, 20, "not about equal"),
    ],
)
def test_whether_uct_h_is_about_equal_to_mm2(wins, draws, verdict):
    (line,) = chess.about_equal([cell("uct_h_mm2", wins, draws, 400)])
    assert f"of 400 games: {verdict}" in line


def test_a_verdict_takes_400_games_and_the_documents_budget():
    (line,) = chess.about_equal([cell("uct_h_mm2", 200, 0, 399)])
    assert line == "uct_h_mm2: more games are needed: a verdict takes 400, and 399 were played."
    (line,) = chess.about_equal([cell("uct_h_mm2", 200, 0, 400, budget=5000)])
    assert line == "uct_h_mm2: the budget 5000 against 2 is not the document's 50000 against 2."
    assert chess.about_equal([cell("uct_h_50", 50)]) == []
    matched = cell("uct_mm2r", 50)
    matched.config["budget"] = {"iterations": None, "depth": None, "matched": 4, "name": "document"}
    (line,) = chess.against_document([matched])
    assert line == "uct_mm2r: the budget matched against 2 is not the document's 1000 against 2."


def test_a_match_that_a_sequential_test_may_end_has_no_verdict():
    tested = cell("uct_h_mm2", 300, 0, 400)
    tested.summary["sprt"] = {"decision": "H1"}
    (line,) = chess.about_equal([tested])
    assert line == "uct_h_mm2: a sequential test may end it early, which overstates a difference: no verdict."


def test_the_order_of_section_4():
    """Its own figures are told apart, 55 and 85.5 % at p < 0.001, 85.5 and 96.5 % (z = 2.6) at 0.01; others are not."""
    (line,) = chess.order("sec4", as_printed("sec4"))
    assert line.startswith(
        "Order, 2 of 2 steps as in the document (Holm): uct_h_50 < uct_h_100 as in the document (p < 0.001)"
    )
    (line,) = chess.order("sec4", [cell("uct_h_50", 90), cell("uct_h_100", 60), cell("uct_h_1000", 62)])
    assert line.startswith("Order, 0 of 2 steps") and "uct_h_50 < uct_h_100 reversed (p < 0.001)" in line
    assert "uct_h_100 < uct_h_1000 not told apart (p = 0.7" in line
    (line,) = chess.order("sec4", [cell("uct_h_50", 50), cell("uct_h_100", 85), cell("uct_h_1000", 9, games=10)])
    assert line.endswith("; 1 more of the document's cannot be told yet.")


@pytest.mark.parametrize(
    "some",
    [
        [],
        [cell("uct_h_50", 50), cell("uct_h_1000", 95)],
        [cell("uct_h_50", 10, games=20), cell("uct_h_100", 18, games=20)],
        [cell("uct_h_50", 50), cell("uct_h_50", 60), cell("uct_h_100", 90)],
        [cell("uct_h_50", 50, budget=60), cell("uct_h_100", 90)],
    ],
)
def test_an_order_takes_neighbours(some):
    (line,) = chess.order("sec4", some)
    assert line.startswith("Order of the cells: not told yet. It takes two neighbours of the document's order, each")


# -------------------------------------------------------------------------------------------------------- Table 1


def test_table_1_against_the_document():
    """Six tests, without MM-6-R against MM-2-R: 96 of 100 against 74 differ at z = 4.3, 80 against 74 do not."""
    (line,) = chess.against_document(as_printed("table1"))
    assert line.startswith("Against the document (two proportions, Holm over 6): ") and "differs" not in line
    assert line.count("no difference shown, p = 1.000") == 6 and "mm6r_mm2r" not in line
    some = [cell("uct_mm2r", 94, 4), cell("random_mm2r", 6), cell("uct_mm4r", 5, games=6), cell("mm6r_mm2r", 66)]
    waiting, line = chess.against_document(some)
    assert waiting == "uct_mm4r: more games are needed: a verdict takes 100, and 6 were played."
    assert "uct_mm2r, 96.0 % [90.2, 98.4] of 100 games, document 74 %: differs, p < 0.001" in line
    assert "random_mm2r, 6.0 % [2.8, 12.5] of 100 games, document 6 %: no difference shown, p = 1.000" in line
    assert "Holm over 2" in line and "no difference shown, p = 0.3" in chess.against_document([cell("uct_mm2r", 80)])[0]


def test_the_order_of_table_1():
    """The document's own 100 games do not tell 94 from 96 %; 1,000 would do (z = 2.05), last of Holm's seven."""
    (line,) = chess.order("table1", as_printed("table1"))
    assert "uct_mm4r < uct_mm6r not told apart" in line and "random_mm2r < uct_mm2r as in the document" in line
    (line,) = chess.order("table1", as_printed("table1", 1000))
    assert line.startswith("Order, 7 of 7 steps as in the document")


@pytest.mark.parametrize("wins, verdict", [(66, "ahead, as in the document"), (55, "not told apart"), (30, "behind")])
def test_mm6r_against_mm2r(wins, verdict):
    (line,) = chess.ahead([cell("mm6r_mm2r", wins), cell("uct_mm2r", 5)])
    assert line.endswith(f"document 66 %: {verdict}.")
    assert "more games are needed" in chess.ahead([cell("mm6r_mm2r", 2, games=2)])[0]


# ---------------------------------------------------------------------------------------------------------- the end


@pytest.mark.parametrize("item", ["table1", "sec4"])
def test_a_sweep_ends_with_them(item, capsys):
    assert document.CONCLUSIONS[item](as_printed(item), Path()) == []
    said = " ".join(capsys.readouterr().out.split())
    assert "steps as in the document" in said
    assert ("Against the document" in said, "ahead" in said) == (item == "table1", item == "table1")
    assert ("more games are needed: a verdict takes 400" in said) == (item == "sec4")
