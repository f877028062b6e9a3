"""GTP's form: lines that come in, answers that go out (GTP 2, sections 2.2 to 2.6)."""

import contextlib
import queue
import re
import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

MOST_LINE = 1 << 16
LINE = re.compile(r"(?:(?P<id>[0-9]{1,32})(?:\s+|$))?(?P<words>.*)")


class Request(NamedTuple):
    """A command: its id as text (or empty), its name, its arguments."""

    id: str
    name: str
    arguments: list[str]


class Source(Protocol):
    """Where bytes come from: at most so many, as soon as there are some, none at the end."""

    def read(self, size: int, /) -> bytes | None: ...


class Sink(Protocol):
    """Where bytes go."""

    def write(self, data: bytes, /) -> object: ...

    def flush(self) -> None: ...


def parse(line: bytes) -> Request | None:
    """The command of a line; None for an empty one, or a comment. Control characters do not count, a tab is a space."""
    text = line.decode("utf-8", "replace").replace("\t", " ").split("#", 1)[0]
    text = "".join(c for c in text if ord(c) >= 32 and ord(c) != 127).strip()
    if not text:
        return None
    found = LINE.match(text)
    assert found is not None
    name, *arguments = found["words"].split() or [""]
    return Request(found["id"] or "", name, arguments)


def answer(status: str, request: Request, text: str) -> bytes:
    """An answer as it goes out: no empty line within, printable ASCII alone, and an empty line at its end."""
    lines = ["".join(c if " " <= c <= "~" else "?" for c in line).rstrip() for line in text.splitlines()]
    head, *more = lines or [""]
    body = "\n".join([f"{status}{request.id} {head}".rstrip(), *(line or " " for line in more)])
    return body.encode("ascii") + b"\n\n"


class Lines:
    """Lines of a source, read ahead by a thread, so that ``waiting`` tells whether another one has come."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: queue.Queue[bytes | None] = queue.Queue(10_000)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        left = b""
        with contextlib.suppress(OSError, ValueError):
            while more := self._source.read(MOST_LINE):
                *lines, left = (left + more).split(b"\n")
                for line in lines:
                    self._lines.put(line)
                left = left[: 2 * MOST_LINE]  # of a line that does not end the rest is of no use
        if left:
            self._lines.put(left)
        self._lines.put(None)

    def next(self) -> bytes | None:
        """The next line without its newline; None at the end."""
        return self._lines.get()

    def waiting(self) -> bool:
        """Whether a line, or the end, has come."""
        return not self._lines.empty()


def serve(handle: Callable[[Request, Lines, Sink], bool], source: Source, sink: Sink) -> None:
    """Answer commands until one ends it (``handle`` gives False), the input ends, or nobody listens."""
    lines = Lines(source)
    with contextlib.suppress(BrokenPipeError):
        while (line := lines.next()) is not None:
            if len(line) > MOST_LINE:
                sink.write(answer("?", Request("", "", []), "line too long"))
            elif (request := parse(line)) is not None and not handle(request, lines, sink):
                sink.flush()
                return
            sink.flush()
