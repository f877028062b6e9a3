"""What the tests of our GTP engine share."""

import io
import re

from gpumcts.games.othello import Othello
from gpumcts.gtp.stream import serve

OTHELLO = Othello()
REPLY = re.compile(r"([=?])([0-9]*)(?:[ \n](.*))?", re.DOTALL)


def talk(engine, *lines, raw=None):
    """What the engine answers, one text a command: (status, id, text)."""
    sink = io.BytesIO()
    serve(engine.handle, io.BytesIO(raw if raw is not None else "".join(f"{line}\n" for line in lines).encode()), sink)
    text = sink.getvalue().decode("ascii")
    assert text == "" or text.endswith("\n\n")
    replies = [REPLY.fullmatch(part) for part in text.split("\n\n")[:-1]]
    assert all(replies), text
    return [(found[1], found[2], found[3] or "") for found in replies]


def texts(engine, *lines):
    return [f"{status}{text}" for status, _, text in talk(engine, *lines)]
