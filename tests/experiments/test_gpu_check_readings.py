"""What the check of a device reads: results of tests, counters of ncu, findings of sanitizers, times of kernels."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import busy, measure
from benchmarks.device import (
    device_tests,
    process,
    sizes,
    steps,
    suites,
    tools,
)
from benchmarks.device.batches import rows_of_batches
from benchmarks.device.device_tests import Results
from benchmarks.measure import Contender, Row, compare
from gpumcts.options import option
from tests import conftest
from tests.tree.test_device_playouts import Elsewhere

ROOT = process.ROOT

# ------------------------------------------------------------------------------------------------- batches in flight


def test_two_batches_in_flight_against_one():
    """For each number of playouts both rates, compared with each other, and what a leaf costs the host."""
    engine = Elsewhere(option("game", "dots_and_boxes")())
    rows = list(rows_of_batches("dots_and_boxes", 8, sizes.SMALL._replace(turn=0.01), engine))
    assert len(rows) == 4 * len(sizes.SMALL.batch_playouts)
    one, two, *hosts = rows[:4]
    assert [row.at["batches"] for row in rows[:4]] == [1, 2, 1, 2] and set(two.ratios) == {one.what}
    assert [row.unit for row in hosts] == ["us/leaf"] * 2
    for rate, host in zip((one, two), hosts, strict=True):
        assert 0 < host.median * rate.high <= 1e6  # the host is not at work for longer than it takes


def test_batches_are_steps():
    names = {step.name for step in steps.steps(sizes.FULL)}
    assert {"batches: othello, 1024", "batches: othello, 4096", "batches: chess, 256"} <= names
    assert {"batches: dots_and_boxes, 8", "again: batches: dots_and_boxes, 8"} <= {
        step.name for step in steps.steps(sizes.SMALL)
    }


# --------------------------------------------------------------------------------------------------------------- tests


@pytest.mark.slow
def test_tests_are_told_one_by_one(tmp_path, monkeypatch):
    """Processes of pytest on tests that pass, fail, are skipped or do not end; a second call runs what did not."""
    (tmp_path / "test_some.py").write_text(
        "import pytest, time\npytestmark = pytest.mark.gpu\n"
        "def test_a(): pass\ndef test_b(): assert False, 'why'\ndef test_c(): pytest.skip('no')\n"
        "def test_z(): time.sleep(600)\n@pytest.mark.alone\ndef test_d(): pass\n"
    )
    (tmp_path / "conftest.py").write_text(
        Path(conftest.__file__)
        .read_text("utf-8")
        .replace("def device_problem():\n", "def device_problem():\n    return ''\n")
    )
    words = ("-c", os.devnull, f"--rootdir={tmp_path}", str(tmp_path / "test_some.py"))
    monkeypatch.setattr(device_tests, "MAX_SHARDS", 2)
    results = Results.of({})
    for call in (1, 2):
        results = Results.of(json.loads(json.dumps(results.data())))  # as a book keeps it
        device_tests.run_tests(tmp_path, results, 45.0, words)
        assert len(results.named("passed")) == 2 and len(results.named("skipped")) == 1
        assert len(results.named("failed")) == call and not results.sound
        assert len(results.missing) == 2 - call
    assert any("why" in results.ended[name][2] for name in results.named("failed"))
    assert any("was begun 2 times" in results.ended[name][2] for name in results.named("failed"))
    assert "1 skipped" in results.told() and "not yet ended" not in results.told()


def test_results_of_tests(tmp_path):
    lines = [
        {"collected": ["a", "b", "c"]},
        {"begun": "a"},
        {"ended": "a", "outcome": "passed", "seconds": 1.0, "text": ""},
        {"begun": "b"},
    ]
    file = tmp_path / "lines"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"ended": "b", "outco')
    results = Results.of({})
    results.take(file)
    results.give_up()
    assert results.missing == {"b", "c"} and results.sound and results.named("passed") == ["a"]
    assert results.told() == "tests: 1 passed, 0 failed, 0 skipped, 2 not yet ended"
    results.take(file)
    results.give_up()
    assert results.named("failed") == ["b"] and not results.sound


def test_suites_find_what_tests_have_compiled(monkeypatch, tmp_path):
    """One cache for both: a suite that compiled its kernels anew would not end in its time."""
    for base in (tmp_path, tmp_path / conftest._OWN):
        monkeypatch.setenv("GPUMCTS_CACHE", str(base))
        assert process.environment()["GPUMCTS_CACHE"] == str(tmp_path / conftest._OWN)


def test_files_with_tests_for_a_device():
    """Each once, and those of whole searches before those of every kernel."""
    files = device_tests.test_files()
    assert len(files) == len(set(files)) and all((device_tests.ROOT / name).is_file() for name in files)
    assert files[1] == "tests/tree/test_device_playouts.py" and "tests/kernels/test_gpu.py" in files[2:]
    assert all("pytest.mark.gpu" in (device_tests.ROOT / name).read_text("utf-8") for name in files)


# --------------------------------------------------------------------------------------------------------------- tools


def test_metrics_of_ncu():
    said = (
        '==PROF== Connected\n"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"\n'
        '"0","trial_kernel","Occupancy","Achieved Occupancy","%","3.1"\n'
        '"1","playout_kernel","Occupancy","Achieved Occupancy","%","48.7"\n'
        '"1","playout_kernel","Launch","Grid Size","","1,056"\n"1","playout_kernel","Launch","Function","","none"\n'
    )
    assert tools.metrics(said) == [
        ("playout_kernel", "Achieved Occupancy", "%", 48.7),
        ("playout_kernel", "Grid Size", "", 1056.0),
    ]


SANITIZER = """#!/bin/sh
while [ "$1" != "-m" ]; do shift; done
for last; do :; done
echo {} > "$last"
echo "========= COMPUTE-SANITIZER"
FINDING
"""


@pytest.mark.parametrize(
    "finding, problem",
    [
        ('echo "========= ERROR SUMMARY: 0 errors"', ""),
        (
            'echo "========= Invalid __global__ write of size 8 bytes"; '
            'echo "========= ERROR SUMMARY: 2 errors"; exit 9',
            "2 errors, exit code 9: Invalid __global__ write of size 8 bytes",
        ),
        (
            'echo "========= RACECHECK SUMMARY: 1 hazard displayed"',
            "1 errors, exit code 0: RACECHECK SUMMARY: 1 hazard displayed",
        ),
        ("exec sleep 30", "did not end within 2 s"),
    ],
)
def test_what_a_sanitizer_says(tmp_path, monkeypatch, finding, problem):
    tool = tmp_path / tools.SANITIZER
    tool.write_text(SANITIZER.replace("FINDING", finding))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    looked = tools.sanitized("memcheck", "uniform", 2.0, small=True)
    assert looked.problem == problem and len(looked.rows) == (not problem)


# -------------------------------------------------------------------------------------------------------------- suites


def test_part_of_a_crossover():
    from benchmarks.crossover import complete

    rows = [Row("crossover", "", "", 1, 1, 1, at={"trees": t, "playouts": p}) for p in (1, 4) for t in (1, 2, 3)]
    assert complete(rows[:-1]) == rows[:3] and complete(rows) == rows and complete([]) == []


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


def test_no_hydra_is_needed():
    """The command, its steps and their suites import with nothing installed but what a device needs."""
    modules = [f"benchmarks.device.{file.stem}" for file in (ROOT / "benchmarks" / "device").glob("*.py")]
    modules += [f"benchmarks.{part.module}" for part in suites.PARTS.values()]
    blocked = ("hydra", "omegaconf", "pydantic", "polars", "rich", "matplotlib", "scipy", "pyspiel", "chess", "jax")
    code = f"import sys\nfor name in {blocked}: sys.modules[name] = None\nimport experiments.gpu_check\n"
    code += "\n".join(f"import {module}" for module in modules if not module.endswith("__"))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]


def test_no_compiler_is_needed(monkeypatch):
    """Without g++ the scalar program is left out, the other contenders are there."""
    from benchmarks import playouts
    from gpumcts.games.dots_and_boxes import DotsAndBoxes

    monkeypatch.setenv("PATH", "/nowhere")
    bench = measure.Bench(DotsAndBoxes(1, 1), "othello", "cpu", 1, 1, (), Path(), sizes.SMALL.grid)
    assert playouts._scalar(bench) == []
