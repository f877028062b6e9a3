"""All that needs a CUDA device, in less than eight minutes and into one folder: the tests, then the benchmark.

    python -m experiments.gpu_check FOLDER [--minutes 8] [--suites playouts,search,...]

``tests.txt``       what pytest said: tests marked ``gpu`` and not ``slow``, shared out to several processes
``figures.json``    counts of tests, the machine, and every figure; written anew whenever a suite is through
``table.txt``       the same for people
``crossover.json``  which engine is fastest for how many trees and playouts; ``engine=auto`` follows it once it lies in the cache
                    folder, or GPUMCTS_CROSSOVER names it

Takes no more than numpy, numba, numba-cuda, CuPy, pytest, psutil, annotated-types and filelock. Every suite has a
process and a time of its own, so that one that fails or hangs costs no other. The exit code is 1 where a test failed or none ran,
or a suite failed, and 2 where no device can be used.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from experiments.benchmarks import machine
from experiments.benchmarks.measure import Bench, Grid, Row
from experiments.benchmarks.text import fastest, text
from gpumcts import cache
from gpumcts.kernels.crossover import FILE
from gpumcts.kernels.engines import cuda_problem
from gpumcts.options import option

ROOT = Path(__file__).resolve().parent.parent
FIGURES, TABLE, TESTS = "figures.json", "table.txt", "tests.txt"
GAME = "othello"
CHOSEN = "gpu and not slow and not alone", "gpu and not slow and alone"  # shared out, then in one process
MOST_SHARDS, TEST_SECONDS, ALONE_SECONDS = 12, 210.0, 60.0
COUNTS = ("tests", "failures", "errors", "skipped")
GRID = Grid(trees=(1, 30, 300, 3000, 30_000), playouts=(1, 4, 16, 64), iterations=30)
ON_DEVICE = "device search"
TESTS_CACHE = "tests-of-gpumcts"  # as ``tests/conftest.py`` has it


class Part(NamedTuple):
    """A suite on an engine: its module of ``experiments.benchmarks``, turns of each contender, and seconds it may take."""

    module: str
    engine: str
    repeats: int
    seconds: float


PARTS = {
    "launch": Part("launch", "cuda", 5, 30),
    "playouts": Part("playouts", "cuda", 5, 60),
    "crossover": Part("crossover", "auto", 3, 100),
    "search": Part("search", "cuda", 3, 75),
    ON_DEVICE: Part("search", "device", 3, 60),
    "match": Part("match", "cuda", 2, 60),
}


class Counted(NamedTuple):
    """How many tests there were, and what became of them; ``unfinished`` processes ran out of time."""

    tests: int = 0
    failures: int = 0
    errors: int = 0
    skipped: int = 0
    unfinished: int = 0
    seconds: float = 0.0

    @property
    def passed(self) -> int:
        """Those that ran and were right."""
        return self.tests - self.failures - self.errors - self.skipped

    @property
    def sound(self) -> bool:
        """Whether there were some and none failed."""
        return self.passed > 0 and not self.failures + self.errors + self.unfinished

    def told(self) -> str:
        """In a line."""
        failed = self.failures + self.errors
        words = [f"tests: {self.passed} passed, {failed} failed, {self.skipped} skipped"]
        if self.unfinished:
            words.append(f"{self.unfinished} processes did not end in time")
        return f"{', '.join(words)}, {self.seconds:.0f} s"


# ---------------------------------------------------------------------------------------------------------------- tests


def run_tests(folder: Path, seconds: float) -> Counted:
    """Run the tests that need a device; what pytest says goes into the folder."""
    begin, shards = time.monotonic(), max(1, min(MOST_SHARDS, machine.cores()))
    most = max(1.0, seconds - ALONE_SECONDS)
    found = _run_shards(folder, CHOSEN[0], shards, min(TEST_SECONDS, most))
    found += _run_shards(folder, CHOSEN[1], 1, min(ALONE_SECONDS, most))
    counts = [sum(column) for column in zip(*found, strict=True)]
    return Counted(*counts, seconds=time.monotonic() - begin)


def _run_shards(folder: Path, chosen: str, shards: int, seconds: float) -> list[tuple[int, ...]]:
    """Counts of each process of pytest, among which the tests are shared out."""
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as reports:
        files = [Path(reports) / f"{number}.xml" for number in range(shards)]
        with open(folder / TESTS, "ab") as said:
            running = [_pytest(chosen, f"{number}/{shards}", file, said) for number, file in enumerate(files)]
            ended = [_ended(process, until) for process in running]
        return [(*_counts(file), int(not end)) for file, end in zip(files, ended, strict=True)]


def _pytest(chosen: str, shard: str, report: Path, said: Any) -> subprocess.Popen:
    """Warnings of packages newer than these tests are none of theirs."""
    words = ["-m", "pytest", "-q", "-W", "default", "-p", "no:cacheprovider", "-m", chosen, f"--junitxml={report}"]
    environment = _environment() | {"GPUMCTS_NEED_GPU": "1", "GPUMCTS_SHARD": shard}
    command = [sys.executable, *words, *test_files()]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=said, stderr=subprocess.STDOUT)


def _environment() -> dict[str, str]:
    """Of all processes here: one compile cache, so that suites load the kernels that tests have compiled."""
    base = cache.root().parent
    return os.environ | {"GPUMCTS_CACHE": str(base if base.name == TESTS_CACHE else base / TESTS_CACHE)}


def test_files() -> list[str]:
    """Those with tests for a device; others may import what is not installed."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if "pytest.mark.gpu" in file.read_text("utf-8")]


