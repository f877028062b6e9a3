"""``make gpu-check`` takes the packages that the driver supports, and says in a line that a driver is too old."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BANNERS = {  # as drivers print it
    "13.0": "| NVIDIA-SMI 580.65.06    Driver Version: 580.65.06      CUDA Version: 13.0     |",
    "12.4": "| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15      CUDA Version: 12.4     |",
    "14.1": "| NVIDIA-SMI 700.10      KMD Version: 700.10     CUDA UMD Version: 14.1     |",
    "11.8": "| NVIDIA-SMI 520.61.05    Driver Version: 520.61.05    CUDA Version: 11.8     |",
}

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def made(folder: Path, driver: str | None, *words: str) -> subprocess.CompletedProcess:
    """What ``make`` does with ``words`` and a driver's ``nvidia-smi`` in front of the path, or with none.

    The make that runs these tests hands its own flags on by the environment; the make that is tried gets none.
    """
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\necho '{BANNERS[driver]}'\n" if driver else "#!/bin/sh\nexit 9\n")
    tool.chmod(0o755)
    handed_on = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"}
    environment = {name: value for name, value in os.environ.items() if name not in handed_on}
    environment["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(["make", *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


def planned(folder: Path, driver: str | None, *words: str) -> subprocess.CompletedProcess:
    """What ``make gpu-check`` would run, which is printed and not run."""
    return made(folder, driver, "-n", "-B", "gpu-check", *words)


@pytest.mark.parametrize(
    "driver, extra", [("13.0", "cuda13"), ("12.4", "cuda12"), ("14.1", "cuda13"), (None, "cuda13")]
)
def test_packages_by_the_driver(tmp_path, driver, extra):
    done = planned(tmp_path, driver)
    assert done.returncode == 0 and f"[test,{extra}]" in done.stdout
    assert ("constraints-cuda12.txt" in done.stdout) == (extra == "cuda12")


def test_what_is_said_goes_before_the_driver(tmp_path):
    assert "[test,cuda12]" in planned(tmp_path, "13.0", "CUDA=12").stdout


def test_a_driver_too_old_is_a_line(tmp_path):
    done = made(tmp_path, "11.8", "gpu-check")
    assert done.returncode != 0 and done.stdout == ""
    said = done.stderr.splitlines()
    assert said[0] == "error: CUDA=11: there are CUDA=12 and CUDA=13, and this driver supports CUDA 11"
