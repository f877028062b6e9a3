"""The check of a device, on a machine without one: what it says there, its suites in the simulator, its files and exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import gpu_check
from experiments.benchmarks import busy, machine, measure
from experiments.benchmarks.measure import Contender, Row, compare
from experiments.gpu_check import Counted, check
from gpumcts.kernels import crossover, device
from tests import conftest

ROOT = gpu_check.ROOT
SMALL = """
import json, sys
from pathlib import Path
from experiments import gpu_check
from experiments.benchmarks import launch, match, playouts, search
from experiments.benchmarks.measure import Grid
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.kernels import engines
engines.resolve("cudasim")

playouts.UNIFORM, playouts.ONE_BY_ONE, playouts.INFORMED = 20, 20, {2: 5}
playouts.ON_A_DEVICE, playouts.INFORMED_ON_A_DEVICE = {1: (4, 2), 3: (2, 1)}, {1: 2}
playouts.floor = lambda name: 1e6
search.TREES, search.ITERATIONS, search.FULL, search.FULL_BATCHES = 2, 3, (3, 3), ((2, 2, 3),)
search.names = lambda kind: ["average"]
match.ON_A_DEVICE, match.WARM_UP = ((3, 2, 2),), (3, 2)
launch.LAUNCHES, launch.BATCHES, launch.LEAVES, launch.WORDS = 2, 2, (1, 2), 8

