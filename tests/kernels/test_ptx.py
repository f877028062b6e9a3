"""Every kernel compiled for devices that are not there: PTX by NVVM, and what ptxas says of it where that is installed."""

import importlib.util

import pytest

from gpumcts.kernels import compile_check
from tests.kernels.drivers import told_by

GAMES = compile_check.options.names("game")
KERNELS = [name for name, _, _ in compile_check.kernels(GAMES)]
DEVICES = ["sm_80", "sm_90"]

pytestmark = pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
needs_ptxas = pytest.mark.skipif(compile_check.find_ptxas() is None, reason="ptxas (nvidia-cuda-nvcc) is not installed")


@pytest.fixture(scope="module")
def reports():
    """Reports by kernel and device, from a process that has no simulator and no device."""
    told = told_by("gpumcts.kernels.compile_check", "--json")
    return {(report["kernel"], report["capability"]): report for report in told}


def test_kernels_are_all_there():
    assert len(KERNELS) == len(set(KERNELS)) >= 5 * len(GAMES)
    assert "Minimax(depth=3, epsilon=0.0, truncate=0) on othello" in KERNELS


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_compiles(reports, kernel, device):
    assert reports[kernel, device]["error"] == ""


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_integers_only(reports, kernel, device):
    assert reports[kernel, device]["floats"] == 0


@needs_ptxas
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_no_spills(reports, kernel, device):
    report = reports[kernel, device]
    assert (report["local"], report["stack"], report["spills"]) == (0, 0, 0)


@needs_ptxas
@pytest.mark.parametrize("device", DEVICES)
def test_registers_of_uniform_othello(reports, device):
    """No more than 64, so that half of a multiprocessor's threads are resident."""
    assert reports["Uniform(truncate=0) on othello", device]["registers"] <= 64


def test_floats_are_seen():
    """The count of floating-point instructions finds some where there are some."""
    floats = ["add.f64 \t%fd1, %fd2, %fd3;", "@%p1 fma.rn.f32 %f1, %f2, %f3, %f4;", "cvt.rn.f64.s64 %fd1, %rd1;"]
    others = ["add.s64 %rd1, %rd2, 1;", "@!%p2 bra LBB0_3;"]
    assert len(compile_check.FLOATS.findall("\n".join("\t" + line for line in floats + others))) == len(floats)
