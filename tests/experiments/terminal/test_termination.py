"""SIGTERM does what Ctrl-C does, and counts once where it is sent twice; neither is lost in a callback.

Both end what compiles.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from numba import njit

from experiments.terminal import termination
from experiments.terminal.console import stop_on_interrupt
from experiments.terminal.termination import bring_back_interrupts, end_by_sigterm, ending_by_sigterm
from gpumcts.compiling.messages import announced


@pytest.fixture(autouse=True)
def _signals_put_back(monkeypatch):
    monkeypatch.setattr(termination, "_last", -float("inf"))
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_the_first_sigterm_asks_to_stop_and_the_second_cuts_nothing_short():
    end_by_sigterm()
    with stop_on_interrupt("stopping") as stop:
        for _ in range(2):
            signal.raise_signal(signal.SIGTERM)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):  # Ctrl-C behind it still does
            signal.raise_signal(signal.SIGINT)


LATE = """
import os, signal, sys
from experiments.terminal.termination import end_by_sigterm

class Late:
    def __del__(self, kill=os.kill, process=os.getpid(), number=signal.SIGTERM):
        kill(process, number)

late = Late()
end_by_sigterm()
try:
    if sys.argv[1:]:
        signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize(("words", "code"), [(["sent before"], 130), ([], -signal.SIGTERM)])
def test_a_second_one_while_python_ends_leaves_the_exit_code(words, code):
    """A first one at that time is a signal like any other."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    assert subprocess.run([sys.executable, "-c", LATE, *words], env=environment, check=False).returncode == code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_compiles_ends_at_the_first_one(number):
    end_by_sigterm()
    compiling = announced("a function", may_load=True)
    with pytest.raises(KeyboardInterrupt), stop_on_interrupt("stopping") as stop, compiling:
        signal.raise_signal(number)
        assert stop.is_set()  # the handler raised nothing
        njit(lambda x: x)(1)


def test_a_sigterm_that_comes_long_after_another_is_a_second_ctrl_c(monkeypatch):
    end_by_sigterm()
    monkeypatch.setattr(termination, "ECHO", 0.0)
    with stop_on_interrupt("stopping") as stop:
        signal.raise_signal(signal.SIGTERM)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("before", [signal.default_int_handler, signal.SIG_IGN])
def test_sigterm_is_an_interrupt_where_a_shell_ignores_ctrl_c_too(before):
    signal.signal(signal.SIGINT, before)
    end_by_sigterm()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)


def test_sigterm_that_is_ignored_stays_so():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end_by_sigterm()
    signal.raise_signal(signal.SIGTERM)


def test_a_worker_has_its_own_answer_again_behind_a_run():
    with pytest.raises(KeyboardInterrupt), ending_by_sigterm():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL

    def of_a_launcher(number, frame):
        return None

    signal.signal(signal.SIGTERM, of_a_launcher)
    with ending_by_sigterm():
        assert signal.getsignal(signal.SIGTERM) is of_a_launcher


def test_threads_leave_signals_alone():
    thread = threading.Thread(target=end_by_sigterm)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@pytest.mark.parametrize(
    "sent, handler", [(signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_IGN)]
)
def test_an_interrupt_within_a_callback_comes_in_again_behind_it(monkeypatch, capsys, sent, handler):
    """Twice in a row, as where LLVM calls back once a function that it loads."""
    signal.signal(signal.SIGINT, handler)
    end_by_sigterm()
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    bring_back_interrupts()
    calls = []

    @ctypes.CFUNCTYPE(None)
    def callback():
        calls.append(1)
        if len(calls) == 1:
            signal.raise_signal(sent)
        else:
            time.sleep(60)  # the one that is brought back ends this, and is lost too

    callback()
    callback()
    with pytest.raises(KeyboardInterrupt):
        time.sleep(60)
    assert capsys.readouterr().err == ""


def test_what_else_is_ignored_is_told(monkeypatch, capsys):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    bring_back_interrupts()
    ctypes.CFUNCTYPE(None)(lambda: 1 / 0)()
    assert "ZeroDivisionError" in capsys.readouterr().err
