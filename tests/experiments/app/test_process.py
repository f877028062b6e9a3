"""The process of a command looks for garbage rarely; one that only imports experiments is left as it is."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest

import experiments

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    "argv, looks", [(["-m"], experiments.LOOKS), (["--help"], "as before"), (["experiments/search.py"], "as before")]
)
def test_the_process_of_a_command_alone_looks_for_garbage_rarely(argv, looks):
    code = (
        f"import gc, sys; sys.argv = {argv}; before = gc.get_threshold(); import experiments; "
        "after = gc.get_threshold(); print('as before' if after == before else after)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == (str(looks), "")


def test_a_missing_package_is_one_line_and_a_missing_module_of_our_own_is_not():
    """As where the environment of the checkout is not the one that is active."""
    for name, line in (("psutil", "has no package psutil: take the environment"), ("gpumcts.nope", "Traceback")):
        code = f"import sys; sys.argv = ['-m']; import experiments; sys.modules['{name}'] = None; import {name}"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 1 and line in done.stderr
        assert (done.stderr.count("\n") == 1) == (name == "psutil")


def test_the_first_run_of_a_sweep_keeps_modules_from_being_looked_through(run, monkeypatch):
    """And no later one: what a run leaves may be garbage one day."""
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    monkeypatch.setattr(gc, "get_freeze_count", lambda: len(frozen))
    frozen = []
    assert run("match -m seed=1,2 games=2 budget.iterations=10").code == 0
    assert frozen == [1]
