"""The worked figures to the last digit, and the benchmark's suites at their smallest."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest

from benchmarks import crossover, match, measure, memory, ours, playouts, scaling, search, startup
from benchmarks.measure import Bench, Contender, Grid, compare
from benchmarks.ours import keys, searcher
from benchmarks.peers import contenders as peers
from benchmarks.text import times
from experiments import bench
from experiments.app.error_messages import CONF
from experiments.papers import hashimoto2012accelerated
from experiments.worked import FIGURES
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.implanted import Implanted
from gpumcts.games.othello import Othello
from gpumcts.options import name_of, names, option
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings

ROOT = Path(bench.__file__).parents[1]


@pytest.mark.parametrize("figure", hashimoto2012accelerated.FIGURES)
def test_a_worked_figure_is_exact(figure):
    """Within one unit in the last place of a number in [1/2, 1)."""
    rows = hashimoto2012accelerated.FIGURES[figure]()
    assert rows
    for row in rows:
        assert abs(row.ours - row.exact) <= 2.0**-53, row.what


def test_the_file_of_the_command_names_every_figure():
    told = (CONF / "worked.yaml").read_text("utf-8").partition("\nfigure: ")[2].partition("\n")[0]
    assert {word for figure in FIGURES for word in figure.split("/")} <= set(re.findall("[a-z0-9]+", told))


@pytest.mark.parametrize("figure", FIGURES)
def test_a_worked_figure_is_one_command(run, figure):
    done = run(f"worked experiment={figure}")
    assert done.code == 0
    assert "printed" in done.out


# ------------------------------------------------------------------------------------------------- how it is measured


@pytest.fixture
def clock(monkeypatch):
    """``clock(times)``: what the time is whenever it is looked at while contenders are timed."""

    def set_to(times):
        class Clock:
            perf_counter = iter(times).__next__

        monkeypatch.setattr(measure, "time", Clock)

    return set_to


def test_ratios_are_turn_by_turn(clock):
    """Contender b does the work of a in twice the time: half the rate, ratio 1/2, whatever the machine does."""
    clock([0, 1, 1, 3, 5, 6, 6, 8])
    contenders = [Contender("a", lambda n: None, 100), Contender("b", lambda n: None, 100)]
    rows = compare("s", "u", contenders, 2, against=["a"])
    assert [row.median for row in rows] == [100.0, 50.0]
    assert [row.ratios for row in rows] == [{}, {"a": 0.5}]


def test_ratios_to_several(clock):
    clock([0, 1, 1, 3, 3, 7])
    contenders = [Contender(name, lambda n: None, 100, {"n": 3}) for name in "abc"]
    rows = compare("s", "u", contenders, 1, against=["a", "b", "nobody"])
    assert [row.ratios for row in rows] == [{"b": 2.0}, {"a": 0.5}, {"a": 0.25, "b": 0.5}]
    assert all(row.at == {"n": 3} for row in rows)


def test_ratios_are_written_without_powers_of_ten():
    written = [times(ratio) for ratio in (0.98, 1.0, 12.34, 999.4, 999.6, 1330.0)]
    assert written == ["0.98", "1", "12.3", "999", "1,000", "1,330"]


def test_ratios_of_one_alone(clock):
    """What a contender is compared with beside all others counts for its row alone."""
    clock([0, 1, 1, 3, 3, 7])
    contenders = [Contender("a", lambda n: None, 100), Contender("b", lambda n: None, 100)]
    contenders.append(Contender("c", lambda n: None, 100, against=("b", "nobody")))
    rows = compare("s", "u", contenders, 1, against=["a"])
    assert [row.ratios for row in rows] == [{}, {"a": 0.5}, {"a": 0.25, "b": 0.5}]


def bench_of(folder, game=None, **more) -> Bench:
    """Dots and Boxes on one thread, one turn each."""
    game = game or DotsAndBoxes(1, 2)
    defaults = {"engine": "cpu", "threads": 1, "repeats": 1, "peers": (), "folder": folder, "grid": Grid([1], [1], 2)}
    return Bench(game, name_of(game), **{**defaults, **more})


# ------------------------------------------------------------------------------------------------------------- suites


def test_the_benchmark_runs_and_keeps_its_figures(run, monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "names", lambda kind: ["average"])
    done = run("bench suites=[memory] against=null hydra.run.dir=here")
    assert done.code == 0, done.err
    figures = json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))
    assert [row["what"] for row in figures] == ["a node, average, the start", "a node, average, midgame"]
    assert 22 <= figures[0]["median"] <= 24
    assert 22 <= figures[1]["median"] <= 26
    summary = json.loads((tmp_path / "here" / "summary.json").read_text("utf-8"))
    assert summary["figures"] == figures and summary["seconds"] > 0
    conditions, rows = (tmp_path / "here" / "table.txt").read_text("utf-8").split("\n\n")
    record = json.loads((tmp_path / "here" / "provenance.json").read_text("utf-8"))
    version, machine, keys = conditions.splitlines()
    assert version == f"gpumcts {record['versions']['gpumcts']}, commit {record['commit'] or 'unknown'}"
    assert machine.startswith(f"{record['cpu']}, cores: {record['cores']} (")
    assert keys == "game=othello engine=cpu threads=1 repeats=5" and rows.startswith("suite ")


def test_the_suite_of_matches(run, monkeypatch, tmp_path):
    monkeypatch.setattr(match, "SHAPES", ((300, 3), (200, 2)))
    monkeypatch.setattr(match, "WARM_UP", (4, 2))
    done = run("bench suites=[match] against=null repeats=2 game=dots_and_boxes hydra.run.dir=here")
    assert done.code == 0, done.err
    rows = {row["what"]: row for row in json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))}
    assert len(rows) == 4
    for name in ("3 games of 300 iterations a move", "2 games of 200 iterations a move"):
        assert 0 < rows[f"{name}: not in compiled code"]["median"] < 100
        assert rows[name]["median"] > 0
    assert not list((tmp_path / "here").glob("match-*"))


def test_a_timed_search_is_the_search(tmp_path):
    found = {}
    for kind in (Searcher, match.Timed):
        timed = searcher(bench_of(tmp_path), kind)
        searched = timed.search(timed.rules.starts(5), keys(5), 100)
        found[kind] = [searched.root_children(tree) for tree in range(5)]
    assert timed.spent.compiled > 0 and timed.spent.measuring > 0
    assert found[Searcher] == found[match.Timed]


@pytest.mark.slow
def test_the_suite_of_scaling(run, monkeypatch, tmp_path):
    small = {"TREES": (2, 5), "ITERATIONS_OF_TREES": 5, "ONE_TREE": (5, 10), "BATCHES": (3, 20), "MATCHES": ((3, 2),)}
    turns = {"PLAYOUTS_A_TURN": 50, "ITERATIONS_A_TURN": 20, "THREADED_TREES": 4, "THREADED_ITERATIONS": 5}
    for name, value in (small | turns).items():
        monkeypatch.setattr(scaling, name, value)
    monkeypatch.setattr(scaling, "_threads", lambda: [1, 2])
    done = run("bench suites=[scaling] against=null repeats=1 game=dots_and_boxes hydra.run.dir=here")
    assert done.code == 0, done.err
    rows = json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))
    over = [next(iter(row["at"])) for row in rows]
    expected = {"threads": 6, "lanes": 4, "batch": 2, "trees": 2, "iterations": 2}
    assert {key: over.count(key) for key in over} == expected
    assert sum(not row["ratios"] for row in rows) == 7  # the first point of each curve
    assert (tmp_path / "here" / "scaling.png").stat().st_size > 10_000


@pytest.mark.slow
def test_a_process_that_starts(tmp_path):
    start = startup._once(bench_of(tmp_path), None)
    assert 0 < start.imports < start.process


def test_a_process_that_starts_plays_the_very_game(tmp_path, monkeypatch, capsys):
    """Its size and all other parameters too, not the defaults of a game of that name."""
    asked, played = [], MagicMock()

    def process(command, **options):
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, "0.5", "")

    monkeypatch.setattr(startup.subprocess, "run", process)
    game = Implanted(depth=6, critical=(0, 2))
    startup._once(bench_of(tmp_path, game), None)
    monkeypatch.setattr("gpumcts.tree.search.Searcher", played)
    monkeypatch.setattr("gpumcts.kernels.batch.Rules", MagicMock())
    (_, flag, program, *arguments) = asked[0]
    monkeypatch.setattr(sys, "argv", [flag, *arguments])
    exec(program, {})
    assert played.call_args.args[0] == game and float(capsys.readouterr().out) >= 0


# --------------------------------------------------------------------------------------------------- rows of a game


@pytest.fixture
def made(monkeypatch):
    """What the suites playouts and search make, and would compile: engines by policy, searchers by their parts."""
    found = []

    class Rules:
        def __init__(self, game):
            pass

        def starts(self, count):
            return np.zeros((count, 1), np.uint64)

    class Engine:
        def __init__(self, game, policy, threads, **options):
            found.append(name_of(policy))

        def tally(self, states, keys):
            pass

    class Searching:
        settings, engine = Settings(), None

        def __init__(self, game, policy, rule, operator, engine, threads):
            found.append("/".join(map(name_of, (policy, rule, operator))))

        def search(self, states, keys, iterations):
            pass

    for module in (playouts, search):
        monkeypatch.setattr(module, "Rules", Rules)
    for name in ("UNIFORM", "ONE_BY_ONE", "OWN"):
        monkeypatch.setattr(playouts, name, 5)
    monkeypatch.setattr(playouts, "CpuPlayouts", Engine)
    monkeypatch.setattr(ours, "Searcher", Searching)
    return found


STAGED = ["staged, cpu", "staged, one by one, cpu"]
BOTH = ["uniform, cpu", "uniform, one by one, cpu"]


@pytest.mark.parametrize(
    ("game", "only", "expected"),
    [
        ("go", (), ["uniform, cpu", "go, cpu"]),
        ("go", ("uniform",), ["uniform, cpu"]),
        ("havannah", (), ["uniform, cpu"]),
        ("amazons", (), BOTH + STAGED),
        ("amazons", ("staged",), ["uniform, cpu", *STAGED]),
        ("clobber", ("minimax",), ["uniform, cpu", *(f"minimax depth {depth}, cpu" for depth in (1, 2, 3))]),
    ],
)
def test_playouts_of_a_game(made, tmp_path, game, only, expected):
    """All are compared with uniform playouts where no other program is; nothing is made that is not measured."""
    rows = list(playouts.suite(bench_of(tmp_path, option("game", game)(), only=only)))
    assert [row.what for row in rows] == expected
    assert len(made) == len(expected)
    own = [row for row in rows if not row.what.startswith(("uniform", "minimax"))]
    assert own or not set(made) - {"uniform", "minimax"}
    assert all(row.ratios["uniform, cpu"] > 0 for row in own)
    assert [list(row.ratios) for row in rows] == [[], *[["uniform, cpu"]] * (len(rows) - 1)]


@pytest.mark.parametrize(
    ("game", "only", "expected"),
    [
        ("go", (), ["go/ucb1/average", "uniform/rave/average"]),
        ("go", ("rave",), ["uniform/rave/average"]),
        ("go", ("go", "average"), ["go/ucb1/average"]),
        ("go", ("minimax",), []),
        ("havannah", (), ["uniform/rave/average"]),
        ("othello", (), ["uniform/rave/average"]),
        ("amazons", (), ["staged/ucb1/average"]),
        ("chess", (), []),
    ],
)
def test_searches_of_a_game(made, tmp_path, game, only, expected):
    """Besides operators, searches by a game's own playouts and by RAVE are compared with averages of their shape."""
    rows = list(search.suite(bench_of(tmp_path, option("game", game)(), only=only)))
    operators = [name for name in names("backup") if not only or name in (*only, "average")]
    assert made == ["uniform/ucb1/average"] + [f"uniform/ucb1/{name}" for name in operators] + expected
    assert len(rows) == len(operators) + len(expected)
    base = rows[operators.index("average")].what
    assert base.startswith("UCT, average") and all(base in row.ratios for row in rows[len(operators) :])


