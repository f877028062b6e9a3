"""Options that a program that speaks UCI lists, and values for them."""

import re
from typing import NamedTuple

from gpumcts.errors import BadInput
from gpumcts.programs.process import readable

FIELDS = re.compile(r"\s(type|default|min|max|var)(?=\s|$)")
VARIANT, CHESS = "UCI_Variant", "chess"
"""The option by which programs say which other games than chess they play."""
Value = bool | int | float | str | None


class Option(NamedTuple):
    """``option name Hash type spin default 16 min 1 max 1024``: its name, its type, its bounds, its choices."""

    name: str
    type: str
    min: str = ""
    max: str = ""
    choices: tuple[str, ...] = ()


def parse_option(line: str) -> Option | None:
    """The option that a line of the program lists; None where it lists none."""
    head, *parts = FIELDS.split(" " + line.strip())
    words = head.split()
    if words[:2] != ["option", "name"] or len(words) < 3:
        return None
    pairs = [(key, value.strip()) for key, value in zip(parts[::2], parts[1::2], strict=True)]
    fields = dict(pairs)
    choices = tuple(value for key, value in pairs if key == "var")
    return Option(" ".join(words[2:]), fields.get("type", ""), fields.get("min", ""), fields.get("max", ""), choices)


def command_of(options: dict[str, Option], name: str, value: Value) -> str:
    """``setoption name ... value ...`` for one of ``options`` (by name in lower case).

    Raises BadInput, on one line, where the program does not list it, or does not take the value.
    """
    option = options.get(name.lower())
    if option is None:
        there = ", ".join(option.name for option in options.values()) or "none"
        raise BadInput(f"option {name}: the program has none such; it lists {readable(there)}")
    text = str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
    if "\n" in text or "\r" in text:
        raise BadInput(f"option {option.name}: a value is one line")
    if allowed := _not_taken(option, text):
        raise BadInput(f"option {option.name}={readable(text) or 'null'}: must be {allowed}")
    return f"setoption name {option.name}" + ("" if option.type == "button" else f" value {text or '<empty>'}")


def _not_taken(option: Option, text: str) -> str:
    """What the option takes, where ``text`` is nothing of the kind; else nothing."""
    if option.type == "button":
        return "null: it is a button" if text else ""
    if option.type == "check":
        return "" if text in ("true", "false") else "true or false"
    if option.type == "combo" and option.choices:
        known = text.lower() in map(str.lower, option.choices)
        return "" if known else f"one of {readable(', '.join(option.choices))}"
    if option.type == "spin":
        try:
            low, value, high = int(option.min), int(text), int(option.max)
        except ValueError:
            return "" if re.fullmatch(r"-?\d+", text) else "an integer"
        return "" if low <= value <= high else f"an integer in [{low}, {high}]"
    return ""
