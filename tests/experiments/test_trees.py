"""experiments.trees at tiny budgets: what it counts, that it goes on where it was, what it refuses."""

import json
import math

import numpy as np
import pytest

from experiments.curves import _interval, _lasting
from experiments.folder import SUMMARY
from experiments.following import PIECES, checkpoints
from gpumcts.exact.alpha_beta import root_scores
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.options import option
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings

TINY = "trees game.depth=6 trees=12 runs=3 budget.iterations=40 engine=cpu threads=1"


def summary_of(folder):
    return json.loads((folder / SUMMARY).read_text())


def without_clock(summary):
    return {key: value for key, value in summary.items() if "second" not in key and key != "iterations"}


def test_failures_are_those_of_separate_searches(run, only):
    """Every search again on its own, for each checkpoint: the same moves, judged by exact scores."""
    assert run(TINY).code == 0
    summary = summary_of(only("outputs/trees/*"))
    game = PGame(2, 6)
    roots = instances(game, range(12))
    scores, _ = root_scores(game, roots)
    rule, operator = option("selection", "depth_decayed")(), option("backup", "average")()
    settings = Settings(expansion="whole_path", final="value", parent_count="children")
    searcher = Searcher(game, Uniform(), rule, operator, settings)
    expected = []
    for point in summary["points"]:
        failures = 0
        for tree in range(12):
            keys = np.array([key_of(1, tree, number) for number in range(3)], np.uint64)
            moves = searcher.search(np.repeat(roots[tree : tree + 1], 3, axis=0), keys, point).decide()
            failures += sum(scores[tree, move] < scores[tree].max() for move in moves)
        expected.append(failures / 36)
    assert summary["failure_rate"] == pytest.approx(expected)
    assert summary["decisive"] == sum(len(set(row)) > 1 for row in scores.tolist())


def test_a_stopped_run_goes_on_with_the_pieces_that_are_missing(run, only, monkeypatch):
    monkeypatch.setattr("experiments.following.SEARCHES_A_PIECE", 9)
    assert run(TINY).code == 0
    folder = only("outputs/trees/*")
    whole = summary_of(folder)
    pieces = sorted((folder / PIECES).iterdir())
    assert len(pieces) == 4
    pieces[1].unlink()
    (folder / SUMMARY).unlink()
    before = pieces[2].stat().st_mtime_ns
    assert run(TINY).code == 0
    assert without_clock(summary_of(folder)) == without_clock(whole)
    assert pieces[2].stat().st_mtime_ns == before


def test_neither_pieces_nor_threads_change_a_result(run, only, tmp_path, monkeypatch):
    assert run(f"{TINY} hydra.run.dir=a").code == 0
    monkeypatch.setattr("experiments.following.SEARCHES_A_PIECE", 6)
    assert run(f"{TINY} threads=2 hydra.run.dir=b").code == 0
    assert without_clock(summary_of(tmp_path / "a")) == without_clock(summary_of(tmp_path / "b"))


def test_a_damaged_piece_is_named(run, only):
    assert run(TINY).code == 0
    piece = next((only("outputs/trees/*") / PIECES).iterdir())
    piece.write_bytes(b"no archive")
    done = run(TINY)
    assert done.code == 2 and "is damaged; remove it" in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("game=othello", "game=othello has no instances"),
        ("game.branching=1", "game.branching=1"),
        ("game.depth=64", "game.depth=64"),
        ("game.branching=8 game.depth=22", "indices of nodes have 64 bits"),
        ("trees=0", "trees=0"),
        ("points=0", "points=0"),
        ("level=2", "level=2"),
        ("method=guess", "method="),
        ("method=alpha_beta selection=uniform", "selection does not count for method=alpha_beta"),
        ("method=alpha_beta level=0.5", "it takes exact=true and level=null"),
        ("budget=seconds budget.seconds=1", "counts iterations"),
        ("selection=bast", "selection=bast asks the operator"),
    ],
)
def test_bad_input_is_one_line_before_any_work(run, tmp_path, words, said):
    done = run(f"trees {words}")
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1, done.err
    assert not list(tmp_path.iterdir())


def test_implanted_depths_out_of_order_are_refused(run):
    done = run("trees", "game=implanted", "game.critical=[12,0]")
    assert done.code == 2 and "game.critical" in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("iterations", "a_decade", "points"),
    [(100, 3, [1, 2, 5, 10, 20, 50, 100]), (7, 3, [1, 2, 5, 7]), (1, 3, [1]), (10, 1, [1, 10])],
)
def test_checkpoints(iterations, a_decade, points):
    assert checkpoints(iterations, a_decade) == points


def test_a_rate_is_reached_for_good():
    points, rates = [1, 10, 100, 1000], [0.5, 0.05, 0.2, 0.0]
    assert _lasting(rates, points, 0.1) == pytest.approx(10**2.5)  # half way from 0.2 to 0, on a logarithmic scale
    assert _lasting(rates, points, 0.5) == 1.0
    assert _lasting([0.5, 0.3], [1, 10], 0.1) is None


def test_the_interval_of_a_rate_holds_the_rate():
    """Rates of trees that fall as 1/n, with noise between trees: the interval over resampled trees holds the mean's point."""
    rng = np.random.default_rng(1)
    points = [1, 10, 100, 1000]
    rates = np.minimum(1.0, rng.uniform(0.5, 1.5, (200, 1)) / np.sqrt(points)[None, :])
    low, high = _interval(rates, points, 0.1)
    at = _lasting(rates.mean(axis=0).tolist(), points, 0.1)
    assert low is not None and high is not None and low < at < high and high / low < 2


REFERENCE = {  # 200 trees of another generator: iterations, UCT, MC, MMMC (domain facts of the P-games, B = 2, D = 20)
    10: (0.1125, 0.1290, 0.1665),
    100: (0.0395, 0.0560, 0.1130),
    1000: (0.0105, 0.0460, 0.0900),
}


@pytest.mark.slow
def test_failure_rates_agree_with_the_reference(run, tmp_path):
    """Two samples of 200 trees each, compared by the variance between trees; Holm's correction over nine tests at 1 %."""
    from scipy import stats

    from gpumcts.match.statistics import holm

    values, cells = [], []
    for column, cell in enumerate(("uct", "mc", "mmmc")):
        folder = tmp_path / cell
        line = f"trees cell=kocsis/{cell} trees=200 runs=20 budget.iterations=1000 seed=2 hydra.run.dir={folder}"
        assert run(line).code == 0
        summary = summary_of(folder)
        for point, expected in REFERENCE.items():
            at = summary["points"].index(point)
            rate, half = summary["failure_rate"][at], summary["high"][at] - summary["failure_rate"][at]
            error = half / 1.96 * math.sqrt(2)  # the reference's trees vary as ours do
            values.append(2 * stats.norm.sf(abs(rate - expected[column]) / error))
            cells.append((cell, point, rate, expected[column]))
    assert min(holm(values)) > 0.01, list(zip(cells, values, strict=True))
