"""The scale of an experiment, ``scale=small`` or ``scale=document``: its own small figures, or those of its document.

Earlier commits wrote ``budget=small`` and ``budget=document``. Records of such runs are read here, and a command line
that says so is told the new word.
"""

from collections.abc import Iterable, Mapping
from typing import Any

SCALE, OLD = "scale", "budget"
SMALL, DOCUMENT = "small", "document"
SCALES = (DOCUMENT, SMALL)


def scale_of(config: Mapping[str, Any]) -> str | None:
    """The scale in the configuration of a run; None where its experiment has none."""
    if "scales" not in config:
        return None
    return config.get(SCALE) or config.get(OLD, {}).get("name")


def as_typed_today(words: Iterable[str]) -> list[str]:
    """The words of a recorded command line, with the scale as it is called today."""
    return [word.replace(OLD, SCALE, 1) if _is_old(word) else word for word in words]


def old_scale(words: Iterable[str]) -> str | None:
    """The message about a command line that says ``budget=small``; None where no word does."""
    for word in words:
        if _is_old(word):
            return f"{word}: it is called {as_typed_today([word])[0]} now, and goes with experiment=..."
    return None


def _is_old(word: str) -> bool:
    key, _, values = word.partition("=")
    return key == OLD and all(value in SCALES for value in values.split(","))
