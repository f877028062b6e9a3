"""experiments.report: what it says of the runs of several sweeps, and of one run."""

import re
from pathlib import Path

from experiments.analysis import result_table
from experiments.analysis.result_table import notes
from experiments.report import _heading
from experiments.runs.results import Result

TINY = "player=random player@opponent.player=random games=2"


def test_a_report_of_two_games_names_them_and_what_all_runs_share(run, only):
    assert run(f"match -m {TINY} game=connect_four seed=1,2 hydra.sweep.dir=x/a").code == 0
    assert run(f"match -m {TINY} game=clobber seed=1,2 hydra.sweep.dir=x/b").code == 0
    done = run("report runs=x/**")
    assert done.code == 0 and done.out.startswith("match: against random\n") and "\n4 runs; report.html" in done.out
    names = [f"game={game} seed={seed}" for game in ("connect_four", "clobber") for seed in (1, 2)]
    page = only("outputs/report/*/report.html").read_text("utf-8")
    for name in names:
        assert f" {name} " in done.out and f'<td class="left">{name}</td>' in page
    one = run("report runs=x/a/* title=One")
    assert " seed=1 " in one.out and "game=" not in one.out  # one sweep keeps its own names
    (folder, *_) = Path("x/a").glob("*/provenance.json")
    folder.write_text(re.sub('"seed=."', '"seed=2.3456789012345"', folder.read_text()))
    single = run(f"report runs={folder.parent} title=Single").out
    assert "\n1 run; report.html" in single and " seed=2.34568 " in single


def played(label, **identity):
    record = {"program": "match", "name": "m", "label": label, "identity": identity}
    return Result(Path("a") / label, {}, record, {"opponent": {"label": "uct"}})


def test_a_table_is_headed_by_what_its_runs_share():
    go, othello = ({"game": {"name": name}, "budget": {"iterations": 50}} for name in ("go", "othello"))
    assert _heading("match", [played("a", **go), played("b", **go)]) == "match: Go, against UCT, 50 iterations"
    assert _heading("match", [played("a", **go), played("b", **othello)]) == "match: against UCT, 50 iterations"
    assert _heading("match", [Result(Path("a"), {}, played("a").provenance, {})]) == "match"


def test_a_table_with_p_values_says_over_how_many_runs_they_are_corrected(monkeypatch):
    runs = [played("a"), played("b"), played("c")]
    monkeypatch.setattr(result_table, "_comparable", lambda result: result.label != "c")
    assert notes(runs) == ["p (Holm) is corrected for the 2 runs here that have one"]
    monkeypatch.setattr(result_table, "columns", lambda results: ({}, []))
    assert result_table.result_table("T", runs).title.startswith("T; p (Holm) is corrected for the 2 runs")
    monkeypatch.setattr(result_table, "_comparable", lambda result: False)
    assert notes(runs) == []
