"""The device engine: the trees of the CPU's engine to the last bit, memory that is too little, its kernels as PTX."""

import importlib.util
import re
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.kernels import compile_check, engines
from gpumcts.kernels.cuda import device
from gpumcts.tree import device_check
from gpumcts.tree import memory as tree_memory
from gpumcts.tree.device_search import search_tree
from gpumcts.tree.settings import Settings
from tests.kernels.drivers import told_by
from tests.tree.drivers import OPERATORS, OTHELLO, RULES, fits, keys_for, operator_of, rule_of, searcher_of
from tests.tree.simulated_device import CASES, MORE, OFTEN, PAIRS, dots, followed, played_on, searched, told
from tests.tree.simulated_searches import digest, roots
from tests.tree.test_device_playouts import SETTINGS, slow_unless

CAPABILITIES = ["sm_80", "sm_90a"]
HOPPER = compile_check.TARGETS[1]
PTX = ("ucb1/average/uniform/othello", "ucb1/accelerated/uniform/othello", "depth_decayed/discounted/uniform/othello")
MAX_REGISTERS = 255  # of a thread; more would spill
NO_ROOM = r"no [\d.]+ MiB of device memory"
HALVED = rf"gpumcts: engine=device: {NO_ROOM} for \d trees; going on with \d\n"
needs_compiler = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed"
)


# -------------------------------------------------------------------------------------------------- in the simulator


@pytest.fixture(scope="module")
def simulated():
    """What ``simulated_device`` tells, from a process in which the simulator is on."""
    return told_by("tests.tree.simulated_device")


@pytest.mark.parametrize("case", OFTEN)
def test_device_is_cpu(simulated, case):
    assert simulated[case] == told(searched(case, "cpu"))


@pytest.fixture(scope="module")
def more_simulated():
    """The same of ``PAIRS``."""
    return told_by("tests.tree.simulated_device", "more")


@pytest.mark.slow
@pytest.mark.parametrize("case", PAIRS)
def test_device_is_cpu_by_every_pair(more_simulated, case):
    assert more_simulated[case] == told(searched(case, "cpu"))


def test_reuse(simulated):
    assert simulated["reuse"] == played_on("cpu")


def test_follow(simulated):
    assert simulated["followed"] == followed("cpu")


def test_a_large_forest_stays_on_the_device(simulated):
    """The root tables come back all the same."""
    assert simulated["left on the device"] == told(dots(engine="cpu"))[1:]


def test_a_single_tree_comes_back(simulated):
    assert simulated["brought_back"] == [True, False]


def test_a_searcher_keeps_its_pace(simulated):
    """Launches of 1, 8 and 11 iterations; then one launch; then, of twice as many trees, of 40 first."""
    assert simulated["paced"] == [3, 1, 2]


def test_a_forest_that_grows(simulated):
    found, expected = simulated["growing"], told(dots(4, 120, engine="cpu"))
    assert found["grown"] == expected and found["halved"] == expected[1:]
    assert found["done"] == found["again"] == 4 * 120
    assert re.fullmatch(f"({HALVED})+", found["printed"])


def test_scarce_memory(simulated):
    found, expected = simulated["failing"], told(dots(engine="cpu"))[1:]
    assert found["foreseen"] == found["unforeseen"] == expected
    assert found["quiet"] == ""
    assert re.fullmatch(HALVED, found["printed"])
    assert found["done"] == 5 * 12
    assert re.fullmatch(rf"budget\.iterations=12: engine=device: {NO_ROOM}, for a single tree", found["single"])
    assert found["refused"].startswith("budget.iterations=12: a tree takes ")


def test_the_host_waits(simulated):
    """One thread of it, whatever the kernel does meanwhile."""
    times = simulated["times"]
    assert times["threads"] == 1 and 0 < times["device"] <= 1.001 * times["waiting"] <= 1.01 * times["seconds"]
    assert times["selection"] == times["playouts"] == times["backup"] == 0


def test_stop(simulated):
    assert simulated["stopped"] == {"done": [5], "end": "stopped"}


def test_no_simulator_by_name(simulated):
    assert simulated["by_name"] == "engine=device: the simulator is on in this process; engine=cpu works without a GPU"


# ---------------------------------------------------------------------------------------------------- without a device


def test_device_without_device(monkeypatch):
    monkeypatch.setattr(device, "describe", lambda: device.DeviceInfo(problem="nothing there"))
    for ask in (lambda: engines.resolve("device"), lambda: searcher_of(operator_of("average"), engine="device")):
        with pytest.raises(BadInput, match=r"^engine=device: nothing there; engine=cpu works without a GPU$"):
            ask()


@needs_compiler
@pytest.mark.parametrize(
    "code",
    [
        "\tfma.rn.f64 \t%fd1, %fd2, %fd3, %fd4;",
        "mad.f32 %f1",
        "mul.f64 %fd1, %fd2, %fd3;",  # does not say how to round: ptxas may fuse it
        "add.ftz.f32 %f1",
        "@%p1 sub.f64 %fd1",
    ],
)
def test_what_is_fused_or_may_be(code):
    from gpumcts.kernels.cuda.each import FUSED

    assert FUSED.search(code)


@needs_compiler
def test_what_cannot_be_fused():
    from gpumcts.kernels.cuda.each import FUSED

    assert not FUSED.search(
        "mad.lo.s64 %rd1; mul.rn.f64 %fd1; add.rn.f64 %fd2; sub.rn.ftz.f32 %f1; add.s64 %rd1; mul.lo.s64"
    )


