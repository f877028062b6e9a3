"""What the tests of our UCI engine share."""

import io

from gpumcts.games.othello import Othello

OTHELLO = Othello()
FIRST = {"d3", "c4", "f5", "e6"}


def talk(engine, *lines, raw=None):
    """The lines of the engine's answer."""
    sink = io.BytesIO()
    engine.serve(io.BytesIO(raw if raw is not None else "".join(f"{line}\n" for line in lines).encode()), sink)
    text = sink.getvalue().decode("ascii")
    assert text == "" or text.endswith("\n")
    return text.splitlines()


def moves(lines):
    return [line.removeprefix("bestmove ") for line in lines if line.startswith("bestmove")]
