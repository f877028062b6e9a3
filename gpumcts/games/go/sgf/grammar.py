"""The form of SGF: the nodes of a game's main line, with their properties, and where in the file each stands.

The main line is the first variation wherever there is a choice, so all of it stands before the first parenthesis that
closes. What comes after is checked against the grammar and not kept. Nothing is recursive: a file may nest variations
as deeply as it likes.
"""

import re
from typing import NamedTuple

from gpumcts.errors import BadInput

BEGIN = re.compile(r"\(\s*;")
SPACE = re.compile(r"\s*")
NAME = re.compile(r"[A-Za-z]+")
VALUE = re.compile(r"\[((?:[^\]\\]++|\\.)*+)\]", re.DOTALL)
SMALL = re.compile(r"[a-z]+")  # of names, where FF[1] to FF[3] have them: Black for B
MAX_SHOWN = 20


class Value(NamedTuple):
    """A property's value as it stands between its brackets, escapes and all; ``at`` is where, in characters from 0."""

    text: str
    at: int


class Node(NamedTuple):
    """Properties by name, and where the node begins."""

    properties: dict[str, list[Value]]
    at: int


class Text(NamedTuple):
    """A file whose lines end in a newline each, so that a place in it can be named."""

    all: str

    def wrong(self, at: int, why: str) -> BadInput:
        """The error of what stands at ``at``."""
        line = self.all.count("\n", 0, at)
        column = at - (self.all.rfind("\n", 0, at) + 1)
        return BadInput(f"line {line + 1}, column {column + 1}: {why}")


def text_of(sgf: str) -> Text:
    """A file with ends of lines of any kind."""
    return Text(sgf.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def main_line(text: Text) -> list[Node]:
    """The nodes of the first game's main line; what stands before it and after it does not count.

    Raises BadInput, with line and column, where the game is not SGF.
    """
    begin = BEGIN.search(text.all)
    if begin is None:
        raise text.wrong(0, "no game begins anywhere: there is no '(;'")
    nodes: list[Node] = []
    at, depth, on_main, after = begin.start(), 0, True, ""
    while not (after == ")" and depth == 0):
        at = _end(SPACE, text, at)
        sign = text.all[at : at + 1]
        if not sign:
            raise text.wrong(begin.start(), f"the game that begins here does not end: {depth} ')' missing")
        if sign in "(;)":
            _check_order(text, at, after, sign)
            depth += {"(": 1, ")": -1}.get(sign, 0)
            on_main = on_main and sign != ")"
            if sign == ";" and on_main:
                nodes.append(Node({}, at))
            at += 1
        elif after not in (";", "property") or NAME.match(sign) is None:
            raise text.wrong(at, f"{shown(text.all[at:])} where {_expected(after)} belongs")
        else:
            at = _property(text, at, nodes[-1].properties if on_main else {})
            sign = "property"
        after = sign
    return nodes


def _check_order(text: Text, at: int, after: str, sign: str) -> None:
    """Refuse a bracket or node where none can be."""
    allowed = {"": "(", "(": ";", ")": "()"}.get(after, "(;)")
    if sign not in allowed:
        raise text.wrong(at, f"'{sign}' where {_expected(after)} belongs")


def _expected(after: str) -> str:
    return {"(": "';'", ")": "'(' or ')'"}.get(after, "a property, ';', '(' or ')'")


def _property(text: Text, at: int, properties: dict[str, list[Value]]) -> int:
    """Enter a property; where it ends."""
    end = _end(NAME, text, at)
    name = SMALL.sub("", text.all[at:end])
    if not name:
        raise text.wrong(at, f"{shown(text.all[at:end])} is no property: their names are capitals")
    values = properties.setdefault(name, [])
    found = VALUE.match(text.all, _end(SPACE, text, end))
    if found is None:
        begin = _end(SPACE, text, end)
        if text.all[begin : begin + 1] == "[":
            raise text.wrong(begin, f"the value of {name} does not end: ']' is missing")
        raise text.wrong(begin, f"property {shown(name)} has no value")
    while found is not None:
        values.append(Value(found[1], found.start(1)))
        end = found.end()
        found = VALUE.match(text.all, _end(SPACE, text, end))
    begin = _end(SPACE, text, end)
    if text.all[begin : begin + 1] == "[":
        raise text.wrong(begin, f"the value of {name} does not end: ']' is missing")
    return end


def _end(pattern: re.Pattern[str], text: Text, at: int) -> int:
    found = pattern.match(text.all, at)
    return at if found is None else found.end()


def shown(text: str) -> str:
    """The beginning of a text on one line, between quotes."""
    words = " ".join(text[: MAX_SHOWN + 1].split())
    return repr(words if len(words) <= MAX_SHOWN else words[:MAX_SHOWN] + "...")
