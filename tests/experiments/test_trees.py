"""experiments.trees at tiny budgets: what it counts, that it goes on where it was, what it refuses."""

import json
import math
import os
import time

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

from experiments import trees
from experiments.analysis.convergence import _interval, _lasting, rates_by_tree
from experiments.papers.kocsis2006improved.rates import METHODS, REFERENCE
from experiments.runs import tree_searches
from experiments.runs.array_files import write_npz
from experiments.runs.run_directory import PROVENANCE, SUMMARY, WORK
from experiments.runs.tree_searches import PIECES, checkpoints, pieces_of
from experiments.runs.tree_work import GO_ON
from experiments.terminal import console
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.match.lock import held
from gpumcts.options import option
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.solver.alpha_beta import root_scores, solve
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings
from tests.experiments.config.drivers import composed
from tests.experiments.damage import damage_to

TINY = "trees game.depth=6 trees=12 runs=3 budget.iterations=40 engine=cpu threads=1"


def summary_of(folder):
    return json.loads((folder / SUMMARY).read_text())


def read_work(folder):
    return json.loads((folder / WORK).read_text())


def without_clock(summary):
    return {key: value for key, value in summary.items() if "second" not in key and key != "iterations"}


@pytest.mark.slow
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
    monkeypatch.setattr("experiments.runs.tree_searches.SEARCHES_A_PIECE", 9)
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


def test_the_work_of_a_stopped_run_counts(run, only, monkeypatch):
    monkeypatch.setattr("experiments.runs.tree_searches.SEARCHES_A_PIECE", 9)
    assert run(TINY).code == 0
    folder = only("outputs/trees/*")
    whole = summary_of(folder)
    assert read_work(folder) == {key: whole[key] for key in ("iterations", "seconds", "engine")}
    for path in [folder / WORK, folder / SUMMARY, *(folder / PIECES).iterdir()]:
        path.unlink()

    def stopped(path, **arrays):
        if path.name == "00002.npz":
            raise KeyboardInterrupt
        write_npz(path, **arrays)

    with monkeypatch.context() as patched:
        patched.setattr(tree_searches, "write_npz", stopped)
        assert run(TINY).code == 130 and not (folder / SUMMARY).exists()
    half = read_work(folder)
    assert 0 < half["iterations"] < whole["iterations"] and half["seconds"] > 0
    assert run(TINY).code == 0
    assert summary_of(folder)["iterations"] == whole["iterations"]
    assert summary_of(folder)["seconds"] > half["seconds"]


@pytest.mark.parametrize("damaged", ['{"iterations": "many"}', '{"iterations": 1, "seconds": null}', "["])
def test_damaged_work_is_told(run, only, damaged):
    assert run(TINY).code == 0
    folder = only("outputs/trees/*")
    (folder / WORK).write_text(damaged)
    done = run(TINY)
    assert (
        done.code == 2 and f"{folder / WORK} is damaged: it holds no " in done.err and done.err.endswith(GO_ON + "\n")
    )


@pytest.mark.parametrize("name", [WORK, SUMMARY])
def test_a_finished_run_keeps_the_engine_that_made_it(run, only, name):
    """The same command on another machine, where nothing is left to do; earlier versions kept the summary alone."""
    assert run(TINY).code == 0
    folder = only("outputs/trees/*")
    for file in (WORK, SUMMARY):
        (folder / file).write_text(json.dumps(json.loads((folder / file).read_text()) | {"engine": "device"}))
    if name == SUMMARY:
        (folder / WORK).unlink()
    record = (folder / PROVENANCE).read_text()
    assert run(TINY).code == 0
    assert summary_of(folder)["engine"] == "device" and (folder / PROVENANCE).read_text() == record
    next((folder / PIECES).iterdir()).unlink()
    assert run(TINY).code == 0
    assert summary_of(folder)["engine"] == "cpu"


