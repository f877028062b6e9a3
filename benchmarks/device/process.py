"""Work in processes of their own, each with a time limit: one that fails, hangs or loses the device costs no other."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from gpumcts.compiling import cache

ROOT = Path(__file__).resolve().parents[2]
TESTS_CACHE = "tests-of-gpumcts"  # as ``tests/conftest.py`` has it
ABSENT_CODE = 69  # how a process says that what it needs is not there, in its last line


class Ended(NamedTuple):
    """How a process ended: ``code``, None where its time was over; ``lines`` of JSON it wrote; its ``last`` line."""

    code: int | None
    lines: list[Any]
    last: str


def environment() -> dict[str, str]:
    """Of all processes here: one compile cache, so that suites load the kernels that tests have compiled."""
    base = cache.root().parent
    return os.environ | {"GPUMCTS_CACHE": str(base if base.name == TESTS_CACHE else base / TESTS_CACHE)}


def python(module: str, *words: str, seconds: float) -> Ended:
    """Run ``python -m module words... FILE``, which writes lines of JSON into FILE."""
    return together([(module, *words)], seconds)[0]


def together(commands: list[tuple[str, ...]], seconds: float, at_once: int = 0) -> list[Ended]:
    """The same of several modules with their words, within so many seconds: all side by side, or so many at once."""
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(at_once or max(1, len(commands))) as pool:
        folders = [Path(scratch) / str(number) for number in range(len(commands))]
        return list(pool.map(lambda words, folder: _Running(words, folder).ended(until), commands, folders))


class _Running:
    def __init__(self, words: tuple[str, ...], scratch: Path) -> None:
        self._file, self._said = scratch.with_suffix(".rows"), scratch.with_suffix(".said")
        command = [sys.executable, "-m", *words, str(self._file)]
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=said, stderr=said)

    def ended(self, until: float) -> Ended:
        code = code_of(self._process, until)
        written = self._file.read_text("utf-8").splitlines(keepends=True) if self._file.exists() else []
        lines = [json.loads(line) for line in written if line.endswith("\n")]
        said = [line for line in self._said.read_text("utf-8", "replace").splitlines() if line.strip()]
        return Ended(code, lines, said[-1].strip() if said else "")


def ended_in(folder: Path, command: list[str], until: float) -> tuple[int | None, list[str]]:
    """Run a command in a folder, with the modules of this checkout; its exit code, None if it was late, and its lines.

    A late command is ended with all that it started: a run left behind would keep the device, and its folder's lock.
    """
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    with tempfile.TemporaryFile("w+b") as said:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment() | {"PYTHONPATH": path},
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = code_of(process, until)
        finally:
            with contextlib.suppress(ProcessLookupError):  # nothing is left of it
                os.killpg(process.pid, signal.SIGKILL)
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    return code, [line.strip() for line in text.splitlines() if line.strip()]


def code_of(process: subprocess.Popen, until: float) -> int | None:
    """The exit code of a process; None where it did not end in time, and was ended."""
    try:
        return process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def device_problem() -> str:
    """What keeps the device from use, a first kernel included, asked in a process of its own; empty if nothing does."""
    ended = python("benchmarks.device.asking", seconds=120)
    if ended.code is None:
        return "a first kernel did not end within 120 s"
    return ended.lines[0]["problem"] if ended.lines else ended.last or "the device was asked in vain"
