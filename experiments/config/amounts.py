"""How much is done in a run, beside what: keys that may differ from an experiment's while its labels stay true."""

from typing import Any

Changes = dict[str, list[Any]]
"""Keys with two values: of the run, and of the experiment; a choice's name where another one was chosen."""
AMOUNTS = ("games", "sprt", "seed", "trees", "runs", "points", "states", "samples", "scales", "count")
BUDGET = "budget"


def is_amount(key: str) -> bool:
    """Whether a key says how much is done: ``games``, ``opponent.budget.iterations``; not which unit a budget has."""
    parts = key.split(".")
    return parts[0] in AMOUNTS or BUDGET in parts[:-1]
