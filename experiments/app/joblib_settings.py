"""Keys of joblib's launcher that joblib would pass over without a word, or refuse once the sweep has begun."""

import re
from collections.abc import Mapping
from typing import Any

from gpumcts.errors import BadInput

ALLOWED: dict[str, tuple[str, str]] = {
    "n_jobs": (r"-?0*[1-9]\d*", "an integer other than 0; -1 is every core"),
    "backend": ("None|loky", "loky, or null: Hydra runs on no other"),
    "prefer": ("processes", "processes: Hydra cannot do two runs in one process"),
    "require": ("None", "null: runs share no memory"),
    "timeout": (r"None|(?!0*\.?0*(e|$))[\d.]+(e[-+]?\d+)?", "a number of seconds above 0, or null"),
    "pre_dispatch": (r"all|0*[1-9]\d*|(0*[1-9]\d*\*)?n_jobs", "all, an integer above 0, or a multiple as 2*n_jobs"),
    "batch_size": (r"auto|0*[1-9]\d*", "auto, or an integer above 0"),
    "max_nbytes": (r"None|\d+(\.\d+)?[KMG]?", "a number of bytes, as 10M, or null"),
    "mmap_mode": (r"r|r\+|w\+|c", "r, r+, w+ or c"),
}
"""By key: a pattern of its values as text, and the same in words."""


def check(launcher: Mapping[str, Any]) -> None:
    """Raise BadInput at the first key whose value joblib would not take, or not do."""
    for key, (pattern, words) in ALLOWED.items():
        value = launcher.get(key)
        if key in launcher and not re.fullmatch(pattern, str(value)):
            raise BadInput(f"hydra.launcher.{key}={'null' if value is None else value}: must be {words}")