@pytest.mark.slow
def test_a_search_with_rave(run, monkeypatch, tmp_path):
    monkeypatch.setattr(search, "TREES", 3)
    monkeypatch.setattr(search, "MIN_TREES", 3)
    monkeypatch.setattr(search, "ITERATIONS", 10)
    words = "repeats=2 game=dots_and_boxes game.rows=1 game.columns=2 hydra.run.dir=here"
    done = run(f"bench suites=[search] only=[rave] against=null {words}")
    assert done.code == 0, done.err
    average, rave = json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))
    assert (average["what"], average["ratios"]) == ("UCT, average", {})
    assert rave["what"] == "UCT, average, rave" and list(rave["ratios"]) == ["UCT, average"]


@pytest.mark.slow
def test_playouts_and_searches_of_go(run, monkeypatch, tmp_path):
    for module, name in ((playouts, "UNIFORM"), (playouts, "OWN"), (search, "TREES"), (search, "MIN_TREES")):
        monkeypatch.setattr(module, name, 5)
    monkeypatch.setattr(search, "ITERATIONS", 10)
    done = run("bench game=go suites=[playouts,search] only=[go,rave] against=null repeats=1 hydra.run.dir=here")
    assert done.code == 0, done.err
    figures = json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))
    searches = ["UCT, average" + more for more in ("", ", go playouts", ", rave")]
    assert [row["what"] for row in figures] == ["uniform, cpu", "go, cpu", *searches]
    assert all(row["median"] > 0 for row in figures)


