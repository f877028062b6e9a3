"""Devices that are there, are not there, or lack something; engines by name; imports that need none of it."""

import ctypes
import importlib.util
import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.kernels import engines
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.cuda import device, launch_cost, occupancy
from gpumcts.kernels.cuda import driver as driver_module
from tests.kernels.drivers import GAMES, ROOT, UNIFORM

needs_compiler = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed"
)
ATTRIBUTES = {driver_module.MULTIPROCESSORS: 132}


IDENTITIES = [f"GPU-00000000-0000-0000-0000-00000000000{number}" for number in range(2)]


class Driver:
    """A driver library that shows so many devices."""

    def __init__(
        self, devices: int, answer: int = 0, version: int = 12040, capability: tuple[int, int] = (9, 0)
    ) -> None:
        self.devices, self.answer, self.version = devices, answer, version
        self.attributes = dict(zip((driver_module.MAJOR, driver_module.MINOR), capability, strict=True))

    def cuInit(self, flags):
        return self.answer

    def cuDeviceGetCount(self, count):
        count._obj.value = self.devices
        return 0

    def cuDriverGetVersion(self, version):
        version._obj.value = self.version

    def cuDeviceGet(self, handle, number):
        handle._obj.value = number

    def cuDeviceGetName(self, name, size, handle):
        ctypes.memmove(name, b"A device\0", 9)

    def cuDeviceGetUuid(self, name, handle):
        ctypes.memmove(name, bytes(15) + bytes([handle.value]), 16)
        return 0

    def cuDeviceTotalMem_v2(self, memory, handle):
        memory._obj.value = 5 << 30

    def cuDeviceGetAttribute(self, value, number, handle):
        value._obj.value = {**ATTRIBUTES, **self.attributes}[number]


