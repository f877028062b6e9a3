"""What a process knows of its machine and checkout: commits with and without changes, and no checkout at all."""

import subprocess

import pytest

from gpumcts import machine


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout that ``machine`` takes for its own, before any commit."""
    monkeypatch.setattr(machine, "__file__", str(tmp_path / "package" / "machine.py"))
    machine.commit.cache_clear()
    yield tmp_path
    machine.commit.cache_clear()


def git(folder, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_commit_and_changes_to_it(checkout):
    git(checkout, "init", "-q")
    (checkout / "a").write_text("1")
    git(checkout, "add", "a")
    git(checkout, "commit", "-q", "-m", "a")
    head = git(checkout, "rev-parse", "HEAD")
    assert machine.commit() == head
    (checkout / "a").write_text("2")
    assert machine.commit() == head  # of the code that this process began with
    machine.commit.cache_clear()
    assert machine.commit() == f"{head}+changes"


def test_no_checkout_and_no_commit(checkout):
    assert machine.commit() is None
    git(checkout, "init", "-q")
    machine.commit.cache_clear()
    assert machine.commit() is None


def test_the_processor_has_a_name_where_the_system_tells_none(monkeypatch):
    monkeypatch.setattr(machine.Path, "read_text", lambda *_: "processor : 0\n")
    monkeypatch.setattr(machine.platform, "machine", lambda: "riscv64")
    assert machine.cpu_name() == "riscv64"
