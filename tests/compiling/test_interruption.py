"""Compilations that end where their user stops the work that they are for."""

import threading
import time

import pytest
from filelock import FileLock
from numba import njit

from gpumcts.compiling import messages, stage
from gpumcts.compiling.claims import claimed, missed
from gpumcts.compiling.interruption import ending_at
from gpumcts.compiling.messages import announced


def doubled(x):
    return 2 * x


@pytest.fixture
def stop():
    return threading.Event()


def compiled():
    """Something that numba compiles anew."""
    return njit(doubled)(21)


def test_it_ends_and_what_was_begun_can_be_compiled_again(stop):
    function = njit(doubled)
    with ending_at(stop), pytest.raises(KeyboardInterrupt), announced("doubling", may_load=True):
        stop.set()
        function(21)
    assert not function.overloads and function(21) == 42


def test_what_the_end_of_stopped_work_needs_is_compiled(stop):
    stop.set()
    with ending_at(stop), announced("doubling", may_load=True):
        assert compiled() == 42


def test_what_loads_goes_on(stop, monkeypatch):
    monkeypatch.setattr(messages, "PATIENCE", 0.0)
    with ending_at(stop), announced("loading", may_load=True):
        stop.set()


def test_where_numba_does_not_tell_of_passes_it_ends_behind_what_took_long(stop, monkeypatch):
    with ending_at(stop), announced("loaded soon"):
        stop.set()
    stop.clear()
    monkeypatch.setattr(messages, "PATIENCE", 0.0)
    with ending_at(stop), pytest.raises(KeyboardInterrupt), announced("a kernel"):
        stop.set()


def test_other_threads_and_later_work_know_nothing_of_it(stop):
    found = []

    def elsewhere():
        with announced("doubling", may_load=True):
            found.append(compiled())

    with ending_at(stop):
        stop.set()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    stop.clear()
    with announced("doubling", may_load=True):
        stop.set()
        assert [compiled()] == found == [42]


def test_of_jobs_that_go_together_none_begins_after_the_stop(stop):
    begun = []

    def job():
        begun.append(True)
        stop.set()  # between two compilations
        with announced("doubling", may_load=True):
            compiled()

    with ending_at(stop), pytest.raises(KeyboardInterrupt):
        stage.results([job, job])
    assert begun == [True]


def test_nobody_waits_on_for_what_another_process_compiles(stop, tmp_path):
    with claimed(doubled, "(int64,)", tmp_path):
        assert missed()
    (file,) = tmp_path.iterdir()
    elsewhere = FileLock(file, thread_local=False)
    elsewhere.acquire()
    threading.Timer(0.1, stop.set).start()
    begin = time.perf_counter()
    claim = claimed(doubled, "(int64,)", tmp_path)
    with ending_at(stop), pytest.raises(KeyboardInterrupt), announced("doubling", may_load=True), claim:
        missed()
    assert time.perf_counter() - begin < 10  # of 120
    elsewhere.release()
