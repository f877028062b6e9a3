"""What all tests share: a compile cache of their own; tests that need a CUDA device are skipped, by name, without one.

``GPUMCTS_NEED_GPU=1``     it fails there instead, so that a run without a device cannot pass for one with
``GPUMCTS_SHARD=2/8``      of the tests chosen, every eighth, from number 2 on: several processes share them
``GPUMCTS_RESULTS=FILE``   a line of JSON for what was collected, and for each test when it begins and when it ends
``GPUMCTS_RESULTS_BEFORE=FILE``   names of tests, a line each, that are left out
"""

import gc
import json
import os
import sys
import warnings
from pathlib import Path

import pytest

_OWN = "tests-of-gpumcts"
_base = Path(os.environ.get("GPUMCTS_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
if _base.name != _OWN:  # a worker, or a pytest that a test starts, is told of the folder by its parent
    # numba's index of a function names every class it was compiled for: a command that cannot import tests fails on one
    os.environ["GPUMCTS_CACHE"] = str(_base / _OWN)
    # the processes that tests start read modules that the first of them translated, whatever the caller's own may write
    os.environ["PYTHONPYCACHEPREFIX"] = str(_base / f"{_OWN}-bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = True  # tests import modules that they edit within a second, as Python dates what it writes

gc.set_threshold(50_000, 50, 100)  # looks for garbage were 8 % of the tests' time, and a third of collecting them

from gpumcts.kernels import engines  # noqa: E402  the folder is chosen as gpumcts is imported
from tests import patience  # noqa: E402

NEED, SHARD = "GPUMCTS_NEED_GPU", "GPUMCTS_SHARD"
RESULTS, BEFORE = "GPUMCTS_RESULTS", "GPUMCTS_RESULTS_BEFORE"
MAX_TEXT = 6000  # characters of a failure, the last ones


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: no other process may use the device meanwhile")
    config.pluginmanager.register(patience)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what is done, and keep the shard's own, once tests are chosen by name and by mark."""
    tell(collected=[item.nodeid for item in items])
    if BEFORE in os.environ:
        done = set(Path(os.environ[BEFORE]).read_text("utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
        items[:] = [item for item in items if item.nodeid not in done]
    if SHARD in os.environ:
        number, of = map(int, os.environ[SHARD].split("/"))
        others = [item for place, item in enumerate(items) if place % of != number]
        items[:] = items[number::of]
        config.hook.pytest_deselected(items=others)


def pytest_collection_finish():
    """What there is before the first test stays, so no look for garbage goes through it again."""
    gc.collect()
    gc.freeze()


def tell(**line):
    """A line for the file of results, where one is asked for."""
    if RESULTS in os.environ:
        with open(os.environ[RESULTS], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def pytest_runtest_logstart(nodeid, location):
    tell(begun=nodeid)


def pytest_runtest_logreport(report):
    """A test has ended where its body has, or where it could not begin or be cleared away."""
    if report.when == "call" or report.outcome != "passed":
        text = str(report.longrepr)[-MAX_TEXT:] if report.failed else ""
        tell(ended=report.nodeid, outcome=report.outcome, seconds=report.duration, text=text)


def pytest_collectreport(report):
    """A file that cannot be imported is told as a test that failed."""
    if report.failed:
        tell(ended=report.nodeid, outcome="failed", seconds=0.0, text=str(report.longrepr))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if item.get_closest_marker("gpu") and (problem := device_problem()):
        if os.environ.get(NEED) == "1":
            pytest.fail(f"{NEED}=1, and {problem}", pytrace=False)
        pytest.skip(problem)


def device_problem():
    """What keeps the device from being used. A warning of CuPy or numba-cuda does not, though warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        return engines.cuda_problem()
