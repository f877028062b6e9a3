"""experiments.report: what it says of the runs of several sweeps, and of one run."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.analysis import result_table
from experiments.analysis.headings import heading
from experiments.analysis.result_table import notes
from experiments.report import find
from experiments.runs.results import Result

TINY = "player=random player@opponent.player=random games=2"


def test_a_report_of_two_games_names_them_and_what_all_runs_share(run, only):
    assert run(f"match -m {TINY} game=connect_four seed=1,2 hydra.sweep.dir=x/a").code == 0
    assert run(f"match -m {TINY} game=clobber seed=1,2 hydra.sweep.dir=x/b").code == 0
    done = run("report runs=x/**")
    assert (
        done.code == 0
        and done.out.startswith("match: against random, player=random\n")
        and "\n4 runs; report.html" in done.out
    )
    names = [f"game={game} seed={seed}" for game in ("connect_four", "clobber") for seed in (1, 2)]
    page = only("outputs/report/*/report.html").read_text("utf-8")
    for name in names:
        assert f" {name} " in done.out and f'<td class="left">{name}</td>' in page
    one = run("report runs=x/a/* title=One")
    assert " seed=1 " in one.out and "game=" not in one.out  # one sweep keeps its own names
    (folder, *_) = Path("x/a").glob("*/provenance.json")
    folder.write_text(re.sub('"seed=."', '"n=2.3456789012345"', folder.read_text()))
    single = run(f"report runs={folder.parent} title=Single").out
    assert "\n1 run; report.html" in single and " n=2.34568 " in single


def test_a_folder_whose_name_has_brackets_is_found(run, tmp_path):
    assert run(f"match {TINY} game=connect_four hydra.run.dir='x/[1]'").code == 0
    (found,) = find("x/[1]")
    assert found.folder == tmp_path / "x" / "[1]"


@pytest.mark.parametrize("document", ["nothing", "nothing/fig", "a/b/c", "playout_comparison/nothing", "../x/y"])
def test_a_document_that_there_is_not_is_named_in_a_line(run, tmp_path, document):
    """A key that an experiment of one's own may have wrong; a run without a document may have it empty."""
    run(f"match {TINY} game=connect_four hydra.run.dir=here")
    assert run("report runs=here").code == 0
    config = tmp_path / "here" / "config.yaml"
    whole = config.read_text()
    config.write_text(f"{whole}document: null\n")
    assert run("report runs=here").code == 0
    config.write_text(f"{whole}document: {document}\n")
    done = run("report runs=here")
    assert done.code == 2
    assert done.err == f"error: {config}: document={document}: there is no such document\n"


def played(label, **identity):
    record = {"program": "match", "name": "m", "label": label, "identity": identity}
    return Result(Path("a") / label, {}, record, {"opponent": {"label": "uct"}})


def test_a_table_is_headed_by_what_its_runs_share():
    go, othello = ({"game": {"name": name}, "budget": {"iterations": 50}} for name in ("go", "othello"))
    assert heading("match", [played("a", **go), played("b", **go)]) == "match: Go, against UCT, 50 iterations"
    assert heading("match", [played("a", **go), played("b", **othello)]) == "match: against UCT, 50 iterations"
    assert heading("match", [Result(Path("a"), {}, played("a").provenance, {})]) == "match"


def test_a_table_with_p_values_says_over_how_many_runs_they_are_corrected(monkeypatch):
    runs = [played("a"), played("b"), played("c")]
    monkeypatch.setattr(result_table, "_comparable", lambda result: result.label != "c")
    assert notes(runs) == ["p (Holm) is corrected for the 2 runs here that have one"]
    monkeypatch.setattr(result_table, "columns", lambda results: ({}, []))
    assert result_table.result_table("T", runs).title.startswith("T; p (Holm) is corrected for the 2 runs")
    monkeypatch.setattr(result_table, "_comparable", lambda result: False)
    assert notes(runs) == []


def swept(label, *words, **identity):
    run = played(label, game={"name": "othello"}, **identity)
    return replace(run, provenance={**run.provenance, "command": ["match.py", "-m", *words]})


def test_a_heading_names_what_is_fixed_and_no_default():
    """By the key and the value as the run took it; of swept keys, defaults, seeds and games nothing."""
    words = ["backup=accelerated", "backup.decay=0.9,0.99", "playout=uniform", "seed=1e3", "games=4", "threads=1"]
    own = {"playout": {"name": "uniform", "truncate": 5}, "selection": {"name": "ucb1", "exploration": 0.5}}
    runs = [
        swept(f"backup.decay={decay}", *words, "playout.truncate=5.0", "selection.exploration=.5", **own,
              backup={"name": "accelerated", "decay": decay})
        for decay in (0.9, 0.99)
    ]  # fmt: skip
    fixed = "backup=accelerated, playout.truncate=5, selection.exploration=0.5"
    assert heading("match", runs) == f"match: Othello, against UCT, {fixed}"
    preset = [swept(f"seed={n}", "preset=fuego", "seed=1,2", "search.solve=true") for n in (1, 2)]
    assert heading("match", preset) == "match: Othello, against UCT, preset=fuego, search.solve=true"
    many = [swept("", *(f"search.k{n}=7" for n in range(9)), search={f"k{n}": 7 for n in range(9)})]
    assert heading("match", many).endswith("search.k5=7, 3 more in table.csv")


def test_an_opponents_settings_are_named_once():
    """Those that its name tells are not told again."""
    other = {"opponent": {"backup": {"name": "accelerated", "decay": 0.9}, "selection": {"exploration": 2.0}}}
    words = ["backup@opponent.backup=accelerated", "opponent.backup.decay=0.9", "opponent.selection.exploration=2"]
    runs = [swept(f"seed={n}", *words, "player@opponent.player=uct", **other) for n in (1, 2)]
    runs = [replace(run, summary={"opponent": {"label": "uct accelerated decay=0.9"}}) for run in runs]
    assert heading("match", runs).endswith("against UCT accelerated decay=0.9, opponent.selection.exploration=2")


def test_runs_are_found_by_patterns_and_by_the_folder_of_their_sweep(run):
    for name in "ab":
        assert run(f"perft -m game=clobber depth=0,1 hydra.sweep.dir=x/{name}").code == 0
    for runs, count in ((["x/a", "x/b"], 4), (["x/**", "x/a", "x/*/*"], 4), ("x", 4), ("x/b", 2), ("x/[a]/*", 2)):
        assert len(find(runs)) == count
    assert "\n4 runs; report.html" in run("report runs=[x/a,x/b]").out
    refused = {
        "runs=[x/a,nothing/**]": "runs=nothing/**: no folder matches\n",
        "runs=[]": "runs=[]: must be a pattern of folders, or a list of at least one\n",
        "runs='{x,y}/**'": "runs={x,y}/**: no folder matches; several patterns stand in a list: runs='[a/**,b/**]'\n",
        "runs='x/**,y/**'": "runs=x/**,y/**: no folder matches; several patterns stand in a list: runs='[a/**,b/**]'\n",
        "runs=[3]": "runs=[3]: must be text, or a list of texts",
    }
    for line, message in refused.items():
        done = run("report", line.replace("'", '"'))
        assert done.code == 2 and done.err.startswith(f"error: {message}")
