"""The machine and the checkout that a process runs on: processor, commit."""

import functools
import platform
import subprocess
from pathlib import Path


def cpu_name() -> str:
    """The processor's own name where the system tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


@functools.cache
def commit() -> str | None:
    """The commit of the checkout this package runs from, ``+changes`` where files differ from it; None elsewhere.

    Asked once, since the code of a process is that of its beginning.
    """
    folder = Path(__file__).parent.parent
    if not (folder / ".git").exists():
        return None
    try:
        head = _git(folder, "rev-parse", "HEAD")
        return head + ("+changes" if _git(folder, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *words: str) -> str:
    finished = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True, timeout=10)
    return finished.stdout.strip()
