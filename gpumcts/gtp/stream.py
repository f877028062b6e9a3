"""GTP's form: lines that come in, answers that go out (GTP 2, sections 2.2 to 2.6)."""

import contextlib
import re
from collections.abc import Callable
from typing import NamedTuple

from gpumcts.programs.lines import MAX_LINE, Lines, Sink, Source

LINE = re.compile(r"(?:(?P<id>[0-9]{1,32})(?:\s+|$))?(?P<words>.*)")


class Request(NamedTuple):
    """A command: its id as text (or empty), its name, its arguments."""

    id: str
    name: str
    arguments: list[str]


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


def serve(handle: Callable[[Request, Lines, Sink], bool], source: Source, sink: Sink) -> None:
    """Answer commands until one ends it (``handle`` gives False), the input ends, or nobody listens."""
    lines = Lines(source)
    with contextlib.suppress(BrokenPipeError):
        while (line := lines.next()) is not None:
            if len(line) > MAX_LINE:
                sink.write(answer("?", Request("", "", []), "line too long"))
            elif (request := parse(line)) is not None and not handle(request, lines, sink):
                sink.flush()
                return
            sink.flush()
