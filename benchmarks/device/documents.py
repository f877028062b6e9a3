"""The tables of the papers at their own budget: runs of ``experiments.reproduce`` that stop and go on, in order."""

import re
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks.device.process import ended_in
from gpumcts.errors import BadInput

DOCUMENTS = "documents"
NEEDED = {"hydra": "hydra-core", "pydantic": "pydantic", "polars": "polars", "scipy": "scipy", "jinja2": "jinja2"}
FOLDER = "documents"  # within that of the campaign: what is unfinished, and the finished runs for ``--collect``
SECONDS_TO_STOP = 15.0
COUNTED = re.compile(r"(\d+) of (\d+) runs are done")


def missing() -> str:
    """What is missing for these runs, on one line; empty where nothing is."""
    packages = [package for module, package in NEEDED.items() if find_spec(module) is None]
    return f"{', '.join(packages)} not installed" if packages else ""


def play(words: tuple[str, ...], folder: Path, seconds: float) -> tuple[bool, str]:
    """Go on with the runs that ``words`` choose, on the device; returns whether none is left, and how it stands.

    folder : of the campaign; what is unfinished lies in it
    Raises BadInput where a run fails, with the last line that it said.
    """
    place = folder / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "experiments.reproduce", "--engine", "cuda"]
    hours = max(1.0, seconds - SECONDS_TO_STOP) / 3600
    until = time.monotonic() + seconds + SECONDS_TO_STOP
    code, said = ended_in(place, [*command, *words, "--hours", f"{hours:.5f}"], until)
    if code not in (0, None):
        raise BadInput(f"exit code {code}: {said[-1] if said else 'it said nothing'}")
    _, listed = ended_in(place, command, time.monotonic() + 60)
    found = COUNTED.search("\n".join(listed))
    if found is None:
        raise BadInput(f"experiments.reproduce did not say how many runs are done, but: {' '.join(listed[-1:])}")
    return found[1] == found[2], f"{found[0]}; experiments.reproduce --collect takes finished ones from {FOLDER}"
