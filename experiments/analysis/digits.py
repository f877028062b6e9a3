"""Numbers with as many digits as people need to tell them apart."""

from collections.abc import Sequence

LONG = 17
"""Significant digits by which every double differs from every other."""


def significant(text: str) -> int:
    """The significant digits that a number is written with."""
    return len(text.lower().partition("e")[0].lstrip("+-").replace(".", "").lstrip("0"))


def fewer_digits(texts: Sequence[str], digits: int, longest: int | None = None) -> dict[str, str]:
    """Each text, and how it is shown: numbers with fractions by ``digits``, by more where two would read the same.

    No fraction reads as a whole number. Texts that are no number, and numbers of at most ``longest`` digits (``digits``
    where it is not given), stay as they are written.
    """
    own = dict.fromkeys(texts)
    numbers = {text: float(text) for text in own if _is_fraction(text)}
    long = [text for text in numbers if significant(text) > (longest or digits)]
    for more in range(digits, LONG):
        shown = {text: f"{numbers[text]:.{more}g}" if text in long else text for text in own}
        whole = any(float(shown[text]).is_integer() and not numbers[text].is_integer() for text in long)
        if len(set(shown.values())) == len(own) and not whole:
            return shown
    return {text: text for text in own}


def _is_fraction(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "." in text or "e-" in text.lower()
