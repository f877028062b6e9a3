"""Jobs that compile are shared among processes, and what helpers compile is loaded."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from gpumcts.compiling import cache, claims, stage
from gpumcts.compiling.stage import results
from tests.compiling.jobs import PATIENCE, endless, fails

HERE = Path(__file__).parent.parent.parent


@pytest.fixture
def helpers(monkeypatch):
    """The messages that helpers would get, on a machine of four cores; none is started."""
    messages = []

    def start(command, message):
        messages.append(message)
        return subprocess.Popen(["true"], stdin=subprocess.PIPE)

    monkeypatch.setattr(stage, "usable_cores", lambda: 4)
    monkeypatch.setattr(stage, "_started", start)
    return messages


def lacking(number: int) -> int:
    """A job whose code is missing."""
    claims._manner.get().begins()
    return number


def elsewhere(waits: list[bool], number: int) -> int:
    """A job that another process has begun."""
    waits.append(claims._manner.get().waits)
    if not waits[-1]:
        raise claims.CompiledElsewhere
    return number


@pytest.mark.parametrize(("processes", "hits"), [(1, "0 0 0"), (2, "0 1 1")])
def test_what_a_helper_compiles_is_loaded(tmp_path, processes, hits):
    """And every function is compiled once."""
    environment = {**os.environ, "GPUMCTS_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", f"from tests.compiling.jobs import main; main({processes})"]
    done = subprocess.run(command, env=environment, cwd=HERE, capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == (hits, 0), done.stderr
    assert len(list(tmp_path.rglob("*.nbc"))) == 3


@pytest.mark.parametrize(
    ("processes", "shared", "jobs", "count"),
    [(3, True, 8, 2), (8, True, 8, 3), (8, True, 2, 1), (1, True, 8, 0), (8, False, 8, 0)],
    ids=["processes", "cores", "jobs", "alone", "own classes"],
)
def test_helpers_are_as_many_as_there_is_work_and_room_for(helpers, processes, shared, jobs, count):
    assert results([partial(lacking, number) for number in range(jobs)], processes, shared) == list(range(jobs))
    assert len(helpers) == count


def test_nobody_helps_where_nothing_is_missing(helpers):
    assert results([partial(int, 1), partial(int, 2)], 4) == [1, 2] and helpers == []


def test_nobody_helps_where_the_cache_is_for_one_process(helpers, monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "_library", str(tmp_path))
    assert results([partial(lacking, 1), partial(lacking, 2)], 4) == [1, 2] and helpers == []


def test_jobs_that_cannot_be_pickled_are_done_alone(helpers):
    assert results([lambda: lacking(1), lambda: lacking(2)], 4) == [1, 2] and helpers == []


def test_where_no_process_can_be_started_it_goes_on_alone(helpers, monkeypatch):
    def refuse(command, message):
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(stage, "_started", refuse)
    assert results([partial(lacking, 1), partial(lacking, 2)], 4) == [1, 2]


def test_what_others_have_begun_is_awaited_last():
    waits: list[bool] = []
    order = []
    jobs = [partial(elsewhere, waits, 1), lambda: order.append(len(waits)) or 2]
    assert results(jobs, 1) == [1, 2] and waits == [False, True] and order == [1]


def test_a_job_that_fails_is_told():
    with pytest.raises(ValueError, match="a job"):
        results([fails, partial(int, 2)], 2)


@pytest.fixture
def helper(monkeypatch):
    """Starts a helper for some jobs; gives the helpers and its process."""
    monkeypatch.setattr(stage, "usable_cores", lambda: 2)
    begun = []

    def start(*jobs):
        shared = stage._Helpers(jobs, 1)
        begun.append(shared)
        shared.start()
        return shared, shared._running[0]

    yield start
    for shared in begun:
        for process in shared._running:
            process.kill()
        shared.end()


def test_a_helper_ends_with_its_input_alone(tmp_path, helper):
    """Not by Ctrl-C, which every process of a terminal gets."""
    file, begin = tmp_path / "begun", time.monotonic()
    _, process = helper(partial(endless, str(file)), int)
    while not file.exists():
        assert time.monotonic() < begin + PATIENCE
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    process.stdin.close()
    assert process.wait(PATIENCE) == 0


def test_a_helper_that_is_done_ends_by_itself(helper, monkeypatch):
    """While its input goes on; whatever else stands in the path of modules."""
    monkeypatch.setattr(sys, "path", [*sys.path, HERE, "/no\udcff/such"])
    _, process = helper(int, int)
    assert process.wait(PATIENCE) == 0


def test_nobody_waits_for_the_end_of_a_helper_that_was_stopped(helper):
    shared, process = helper(int, int)
    process.send_signal(signal.SIGSTOP)
    ending = threading.Thread(target=shared.end, daemon=True)
    ending.start()
    ending.join(10)
    assert not ending.is_alive() and process.returncode == -signal.SIGKILL
