"""The page of a report: conditions, what is missing, a curve over a swept number, a matrix over two swept keys."""

import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from experiments.analysis.conditions import conditions, unfinished, without_result
from experiments.analysis.grid import grid_of
from experiments.analysis.html_report import not_there_yet, page
from experiments.analysis.sweep_report import End, ends
from experiments.runs.results import Result
from experiments.terminal.console import show
from experiments.terminal.tables import FittedTable
from gpumcts.options import as_json
from gpumcts.tree.settings import Settings


@pytest.fixture
def match(tmp_path):
    """``match("backup=minimax", wins=3)``: a match of ten games in a sweep's folder."""

    def made(label, wins=5, games=10, seed=1, **identity):
        folder = tmp_path / re.sub(r"\W+", "_", label)
        folder.mkdir()
        (folder / "summary.json").write_text("{}")
        side = {"playouts_per_second": 0.0}
        rate = wins / games if games else None
        summary = {"games": games, "wins": wins, "draws": 0, "losses": games - wins, "win_rate": rate, "seconds": 1.0}
        summary |= {"ci95_low": 0.0, "ci95_high": 1.0, "engine": "cpu", "player": side, "opponent": side}
        player = {
            "player": {"name": "uct"},
            "backup": {"name": "average"},
            "budget": {"iterations": 100, "seconds": None},
        }
        record = {
            "program": "match", "name": "a match", "label": label, "time": "2026-01-01", "seed": seed,
            "commit": "c" * 40, "versions": {"gpumcts": "0.1.0", "numba": "0.68.1"}, "device": None, "cpu": "AMD EPYC",
            "engine": "auto", "command": ["match.py", "-m"],
            "identity": {"game": {"name": "go", "size": 9}, **player, "opponent": player, **identity},
        }  # fmt: skip
        return Result(folder, {"games": 10, "game": {"name": "go"}}, record, summary)

    return made


def test_conditions_are_told_once_and_what_varies_side_by_side(match):
    told = conditions([match("seed=1"), match("seed=2", seed=2, backup={"name": "minimax", "k": 2})])
    assert told == {
        "command": "match", "game": "go (size 9)", "player": "uct, average / minimax (k 2)", "budget": "iterations 100",
        "opponent": "uct, average", "opponent's budget": "iterations 100", "games": "10", "seed": "1 / 2",
        "engine": "cpu", "commit": "cccccccccccc", "versions": "gpumcts 0.1.0, numba 0.68.1", "machine": "AMD EPYC",
    }  # fmt: skip


def test_settings_of_searches_are_told_where_they_are_not_the_defaults(match):
    usual = as_json(Settings()._asdict())
    plain = conditions([match("a=1", search=usual)])
    assert "search" not in plain and "opponent's search" not in plain
    other = usual | {"solve": True, "leaves_per_tree": 256}
    told = conditions([match("b=1", search=usual, opponent={"search": usual}), match("b=2", search=other)])
    assert told["search"] == "leaves_per_tree 1 / 256, solve False / True" and told["opponent's search"] == "defaults"


def test_conditions_of_planning_name_the_planner(match):
    planners = [{"name": "uct", "exploration": 1.0}, {"name": "artdp"}]
    told = conditions([match(planner["name"], planner=planner) for planner in planners])
    assert told["planner"] == "uct / artdp (exploration 1.0)"


@pytest.mark.parametrize(("runs", "seeds"), [(7, "1 / 2 / 3 / 4 / 5 / 6 / 7"), (8, "1 / 2 / 3 / 4 / 5 / 6 / 2 others")])
def test_of_many_values_the_first_are_told_and_never_one_other(match, runs, seeds):
    assert conditions([match(f"seed={seed}", seed=seed) for seed in range(1, runs + 1)])["seed"] == seeds


def test_a_grid_has_the_keys_that_vary_in_order(match):
    grid = grid_of([match(f"a.x={x} b={b} c=1") for x, b in ((10, "u"), (2, "v"), (2, "u"))])
    assert grid is not None
    assert grid.keys == ("a.x", "b") and grid.values == (("2", "10"), ("u", "v"))
    assert [grid.words(cell) for cell in grid.missing] == ["a.x=10 b=v"]
    assert grid.numbers == [2, 10]


@pytest.mark.parametrize(
    "labels",
    [["seed=1"], ["a title", "another"], ["a=1 b=1 c=1", "a=2 b=2 c=2"], ["a=1", "b=1"], ["a=1 b=2", "a=2"]],
)
def test_runs_that_are_no_grid(match, labels):
    assert grid_of([match(label) for label in labels]) is None