# ------------------------------------------------------------------------------------------------------------ devices


@pytest.mark.slow
def test_the_crossover_in_the_simulator(tmp_path):
    """In a process of its own, since the simulator must be on before CUDA is imported."""
    words = ["engine=cudasim", "suites=[crossover]", "trees=[1,2]", "playouts=[1,2]", "iterations=3", "repeats=1"]
    words += ["against=null", "game=dots_and_boxes", "game.rows=1", "game.columns=1", f"hydra.run.dir={tmp_path}/here"]
    command = [sys.executable, "-m", "experiments.bench", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "fastest engine" in done.stdout
    table = json.loads((tmp_path / "here" / "crossover.json").read_text("utf-8"))
    assert [(cell["trees"], cell["playouts"]) for cell in table["cells"]] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    for cell in table["cells"]:
        rates = cell["rates"]
        assert list(rates) == ["cpu", "cuda", "device"] and rates[cell["fastest"]] == max(rates.values())
    assert (tmp_path / "here" / "crossover.png").stat().st_size > 5_000


def test_the_cpu_plays_fewer_trees_where_a_device_plays_many(tmp_path):
    """The rate of 100,000 trees is that of some thousand on a CPU, and nobody waits for them."""

    class Searching:
        class settings:
            playouts_per_leaf = 64

        trees = 0

        def search(self, states, keys, iterations):
            self.trees = len(states)

    searcher = Searching()
    bench = bench_of(tmp_path, grid=Grid([100_000], [64], 50))
    contender = crossover._contender(bench, "cpu", searcher, 100_000)
    contender.run(contender.units)
    assert searcher.trees == 312
    assert contender.at == {"engine": "cpu", "trees": 100_000, "playouts": 64, "iterations": 50}


# -------------------------------------------------------------------------------------------------------------- peers


@pytest.mark.parametrize("game", [Othello(), DotsAndBoxes(1, 2)])
def test_open_spiel_plays(tmp_path, game):
    bench = bench_of(tmp_path, game, peers=("open_spiel",))
    for of in (peers.of_playouts, peers.of_searches):
        (peer,) = of(bench.peers, bench.game, bench.game_name)
        with peer as contender:
            contender.run(5)
    assert not peers.of_playouts(bench.peers, None, "dice_duel")
