"""Kocsis et al. 2006, Figures 4 to 6: what their sweeps end with, at tiny budgets and on made-up runs; reports."""

import csv
import math
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from experiments.app.error_messages import CONF
from experiments.papers import kocsis2006improved as document
from experiments.papers.kocsis2006improved import fig5, rates

ITEMS = ("fig4", "fig5", "fig6")
OTHERS = ("sec24",)
TABLES = ("table1", "table2")


def test_every_item_has_a_title_and_an_end():
    """But for the tables, which end as every sweep of matches does, and section 2.4, which has no figure."""
    assert tuple(document.TITLES) == (*OTHERS, *ITEMS, *TABLES) and tuple(document.CONCLUSIONS) == ITEMS


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


# ------------------------------------------------------------------------------------------------------------- Figure 5


def result_of(branching: int, depth: int, needed: dict[str, float | None] | None = None, leaves: float = 0.0):
    """A run made up: of UCT where ``needed`` is given, else of alpha-beta."""
    summary = {"leaves_mean": leaves, "leaves_half": 0.1 * leaves}
    if needed is not None:
        summary = {"iterations_to": needed, "iterations_to_95": {rate: [n, n] for rate, n in needed.items()}}
    config = {"game": {"branching": branching, "depth": depth}, "method": "alpha_beta" if needed is None else "search"}
    return SimpleNamespace(config=config, summary=summary)


def some_results() -> list:
    """At B = 2 iterations 2^(D/4) and leaves 2^(D/2), but for the deepest; at D = 8 iterations B^3."""
    found = [result_of(2, depth, {"0.1": 3 * 2 ** (depth / 4), "0.01": None}) for depth in (4, 8, 12)]
    found += [result_of(2, 16, {"0.1": None, "0.01": None})]
    found += [result_of(2, depth, leaves=2 ** (depth / 2)) for depth in (4, 8, 12, 16)]
    return found + [result_of(width, 8, {"0.1": 4.0 * width**3, "0.01": 1.0}) for width in (3, 4, 5)]


def test_slopes_in_depth_and_in_branching():
    points = fig5.points_of(some_results())
    deeper = {s.series: s for s in fig5.slopes(points, wider=False)}
    assert deeper["0.1"].slope == pytest.approx(math.log(2) / 4) and deeper["0.1"][3:] == (3, 1)
    assert deeper[fig5.ALPHA_BETA].slope == pytest.approx(math.log(2) / 2) and "0.01" not in deeper
    words = fig5.smaller(list(deeper.values()), 0.5 * math.log(2))
    assert words.startswith("at 0.1 smaller than 0.347: yes") and "alpha-beta, leaves: yes" in words
    wider = fig5.slopes([p for p in points if p.branching > 2], wider=True)
    assert [(s.series, round(s.slope, 6)) for s in wider] == [("0.1", 3.0)]  # one iteration tells nothing of growth


def test_a_search_that_was_not_finished_is_no_uct():
    """What a point belongs to is said by the method, not by what was found."""
    assert {p.series for p in fig5.points_of([result_of(2, 4, leaves=9.0)])} == {fig5.ALPHA_BETA}


# ------------------------------------------------------------------------------------------------------------- Figure 4


@pytest.mark.parametrize(("failing", "end"), [([3, 0, 1, 0, 0], 8), ([0, 0, 0, 0, 0], 1), ([1, 1, 1, 1, 1], None)])
def test_from_where_on_no_tree_fails(failing, end):
    assert rates.none_fails_from({"points": [1, 2, 4, 8, 16], "trees_failing": failing}) == end


def test_the_reference_is_in_order():
    """Columns are those of the methods, rates fall to 0 where they do in the reference."""
    assert {len(row) for some in rates.REFERENCE.values() for row in some.values()} == {len(rates.METHODS)}
    for shape, some in rates.REFERENCE.items():
        assert list(some) == sorted(some)
        assert (some[100_000][0], some[100_000][3]) == (0.0, 0.0), shape


def curve_of(name: str, points: list[int], table: int | None = None) -> SimpleNamespace:
    """A search made up, of trees that all fail to the end."""
    ones = [1.0] * len(points)
    summary = {"points": points, "failure_rate": ones, "low": ones, "high": ones, "trees_failing": [3] * len(points)}
    summary |= {"trees": 3, "leaves_mean": 50.0, "leaves_half": None, "leaves_decisive": None}
    config = {"game": {"branching": 2, "depth": 20}, "search": {"table": table}}
    return SimpleNamespace(label=name, config=config, summary=summary, folder=None)


@pytest.mark.parametrize(
    ("points", "last"), [([5], None), ([10], "MC ends at 100.00 [100.0, 100.0] %"), ([10, 100], "%, and at 10 had")]
)
def test_figure_4_ends_however_few_checkpoints_a_budget_has(points, last, tmp_path, capsys):
    assert rates.fig4([curve_of(name, points) for name in rates.METHODS], tmp_path) == ["fig4.csv"]
    said = capsys.readouterr().out
    assert "MC ends" not in said if last is None else last in said
    assert len(rows_of(tmp_path / "fig4.csv")) == 4 * len(points)


def test_figure_6_ends_without_a_table_of_fixed_size(tmp_path, capsys):
    assert rates.fig6([curve_of("tree", [10])], tmp_path) == ["fig6.csv"]
    assert rates.WORDS["fig6"] in capsys.readouterr().out


# ------------------------------------------------------------------------------------------------------------ tiny runs

TINY = "trees engine=cpu threads=1 scale=small"