folder, file = Path(sys.argv[1]), Path(sys.argv[2])
bench_of = gpu_check.bench_of
gpu_check.bench_of = lambda part, folder: bench_of(part, folder)._replace(
    game=DotsAndBoxes(1, 1), game_name="dots_and_boxes", engine="cudasim", threads=1, repeats=1, grid=Grid((1, 2), (1, 2), 3)
)
for name in gpu_check.PARTS:
    if name != gpu_check.ON_DEVICE:
        gpu_check.measure(name, folder, file)
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The rows of all suites, from the simulator."""
    folder = tmp_path_factory.mktemp("check")
    command = [sys.executable, "-c", SMALL, str(folder), str(folder / "rows")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    assert not list(folder.glob("match-*"))
    return [Row(**json.loads(line)) for line in (folder / "rows").read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_suites_in_the_simulator(rows):
    found = {name: [row for row in rows if row.suite == name] for name in gpu_check.PARTS}
    assert {name: bool(some) for name, some in found.items()} == {name: name != gpu_check.ON_DEVICE for name in found}
    assert all(row.median > 0 for row in rows)
    said = {row.what for row in rows}
    many = "uniform, cudasim, 2 leaves, 3 playouts a leaf"
    assert {many, f"{many}: kernels alone", f"{many}: kernels busy", f"{many}: of the integer floor"} <= said
    assert "UCT, average, 2 trees x 3, 2 a leaf: kernels busy" in said
    assert "2 games of 3 iterations a move, 2 playouts a leaf: kernels busy" in said
    (held,) = (row for row in found["playouts"] if row.what == many)
    assert set(held.ratios) >= {"uniform, cpu, threads=1", "uniform, one by one, cpu, threads=1"}
    informed = next(row for row in found["playouts"] if row.what.startswith("minimax depth 1") and row.ratios)
    assert set(informed.ratios) == {"minimax depth 2, cpu, threads=1"}


@pytest.mark.slow
def test_files_and_exit_codes(rows, tmp_path, monkeypatch):
    """A suite that fails costs no other, and the crossover that was measured is one that ``engine=auto`` goes by."""
    monkeypatch.setattr(gpu_check, "cuda_problem", lambda: "")
    monkeypatch.setattr(gpu_check, "GRID", measure.Grid((1, 2), (1, 2), 3))
    tests = Counted(tests=9, skipped=1)
    monkeypatch.setattr(gpu_check, "run_tests", lambda folder, seconds: tests)
    failing = "search"

    def run_suite(name, seconds):
        return [row for row in rows if row.suite == name], "RuntimeError: broken" if name == failing else ""

    monkeypatch.setattr(gpu_check, "run_suite", run_suite)
    assert check(tmp_path, 480, list(gpu_check.PARTS)) == 1
    figures = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    assert figures["problems"] == {"search": "RuntimeError: broken"} and figures["tests"]["passed"] == 8
    assert len(figures["figures"]) == len(rows) and figures["machine"]["cores"] >= 1
    assert "tests: 8 passed, 0 failed, 1 skipped" in (tmp_path / "table.txt").read_text("utf-8")
    monkeypatch.setenv(crossover.VARIABLE, str(tmp_path / "crossover.json"))
    assert crossover.tables()[0]["measured"] and len(crossover.tables()[0]["cells"]) == 4
    failing = ""
    assert check(tmp_path, 480, ["match"]) == 0
    assert check(tmp_path, 0, ["match"]) == 1
    tests = Counted(tests=3, failures=1)
    assert check(tmp_path, 480, ["match"]) == 1


def test_sound_tests():
    assert Counted(tests=3, skipped=1).sound
    for found in (Counted(), Counted(tests=3, errors=1), Counted(tests=3, skipped=3), Counted(tests=3, unfinished=1)):
        assert not found.sound


def test_part_of_a_crossover():
    from experiments.benchmarks.crossover import complete

    rows = [Row("crossover", "", "", 1, 1, 1, at={"trees": t, "playouts": p}) for p in (1, 4) for t in (1, 2, 3)]
    assert complete(rows[:-1]) == rows[:3] and complete(rows) == rows and complete([]) == []


@pytest.mark.skipif(bool(device.describe().name), reason="there is a device")
def test_without_a_device(tmp_path):
    command = [sys.executable, "-m", "experiments.gpu_check", str(tmp_path / "new")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert done.stderr.startswith("error: no device can be used: no NVIDIA driver is there")
    assert json.loads((tmp_path / "new" / "figures.json").read_text("utf-8"))["problems"]["device"]


@pytest.mark.slow
def test_tests_are_counted(tmp_path, monkeypatch):
    """Two processes of pytest on tests that pass, fail and are skipped, and one that does not end."""
    (tmp_path / "test_some.py").write_text(
        "import pytest, time\n"
        "def test_a(): pass\ndef test_b(): assert False\ndef test_c(): pytest.skip('no')\n"
        "def test_slow(): time.sleep(60)\n"
    )
    started = []

    def process(chosen, shard, report, said):
        chosen = ["slow"] if len(started) == 2 else "abc"
        started.append(shard)
        tests = [f"{tmp_path}/test_some.py::test_{name}" for name in chosen]
        words = ["-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={tmp_path}", f"--junitxml={report}"]
        return subprocess.Popen([sys.executable, "-m", "pytest", *words, *tests], stdout=said, stderr=said)

    monkeypatch.setattr(gpu_check, "_pytest", process)
    monkeypatch.setattr(gpu_check, "MOST_SHARDS", 2)
    monkeypatch.setattr(machine, "cores", lambda: 8)
    monkeypatch.setattr(gpu_check, "ALONE_SECONDS", 5.0)
    found = gpu_check.run_tests(tmp_path, 65.0)
    assert started == ["0/2", "1/2", "0/1"]
    assert found._replace(seconds=0) == Counted(tests=7, failures=2, errors=1, skipped=2, unfinished=1)
    assert not found.sound and found.passed == 2
    assert "1 failed" in (tmp_path / "tests.txt").read_text("utf-8")


def test_suites_find_what_tests_have_compiled(monkeypatch, tmp_path):
    """One cache for both: a suite that compiled its kernels anew would not end in its time."""
    for base in (tmp_path, tmp_path / conftest._OWN):
        monkeypatch.setenv("GPUMCTS_CACHE", str(base))
        assert gpu_check._environment()["GPUMCTS_CACHE"] == str(tmp_path / conftest._OWN)


def test_files_with_tests_for_a_device():
    assert {"tests/kernels/test_gpu.py", "tests/tree/test_offload.py"} <= set(gpu_check.test_files())
    assert not {Path(file).name for file in gpu_check.test_files()} & {"test_gpu_check.py", "test_commands.py"}


def test_time_of_kernels(monkeypatch):
    """Intervals that lie over each other count once; an engine that tells nothing has no rows."""
    assert busy.union([]) == 0 and busy.union([(5, 6), (0, 2), (1, 3), (1, 2)]) == 4

    class Engine:
        spans = ()

        def watch(self):
            self.spans = []

    def run(n):
        engine.spans = [*engine.spans, (10.0, 11.0), (10.5, 11.5)]

    engine = Engine()

    class Clock:
        perf_counter = iter([0, 2, 2, 6]).__next__

    monkeypatch.setattr(measure, "time", Clock)
    contenders = [Contender("a", run, 30, engines=(engine, None)), Contender("b", lambda n: None, 8, engines=(None,))]
    rate, alone, share, other = compare("s", "u", contenders, 1)
    assert (rate.median, alone.median, share.median, other.median) == (15, 20, 75, 2)
    assert (alone.what, share.what, share.unit) == ("a: kernels alone", "a: kernels busy", "%")
