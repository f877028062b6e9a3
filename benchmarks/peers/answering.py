"""Programs in a process of their own: each line that they read is answered with a line."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import Any

from benchmarks.measure import Contender
from gpumcts.errors import BadInput


@contextmanager
def talking(
    name: str, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> Iterator[Callable[[str], str]]:
    """A process of this Python with ``arguments``, as a function of a line that gives the answer.

    name : what error messages begin with, such as ``against=pgx``
    environment : of the process; this one's without

    The function raises BadInput, with the last line that the process said, where it has come to an end.
    """
    command, pipe = [sys.executable, *arguments], subprocess.PIPE
    with (
        TemporaryFile("w+") as said,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=said, text=True, env=environment) as process,
    ):
        try:
            yield lambda line: _ask(name, process, said, line)
        finally:
            process.kill()
            with suppress(BrokenPipeError):  # what it has not read
                process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]


@contextmanager
def answering(
    name: str, arguments: Sequence[str], what: str, units: int, first: int = 1, at: dict[str, Any] | None = None
) -> Iterator[Contender]:
    """The contender ``what``: a process that plays as many playouts as each line says.

    ``first`` playouts are made before any timing. Raises BadInput where the process has come to an end.
    """
    with talking(f"against={name}", arguments) as ask:

        def run(n: int) -> None:
            ask(str(n))

        run(first)
        yield Contender(what, run, units, at or {})


def _ask(name: str, process: Any, said: Any, line: str) -> str:
    try:
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = ""
    if not answer:
        process.wait()
        said.seek(0)
        lines = said.read().strip().splitlines()
        raise BadInput(f"{name}: its process failed: {lines[-1] if lines else 'it said nothing'}")
    return answer.strip()
