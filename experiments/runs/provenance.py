"""What one needs to know to do a run again: versions, commit, device, seed, command line."""

import importlib.metadata
import json
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gpumcts
from experiments.config.schema import Checked
from gpumcts.machine import commit, cpu_name
from gpumcts.resources import usable_cores

TELLING = ("commit", "versions", "system", "cpu", "cores", "device", "engine")
"""What sets one run in a folder apart from another, as far as it may matter to who reads the result."""
CHANGES = "changes"  # of the experiment, by the command line: keys, each with the run's value and the experiment's
OF_THE_SWEEP = ("label", "number", CHANGES)
PACKAGES = ("numba", "numba-cuda", "llvmlite", "numpy", "cupy-cuda12x", "cupy-cuda13x", "hydra-core", "pydantic")


def versions() -> dict[str, str]:
    """Versions of Python, of this package, and of those of ``PACKAGES`` that are installed."""
    found = {"python": platform.python_version(), "gpumcts": gpumcts.__version__}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def provenance(program: str, run_label: str, config: Checked) -> dict[str, Any]:
    """The record that goes into every run's folder; ``run_label`` sets it apart in its sweep."""
    keys = config.keys._asdict() if config.keys is not None else {}
    return {
        "program": program,
        "name": config.slug,
        "label": run_label,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "versions": versions(),
        "commit": commit(),
        "system": platform.platform(),
        "cpu": cpu_name(),
        "cores": usable_cores(),
        "threads": config.threads if "threads" in keys else None,
        "engine": config.engine,
        "device": device_name(),
        "seed": keys.get("seed"),
        "identity": config.identity,
    }


def conditions(game: str, engine: str, threads: int, repeats: int, load: float | None) -> str:
    """What one has to know to compare figures of speed with others, above their table.

    load : cores that were busy before, None where the system does not tell
    """
    machine = ", ".join(filter(None, [device_name() if engine != "cpu" else None, cpu_name()]))
    busy = "" if load is None else f" ({load:.1f} busy before)"
    of = f"gpumcts {gpumcts.__version__}, commit {commit() or 'unknown'}"
    keys = f"game={game} engine={engine} threads={threads} repeats={repeats}"
    return f"{of}\n{machine}, cores: {usable_cores()}{busy}\n{keys}"


def following(record: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """``record`` with ``earlier``: the runs in the folder before it that were of another commit or machine.

    before : what ``provenance.json`` holds; each of its runs is kept once, the latest last
    """
    known = [*before.get("earlier", []), {key: before.get(key) for key in ("time", "command", *TELLING)}]
    others = [run for run in known if _told(run) != _told(record)]
    kept = {repr(_told(run)): run for run in others}
    return {**record, "earlier": list(kept.values())} if kept else record


def adds_nothing(summary: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether a run that goes on found nothing to do: its summary is the one before, but for the seconds it took."""
    now, then = (json.dumps({**one, "seconds": None}, sort_keys=True) for one in (summary, before))
    return now == then


def kept(record: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The record of a run that added nothing to what an earlier one made: that one's, at the new place in its sweep."""
    own = {key: value for key, value in before.items() if key != CHANGES}
    return {**own, **{key: record[key] for key in OF_THE_SWEEP if key in record}}


def date_of(record: dict[str, Any]) -> str:
    """When a run began, to the minute: ``2026-03-01 12:30 UTC``."""
    return f"{datetime.fromisoformat(record['time']).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _told(run: dict[str, Any]) -> list[Any]:
    return [run.get(key) for key in TELLING]


def device_name() -> str | None:
    """The CUDA device the driver shows, or None."""
    from gpumcts.kernels.cuda.device import describe

    return describe().name or None
