"""Devices that are there, are not there, or lack something; engines by name; imports that need none of it."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.kernels import device, engines
from gpumcts.kernels.cpu import CpuPlayouts
from tests.kernels.drivers import GAMES, ROOT, UNIFORM

ATTRIBUTES = {device.MULTIPROCESSORS: 132, device.MAJOR: 9, device.MINOR: 0}


class Driver:
    """A driver library that shows so many devices."""

    def __init__(self, devices: int, answer: int = 0) -> None:
        self.devices, self.answer = devices, answer

    def cuInit(self, flags):
        return self.answer

    def cuDeviceGetCount(self, count):
        count._obj.value = self.devices
        return 0

    def cuDriverGetVersion(self, version):
        version._obj.value = 12040

    def cuDeviceGet(self, handle, number):
        handle._obj.value = number

    def cuDeviceGetName(self, name, size, handle):
        ctypes.memmove(name, b"A device\0", 9)

    def cuDeviceTotalMem_v2(self, memory, handle):
        memory._obj.value = 5 << 30

    def cuDeviceGetAttribute(self, value, number, handle):
        value._obj.value = ATTRIBUTES[number]


def run(code: str) -> str:
    """What a Python process says of ``code``."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


def test_a_device():
    assert device.ask_driver(Driver(1)) == device.Description("A device", (9, 0), 132, 5 << 30, "12.4")


@pytest.mark.parametrize("driver", [Driver(0), Driver(1, answer=100)])
def test_a_driver_without_device(driver):
    found = device.ask_driver(driver)
    assert not found.name and "shows no device" in found.problem and "\n" not in found.problem


def test_describe_never_raises():
    found = device.describe()
    assert bool(found.name) or bool(found.problem)


@pytest.mark.parametrize(("driver", "extra"), [("12.4", "cuda12"), ("13.0", "cuda13")])
def test_missing_packages(monkeypatch, driver, extra):
    monkeypatch.setattr(device, "_installed", lambda module: False)
    said = device.missing_packages(driver)
    assert "numba-cuda" in said and "CuPy" in said and f"gpumcts[{extra}]" in said
    monkeypatch.setattr(device, "_installed", lambda module: True)
    assert device.missing_packages(driver) == ""


@pytest.mark.parametrize("module", ["gpumcts.kernels.device", "gpumcts.kernels.engines", "gpumcts.tree.search"])
def test_imports_load_no_cuda(module):
    assert run(f"import sys, {module}; print([m for m in ('numba.cuda', 'cupy') if m in sys.modules])") == "[]"


def test_cuda_without_device(monkeypatch):
    monkeypatch.setattr(device, "describe", lambda: device.Description(problem="nothing there"))
    with pytest.raises(BadInput, match=r"^engine=cuda: nothing there; engine=cpu works without a GPU$"):
        engines.playout_engine("cuda", GAMES["othello"], UNIFORM())
    assert isinstance(engines.playout_engine("auto", GAMES["othello"], UNIFORM(), threads=2), CpuPlayouts)
    found = engines.available()
    assert not found["cuda"] and found["problem"] == "nothing there" and "numba" in found["packages"]


def test_auto_says_why_a_device_is_not_used(monkeypatch, capsys):
    monkeypatch.setattr(device, "describe", lambda: device.Description("A device", problem="CuPy not installed"))
    assert engines.resolve("auto") == "cpu"
    assert "A device cannot be used: CuPy not installed" in capsys.readouterr().err


def test_unknown_engine():
    with pytest.raises(BadInput, match=r"^engine=gpu: there are auto, cpu, cuda, device, cudasim$"):
        engines.playout_engine("gpu", GAMES["othello"], UNIFORM())


def test_simulator_comes_first_or_not_at_all():
    code = """
import numba.cuda
from gpumcts.errors import BadInput
from gpumcts.kernels import engines
try:
    engines.resolve("cudasim")
except BadInput as error:
    print(error)
"""
    assert "process" in run(code)


def test_no_cuda_in_the_simulator():
    code = """
from gpumcts.kernels import engines
engines.resolve("cudasim")
print(engines.resolve("auto"), engines.cuda_problem())
"""
    assert run(code) == "cpu the simulator is on in this process"


def test_simulated_mirror_copies():
    mirror = device.SimulatedMirror(4)
    mirror.host[:] = np.arange(4)
    assert mirror.device.tolist() == [0, 0, 0, 0]
    mirror.upload(1, 4)
    mirror.clear(3, 4)
    mirror.host[:] = 9
    mirror.download(0, 4)
    assert mirror.host.tolist() == [0, 1, 2, 0]
    assert mirror.mark().since(mirror.mark()) <= 0


def test_resident_blocks():
    from gpumcts.kernels.cuda_kernels import resident_blocks

    assert resident_blocks(64, 132) == 8 * 132
    assert resident_blocks(20, 132) == 16 * 132
    assert resident_blocks(255, 1) == 2
