"""Tests that need a device: skipped without one, unless it is asked for; warnings of packages are no reason to skip."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from gpumcts.kernels import engines
from gpumcts.kernels.cuda import device
from tests import conftest

ROOT = Path(__file__).resolve().parent.parent
TEST = "tests/kernels/test_gpu.py::test_stop"


def pytest_run(*words: str, **environment: str) -> subprocess.CompletedProcess:
    """pytest on these words in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *words]
    alone = {"PYTEST_ADDOPTS": ""}  # what this run was asked to print is no matter of that one
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **alone, **environment}, capture_output=True, text=True)


@pytest.mark.skipif(bool(device.describe().name), reason="there is a device")
def test_no_device_is_a_skip_or_a_failure():
    skipped, failed = pytest_run("-m", "gpu", TEST), pytest_run("-m", "gpu", TEST, GPUMCTS_NEED_GPU="1")
    assert skipped.returncode == 0 and "1 skipped" in skipped.stdout
    assert failed.returncode == 1 and "GPUMCTS_NEED_GPU=1, and no NVIDIA driver is there" in failed.stdout


def test_a_warning_is_no_problem(monkeypatch):
    def noisy() -> str:
        warnings.warn("this version of something is old", UserWarning, stacklevel=1)
        return ""

    monkeypatch.setattr(engines, "cuda_problem", noisy)
    with pytest.warns(UserWarning, match="is old"):
        assert conftest.device_problem() == ""


@pytest.mark.slow
def test_shards_are_all_the_tests():
    chosen = ("--collect-only", "-m", "gpu and not slow", "tests/kernels/test_gpu.py")
    whole = listed(pytest_run(*chosen))
    shards = [listed(pytest_run(*chosen, GPUMCTS_SHARD=f"{number}/2")) for number in range(2)]
    assert len(whole) > 10 and sorted(shards[0] + shards[1]) == sorted(whole)


def listed(done: subprocess.CompletedProcess) -> list[str]:
    """The tests that pytest names."""
    assert done.returncode == 0, done.stdout[-2000:]
    return [line for line in done.stdout.splitlines() if "::" in line]
