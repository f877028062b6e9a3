"""NVIDIA's own tools over one kernel of each kind: compute-sanitizer finds faults, ncu says what bounds it.

They come with the CUDA toolkit, not with the packages of a Python environment. Where one is not there its steps say so.
"""

import csv
import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.device.process import ROOT, environment
from benchmarks.measure import Row, row_of

SANITIZER, PROFILER = "compute-sanitizer", "ncu"
CHECKS = ("memcheck", "racecheck", "synccheck")
PLACES = ("/usr/local/cuda/bin", "/opt/cuda/bin", "/opt/nvidia/nsight-compute")
LEAVES = 2000  # that a sanitizer looks at: it takes a hundred times as long
LEAVES_SMALL = 40
PROFILED = ("uniform", "attempts", "thread")  # Othello uniform, Go and MM-2
SECTIONS = ("SpeedOfLight", "ComputeWorkloadAnalysis", "InstructionStats", "Occupancy", "WarpStateStats", "LaunchStats")
OF_KERNELS = ("--report-api-errors", "no")  # packages ask the driver for functions that it may not have
AS_IT_IS = ("--clock-control", "none")  # the device may be others' too: its clocks stay
SUMMARY = re.compile(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard")


class Looked(NamedTuple):
    """What a tool found: a problem in a line, empty if there is none, and figures."""

    problem: str
    rows: list[Row]


def find(tool: str) -> str | None:
    """Where a tool is: on the path, or where toolkits are put."""
    places = [place for root in PLACES for place in (root, *map(str, Path(root).glob("*")))]
    return shutil.which(tool) or next((found for place in places if (found := shutil.which(tool, path=place))), None)


def sanitized(check: str, kind: str, seconds: float, small: bool = False) -> Looked:
    """One of CHECKS over the kernel of a kind."""
    words = [str(find(SANITIZER)), "--tool", check, "--error-exitcode", "9", *OF_KERNELS]
    said, code = _run(words, kind, seconds, LEAVES_SMALL if small else LEAVES)
    counts = [int(number) for match in SUMMARY.finditer(said) for number in match.groups() if number]
    if code is None:
        return Looked(f"did not end within {seconds:.0f} s", [])
    if code != 0 or sum(counts):
        lines = [line.strip("= ").strip() for line in said.splitlines() if line.startswith("=========")]
        told = next((line for line in lines if line and not line.startswith("COMPUTE-SANITIZER")), _last(said))
        return Looked(f"{sum(counts)} errors, exit code {code}: {told}", [])
    return Looked("", [row_of("tools", f"{check}, {kind}: errors", "errors", [float(sum(counts))])])


def profiled(kind: str, seconds: float, leaves: int) -> Looked:
    """What bounds the kernel of a kind: its first launches, by ncu's sections, each with the same names of figures."""
    sections = [word for section in SECTIONS for word in ("--section", section)]
    words = [str(find(PROFILER)), "--csv", "--page", "details", "--launch-count", "3", *AS_IT_IS, *sections]
    said, code = _run(words, kind, seconds, leaves)
    if code is None:
        return Looked(f"did not end within {seconds:.0f} s", [])
    rows = [
        row_of("tools", f"ncu, {kind}: {name}", unit, [value], at={"kernel": kernel})
        for kernel, name, unit, value in metrics(said)
    ]
    return Looked("" if rows else f"exit code {code}: {_last(said)}", rows)


def metrics(said: str) -> list[tuple[str, str, str, float]]:
    """(kernel, metric, unit, value) of the playout and search kernels in what ncu prints with ``--csv``."""
    lines = said.splitlines()
    begin = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    found = []
    for row in csv.DictReader(io.StringIO("\n".join(lines[begin:]))):
        kernel, value = row.get("Kernel Name") or "", (row.get("Metric Value") or "").replace(",", "")
        if "trial_kernel" not in kernel and re.fullmatch(r"-?\d+(\.\d+)?", value):
            found.append((kernel, row["Metric Name"], row["Metric Unit"], float(value)))
    return found


def _run(tool: list[str], kind: str, seconds: float, leaves: int) -> tuple[str, int | None]:
    with tempfile.TemporaryDirectory() as scratch:
        command = [*tool, sys.executable, "-m", "benchmarks.device.exercise", kind, str(leaves), f"{scratch}/ended"]
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment(), timeout=seconds, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        except subprocess.TimeoutExpired as late:
            return (late.stdout or b"").decode("utf-8", "replace"), None
        said = done.stdout.decode("utf-8", "replace")
        ended = (Path(scratch) / "ended").exists()
    return said, done.returncode if ended or done.returncode else 1


def _last(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