@pytest.fixture
def figure_4(run):
    more = [
        "shapes.b2d20.depth=6",
        "shapes.b8d8={branching: 3, depth: 4}",
        "scales.small.trees=12",
        "scales.small.runs=3",
    ]
    more += ["scales.small.iterations={b2d20: 100, b8d8: 100}"]
    done = run(f"{TINY} experiment=kocsis2006improved/fig4", *more)
    assert done.code == 0, done.err
    return done


@pytest.mark.slow
def test_figure_4_in_little(figure_4, only):
    said = " ".join(figure_4.out.split())
    assert "where UCT stops failing, and what alpha-beta takes" in said and "MMMC is above MC at" in said
    assert "Reduced, scale=small: trees 12 (document: 200); runs 3 (document: 200)" in said
    rows = rows_of(only("multirun/kocsis2006improved/*/fig4.csv"))
    assert {row["run"] for row in rows} == set(rates.METHODS) and len(rows) == 2 * 4 * 7
    ended = [
        row for row in rows if row["iterations"] == "100" and row["run"] == "alpha-beta" and row["branching"] == "2"
    ]
    assert ended[0]["failure_rate"] == "0.0"


@pytest.mark.slow
def test_a_report_of_followed_searches(figure_4, run, only):
    done = run("report runs=multirun/**")
    assert done.code == 0 and "8 runs" in done.out, done.err
    folder = only("outputs/report/*")
    page = (folder / "report.html").read_text("utf-8")
    assert "MC flattens well above 0" in page and "fails % at 100" in page and "data:image/png" in page
    assert len(list(folder.glob("*/fig4.csv"))) == 1


@pytest.mark.slow
def test_figure_5_in_little(run, only):
    more = [f"shapes.b2d{depth}.small=60" for depth in (4, 6, 8)] + ["trees=10", "scales.small.runs=2"]
    more += ["hydra.sweeper.params.shape='b2d4,b2d6,b2d8'"]
    done = run(f"{TINY} experiment=kocsis2006improved/fig5", *more)
    assert done.code == 0 and "0.5 ln B is 0.347" in done.out, done.err
    rows = rows_of(only("multirun/kocsis2006improved/*/fig5.csv"))
    assert {row["series"] for row in rows} == {"0.1", "0.01", "0.001", "alpha-beta"}
    assert only("multirun/kocsis2006improved/*/fig5.png").stat().st_size > 10_000


@pytest.mark.slow
def test_figure_6_in_little(run, only):
    more = [
        "shapes.b2d20.depth=8",
        "shapes.b8d8={branching: 4, depth: 4}",
        "scales.small={trees: 8, runs: 2, iterations: 200}",
    ]
    done = run(f"{TINY} experiment=kocsis2006improved/fig6", *more, "search.table=null,100,16")
    assert done.code == 0, done.err
    assert "B = 2, D = 8: 16 entries end at" in done.out and "B = 4, D = 4: 16 entries end at" in done.out
    assert {row["run"] for row in rows_of(only("multirun/kocsis2006improved/*/fig6.csv"))} == {
        "tree", "100 entries", "16 entries"
    }  # fmt: skip


# ----------------------------------------------------------------------------------------------- Tables 1 and 2


def columns(item: str) -> dict:
    return yaml.safe_load((CONF / "experiment" / f"{item}.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("item", "key", "rate", "iterations"),
    [
        ("table1", {"column": "work_01"}, 0.489, 1500),
        ("table1", {"column": "time_5"}, 0.96, None),
        ("table2", {"column": "uct30_ab5", "by": "work"}, 0.445, 58_400),
        ("table2", {"column": "mc30_uct30", "by": "time"}, 0.15, None),
        ("table2", {"column": "uct5_ab5", "by": "calibrated"}, 0.215, 9740),
    ],
)
def test_what_the_document_prints_and_its_own_budget(item, key, rate, iterations):
    """Whatever the run's budget is: that is what it is compared with."""
    config = {**columns(f"kocsis2006improved/{item}"), **key, "budget": {"iterations": 7}}
    found = document.published(item, config)
    assert (found.win_rate, found.iterations) == (rate, iterations)


def test_every_column_has_games_and_a_printed_figure():
    """On both scales, and of both kinds."""
    one, two = columns("kocsis2006improved/table1"), columns("kocsis2006improved/table2")
    for scale in ("small", "document"):
        assert list(one["scales"][scale]["games"]) == list(one["columns"])
        assert {tuple(of) for of in two["columns"].values()} == {tuple(two["scales"][scale]["games"])}
    assert set(two["columns"]) == set(two["names"]) == {"work", "calibrated", "time"}
    assert set(document.TABLE_2) == set(two["columns"]["work"])
    cells = two["scales"]["document"]["cell"].split(",")
    assert [cell.partition("/")[2] for cell in cells] == list(two["columns"]["work"])


@pytest.mark.slow
def test_table_1_in_little(run, only):
    done = run("match experiment=kocsis2006improved/table1 scale=small column=work_001 games=2 threads=1")
    assert done.code == 0, done.err
    assert "39.2" in done.out and only("multirun/**/plot.png")


@pytest.mark.slow
def test_table_2_in_little(run, only):
    """On a board that alpha-beta solves at once."""
    small = "game.rows=3 game.columns=4 budget.iterations=50 games=4 threads=1"
    nodes = "columns.work.uct5_ab5.opponent.nodes=50000 columns.work.mc30_ab30.opponent.nodes=50000"
    done = run(f"match experiment=kocsis2006improved/table2 scale=small {small} {nodes} "
               "cell=clobber/uct5_ab5,clobber/mc30_ab30")  # fmt: skip
    assert done.code == 0, done.err
    assert "21.5" not in done.out, "the document's figure is of another board"
    assert "here game.rows=3 game.columns=4" in done.out
    assert "sees its win at ply" in done.out and only("multirun/**/plot.png")
