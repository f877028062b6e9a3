"""Compilations are announced where they take long, code that is loaded is not."""

import time
from types import SimpleNamespace

import pytest
from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from gpumcts import jit
from gpumcts.compiling import messages
from gpumcts.compiling.messages import announced


@pytest.fixture
def said(monkeypatch):
    names = []
    monkeypatch.setattr(messages, "announce", names.append)
    monkeypatch.setattr(messages, "PATIENCE", 0.01)
    return names


def test_a_compilation_is_announced_under_its_name(said):
    with announced("doubling", may_load=True):
        assert njit(lambda x: 2 * x)(21) == 42
        time.sleep(0.1)
    assert said == ["doubling"] and messages.compile_seconds["doubling"] >= 0.1


def test_what_takes_long_and_compiles_nothing_is_loaded(said):
    with announced("loading", may_load=True):
        time.sleep(0.1)
    assert said == []


def test_where_numba_does_not_tell_it_is_taken_for_a_compilation(said):
    with announced("a kernel"):
        time.sleep(0.1)
    assert said == ["a kernel"]


def test_what_is_done_soon_is_not_announced(said):
    with announced("soon"):
        pass
    time.sleep(0.05)
    assert said == []


def test_numba_is_woken_while_no_other_thread_compiles(monkeypatch):
    """Of two threads that load its registries at once, one gets ValueError."""
    alone = []
    context = SimpleNamespace(refresh=lambda: alone.append(global_compiler_lock.is_locked()))
    monkeypatch.setattr(jit, "cpu_target", SimpleNamespace(typing_context=context, target_context=context))
    jit._wake_numba.__wrapped__()
    assert alone == [True, True]
