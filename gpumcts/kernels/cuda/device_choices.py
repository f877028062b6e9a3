"""Which of several kernels plays on the device, and with how many registers: what a check of the device measured.

A table that ``python -m experiments.gpu_check`` measured on this device lies as ``kernels.json`` in the cache folder,
or where GPUMCTS_KERNELS names it. Without one the packaged table serves, of an H100 (docs/performance/h100.md): what is
fastest there is a good guess elsewhere. What no table knows is played in the first of ``searches.ways``, without a
cap on registers. Results do not depend on any of it.

A file holds ``device``, the name of the device it was measured on and holds for, and two lists: ``ways`` (game, policy,
and ``rates``, the playouts a second of each way) and ``caps`` (rule, operator, policy, game, and ``rates``, the
iterations a second by registers of a thread at most, "0" for no cap). Games and the like are named as ``label`` does.
"""

import functools
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpumcts.compiling import cache
from gpumcts.compiling.class_names import name_as_written
from gpumcts.errors import BadInput
from gpumcts.kernels.cuda.driver import describe
from gpumcts.options import name_of

FILE, VARIABLE = "kernels.json", "GPUMCTS_KERNELS"
PACKAGED = Path(__file__).parent / "measured" / FILE
PARTS = ("rule", "operator", "policy", "game")


def label(value: Any) -> str:
    """An option, as it travels into compiled code, as tables call it: by its name and class, which decide the code."""
    return f"{name_of(value)}:{name_as_written(type(value))}"


def fastest_way(game: Any, policy: Any, ways: Sequence[str]) -> str:
    """The fastest way to play a policy on a game, as they travel into compiled code; the first if none is measured."""
    names = {"game": label(game), "policy": label(policy)}
    for entry in _table().get("ways", ()):
        rates = {way: rate for way, rate in entry["rates"].items() if way in ways}
        if rates and all(entry[part] == name for part, name in names.items()):
            return max(rates, key=lambda way: rates[way])
    return ways[0]


def best_cap(rule: Any, operator: Any, policy: Any, game: Any) -> int | None:
    """Registers of a thread, at most, of the kernel of a search; None for no cap.

    By the entry of this kernel, else of one that shares the game and the policy, else the policy, else by any.
    """
    names = dict(zip(PARTS, map(label, (rule, operator, policy, game)), strict=True))
    entries = _table().get("caps", ())
    if not entries:
        return None
    likeness = ("policy", "game", "operator", "rule")  # by what decides most of a kernel
    closest = max(entries, key=lambda entry: [entry[part] == names[part] for part in likeness])
    rates = closest["rates"]
    return int(max(rates, key=lambda cap: rates[cap])) or None


def _table() -> dict[str, Any]:
    """The table of this device, else the packaged one. BadInput for a file that is none."""
    own = os.environ.get(VARIABLE)
    file = Path(own) if own else cache.users_file(FILE)
    if own and not Path(own).is_file():
        raise BadInput(f"{VARIABLE}={own}: there is no such file")
    table = _read(file, file.stat().st_mtime_ns) if file is not None else {"device": None}
    return table if table["device"] == describe().name else _read(PACKAGED, 0)


@functools.cache
def _read(file: Path, changed: int) -> dict[str, Any]:
    """The table in a file that was ``changed`` then."""
    try:
        table = json.loads(file.read_text("utf-8"))
        _check(table)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(f"{file} is no table of kernels: {type(error).__name__}: {error}".splitlines()[0]) from None
    return table


def _check(table: dict[str, Any]) -> None:
    """Raise what is wrong with a table, in the words of Python or of ours."""
    if not isinstance(table["device"], str):
        raise ValueError("device must be a name")
    for kind, parts in (("ways", ("game", "policy")), ("caps", PARTS)):
        for entry in table[kind]:
            if not all(isinstance(entry[part], str) for part in parts):
                raise ValueError(f"{kind}: {', '.join(parts)} must be names")
            if not entry["rates"] or not all(isinstance(r, int | float) and r > 0 for r in entry["rates"].values()):
                raise ValueError(f"{kind}: rates must be positive numbers")
            if kind == "caps" and not all(re.fullmatch("[0-9]{1,4}", cap) for cap in entry["rates"]):
                raise ValueError("caps: rates are told by numbers of registers")
