"""The worked figures to the last digit, and the benchmark from end to end at its smallest."""

import json

import pytest

from experiments import benchmarks, hashimoto2012accelerated
from experiments.worked import FIGURES


@pytest.mark.parametrize("figure", hashimoto2012accelerated.FIGURES)
def test_a_worked_figure_is_exact(figure):
    """Within one unit in the last place of a number in [1/2, 1)."""
    rows = hashimoto2012accelerated.FIGURES[figure]()
    assert rows
    for row in rows:
        assert abs(row.ours - row.exact) <= 2.0**-53, row.what


@pytest.mark.parametrize("figure", FIGURES)
def test_a_worked_figure_is_one_command(run, figure):
    done = run(f"worked experiment={figure}")
    assert done.code == 0
    assert "printed" in done.out


def test_the_benchmark_runs_and_keeps_its_figures(run, monkeypatch, tmp_path):
    monkeypatch.setattr(benchmarks, "names", lambda kind: ["average"])
    done = run("bench suites=[memory] against=null hydra.run.dir=here")
    assert done.code == 0, done.err
    figures = json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))
    assert [row["what"] for row in figures] == ["a node, average"]
    assert 22 <= figures[0]["median"] <= 24


def test_ratios_are_turn_by_turn():
    """Contender b does twice the work of a in the same calls: half the rate, ratio 1/2, whatever the machine does."""
    clock = iter([0, 1, 1, 3, 5, 6, 6, 8])

    class Clock:
        @staticmethod
        def perf_counter():
            return next(clock)

    before, benchmarks.time = benchmarks.time, Clock
    try:
        contenders = [benchmarks.Contender("a", lambda n: None, 100), benchmarks.Contender("b", lambda n: None, 100)]
        rows = benchmarks.compare("s", "u", contenders, 2, against="a")
    finally:
        benchmarks.time = before
    assert [row.median for row in rows] == [100.0, 50.0]
    assert (rows[0].ratio, rows[1].ratio, rows[1].against) == (None, 0.5, "a")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("bench suites=[speed]", "suites=['speed']: a list of playouts, search, memory, scaling, startup"),
        ("bench against=chess", "against=chess: must be open_spiel, or null"),
        ("bench repeats=0", "repeats=0: must be an integer in [1, 1000]"),
        (
            "worked figure=fig9",
            "figure=fig9: must be one of hashimoto2012accelerated/fig1, hashimoto2012accelerated/fig2",
        ),
    ],
)
def test_bad_input(run, words, message):
    done = run(words)
    assert done.code == 2
    assert done.err.startswith(f"error: {message}")
    assert done.err.count("\n") == 1
