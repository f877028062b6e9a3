"""Claims: of processes that want the same code, one compiles it."""

import threading
import time

import pytest
from filelock import FileLock

from gpumcts.compiling import claims
from gpumcts.compiling.claims import CompiledElsewhere, Manner, claimed, missed


def code():
    """What is compiled here."""


@pytest.fixture
def elsewhere(tmp_path):
    """The lock of another process that compiles ``code``; not held yet."""
    with claimed(code, "(int64,)", tmp_path):
        assert missed()
    (file,) = tmp_path.iterdir()
    return FileLock(file, thread_local=False)


def test_who_claims_first_looks_once_more_and_compiles(tmp_path, elsewhere):
    begun = []
    with claims.by(Manner(begins=lambda: begun.append(True))), claimed(code, "(int64,)", tmp_path):
        assert missed() and begun == []
        assert not missed() and begun == [True]
        with pytest.raises(TimeoutError):
            elsewhere.acquire(blocking=False)
    elsewhere.acquire(blocking=False)


def test_who_does_not_wait_is_told_that_another_compiles(tmp_path, elsewhere):
    elsewhere.acquire()
    with claims.by(Manner(waits=False)), claimed(code, "(int64,)", tmp_path), pytest.raises(CompiledElsewhere):
        missed()
    with claims.by(Manner(waits=False)), claimed(code, "(int32,)", tmp_path):
        assert missed()  # other types are other code
    with claims.by(Manner(waits=False)), claimed(missed, "(int64,)", tmp_path):
        assert missed()  # as is another function


def test_who_waits_looks_again_when_the_other_is_done(tmp_path, elsewhere):
    elsewhere.acquire()
    released = []

    def compile_there():
        time.sleep(0.2)
        released.append(time.perf_counter())
        elsewhere.release()

    thread = threading.Thread(target=compile_there)
    with claimed(code, "(int64,)", tmp_path):
        thread.start()
        assert missed() and time.perf_counter() >= released[0]
    thread.join()


def test_nobody_waits_for_a_process_that_was_stopped(tmp_path, elsewhere, monkeypatch):
    monkeypatch.setattr(claims, "MOST_SECONDS", 0.1)
    elsewhere.acquire()
    begun = []
    with claims.by(Manner(begins=lambda: begun.append(True))), claimed(code, "(int64,)", tmp_path):
        assert not missed() and begun == [True]


def test_without_a_folder_everybody_compiles(tmp_path):
    (tmp_path / "file").touch()
    begun = []
    with claims.by(Manner(begins=lambda: begun.append(True))), claimed(code, "(int64,)", tmp_path / "file"):
        assert not missed() and begun == [True]


def test_without_a_claim_nobody_is_asked():
    assert not missed()
