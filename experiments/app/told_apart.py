"""Runs of a sweep that differ in what decides no result, as threads: each has a folder of its own, by its values.

Without a name of their own they would share a folder, and a run would show what another one measured.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from hydra.core.override_parser.types import Override

from experiments.app.overrides import at, paths_of
from experiments.app.sweeps import Job
from experiments.config.json_files import read_json
from experiments.config.schema import Checked
from experiments.runs.run_directory import CONFIG, PROVENANCE, folder_name
from gpumcts.errors import BadInput

SUBDIR = "hydra.sweep.subdir"
NUMBER = "-${hydra.job.num}"


def check_subdir(given: Sequence[Override], jobs: Sequence[Job]) -> None:
    """Refuse names of the runs' folders that tell them not apart, or that lie elsewhere than in the sweep's folder."""
    own = next((override for override in given if override.key_or_group == SUBDIR), None)
    names = {job.folder for job in jobs}
    if own is not None and (
        len(names) < len(jobs) or any(len(name.parts) != 1 or ".." in name.parts for name in names)
    ):
        raise BadInput(
            f"{own.input_line}: must be a name that tells the runs apart, without a slash; left out, folders are "
            "named by what sets the runs apart"
        )


def told_apart(
    jobs: Sequence[Job], swept: Sequence[str], home: Callable[[Sequence[Job]], Path]
) -> tuple[list[Job], str]:
    """The runs of a sweep of which some share a folder, each in its own, and the override that has Hydra make it.

    A folder's name has the values of the swept keys in which such runs differ; the place in the sweep too, where they
    differ in none. Earlier versions named by the place alone, so that other sweeps met in the folder: runs that lie
    there under the values they have now go on there.

    home : gives the folder of a sweep of these runs
    """
    keys = _differing(jobs, paths_of(swept))
    by_place = [replace(job, folder=Path(f"{folder_name(job.checked)}-{n}")) for n, job in enumerate(jobs)]
    by_values = [replace(job, folder=Path(folder_name(job.checked, values_at(job.plain, keys)))) for job in jobs]
    more = ""
    if len({job.folder for job in by_values}) < len(jobs):
        more = NUMBER
        by_values = [replace(job, folder=Path(f"{job.folder}-{n}")) for n, job in enumerate(by_values)]
    begun = any((home(by_values) / job.folder).is_dir() for job in by_values)
    if not begun and _lie_in(home(by_place), by_place, keys):
        return by_place, _subdir([], NUMBER)
    return by_values, _subdir(keys, more)


def told_by(checked: Checked, swept: Sequence[str]) -> list[str]:
    """Overrides that keep runs apart which a sweeper has yet to make up: by the command's own keys that decide nothing.

    Nothing where none is swept.
    """
    own = {"engine", *getattr(checked.keys, "_fields", ())} - set(checked.identity)
    keys = [path for path in paths_of(swept) if path in own]
    return [_subdir(keys)] if keys else []


def values_at(plain: Any, keys: Sequence[str]) -> dict[str, Any]:
    """The values of dotted keys."""
    return {key: at(plain, key.split(".")) for key in keys}


def _subdir(keys: Sequence[str], more: str = "") -> str:
    """The override that names folders of runs by the values of keys (``app.task``)."""
    return f"{SUBDIR}='${{run_folder:{','.join(keys)}}}{more}'"


def _differing(jobs: Sequence[Job], paths: Sequence[str]) -> list[str]:
    """Those of the paths at which runs of one folder have different values."""
    first: dict[Path, Job] = {}
    found = set()
    for job in jobs:
        other = first.setdefault(job.folder, job)
        found |= {path for path in paths if values_at(job.plain, [path]) != values_at(other.plain, [path])}
    return sorted(found)


def _lie_in(folder: Path, jobs: Sequence[Job], keys: Sequence[str]) -> bool:
    """Whether runs of these lie in a folder already, and were made with the values of ``keys`` that they have now."""
    there = [job for job in jobs if (folder / job.folder).is_dir()]
    return bool(there) and all(_made_with(folder / job.folder, job, values_at(job.plain, keys)) for job in there)


def _made_with(folder: Path, job: Job, values: Mapping[str, Any]) -> bool:
    """Whether a run had these values: its configuration is that of who came last, its record of who did the work."""
    try:
        config, record = yaml.safe_load((folder / CONFIG).read_text("utf-8")), read_json(folder / PROVENANCE)
    except (OSError, ValueError, yaml.YAMLError, BadInput):
        return False
    done = {"threads": values.get("threads"), "engine": job.checked.engine if "engine" in values else None}
    return values_at(config, list(values)) == values and all(
        value is None or record.get(key) == value for key, value in done.items()
    )
