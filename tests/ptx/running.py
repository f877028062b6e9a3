"""Runs commands where the emulated driver is in place: the environment must be set before Python starts."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.ptx import build

ROOT = Path(__file__).resolve().parents[2]
STANDIN = Path(__file__).parent / "standin"
FAULT_EXIT = 70  # of a process that a fault ended


class Done(NamedTuple):
    """How a command ended. ``faults`` are the lines of its processes that a fault ended."""

    code: int
    output: str
    errors: str
    faults: list[str]


def missing() -> tuple[str, bool]:
    """What the emulator needs and this machine lacks, empty if nothing; and whether this is CI, which must have it."""
    needed = {"gcc": shutil.which("gcc") is not None, "numba-cuda[cu13]": _installed("cuda.bindings")}
    return " and ".join(name for name, there in needed.items() if not there), bool(os.environ.get("CI"))


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package above it
        return False


def environment(faults: Path, root: Path = ROOT) -> dict[str, str]:
    """The variables of a process in which the driver is emulated; its faults are noted in a file."""
    library = build.driver().parent

    def first(path: object, name: str) -> str:
        return os.pathsep.join(filter(None, [str(path), os.environ.get(name, "")]))

    return {
        **os.environ,
        "LD_LIBRARY_PATH": first(library, "LD_LIBRARY_PATH"),
        "PYTHONPATH": first(STANDIN, "PYTHONPATH"),
        "GPUMCTS_PTX_ROOT": str(root),
        "GPUMCTS_PTX_FAULTS": str(faults),
        "GPUMCTS_PTX_CACHE": str(build.folder()),
    }


def run(
    command: Sequence[str],
    timeout: float | None = None,
    capture: bool = True,
    text: str | None = None,
    environ: Mapping[str, str] | None = None,
    root: Path = ROOT,
) -> Done:
    """Run a command to its end in the folder ``root``, ``text`` on its stdin. Raises BuildError and TimeoutExpired."""
    with tempfile.TemporaryDirectory() as place:
        faults = Path(place) / "faults"
        done = subprocess.run(
            list(command),
            env={**environment(faults, root), **(environ or {})},
            cwd=root,
            capture_output=capture,
            text=True,
            timeout=timeout,
            input=text,
        )
        noted = faults.read_text().splitlines() if faults.exists() else []
    return Done(done.returncode, done.stdout or "", done.stderr or "", noted)


def python(*arguments: str, timeout: float | None = None) -> Done:
    """Run this Python with some arguments."""
    return run([sys.executable, *arguments], timeout)


def run_cases(names: Sequence[str], timeout: float = 3600) -> dict[str, dict]:
    """Run cases of ``inside`` in one process, or in more of them where faults end some.

    Of each case: ``found`` of two runs, ``expected`` and ``seconds``; or ``fault``, the line that ended it.
    """
    left, records = list(names), dict[str, dict]()
    while left:
        done = run_inside(left, timeout)
        for record in map(json.loads, done.output.splitlines()):
            if "case" in record:
                records[record["case"]] = record
        if not (missing := [name for name in left if name not in records]):
            break
        began = [record["begins"] for record in map(json.loads, done.output.splitlines()) if "begins" in record]
        if not began or began[-1] in records:
            raise RuntimeError(f"exit code {done.code}: {done.errors[-2000:]}")
        records[began[-1]] = {"fault": (done.faults or [f"exit code {done.code}: {done.errors[-2000:]}"])[0]}
        left = [name for name in missing if name != began[-1]]
    return records


def run_inside(
    names: Sequence[str],
    timeout: float,
    environ: Mapping[str, str] | None = None,
    root: Path = ROOT,
    only_found: bool = False,
) -> Done:
    """One process of ``inside``; ``root`` has the packages that it imports."""
    command = [sys.executable, "-m", "tests.ptx.inside", *(["--found"] if only_found else [])]
    return run(command, timeout, text="\n".join(names), environ=environ, root=root)