def test_a_sweep_tells_time_by_the_runs_that_are_not_whole(run, only, monkeypatch):
    """A run that is whole is read in no time, and leaves of alpha-beta are quick."""
    monkeypatch.setattr("experiments.runs.tree_searches.SEARCHES_A_PIECE", 9)
    assert run(TINY).code == 0
    folder = only("outputs/trees/*")
    config = trees.trees_config(composed("trees", *TINY.split()[1:]))
    assert trees.cost(config, folder) == 0 and trees.cost(config, folder / "none") == 12 * 3 * 40
    sorted((folder / PIECES).iterdir())[2].unlink()
    assert trees.cost(config, folder) == 12 * 3 * 40  # what is there of it is told as it is read
    leaves = trees.trees_config(composed("trees", *TINY.split()[1:], "method=alpha_beta"))
    assert 0 < trees.cost(leaves, folder / "none") < 12 * 3 * 40 / 10


@pytest.mark.parametrize("part", ["root_scores", "searcher"])
def test_compiling_is_not_in_the_seconds(run, only, monkeypatch, part):
    own = getattr(tree_searches, part)

    def compiles(*arguments, **keys):
        with global_compiler_lock:
            time.sleep(1)
        return own(*arguments, **keys)

    monkeypatch.setattr(tree_searches, part, compiles)
    assert run(TINY).code == 0
    summary = summary_of(only("outputs/trees/*"))
    assert 0 < summary["seconds"] < 1
    assert summary["iterations_per_second"] == summary["iterations"] / summary["seconds"]


def test_trees_that_are_long_to_solve_are_told(run, monkeypatch):
    assert "still solving" not in run(TINY).err
    own = tree_searches.root_scores

    def slow(*arguments, **keys):
        time.sleep(0.2)
        return own(*arguments, **keys)

    monkeypatch.setattr(tree_searches, "root_scores", slow)
    monkeypatch.setattr(console, "LONG_SECONDS", 0.02)
    done = run(f"{TINY} seed=2")
    assert done.err.count("still solving 12 trees, to know the wrong moves; smaller trees take less") == 1


def test_neither_pieces_nor_threads_change_a_result(run, only, tmp_path, monkeypatch):
    assert run(f"{TINY} hydra.run.dir=a").code == 0
    monkeypatch.setattr("experiments.runs.tree_searches.SEARCHES_A_PIECE", 6)
    assert run(f"{TINY} threads=2 hydra.run.dir=b", last=True).code == 0
    assert without_clock(summary_of(tmp_path / "a")) == without_clock(summary_of(tmp_path / "b"))


def test_a_damaged_piece_is_named(run, only):
    """One that is no archive, empty, cut, or changed within; where it is removed, the run makes it again."""
    assert run(TINY).code == 0
    folder = only("outputs/trees/*")
    (piece,) = (folder / PIECES).iterdir()
    whole, summary = piece.read_bytes(), summary_of(folder)
    for damaged in damage_to(whole):
        piece.write_bytes(damaged)
        done = run(TINY)
        assert done.code == 2 and f"{piece} is damaged; remove it" in done.err and done.err.count("\n") == 1, done.err
        assert "pickle" not in done.err  # what numpy says of files of another kind
    piece.unlink()
    assert run(TINY).code == 0
    assert piece.read_bytes() == whole and without_clock(summary_of(folder)) == without_clock(summary)


def test_all_that_a_run_needs_to_go_on_is_put_on_disk(run, only, monkeypatch):
    synced = set()
    monkeypatch.setattr(os, "fsync", lambda handle: synced.add(os.fstat(handle).st_ino))
    assert run(TINY).code == 0
    folder = only("outputs/trees/*")
    (piece,) = (folder / PIECES).iterdir()
    for path in (piece, piece.parent, folder / PROVENANCE, folder / SUMMARY, folder):
        assert path.stat().st_ino in synced, path


