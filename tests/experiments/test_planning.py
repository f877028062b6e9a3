"""experiments.planning: what it writes, that a finished run is not made again, the figure, and bad input."""

import csv
import json
import math
import os
import re
import time
from types import SimpleNamespace

import pytest
import yaml
from matplotlib.figure import Figure
from numba.core.compiler_lock import global_compiler_lock

from experiments import planning
from experiments.analysis import planner_samples
from experiments.app.error_messages import CONF, choices
from experiments.app.flags import parsed
from experiments.papers import kocsis2006bandit
from experiments.runs.run_directory import PROVENANCE, SUMMARY
from gpumcts import options
from gpumcts.match.lock import held
from gpumcts.planning import KIND
from gpumcts.planning.queries import Queries
from tests.experiments.damage import damage_to

TINY = "game.size=3 states=20 samples=500"


def summary_of(folder):
    return json.loads((folder / SUMMARY).read_text("utf-8"))


def said(values):
    return {key: (value, type(value)) for key, value in values.items()}


@pytest.mark.parametrize("name", options.names(KIND))
def test_a_planner_and_its_file_say_the_same(name):
    fields = yaml.safe_load((CONF / KIND / f"{name}.yaml").read_text("utf-8"))
    assert fields.pop("name") == name
    assert said(fields) == said(options.option(KIND, name)._field_defaults)


def test_every_file_of_a_planner_names_a_module():
    assert choices(KIND) == options.names(KIND)


def test_the_command_and_its_file_say_the_same():
    plain = yaml.safe_load((CONF / "planning.yaml").read_text("utf-8"))
    keys = {key: value for key, value in plain.items() if key not in ("defaults", "hydra")}
    assert said(keys) == said(planning.PlanningKeys._field_defaults)


def test_a_run_and_what_it_leaves(run, only):
    done = run(f"planning {TINY}")
    assert done.code == 0, done.err
    folder = only("outputs/planning/*")
    summary = summary_of(folder)
    assert (summary["planner"], summary["size"], summary["interrupted"]) == ("uct", 3, False)
    assert summary["points"][-1] == summary["most"] <= 500 and len(summary["mean_error"]) == len(summary["points"])
    with (folder / planning.CURVE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["samples"]) for row in rows] == summary["points"]
    assert [float(row["mean_error"]) for row in rows] == summary["mean_error"]
    assert "standard error" in done.out


def test_compiling_is_not_in_the_seconds(run, only, monkeypatch):
    answers = Queries.answers

    def compiles(*arguments):
        with global_compiler_lock:
            time.sleep(0.2)
        return answers(*arguments)

    monkeypatch.setattr(Queries, "answers", compiles)
    assert run(f"planning {TINY}").code == 0
    summary = summary_of(only("outputs/planning/*"))
    pieces = len(list(only("outputs/planning/*/pieces").iterdir()))
    assert pieces >= 10 and 0 < summary["seconds"] < 0.2 * pieces
    assert summary["samples_per_second"] > 20 * 500 / (0.2 * pieces)


def test_a_finished_run_is_not_made_again(run, only, monkeypatch):
    first = run(f"planning {TINY} threads=1")
    monkeypatch.setattr(planning, "_measured", None)
    again = run(f"planning {TINY} threads=2")
    assert again.code == 0 and again.out == first.out
    only("outputs/planning/*")


@pytest.mark.slow
def test_threads_decide_nothing(run, only):
    digests = set()
    for threads in (1, 3):
        assert run(f"planning {TINY} threads={threads} hydra.run.dir=t{threads}").code == 0
        summary = summary_of(only(f"t{threads}"))
        digests.add((summary["digest"], summary["samples"], str(summary["mean_error"])))
    assert len(digests) == 1
    assert run(f"planning {TINY} seed=2 hydra.run.dir=other").code == 0
    assert summary_of(only("other"))["digest"] not in {digest for digest, _, _ in digests}