def _ended(process: subprocess.Popen, until: float) -> bool:
    """Whether a process ended in time; else it is ended."""
    try:
        process.wait(max(0.0, until - time.monotonic()))
        return True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


def _counts(report: Path) -> tuple[int, ...]:
    """Tests, failures, errors and skipped ones; an error where there is no report."""
    try:
        suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return 1, 0, 1, 0
    return tuple(sum(int(suite.get(name, 0)) for suite in suites) for name in COUNTS)


# --------------------------------------------------------------------------------------------------------------- suites


def bench_of(part: Part, folder: Path) -> Bench:
    """How a suite is measured: Othello, on all cores."""
    game = option("game", GAME)()
    return Bench(game, GAME, part.engine, machine.cores(), part.repeats, (), folder, GRID)


def measure(name: str, folder: Path, file: Path) -> None:
    """Run a suite in this process; every row goes into ``file`` at once, a line each."""
    part = PARTS[name]
    bench = bench_of(part, folder)
    with file.open("a", encoding="utf-8") as rows:
        for row in import_module(f"experiments.benchmarks.{part.module}").suite(bench):
            rows.write(json.dumps(row._replace(suite=name)._asdict()) + "\n")
            rows.flush()


def run_suite(name: str, seconds: float) -> tuple[list[Row], str]:
    """The rows of a suite, as far as it came, and what was wrong; it runs in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        rows, errors = Path(scratch) / "rows", Path(scratch) / "errors"
        command = [sys.executable, "-m", __spec__.name, scratch, "--measure", name, "--rows", str(rows)]
        with errors.open("wb") as said:
            process = subprocess.Popen(command, cwd=ROOT, env=_environment(), stderr=said, stdout=said)
            ended = _ended(process, time.monotonic() + seconds)
        lines = rows.read_text("utf-8").splitlines(keepends=True) if rows.exists() else []
        found = [Row(**json.loads(line)) for line in lines if line.endswith("\n")]
        if not ended:
            return found, f"stopped after {seconds:.0f} s"
        return found, "" if process.returncode == 0 else _last_line(errors)


def _last_line(file: Path) -> str:
    lines = [line for line in file.read_text("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1] if lines else "failed without a word"


# --------------------------------------------------------------------------------------------------------------- all of it


class Findings:
    """What there is so far, in the files of the folder."""

    def __init__(self, folder: Path, tests: Counted) -> None:
        self.folder, self.tests, self.machine = folder, tests, machine.machine()
        self.rows: list[Row] = []
        self.problems: dict[str, str] = {}
        self.seconds: dict[str, float] = {}

    def write(self) -> None:
        """All files anew, but what pytest said."""
        cells = self._crossover()
        figures = {
            "tests": self.tests._asdict() | {"passed": self.tests.passed},
            "machine": self.machine,
            "seconds": self.seconds,
            "problems": self.problems,
            "figures": [row._asdict() for row in self.rows],
        }
        self._file(FIGURES, json.dumps(figures, indent=1) + "\n")
        self._file(TABLE, "\n".join(self._told(cells)) + "\n")
        if cells:
            self._file(FILE, json.dumps(cells, indent=1) + "\n")

    def _told(self, cells: dict[str, Any] | None) -> Iterator[str]:
        device = self.machine["device"]
        yield f"{device['name'] or 'no device'}, driver for CUDA {device['driver']}, {self.machine['cpu']},"
        yield f"{self.machine['cores']} cores, commit {self.machine['commit'] or 'unknown'}"
        yield f"{self.machine['clocks']}\n{self.machine['versions']}\n\n{self.tests.told()}"
        yield from (f"{name}: {problem}" for name, problem in self.problems.items())
        if self.rows:
            yield "\n" + text(self.rows)
        if cells:
            yield fastest(cells)

    def _crossover(self) -> dict[str, Any] | None:
        from experiments.benchmarks import crossover

        rows = [row for row in self.rows if row.suite == "crossover"]
        complete = crossover.complete(rows)
        bench = bench_of(PARTS["crossover"], self.folder)
        return crossover.table(bench, complete) | {"device": self.machine["device"]["name"]} if complete else None

    def _file(self, name: str, content: str) -> None:
        fresh = self.folder / f"{name}.new"
        fresh.write_text(content, "utf-8")
        fresh.replace(self.folder / name)


def check(folder: Path, seconds: float, parts: list[str]) -> int:
    """Tests, then suites, as long as there is time; the exit code."""
    until = time.monotonic() + seconds
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TESTS).unlink(missing_ok=True)
    if problem := cuda_problem():
        findings = Findings(folder, Counted())
        findings.problems["device"] = problem
        findings.write()
        print(f"error: no device can be used: {problem}", file=sys.stderr)
        return 2
    print("running the tests that need a device ...", file=sys.stderr, flush=True)
    findings = Findings(folder, run_tests(folder, seconds / 2))
    findings.write()
    print(findings.tests.told(), flush=True)
    for name in parts:
        _measured(findings, name, until)
        findings.write()
    print((folder / TABLE).read_text("utf-8"))
    return 0 if findings.tests.sound and not findings.problems else 1


def _measured(findings: Findings, name: str, until: float) -> None:
    """Measure a suite, if there is time left for it."""
    begin = time.monotonic()
    seconds = min(PARTS[name].seconds, until - begin)
    if seconds < 1:
        findings.problems[name] = "left out, no time was left"
        return
    print(f"measuring {name} ...", file=sys.stderr, flush=True)
    rows, problem = run_suite(name, seconds)
    findings.rows += rows
    findings.seconds[name] = time.monotonic() - begin
    if problem:
        findings.problems[name] = problem
        print(f"{name}: {problem}", file=sys.stderr, flush=True)


def main() -> int:
    """Of the command line; the exit code."""
    about = str(__doc__).splitlines()[0]
    parser = argparse.ArgumentParser("python -m experiments.gpu_check", description=about)
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="where files go; those of an earlier check are replaced"
    )
    parser.add_argument("--minutes", type=float, default=8.0, help="that all of it may take")
    parser.add_argument("--suites", default=",".join(PARTS), help="suites to measure, of: " + ", ".join(PARTS))
    parser.add_argument("--measure", choices=PARTS, help=argparse.SUPPRESS)  # in a process of its own
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    parts = [name for name in chosen.suites.split(",") if name]
    if unknown := [name for name in parts if name not in PARTS]:
        parser.error(f"--suites: there is no {unknown[0]}; there are {', '.join(PARTS)}")
    if chosen.measure:
        measure(chosen.measure, chosen.folder, chosen.rows)
        return 0
    return check(chosen.folder.resolve(), 60 * chosen.minutes, parts)


if __name__ == "__main__":
    sys.exit(main())