def test_another_process_in_the_folder_is_refused(run, only):
    assert run(TINY).code == 0
    folder = only("outputs/trees/*")
    (piece,) = (folder / PIECES).iterdir()
    piece.unlink()
    with held(folder):
        done = run(TINY)
    assert done.code == 2 and f"{folder} is in use by another run; wait for it" in done.err
    assert done.err.count("\n") == 1 and not piece.exists()
    assert run(TINY).code == 0 and piece.exists()


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
        ("budget=seconds budget.seconds=1", "budget: player=uct takes iterations; e.g. budget=iterations"),
        ("budget=depth", "budget: player=uct takes iterations; e.g. budget=iterations"),
        ("selection=bast", "selection=bast asks the operator"),
        ("level=0.8 engine=cudasim", "engine=cudasim: with level=0.8"),
        ("level=0.8 engine=cuda", "engine=cuda: with level=0.8"),
        ("level=0.8 search.table=100", "level=0.8: with search.table=100"),
        ("search.table=100 engine=cudasim", "engine=cudasim: a search with search.table takes engine=cpu"),
        ("search.table=0", "search.table=0: must be an integer in [2, 2147483647], or null"),
        ("search.table=7", "search.table=7: a table has an even number of entries"),
        ("search.stored_above=0.5", "search.stored_above=0.5: counts with search.table alone"),
        ("search.table=100 search.stored_above=-1", "search.stored_above=-1: must be a number of at least 0"),
        ("search.reuse=true", "search.reuse=true: searches that are followed begin anew"),
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


def test_checkpoints_with_some_leaves_in_a_batch():
    """All but the last are multiples of the leaves, as the search has them."""
    assert checkpoints(100, 3, 8) == [8, 16, 24, 56, 100]


@pytest.mark.slow
def test_trees_with_some_leaves_in_a_batch_have_these_checkpoints(run, only):
    assert run(f"{TINY} search=default search.leaves_per_tree=8").code == 0
    assert summary_of(only("outputs/trees/*"))["points"] == [8, 16, 24, 40]


def test_values_are_watched_on_the_cpu_whatever_auto_would_take(run, only, monkeypatch):
    """On a machine with a device ``auto`` is CUDA elsewhere."""
    monkeypatch.setattr("gpumcts.kernels.engines._automatic", lambda: "cuda")
    line = "trees game.depth=6 trees=3 runs=2 budget.iterations=30 threads=1 search=default exact=false"
    assert run(f"{line} level=0.5").code == 0
    summary = summary_of(only("outputs/trees/*"))
    assert summary["engine"] == "cpu" and "decisive" not in summary


def test_without_exact_values_move_0_alone_is_right(run, only):
    done = run(
        "trees game.branching=3 game.depth=4 trees=5 runs=2 budget.iterations=30 engine=cpu threads=1 exact=false"
    )
    assert done.code == 0, done.err
    (piece,) = pieces_of(only("outputs/trees/*"))
    share = piece.wrong[:, -1] / piece.visits[:, -1]
    assert piece.visits.dtype == piece.wrong.dtype == np.int32
    assert piece.decisive.all() and 0.5 < share.mean() < 0.8  # two moves of three, if all are alike
    assert "with a wrong move" not in done.out
    assert "visits to moves but the first %" in done.out and "wrong moves" not in done.out
    assert "2 runs each; 0." in done.out  # the seconds: no rate and no level is told


def test_one_tree_and_one_run_are_told_as_one(run):
    done = run("trees game.branching=3 game.depth=4 trees=1 runs=1 budget.iterations=30 engine=cpu exact=false")
    assert "\n1 tree, 1 run each; " in done.out, done.err


def test_alpha_betas_leaves_are_of_all_trees(run, only):
    """Those without a wrong move too, and beyond the budget; each as a search of its own has it."""
    assert run("trees method=alpha_beta game.depth=8 trees=12 runs=3 budget.iterations=20 threads=1").code == 0
    summary, game = summary_of(only("outputs/trees/*")), PGame(2, 8)
    keys = np.array([key_of(1, tree, number) for tree in range(12) for number in range(3)], np.uint64)
    leaves = solve(game, np.repeat(instances(game, range(12)), 3, axis=0), keys).leaves
    assert summary["leaves_mean"] == pytest.approx(leaves.mean()) and leaves.max() > 20
    assert summary["unfinished"] == (leaves > 20).sum() and summary["decisive"] < 12
    assert summary["leaves_decisive"] != summary["leaves_mean"]


