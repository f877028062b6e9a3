"""What the tests of commands share: a command line run in this process, in a folder of its own."""

import importlib
from typing import NamedTuple

import pytest


class Outcome(NamedTuple):
    """Exit code, and what went to stdout and stderr."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """``run("match games=2")`` or ``run("match", "moves=f5 d6")``: the command in ``tmp_path``, in this process.

    With ``last=True`` a key that a line gives twice has the last value, which a command refuses.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")

    def run_command(line: str, *more: str, last: bool = False) -> Outcome:
        name, *words = line.split()
        words = [*{word.partition("=")[0]: word for word in words}.values()] if last else words
        capsys.readouterr()
        code = importlib.import_module(f"experiments.{name}").COMMAND.main([*words, *more])
        return Outcome(code, *capsys.readouterr())

    return run_command


@pytest.fixture
def only(tmp_path):
    """``only("outputs/*/*")``: the one path that matches."""

    def find(pattern: str):
        (found,) = tmp_path.glob(pattern)
        return found

    return find
