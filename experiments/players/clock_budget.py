"""Seconds of one search by the clock: the iterations that were made in them bind in its folder (``clock.json``).

So the same command finds the same once more. A match measures a rate instead (``gpumcts.players.time_budget``): its
games have many searches.
"""

from pathlib import Path
from typing import Any

from experiments.config.json_files import read_json, write_json
from gpumcts.errors import BadInput

CLOCK = "clock.json"


def bound_iterations(folder: Path) -> int | None:
    """The iterations that bind in ``folder``, None where no search ended there. BadInput for a damaged file."""
    path = folder / CLOCK
    if not path.exists():
        return None
    iterations: Any = read_json(path, "; start in another folder").get("iterations")
    if type(iterations) is not int or iterations < 1:
        raise BadInput(f"{path} is damaged; start in another folder")
    return iterations


def bind_iterations(folder: Path, seconds: float, iterations: int) -> None:
    """A search that was given so many ``seconds`` made so many iterations."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / CLOCK, {"seconds": seconds, "iterations": iterations})