def test_alpha_beta_counts_leaves_and_tells_no_speed_of_iterations(run):
    """Its budget is one of leaves, which a search that ends before does not visit: their number a second is unknown."""
    done = run("trees method=alpha_beta game.depth=8 trees=12 runs=3 budget.iterations=20 threads=1")
    assert " leaves " in done.out and "iterations" not in done.out
    assert "leaves in a whole search, on average" in done.out and "/s" not in done.out


@pytest.mark.slow
def test_stored_moves_above_a_value_change_searches_in_a_small_table(run, tmp_path):
    found = []
    for number, above in enumerate(("inf", "0.0")):
        line = f"{TINY} budget.iterations=200 search.table=16 search.stored_above={above} hydra.run.dir=s{number}"
        assert run(line, last=True).code == 0
        found.append(summary_of(tmp_path / f"s{number}")["wrong_share"])
    assert found[0] != found[1]


def test_a_rate_is_reached_for_good():
    points, rates = [1, 10, 100, 1000], [0.5, 0.05, 0.2, 0.0]
    assert _lasting(rates, points, 0.1) == pytest.approx(10**2.5)  # half way from 0.2 to 0, on a logarithmic scale
    assert _lasting(rates, points, 0.5) == 1.0
    assert _lasting([0.5, 0.3], [1, 10], 0.1) is None


def test_the_interval_of_a_rate_holds_the_rate():
    """Rates of trees that fall as 1/n, with noise between trees: the interval over resampled trees holds the mean's."""
    rng = np.random.default_rng(1)
    points = [1, 10, 100, 1000]
    rates = np.minimum(1.0, rng.uniform(0.5, 1.5, (200, 1)) / np.sqrt(points)[None, :])
    low, high = _interval(rates, points, 0.1)
    at = _lasting(rates.mean(axis=0).tolist(), points, 0.1)
    assert low is not None and high is not None and low < at < high and high / low < 2


CELLS = dict(zip(("uct", "mc", "mmmc", "alpha_beta"), METHODS, strict=True))
SHAPES = [(2, 20), (8, 8)]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_failure_rates_agree_with_the_reference(run, tmp_path, shape):
    """Two samples of 200 trees each, by the variance between trees; Holm's correction over twelve tests at 1 %."""
    from scipy import stats

    from gpumcts.match.statistics import holm

    values, cells = [], []
    for cell, method in CELLS.items():
        folder = tmp_path / cell
        game = f"game.branching={shape[0]} game.depth={shape[1]} game.instance=1000"
        line = f"trees cell=kocsis/{cell} {game} trees=200 runs=20 budget.iterations=1000 seed=2 hydra.run.dir={folder}"
        assert run(line).code == 0
        summary, by_tree = summary_of(folder), rates_by_tree(pieces_of(folder))
        for point in (10, 100, 1000):
            expected, at = REFERENCE[shape][point][METHODS.index(method)], summary["points"].index(point)
            rate = summary["failure_rate"][at]
            error = by_tree[:, at].std(ddof=1) / math.sqrt(200 / 2)  # the reference's trees vary as ours do
            values.append(2 * stats.norm.sf(abs(rate - expected) / error))
            cells.append((cell, point, rate, expected))
    assert min(holm(values)) > 0.01, list(zip(cells, values, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "iterations"), [((2, 20), 5000), ((8, 8), 20_000)])
def test_uct_stops_failing_where_the_reference_does(run, only, shape, iterations):
    """Where the reference says 0, at most 3 of 200 trees may fail."""
    assert REFERENCE[shape][iterations][METHODS.index("UCT")] == 0
    game = f"game.branching={shape[0]} game.depth={shape[1]} game.instance=1000"
    assert run(f"trees cell=kocsis/uct {game} trees=200 runs=2 budget.iterations={iterations} seed=2").code == 0
    summary = summary_of(only("outputs/trees/*"))
    assert summary["points"][-1] == iterations and summary["trees_failing"][-1] <= 3
