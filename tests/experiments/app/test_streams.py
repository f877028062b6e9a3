"""Results reach the folder whatever becomes of stdout and stderr: closed, without a reader, of an old encoding."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.terminal.console import say, show, writable

ROOT = Path(__file__).resolve().parents[3]
PLAYED = "-m experiments.match player=random player@opponent.player=random game=dots_and_boxes engine=cpu games=2"
SEARCHED = "-m experiments.search game=dots_and_boxes budget.iterations=20 threads=1 engine=cpu"


def shell(tmp_path: Path, line: str, **environ: str) -> tuple[int, str, str]:
    """A line of bash, in which ``$P`` is Python: the exit code of the command, stdout, stderr."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "P": sys.executable, **environ}
    done = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
        cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=300, encoding="utf-8",
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("line", [f"$P {PLAYED}", f"$P {SEARCHED}"])
def test_nobody_reads_the_results(tmp_path, line):
    code, out, err = shell(tmp_path, f"{line} hydra.run.dir=here | true")
    assert (code, out) == (0, "") and "Traceback" not in err and "error" not in err
    assert json.loads((tmp_path / "here/summary.json").read_text())["seed"] == 1


def test_nobody_reads_the_help(tmp_path):
    assert shell(tmp_path, "$P -m experiments.match --help | true") == (0, "", "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_that_was_closed_before(tmp_path, closed):
    code, _, err = shell(tmp_path, f"$P {PLAYED} hydra.run.dir=here {closed}")
    assert code == 0 and "Traceback" not in err
    assert json.loads((tmp_path / "here/summary.json").read_text())["games"] == 2


def test_an_encoding_without_the_letters(monkeypatch):
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    writable()
    show("L\u00e4ufe")
    say("52 \u00b5s")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    assert sys.stdout.buffer.getvalue() == b"L\\xe4ufe\n" and sys.stderr.buffer.getvalue() == b"52 \\xb5s\n"


def test_a_search_whose_times_are_in_other_letters(tmp_path):
    code, _, err = shell(tmp_path, f"$P {SEARCHED} hydra.run.dir=here", PYTHONIOENCODING="ascii")
    assert code == 0 and "Traceback" not in err and (tmp_path / "here/summary.json").exists()