def run(code: str) -> str:
    """What a Python process says of ``code``."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


def test_a_device():
    found = device.DeviceInfo("A device", (9, 0), 132, 5 << 30, "12.4", identity=IDENTITIES[0])
    assert device.ask_driver(Driver(1)) == found


@pytest.mark.parametrize("driver", [Driver(0), Driver(1, answer=100)])
def test_a_driver_without_device(monkeypatch, driver):
    monkeypatch.delenv(driver_module.VARIABLE, raising=False)
    found = device.ask_driver(driver)
    assert not found.name and "shows no device" in found.problem and "\n" not in found.problem


def test_describe_never_raises():
    found = device.describe()
    assert bool(found.name) or bool(found.problem)


@pytest.mark.parametrize(("driver", "extra"), [("12.4", "cuda12"), ("13.0", "cuda13")])
def test_missing_packages(monkeypatch, driver, extra):
    monkeypatch.setattr(driver_module, "_installed", lambda module: False)
    said = driver_module.missing_packages(driver)
    assert "numba-cuda" in said and "CuPy" in said and f"gpumcts[{extra}]" in said
    monkeypatch.setattr(driver_module, "_installed", lambda module: True)
    assert driver_module.missing_packages(driver) == ""


@pytest.mark.parametrize(
    "shown, said",
    [
        ("", "CUDA_VISIBLE_DEVICES= hides every device from this process"),
        ("-1", "CUDA_VISIBLE_DEVICES=-1 hides every device from this process"),
        ("7", "CUDA_VISIBLE_DEVICES=7 names no device; `python -m experiments.doctor` lists them"),
        ("3,4", "CUDA_VISIBLE_DEVICES=3,4 names no device; `python -m experiments.doctor` lists them"),
        ("GPU-12ab", "CUDA_VISIBLE_DEVICES=GPU-12ab names no device; `python -m experiments.doctor` lists them"),
        ("MIG-12ab", "CUDA_VISIBLE_DEVICES=MIG-12ab names no device; `python -m experiments.doctor` lists them"),
    ],
)
@pytest.mark.parametrize("driver", [Driver(0), Driver(1, answer=100)])
def test_a_choice_that_names_no_device(monkeypatch, shown, said, driver):
    """Whatever its form, the driver reads it; where it shows nothing then, the line says by what choice."""
    monkeypatch.setenv(driver_module.VARIABLE, shown)
    assert device.ask_driver(driver).problem == said


@pytest.mark.parametrize("answer", [802, 803, 999])
def test_a_choice_is_not_blamed_for_a_driver(monkeypatch, answer):
    """A cluster sets the variable for every job; a driver that fails says nothing about it."""
    monkeypatch.setenv(driver_module.VARIABLE, "0")
    said = device.ask_driver(Driver(1, answer=answer)).problem
    assert said == f"the NVIDIA driver shows no device (it answers {answer})"


PASCAL = "the device has compute capability 6.1, needed is 7.0 or later"
VOLTA = (
    "the device has compute capability 7.0, the packages are of CUDA 13, which needs 7.5 or later: "
    "pip install 'gpumcts[cuda12]'"
)


@pytest.mark.parametrize(
    "capability, bindings, problem",
    [((6, 1), "12.9", PASCAL), ((6, 1), "13.5", PASCAL), ((7, 0), "12.9", ""), ((7, 0), "13.5", VOLTA),
     ((7, 5), "13.5", ""), ((12, 1), "12.9", "")],
)  # fmt: skip
def test_a_device_too_early(monkeypatch, capability, bindings, problem):
    """A driver of CUDA 13 shows devices for which nothing compiles; the line says so before a kernel is tried."""
    monkeypatch.setattr(driver_module.ctypes, "CDLL", lambda name: Driver(1, version=13000, capability=capability))
    monkeypatch.setattr(driver_module.metadata, "version", lambda package: bindings)
    monkeypatch.setattr(driver_module, "_installed", lambda module: True)
    assert driver_module.describe.__wrapped__().problem == problem
    monkeypatch.setattr(driver_module, "_installed", lambda module: False)
    extra = "cuda12" if capability < (7, 5) else "cuda13"
    said = driver_module.describe.__wrapped__().problem
    assert said == problem if problem == PASCAL else f"gpumcts[{extra}]" in said


@pytest.mark.parametrize(
    "version, bindings, said",
    [
        (11080, "13.5", "the NVIDIA driver is too old: it supports CUDA 11.8, needed is 12.0 or later"),
        (12040, "13.5", "the NVIDIA driver supports CUDA 12.4, the packages are of 13: pip install 'gpumcts[cuda12]'"),
        (12040, "12.9", ""),
        (13000, "13.5", ""),
        (13000, "12.9", ""),
    ],
)
def test_a_driver_too_old(monkeypatch, version, bindings, said):
    monkeypatch.setattr(driver_module.metadata, "version", lambda package: bindings)
    assert driver_module.too_old(device.ask_driver(Driver(1, version=version)).driver) == said


def test_devices_are_listed_whatever_is_hidden(monkeypatch):
    """By a process of its own, without the variable; what this process is shown it asks itself."""
    asked = {}

    def run(command, env, **more):
        asked.update(env)
        shown = [driver_module._described(Driver(2), number) for number in range(2)]
        return SimpleNamespace(stdout=json.dumps(shown))

    monkeypatch.setenv(driver_module.VARIABLE, "1")
    monkeypatch.setattr(driver_module.subprocess, "run", run)
    assert [found.identity for found in driver_module.every_device()] == IDENTITIES
    assert driver_module.VARIABLE not in asked and "PATH" in asked
    monkeypatch.setattr(driver_module.subprocess, "run", lambda *_, **__: SimpleNamespace(stdout="no driver"))
    assert driver_module.every_device() == []


def test_a_run_says_once_on_what_it_plays(monkeypatch, capsys):
    monkeypatch.setattr(driver_module, "describe", lambda: device.ask_driver(Driver(1)))
    monkeypatch.setenv(driver_module.VARIABLE, "0")
    driver_module.say_device.cache_clear()
    driver_module.say_device()
    driver_module.say_device()
    assert capsys.readouterr().err == f"gpumcts: playing on A device ({IDENTITIES[0]}, CUDA_VISIBLE_DEVICES=0)\n"
    driver_module.say_device.cache_clear()


@pytest.mark.parametrize(
    "module",
    [
        "gpumcts.kernels.cuda.device",
        "gpumcts.kernels.engines",
        "gpumcts.kernels.cuda.launch_cost",
        "gpumcts.tree.search",
    ],
)
def test_imports_load_no_cuda(module):
    assert run(f"import sys, {module}; print([m for m in ('numba.cuda', 'cupy') if m in sys.modules])") == "[]"


def test_cuda_without_device(monkeypatch):
    monkeypatch.setattr(device, "describe", lambda: device.DeviceInfo(problem="nothing there"))
    with pytest.raises(BadInput, match=r"^engine=cuda: nothing there; engine=cpu works without a GPU$"):
        engines.playout_engine("cuda", GAMES["othello"], UNIFORM())
    assert isinstance(engines.playout_engine("auto", GAMES["othello"], UNIFORM(), threads=2), CpuPlayouts)
    found = engines.available()
    assert not found["cuda"] and found["problem"] == "nothing there" and "numba" in found["packages"]


def test_auto_says_why_a_device_is_not_used(monkeypatch, capsys):
    monkeypatch.setattr(device, "describe", lambda: device.DeviceInfo("A device", problem="CuPy not installed"))
    assert engines.resolve("auto") == "cpu"
    assert "A device cannot be used: CuPy not installed" in capsys.readouterr().err


def test_auto_says_it_once(monkeypatch, capsys):
    """A run asks for its engine several times: for its checks, its search and its summary."""
    old = device.DeviceInfo("An old device", problem="its driver is for CUDA 11.4; needed is one for 12.0 or later")
    monkeypatch.setattr(device, "describe", lambda: old)
    for _ in range(3):
        assert engines.resolve("auto") == "cpu" and engines.crossover("auto", None, None, 1) is None
    assert capsys.readouterr().err.count("An old device cannot be used") == 1


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
    buffer = device.SimulatedHostDeviceBuffer(4)
    buffer.host[:] = np.arange(4)
    assert buffer.device.tolist() == [0, 0, 0, 0]
    buffer.upload(1, 4)
    buffer.clear(3, 4)
    buffer.host[:] = 9
    buffer.download(0, 4)
    assert buffer.host.tolist() == [0, 1, 2, 0]
    assert buffer.record_event().since(buffer.record_event()) <= 0


def test_simulated_events_are_recorded_again():
    buffer = device.SimulatedHostDeviceBuffer(1)
    early, late = buffer.record_event(), buffer.record_event()
    early.record()
    assert early.since(late) >= 0


# ------------------------------------------------------------------------------------------------------------- launches


def test_occupancy():
    """Warps by registers as CUDA's occupancy calculator has them: given from the quarters of a multiprocessor."""
    warps = {32: 64, 40: 48, 64: 32, 72: 28, 96: 20, 121: 16, 128: 16, 168: 12, 176: 8, 184: 8, 255: 8}
    for registers, expected in warps.items():
        found = occupancy.shape(registers, 132)
        assert (found.threads, found.warps, found.blocks) == (128, expected, 132 * expected // 4)
    assert occupancy.blocks_at_once(184, 32) == 8 and occupancy.blocks_at_once(184, 96) == 2
    assert occupancy.blocks_at_once(16, 32) == 32 and occupancy.blocks_at_once(16, 32, (8, 6)) == 16
    assert occupancy.shape(32, 1, capability=(8, 6)).warps == 48
    assert occupancy.blocks_at_once(255, 1024) == 1  # less than one cannot be asked for


def test_caps_that_let_warps_in():
    """Few registers less, where that is another warp for every quarter; none where it is not, or takes many."""
    found = {registers: occupancy.tighter(registers) for registers in (68, 65, 64, 50, 69, 40, 255, 16)}
    assert found == {68: 64, 65: 64, 64: None, 50: 48, 69: None, 40: None, 255: None, 16: None}
    assert occupancy.tighter(33, (8, 6)) is None  # 48 warps are resident at 40 registers already


@pytest.mark.parametrize("threads", occupancy.SIZES)
def test_no_other_size_has_more_warps(threads):
    for registers in range(16, 256):
        asked, best = occupancy.shape(registers, 2, threads), occupancy.shape(registers, 2)
        assert asked.threads == threads and asked.warps <= best.warps <= 64
        assert asked.blocks * threads == 2 * 32 * asked.warps


def test_few_threads_are_spread():
    counts = (1, 32, 132 * 32, 132 * 32 + 1, 10**6)
    assert [occupancy.spread(128, n, 132) for n in counts] == [32, 32, 32, 64, 128]


def test_few_numbers_have_warps_of_their_own():
    """Up to four warps a multiprocessor; then more lanes of each, and all of them where there is enough to do."""
    counts = (1, 528, 529, 9000, 31 * 528 + 1, 32 * 528 + 1, 10**6)
    assert [occupancy.lanes(n, 132, 10) for n in counts] == [1, 1, 2, 18, 32, 32, 32]
    assert [occupancy.lanes(n, 132, 2) for n in counts] == [1, 2, 3, 32, 32, 32, 32]
    for count, warps in ((1, 1), (31, 4), (500, 8), (5000, 64)):
        of_a_warp = occupancy.lanes(count, 2, warps)
        assert -(-count // of_a_warp) <= 2 * min(warps, 4) or of_a_warp == 32


@needs_compiler
def test_shares():
    """A warp takes a playout a thread at least; many where there are many, so that it comes back some sixteen times."""
    from gpumcts.kernels.cuda.kernels import MAX_PER_GRAB, grab_size

    assert grab_size(1, 1) == 32 and grab_size(1, 1, 1) == 1
    assert grab_size(5_000_000, 4224) == 64 and grab_size(10**9, 4224) == MAX_PER_GRAB


@needs_compiler
def test_the_cost_of_a_launch_needs_a_device(monkeypatch):
    monkeypatch.setattr(device, "describe", lambda: device.DeviceInfo(problem="nothing there"))
    with pytest.raises(BadInput, match="^the cost of a launch: nothing there$"):
        launch_cost.costs(GAMES["othello"], UNIFORM())


@needs_compiler
def test_bad_ways_and_threads_are_refused():
    from gpumcts.kernels.cuda.engine import CudaPlayouts

    with pytest.raises(BadInput, match="^way=warp: for these playouts there are nested$"):
        CudaPlayouts(GAMES["othello"], UNIFORM(), way="warp")
    for threads in (0, -32, 33, 2048):
        with pytest.raises(BadInput, match=f"^threads={threads}: must be a multiple of 32, up to 1024$"):
            CudaPlayouts(GAMES["othello"], UNIFORM(), threads=threads)


@needs_compiler
def test_too_many_playouts_of_a_leaf():
    from gpumcts.kernels.cuda.in_flight_batch import BatchLayout, InFlightBatch

    with pytest.raises(BadInput, match=r"^playouts of a leaf: 2,000,000,000, at most 1,073,741,824 on a device$"):
        InFlightBatch.__new__(InFlightBatch).send(BatchLayout(1, 3, 1, 4), 2_000_000_000)
