"""Arguments of GTP commands, and the answer where they are wrong."""

SYNTAX = "syntax error"
MAX_NUMBER = 1e9


class Refusal(Exception):
    """An answer that begins with ``?``."""


def number(arguments: list[str], place: int) -> float:
    """The argument at ``place`` as a number below a billion; raises Refusal."""
    try:
        found = float(arguments[place])
    except (IndexError, ValueError):
        raise Refusal(SYNTAX) from None
    if not abs(found) < MAX_NUMBER:  # NaN neither
        raise Refusal(SYNTAX)
    return found
