"""Lines that come in from a program that asks, read ahead, and where the answers go."""

import contextlib
import queue
import threading
from typing import Protocol

MAX_LINE = 1 << 16


class Source(Protocol):
    """Where bytes come from: at most so many, as soon as there are some, none at the end."""

    def read(self, size: int, /) -> bytes | None: ...


class Sink(Protocol):
    """Where bytes go."""

    def write(self, data: bytes, /) -> object: ...

    def flush(self) -> None: ...


class Lines:
    """Lines of a source, read ahead by a thread, so that ``waiting`` tells whether another one has come."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: queue.Queue[bytes | None] = queue.Queue(10_000)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        left = b""
        with contextlib.suppress(OSError, ValueError):
            while more := self._source.read(MAX_LINE):
                *lines, left = (left + more).split(b"\n")
                for line in lines:
                    self._lines.put(line)
                left = left[: 2 * MAX_LINE]  # of a line that does not end the rest is of no use
        if left:
            self._lines.put(left)
        self._lines.put(None)

    def next(self) -> bytes | None:
        """The next line without its newline; None at the end."""
        return self._lines.get()

    def waiting(self) -> bool:
        """Whether a line, or the end, has come."""
        return not self._lines.empty()
