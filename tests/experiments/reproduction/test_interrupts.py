"""Ctrl-C and SIGTERM while a run's command works: it reaches the command once, so that this ends cleanly."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

CHILD = """
import os, pathlib, signal, sys, time
pathlib.Path(sys.argv[1] + ".pid").write_text(str(os.getpid()))
from experiments.terminal.console import stop_on_interrupt
from experiments.terminal.termination import end_by_sigterm
end_by_sigterm()
log = open(sys.argv[1], "a", buffering=1)
with stop_on_interrupt("stopping") as stop:
    log.write("begun\\n")
    try:
        while not stop.is_set():
            time.sleep(0.01)
        log.write("asked\\n")
        time.sleep(float(sys.argv[2]))  # a game, or a block of searches, that ends first
        log.write("clean\\n")
    except KeyboardInterrupt:
        log.write("at once\\n")
        sys.exit(130)
"""
# A shell starts what it runs in the background deaf to Ctrl-C, and nohup what it runs deaf to a closed terminal.
PARENT = """
import math, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from experiments.reproduction import command_line, schedule
from experiments.terminal.termination import end_by_sigterm
end_by_sigterm()
schedule.command_of = lambda words, folder: [sys.executable, "-c", {child!r}, *sys.argv[1:]]
task = next(task for task in schedule.tasks() if task.run.name == "othello-k3")
command_line._main = lambda words: schedule._call(task, "document", math.inf, [])
sys.exit(command_line.main([]))
"""


@pytest.fixture
def started(tmp_path):
    """A function that starts the command in a group of its own, as a terminal does; returns it and what was logged."""
    begun = []

    def start(seconds: float):
        log = tmp_path / "log"
        words = [sys.executable, "-c", PARENT.format(child=CHILD), str(log), str(seconds)]
        with (tmp_path / "told").open("w") as told:
            begun.append(subprocess.Popen(words, start_new_session=True, stderr=told))
        wait_for(log, "begun")
        return begun[-1], log

    yield start
    for process in begun:
        process.kill()
        process.wait()
    for path in tmp_path.glob("log.pid"):  # a command that was never asked would go on
        with suppress(ProcessLookupError):
            os.kill(int(path.read_text()), signal.SIGKILL)


def wait_for(log: Path, word: str):
    """Until a word is logged."""
    end = time.monotonic() + 120
    while not (log.exists() and word in log.read_text().split("\n")):
        assert time.monotonic() < end, f"never {word}"
        time.sleep(0.02)


def test_ctrl_c_of_a_terminal_reaches_the_command_once_and_it_ends_cleanly(started):
    parent, log = started(1.0)
    os.killpg(parent.pid, signal.SIGINT)
    assert parent.wait(timeout=60) == 130
    assert log.read_text().splitlines() == ["begun", "asked", "clean"]
    assert "stopped; the same command goes on" in (log.parent / "told").read_text()


def test_a_second_ctrl_c_interrupts_the_command_at_once(started):
    parent, log = started(600.0)
    os.killpg(parent.pid, signal.SIGINT)
    wait_for(log, "asked")
    os.killpg(parent.pid, signal.SIGINT)
    assert parent.wait(timeout=60) == 130
    assert log.read_text().splitlines() == ["begun", "asked", "at once"]


def test_sigterm_to_all_processes_as_of_a_cluster_cuts_nothing_short(started):
    parent, log = started(1.0)
    os.kill(int((log.parent / "log.pid").read_text()), signal.SIGTERM)
    wait_for(log, "asked")
    parent.send_signal(signal.SIGTERM)
    assert parent.wait(timeout=60) == 130
    assert log.read_text().splitlines() == ["begun", "asked", "clean"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_a_signal_to_the_one_process_is_passed_on(started, number):
    parent, log = started(0.1)
    parent.send_signal(number)
    assert parent.wait(timeout=60) == 130
    assert log.read_text().splitlines() == ["begun", "asked", "clean"]