def test_what_is_missing_or_not_finished_is_told(match, tmp_path):
    results = [match("a=1 b=1"), match("a=2 b=2", wins=1, games=4), match("a=1 b=2")]
    assert unfinished(results) == ["a=2 b=2: 4 of 10 games"]
    for decision, lines in (("H0", 0), ("go on", 1)):
        results[1].summary["sprt"] = {"decision": decision}
        assert len(unfinished(results)) == lines  # where its test has decided, nothing is missing
    del results[1].summary["sprt"]
    (tmp_path / "sweep.json").write_text("{}")
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "provenance.json").write_text(json.dumps({}))
    assert without_result(results) == ["killed: begun, no result"]
    text = page("A sweep", results)
    for line in ("a=2 b=1: missing", "a=2 b=2: 4 of 10 games", "killed: begun, no result"):
        assert f"<li>{line}</li>" in text


def test_what_a_sweep_was_asked_for_and_has_not_is_told(match, tmp_path):
    results = [match("seed=1"), match("seed=2")]
    assert not_there_yet(results) == []
    runs = {results[0].folder.name: "seed=1", "other": "seed=2", "killed": "seed=3", "nothing": "seed=4"}
    (tmp_path / "sweep.json").write_text(json.dumps({"family": None, "runs": runs}))
    for name in ("other", "killed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "provenance.json").write_text(json.dumps({}))
    (tmp_path / "other" / "summary.json").write_text(json.dumps({}))
    told = ["seed=3: begun, no result", "seed=4: missing"]
    assert not_there_yet(results) == told
    assert all(f"<li>{line}</li>" in page("A sweep", results) for line in told)


def test_what_two_sweeps_have_not_is_told_in_their_order_and_with_their_names(match, tmp_path):
    results = []
    for sweep in ("first", "second"):
        folder = tmp_path / sweep
        for name in ("done", "a", "b"):
            (folder / name).mkdir(parents=True)
            (folder / name / "provenance.json").write_text("{}")
        (folder / "done" / "summary.json").write_text("{}")
        runs = {"done": "seed=1", "b": "seed=2", "a": "seed=3"}
        (folder / "sweep.json").write_text(json.dumps({"family": None, "runs": runs}))
        results.append(replace(match(f"in={sweep}"), folder=folder / "done"))
    seeds = [f"seed={seed} ({sweep}): begun, no result" for sweep in ("first", "second") for seed in (2, 3)]
    assert without_result(results) == seeds


def test_a_swept_number_is_a_curve_and_two_keys_are_a_matrix(match):
    curve = page("A curve", [match(f"n={n}", wins=wins) for n, wins in ((1, 2), (100, 8), (10, 5))])
    assert curve.count('<g class="point">') == 3 and "<td style=" not in curve
    assert "<title>n=10: 50.0 % [0.0, 100.0]</title>" in curve and 'aria-label="win rate over n"' in curve
    (figure,) = re.findall("<figure>.*</figure>", curve, re.DOTALL)
    assert set(re.findall(r"(?:fill|stroke): ([^;\"]+)", figure)) <= {
        "none", "var(--ink)", "var(--mark)", "var(--faint)",
    }  # fmt: skip
    matrix = page("A matrix", [match(f"n={n} m={m}", wins=n) for n in (2, 8) for m in ("u", "v")])
    assert "<svg" not in matrix and matrix.count('<td class="below" style="--share') == 2
    assert re.search(r'class="below" style="--share: 27%">20.0 %<small>\[0.0, 100.0\]', matrix)
    assert re.search(r'<td style="--share: 27%">80.0 %', matrix)
    (legend,) = re.findall(r'<span class="legend">(.*?)</span></p>', matrix)
    assert re.findall(r"share: (\d+)%\">(\d+) %", legend) == [
        ("45", "0"), ("22", "25"), ("0", "50"), ("22", "75"), ("45", "100"),
    ]  # fmt: skip
    for text in (curve, matrix):
        assert "prefers-color-scheme: dark" in text and "width=device-width" in text
        assert not re.search(r"\b(nan|inf|None)\b", text)


def test_numbers_that_were_drawn_are_points_and_lack_no_combination(match):
    ends = ("0.91348005863081516", "0.96093442299097482", "0.98712345678901234")
    curve = page("Drawn", [match(f"n={n}") for n in ends])
    assert curve.count('<g class="point">') == 3 and "<title>n=0.9135" not in curve
    assert ": missing" not in page("Two", [match(f"n={n} m={m}") for n, m in zip(ends, ends[::-1], strict=True)])


def test_numbers_that_end_in_zeros_are_nobodys_draw(match):
    """Those of a list are a curve, however large; a combination that lacks its run is told."""
    for factor in (1000, 1_000_000):
        some = [match(f"n={n * factor} m={m}") for n in (1, 2, 5) for m in (1, 2)]
        assert "1 missing" in page("Listed", some[:-1]) or ": missing" in page("Listed", some[:-1])


def test_one_run_is_told_in_the_singular(match):
    assert "<p>1 run.</p>" in page("", [match("a=1")])
    assert "<p>2 runs.</p>" in page("", [match("a=2"), match("a=3")])


def test_matches_without_a_game_have_no_place_in_a_figure(match):
    results = [match("n=1"), match("n=2"), match("n=3"), match("n=4", wins=0, games=0)]
    assert page("", results).count('<g class="point">') == 3
    assert "<svg" not in page("", results[2:])


def test_sentences_and_tables_of_an_experiments_end_are_no_preformatted_text(match, tmp_path):
    said = [
        FittedTable("Samples <1>", {"size": "right", "UCT": "right"}, [["2", "6 (4 - 13)"]]),
        "One thing.\nAnother.",
    ]
    text = page("An end", [match("n=1")], (), [End("fig4", said, [])])
    assert "<pre>" not in text and "<p>One thing.</p><p>Another.</p>" in text
    assert "<b>Samples &lt;1&gt;</b>" in text and '<td class="right">6 (4 - 13)</td>' in text


def test_what_an_experiment_says_goes_to_its_page_and_not_to_stdout(match, monkeypatch, tmp_path, capsys):
    own = SimpleNamespace(CONCLUSIONS={"fig": lambda results, folder: show("said by its own") or ["fig.csv"]})
    monkeypatch.setitem(sys.modules, "experiments.papers.planted", own)
    result = match("n=1")
    (end,) = ends([replace(result, config={**result.config, "document": "planted/fig"})], tmp_path)
    assert end.said == ["said by its own"] and [file.name for file in end.files] == ["fig.csv"]
    assert capsys.readouterr().out == ""
    show("again on stdout")
    assert capsys.readouterr().out == "again on stdout\n"


def test_sweeps_of_one_name_have_a_folder_each_for_what_their_ends_write(match, monkeypatch, tmp_path):
    def end(results, folder):
        (folder / "fig.csv").write_text(results[0].label)
        show(results[0].label)
        return ["fig.csv"]

    monkeypatch.setitem(sys.modules, "experiments.papers.planted", SimpleNamespace(CONCLUSIONS={"fig": end}))
    runs = [
        replace(
            one, folder=tmp_path / place / "main" / one.folder.name, config={**one.config, "document": "planted/fig"}
        )
        for place, one in (("a", match("n=1")), ("b", match("n=2")))
    ]
    (tmp_path / "report").mkdir()
    found = ends(runs, tmp_path / "report")
    assert [one.title for one in found] == ["planted/fig: main", "planted/fig: main-2"]
    assert [one.said for one in found] == [[one.files[0].read_text()] for one in found] == [["n=1"], ["n=2"]]


def test_an_end_that_writes_nothing_leaves_what_an_earlier_report_wrote(match, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "experiments.papers.planted", SimpleNamespace(CONCLUSIONS={}))
    result = match("n=1")
    result = replace(result, config={**result.config, "document": "planted/fig"})
    home = tmp_path / "report" / tmp_path.name
    home.mkdir(parents=True)
    assert ends([result], tmp_path / "report") == [] and not home.exists()
    home.mkdir()
    (home / "fig.csv").write_text("")
    assert ends([result], tmp_path / "report") == [] and (home / "fig.csv").exists()


def test_a_narrow_page_cuts_no_image_and_says_where_tables_go_on(match, tmp_path):
    """Judged by the style: images shrink with the page, and each table has a box of its own to scroll in."""
    (tmp_path / "plot.png").write_bytes(b"x")
    text = page("A page", [match("n=1")], [tmp_path / "plot.png"])
    assert re.search(r"img \{ max-width: 100%;", text) and not re.search(r"img \{[^}]*max-width: none", text)
    assert len(re.findall("<table>", text)) == len(re.findall(r'<div class="wide runs"><table>', text)) == 2
    assert "scroll sideways" in text and "local, local, scroll, scroll" in text
