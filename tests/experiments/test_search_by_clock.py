"""experiments.search with budget=seconds: wall-clock time of this very search, whose iterations bind in its folder."""

import json

import pytest

from experiments import search
from experiments.players.clock_budget import CLOCK
from tests.experiments.test_search import interrupt

LINE = "search game=dots_and_boxes engine=cpu threads=1"


def summary(path):
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("more", ["search.leaves_per_tree=8", "search.roots=3"])
def test_the_iterations_of_a_clock_bind(run, only, more):
    assert run(f"{LINE} budget=seconds budget.seconds=0.05 {more}").code == 0
    folder = only("outputs/search/*")
    first = summary(folder / "summary.json")
    assert summary(folder / CLOCK) == {"seconds": 0.05, "iterations": first["iterations"]}
    assert first["iterations"] > 100
    parts = first["time"]["parts"].values()
    assert first["time"]["seconds"] > 0.04 and sum(part["share"] for part in parts) == pytest.approx(1)
    assert run(f"{LINE} budget=seconds budget.seconds=0.05 {more}").code == 0
    again = summary(folder / "summary.json")
    assert (again["iterations"], again["moves"]) == (first["iterations"], first["moves"])
    assert run(f"{LINE} budget.iterations={first['iterations']} {more} hydra.run.dir=counted").code == 0
    assert summary(only("counted") / "summary.json")["moves"] == first["moves"]


def test_what_is_interrupted_does_not_bind(run, only, monkeypatch):
    interrupt(monkeypatch, search)
    done = run(f"{LINE} budget=seconds budget.seconds=600 search.roots=2")
    assert done.code == 130 and "interrupted; by then it plays" in done.out
    folder = only("outputs/search/*")
    assert summary(folder / "summary.json")["iterations"] > 0 and not (folder / CLOCK).exists()


def test_memory_ends_a_search_in_a_line(run, only):
    done = run(f"{LINE} budget=seconds budget.seconds=600 memory_gb=0.002")
    assert done.code == 0, done.err
    folder = only("outputs/search/*")
    found = summary(folder / "summary.json")
    assert f"the search ends after {found['iterations']:,} iterations: {found['stopped_by']}" in done.err
    assert "MiB may be used; more memory_gb goes on longer" in found["stopped_by"]
    assert "budget.iterations" not in found["stopped_by"]  # which nobody gave
    assert not (folder / CLOCK).exists()


def test_a_damaged_clock_is_one_line(run, only):
    line = f"{LINE} budget=seconds budget.seconds=0.01 hydra.run.dir=here"
    assert run(line).code == 0
    for text in ["{", "[]", '{"iterations": 0}', '{"iterations": true}', '{"seconds": 1}']:
        (only("here") / CLOCK).write_text(text)
        done = run(line)
        assert done.code == 2 and len(done.err.splitlines()) == 1 and "clock.json is damaged" in done.err, text