def test_an_interrupted_run_goes_on(run, only, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(planning, "_measured", interrupted)
        assert run(f"planning {TINY}").code == 130
    assert summary_of(only("outputs/planning/*"))["interrupted"]
    assert run(f"planning {TINY}").code == 0
    assert not summary_of(only("outputs/planning/*"))["interrupted"]


def test_a_stopped_run_goes_on_with_the_pieces_that_are_missing(run, only):
    assert run(f"planning {TINY}").code == 0
    folder = only("outputs/planning/*")
    whole, pieces = summary_of(folder), sorted((folder / planning.PIECES).iterdir())
    assert len(pieces) == 20
    pieces[3].unlink()
    (folder / SUMMARY).unlink()
    before = pieces[4].stat().st_mtime_ns
    assert run(f"planning {TINY}").code == 0
    again = summary_of(folder)
    assert (again["digest"], again["samples"]) == (whole["digest"], whole["samples"])
    assert pieces[3].exists() and pieces[4].stat().st_mtime_ns == before


def test_a_damaged_piece_is_named(run, only):
    """One that is no archive, empty, cut, or changed within; where it is removed, the run makes it again."""
    assert run(f"planning {TINY}").code == 0
    folder = only("outputs/planning/*")
    piece, summary = folder / planning.PIECES / "500-05.npz", summary_of(folder)
    for damaged in damage_to(piece.read_bytes()):
        piece.write_bytes(damaged)
        (folder / SUMMARY).unlink(missing_ok=True)
        done = run(f"planning {TINY}")
        assert done.code == 2 and f"{piece} is damaged; remove it" in done.err and done.err.count("\n") == 1, done.err
    piece.unlink()
    assert run(f"planning {TINY}").code == 0
    assert summary_of(folder)["digest"] == summary["digest"]


def test_all_that_a_run_needs_to_go_on_is_put_on_disk(run, only, monkeypatch):
    synced = set()
    monkeypatch.setattr(os, "fsync", lambda handle: synced.add(os.fstat(handle).st_ino))
    assert run(f"planning {TINY}").code == 0
    folder = only("outputs/planning/*")
    pieces = folder / planning.PIECES
    for path in (*pieces.iterdir(), pieces, folder / PROVENANCE, folder / SUMMARY, folder):
        assert path.stat().st_ino in synced, path


def test_another_process_in_the_folder_is_refused(run, only):
    assert run(f"planning {TINY}").code == 0
    folder = only("outputs/planning/*")
    with held(folder):
        done = run(f"planning {TINY}")
    assert done.code == 2 and f"{folder} is in use by another run; wait for it" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.slow
def test_a_report_of_planners(figure, run, only):
    assert figure[0].code == 0
    done = run("report runs=fig4/**")
    assert done.code == 0 and "6 runs" in done.out, done.err
    page = (only("outputs/report/*") / "report.html").read_text("utf-8")
    assert "UCT needs significantly fewer samples" in page and page.count("data:image/png") == 2


def test_samples_are_raised_until_they_are_enough(run, only):
    """An error of 100 is reached at once, one of 1e-9 never."""
    for error, most, needed in ((100.0, 1000, 1), (1e-9, 5000, None)):
        assert run(f"planning game.size=4 states=10 samples=5000 error={error} hydra.run.dir=e{most}").code == 0
        summary = summary_of(only(f"e{most}"))
        assert (summary["most"], summary["samples"]) == (most, needed)


def test_runs_are_perturbations_of_their_own(run, only):
    assert run(f"planning {TINY} runs=3").code == 0
    assert len(summary_of(only("outputs/planning/*"))["mean_error"]) > 5


@pytest.fixture
def figure(run, tmp_path):
    """Figure 4 at a size for tests."""
    words = "planning experiment=kocsis2006bandit/fig4 scale=small states=20 samples=2000 hydra.sweep.dir=fig4"
    return run(words, "game.size=2,3"), tmp_path / "fig4"


@pytest.mark.slow
def test_figure_4(figure, run, monkeypatch):
    done, folder = figure
    assert done.code == 0, done.err
    assert "The document: UCT needs significantly fewer samples" in done.out
    assert (folder / "fig4.png").stat().st_size > 10_000
    with (folder / "fig4.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["planner"], row["size"]) for row in rows} == {(p, s) for p in ("uct", "artdp", "pg_id") for s in "23"}
    for row in rows:
        if row["samples"]:
            assert int(row["low"]) <= int(row["samples"]) <= int(row["high"] or row["most"])
    assert re.search(r"UCT +ARTDP +PG-ID", done.out)
    monkeypatch.setattr(planning, "_measured", None)  # every cell is there already
    words = "planning experiment=kocsis2006bandit/fig4 scale=small states=20 samples=2000 hydra.sweep.dir=fig4"
    again = run(words, "game.size=2,3")
    assert again.code == 0 and again.out[again.out.index("\n size ") :] == done.out[done.out.index("\n size ") :]


def test_slopes():
    """Of a power law with a bend at size 2, which does not count, and of too few points."""
    law = [{"size": size, "samples": 5 * size**3 if size > 2 else 1} for size in (2, 3, 4, 6, 10)]
    found = kocsis2006bandit.slopes({"UCT": law, "ARTDP": [*law[:3], {"size": 20, "samples": None}]})
    assert found == [["UCT", "3.00", "3.00 - 3.00", "4"], ["ARTDP", "-", "-", "2"]]


def test_who_needs_the_fewest_samples_is_told_where_one_reached_the_error():
    reached, missed = {"size": 3, "samples": 50}, {"size": 3, "samples": None}
    assert kocsis2006bandit._verdict({"UCT": [missed], "ARTDP": [reached]}) == "Fewest samples: ARTDP on 3"
    said = kocsis2006bandit._verdict({"UCT": [missed], "ARTDP": [missed]})
    assert said == "Fewest samples: not told, since no planner reached the error"


@pytest.mark.slow
def test_the_scales_of_figure_4():
    sizes = {"small": list(range(2, 11)), "document": [*range(2, 11), 12, 14, 16, 18, 20, 25, 30, 35, 40]}
    for scale, expected in sizes.items():
        words = ["experiment=kocsis2006bandit/fig4", f"scale={scale}", "planner=uct"]
        jobs, _ = planning.COMMAND._jobs(parsed(words))
        assert [job.checked.game.size for job in jobs] == expected
        assert {job.checked.keys.states for job in jobs} == {1000 if scale == "document" else 600}
        assert {job.checked.keys.noise for job in jobs} == {0.1} == {job.checked.keys.error for job in jobs}


def test_an_interval_without_an_end_is_drawn_with_an_arrow_where_it_goes_on():
    row = {"error": 0.1, "most": 16_000}
    some = [
        {**row, "size": 4, "samples": 3548, "low": 2512, "high": 3981},
        {**row, "size": 5, "samples": 7943, "low": 2239, "high": None},
        {**row, "size": 6, "samples": None, "low": None, "high": None},
        {**row, "size": 7, "samples": 9000, "low": 8000, "high": 9500},
    ]
    axes = Figure().subplots()
    planner_samples.draw(axes, {"UCT": some})
    marks = {line.get_fillstyle(): line.get_xydata().tolist() for line in axes.lines if line.get_marker() == "^"}
    assert marks == {"full": [[5, 16_000]], "none": [[6, 16_000]]}
    assert axes.lines[0].get_ydata() == pytest.approx([3548, 7943, math.nan, 9000], nan_ok=True)  # not across size 6


def test_a_series_is_named_by_what_it_changes():
    name = planner_samples.planner_name
    fields = options.option(KIND, "uct")._field_defaults
    assert name({"name": "uct", **fields}) == "UCT"
    assert name({"name": "uct", **fields, "stop": "new"}) == "UCT stop=new"


def result_of(size, samples, **config):
    planner = {"name": config.pop("planner", "uct")}
    settings = {**dict.fromkeys(planner_samples.SETTINGS, 1), **config}
    summary = {"planner": planner["name"], "size": size, "samples": samples, "low": 1, "high": None, "most": 9}
    fields = options.option(KIND, planner["name"])._field_defaults
    config = {"planner": {**planner, **fields}, **settings}
    return SimpleNamespace(config=config, summary={**summary, "error": 0.1})


def test_runs_of_one_size_with_other_settings_are_series_of_their_own():
    runs = [result_of(size, 10 * size + seed, seed=seed) for size in (4, 3) for seed in (2, 10)]
    runs += [result_of(size, 70, planner="artdp", states=size) for size in (3, 4)]  # as a document may have it
    found = {name: [(s["size"], s["samples"]) for s in some] for name, some in planner_samples.series(runs).items()}
    assert found == {
        "UCT seed=2": [(3, 32), (4, 42)],
        "UCT seed=10": [(3, 40), (4, 50)],
        "ARTDP": [(3, 70), (4, 70)],
    }


@pytest.mark.parametrize(("sizes", "ticks"), [([4, 6], [4, 6]), ([2, 3, 4, 5, 6, 7, 8, 9], [2, 3, 5])])
def test_sizes_are_told_on_the_axis(sizes, ticks):
    axes = Figure().subplots()
    planner_samples.draw(axes, planner_samples.series([result_of(size, 5) for size in sizes]))
    assert axes.get_xticks().tolist() == ticks


def test_an_interval_beyond_all_samples_is_told_once():
    assert planning._interval(None, None, 1000) == "> 1,000"
    assert planning._interval(900, None, 1000) == "900 - > 1,000"
    assert planning._interval(800, 900, 1000) == "800 - 900"


@pytest.mark.slow
def test_uct_reaches_the_error_on_every_small_grid(run, tmp_path):
    """Sizes 2 to 10 at the small scale; deterministic."""
    done = run("planning experiment=kocsis2006bandit/fig4 scale=small planner=uct hydra.sweep.dir=uct")
    assert done.code == 0, done.err
    summaries = [summary_of(path.parent) for path in (tmp_path / "uct").glob(f"*/{SUMMARY}")]
    assert sorted(summary["size"] for summary in summaries) == list(range(2, 11))
    assert all(summary["samples"] is not None for summary in summaries)


BAD = {
    "game.size=1": "game.size=1: must be an integer in [2, 64]",
    "noise=2": "noise=2: must be a number in [0, 1]",
    "noise=-0.1": "noise=-0.1: must be a number in [0, 1]",
    "discount=0": "discount=0: must be a number in (0, 1]",
    "error=0": "error=0: must be a number above 0",
    "states=1": "states=1: must be an integer in [2, 1000000]",
    "samples=0": "samples=0: must be an integer in [1, 1000000000]",
    "samples=1.5": "samples=1.5: must be an integer",
    "planner=utc": "planner=utc is not known",
    "planner.exploration=-1": "planner.exploration=-1: must be a number in [0, 1000000]",
    "planner.stop=never": "planner.stop=never: must be visits, new, fixed or growing",
    "planner.stop=fixed": "planner.depth=0: must be at least 1 with stop=fixed and stop=growing, and 0 with stop=visits"
    " and stop=new",
    "planner.depth=4": "planner.depth=4: must be at least 1 with stop=fixed and stop=growing, and 0 with stop=visits",
    "planner=artdp planner.temperature=0": "planner.temperature=0: must be a number in (0, 1000000]",
    "planner=pg_id planner.explore=best": "planner.explore=best: must be interval, boltzmann or uniform",
    "planner=pg_id planner.stop=new": "planner.stop: unknown key",
    "planner.name=my.planner": "planner.name=my.planner: cannot import it",
    "game=othello": "game=othello is no Markov decision problem; experiments.planning takes sailing",
    "budget.iterations=50": "budget.iterations: unknown key",
    "scale=document": "scale goes with an experiment",
    "budget=document": "budget=document: it is called scale=document now",
    "game.patience=8": "game.patience does not count",
    "surprise=1": "surprise: unknown key",
    "-m game.size=5,1": "game.size=1: must be an integer in [2, 64]",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_one_line(run, tmp_path, words):
    done = run(f"planning {words}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {BAD[words]}") and done.err.count("\n") == 1, done.err
    assert not list(tmp_path.iterdir())


CURVES_ALONE = '{"interrupted": false, "points": [], "mean_error": [], "standard_error": []}'


@pytest.mark.parametrize("text", ['{"seed": 1}', '{"interrupted": false}', CURVES_ALONE])
def test_a_summary_of_something_else_is_damaged(run, tmp_path, text):
    (tmp_path / "here").mkdir()
    (tmp_path / "here/summary.json").write_text(text)
    done = run(f"planning {TINY} hydra.run.dir=here")
    assert (
        done.code == 2 and "here/summary.json is damaged: it is no summary of experiments.planning; remove" in done.err
    )
    assert (tmp_path / "here/summary.json").read_text() == text