# ------------------------------------------------------------------------------------------------------------- as PTX


def assert_sound(report: compile_check.Report) -> None:
    """It compiles, has the CPU's arithmetic, and neither stack nor spills."""
    assert (report.error, report.fused) == ("", 0) and report.floats > 0
    assert report.registers <= MAX_REGISTERS and (report.local, report.stack, report.spills) == (0, 0, 0)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("kernel", PTX)
def test_ptx(kernel):
    for report in device_check.reports([kernel]):
        assert_sound(report)


@needs_compiler
@pytest.mark.slow
def test_what_would_be_launched(monkeypatch):
    """Compiled as for a launch, for an architecture with a suffix: still nothing fused, nor when from the cache."""
    from numba.cuda import codegen, dispatcher

    from gpumcts.kernels.cuda import each as cuda_each

    pretended = SimpleNamespace(compute_capability=(9, 0))
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: pretended)
    monkeypatch.setattr(codegen.CUDACodeLibrary, "_ensure_cc", lambda library, cc: cc or (9, 0, "a"))
    monkeypatch.setattr(codegen.JITCUDACodegen, "magic_tuple", lambda library: "no driver")
    monkeypatch.setattr(dispatcher._Kernel, "bind", lambda kernel: None)  # it would be loaded into the device
    task = device_check.task("ucb1/power_mean/uniform/dice_duel")
    for name in ("compiled", "loaded"):
        made = cuda_each._compiled.__wrapped__(search_tree, (numba.typeof(task),), name)
        (code,) = (overload.library.get_asm_str() for overload in made.overloads.values())
        assert ".target sm_90a" in code and "mul.rn.f64" in code and not cuda_each.FUSED.search(code)
        assert "ld.const" not in code and ".const " not in code  # tables: see ``tables_in_memory``


@needs_compiler
@pytest.mark.slow
def test_fewer_registers():
    """A cap on registers reaches the compiler, which then keeps a little of the state in memory."""
    code = device_check.ptx("ucb1/average/uniform/dice_duel", HOPPER)
    free, capped = (compile_check.link(code, HOPPER, cap)[0] for cap in (None, 64))
    assert capped <= 64 < free


@needs_compiler
@pytest.mark.slow
def test_all_kernels():
    toys = [f"ucb1/average/minimax/{game}" for game in options.names("game")]
    for report in device_check.reports(device_check.names() + toys):
        assert_sound(report)


@needs_compiler
@pytest.mark.slow
def test_products_are_fused_unless_told_not_to(monkeypatch):
    """What ``unfused`` is for: without it the same source has fused operations."""
    import contextlib

    monkeypatch.setattr(compile_check, "unfused", contextlib.nullcontext)
    assert compile_check.FUSED.search(device_check.ptx("depth_decayed/average/uniform/dice_duel", HOPPER))


# -------------------------------------------------------------------------------------------------- on real hardware

FIRST_CASES = [case for case in CASES if not case.endswith(" on dots and boxes")]  # a kernel takes its time to compile


def pairs_of_parts():
    """Every operator with every rule that it fits; slow but for all operators by UCB1 and a first for every rule."""
    first = [name.split("/")[:2] for name in device_check.names()]
    return [slow_unless([r, o] in first, o, r) for o in OPERATORS for r in RULES if fits(o, r)]


@pytest.mark.gpu
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("operator, rule", pairs_of_parts())
def test_gpu_rules_and_operators(operator, rule):
    _compare_on_gpu(operator, rule, Settings(), trees=300, iterations=400)


@pytest.mark.gpu
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_gpu_settings(settings):
    _compare_on_gpu("average", "ucb1", settings, trees=300, iterations=400)


@pytest.mark.gpu
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("case", [slow_unless(case in FIRST_CASES, case) for case in [*CASES, *MORE]])
def test_gpu_cases(case):
    assert told(searched(case, "device")) == told(searched(case, "cpu"))


@pytest.mark.gpu
@pytest.mark.alone
@pytest.mark.filterwarnings("default")
def test_gpu_waves_growth_and_release(monkeypatch):

    before = device.free_memory()
    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.2)
    _compare_on_gpu("accelerated", "ucb1", Settings(), trees=2000, iterations=300)
    monkeypatch.setattr(device, "free_memory", lambda: 10 << 20)
    _compare_on_gpu("accelerated", "ucb1", Settings(), trees=2000, iterations=300)
    monkeypatch.undo()
    device.release()
    assert device.free_memory() >= before - (64 << 20)  # modules and stacks of kernels stay


def _compare_on_gpu(operator: str, rule: str, settings: Settings, trees: int, iterations: int) -> None:
    if problem := engines.cuda_problem():
        pytest.skip(problem)
    found = {}
    for engine in ("cpu", "device"):
        searcher = searcher_of(operator_of(operator), settings, OTHELLO, rule_of(rule), engine=engine, threads=4)
        found[engine] = searcher.search(roots(OTHELLO, trees), keys_for(trees), iterations)
    if found["device"].forest is not None and found["cpu"].forest is not None:
        assert digest(found["device"]) == digest(found["cpu"])
    for of_device, of_cpu in zip(found["device"].table, found["cpu"].table, strict=True):
        assert np.array_equal(of_device, of_cpu)
    assert np.array_equal(found["device"].decide(), found["cpu"].decide())
