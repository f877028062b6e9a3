"""Messages while code compiles, where that takes long, and the seconds that it took."""

import contextlib
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from numba.core import event

from gpumcts.compiling.interruption import check_stop, interruptible

compile_seconds: dict[str, float] = {}
"""What was compiled or loaded in this process, by name, and the seconds it took."""


def _announce(name: str) -> None:
    print(f"compiling {name} ...", file=sys.stderr, flush=True)


announce: Callable[[str], None] = _announce
"""Called with a name when a compilation has taken a third of a second; commands may put a nicer one in its place."""
PATIENCE = 1 / 3  # seconds


class _Compilations(event.Listener):
    """Whether numba has compiled anything for the CPU since ``begun`` was cleared; what it loads is no compilation.

    A compilation that its user stops ends where numba's next pass would begin.
    """

    def __init__(self) -> None:
        self.begun = threading.Event()

    def on_start(self, event: Any) -> None:
        self.begun.set()
        check_stop()

    def on_end(self, event: Any) -> None:
        pass


@functools.cache
def _compilations() -> _Compilations:
    """The one listener of a process: numba keeps what is registered."""
    listener = _Compilations()
    event.register("numba:run_pass", listener)
    return listener


def note_compilation() -> None:
    """Announce what is loaded as a compilation: another process compiles it."""
    _compilations().begun.set()


@contextlib.contextmanager
def announced(name: str, may_load: bool = False) -> Iterator[None]:
    """Announce a compilation that takes long under ``name``, and note in ``compile_seconds`` how long it took.

    may_load : the code may come from the disk cache, and loading it, however slow, is not announced; for code of the
        CPU, since of other code numba does not tell

    Raises KeyboardInterrupt where the user stops the work meanwhile (``interruption``).
    """
    begin, over = time.perf_counter(), threading.Event()
    compilations = _compilations()
    compilations.begun.clear()

    def watch() -> None:
        while not over.wait(PATIENCE):
            if compilations.begun.is_set() or not may_load:
                return announce(name)

    threading.Thread(target=watch, daemon=True).start()
    with interruptible():
        try:
            yield
        finally:
            over.set()
            seconds = time.perf_counter() - begin
            compile_seconds[name] = compile_seconds.get(name, 0.0) + seconds
        if seconds > PATIENCE and (compilations.begun.is_set() or not may_load):
            check_stop()
