"""Settings of numba-cuda that hold while a kernel is compiled: back in place afterwards, whatever other threads do."""

import importlib.util
import threading

import pytest

from gpumcts.kernels import compile_check
from gpumcts.kernels.cuda import code_options

pytestmark = pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")


@pytest.mark.parametrize("name, setting", [("compile_ir", "unfused"), ("ADDRSPACE_CONSTANT", "tables_in_memory")])
def test_two_threads_leave_numba_as_it_was(name, setting):
    """The first to enter is the first to leave: without a lock the second would restore the setting of the first."""
    from numba.cuda.cudadrv import nvvm

    real, entered, overtaken = getattr(nvvm, name), threading.Event(), threading.Event()

    def first():
        with getattr(code_options, setting)():
            entered.set()
            overtaken.wait(0.3)

    def second():
        entered.wait(5)
        with getattr(code_options, setting)():
            overtaken.set()
            threads[0].join(0.3)

    threads = [threading.Thread(target=work) for work in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert getattr(nvvm, name) is real


def test_one_thread_may_nest_them():
    from numba.cuda.cudadrv import nvvm

    with code_options.unfused(), code_options.tables_in_memory():
        assert nvvm.ADDRSPACE_CONSTANT == nvvm.ADDRSPACE_GLOBAL
    assert nvvm.ADDRSPACE_CONSTANT != nvvm.ADDRSPACE_GLOBAL


def test_tables_of_playouts_lie_in_global_memory():
    """Constant memory serves one address at a time, and the lanes of a warp look at different points of the board."""
    for name, *parts in compile_check.kernels(["havannah:base=4"], ["uniform"]):
        code = compile_check.ptx(*parts, compile_check.TARGETS[1])
        assert ".global " in code and ".const " not in code and "ld.const" not in code, name
