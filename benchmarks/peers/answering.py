"""Peers in a process of their own: it reads numbers of playouts, one a line, plays them, answers each with a line."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import Any

from benchmarks.measure import Contender
from gpumcts.errors import BadInput


@contextmanager
def answering(
    name: str, arguments: Sequence[str], what: str, units: int, first: int = 1, at: dict[str, Any] | None = None
) -> Iterator[Contender]:
    """The contender ``what`` that this Python runs with ``arguments``; ``first`` playouts are made before any timing.

    Raises BadInput, with the last line that it said, where the process has come to an end instead of answering.
    """
    command, pipe = [sys.executable, *arguments], subprocess.PIPE
    with (
        TemporaryFile("w+") as said,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=said, text=True) as process,
    ):
        try:
            _ask(name, process, said, first)
            yield Contender(what, lambda n: _ask(name, process, said, n), units, at or {})
        finally:
            process.kill()


def _ask(name: str, process: Any, said: Any, playouts: int) -> None:
    try:
        process.stdin.write(f"{playouts}\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = ""
    if not answer:
        process.wait()
        said.seek(0)
        lines = said.read().strip().splitlines()
        raise BadInput(f"against={name}: its process failed: {lines[-1] if lines else 'it said nothing'}")
