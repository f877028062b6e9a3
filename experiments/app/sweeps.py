"""Sweeps: where one lies, and how it grows by further values without playing again what it has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hydra.core.override_parser.types import Override

from experiments.analysis.digits import fewer_digits
from experiments.app.overrides import paths_of, quoted
from experiments.config.amounts import Changes
from experiments.config.json_files import read_json, write_json
from experiments.config.schema import Checked, Plain
from experiments.config.validation import shown
from experiments.runs.results import asked_for, flat
from experiments.runs.run_directory import ADVICE, PROVENANCE, SUMMARY, SWEEP, digest
from experiments.terminal.console import here
from experiments.terminal.sweep_clock import SweepClock
from gpumcts.errors import BadInput

OF_HYDRA = "multirun.yaml"  # which Hydra leaves in the folder of every sweep
BEST = "optimization_results.yaml"
TRIALS = "hydra.sweeper.n_trials"
BEST_DIGITS = 4  # significant ones, of numbers that a sweeper drew


@dataclass(frozen=True)
class Job:
    """A run as it was composed (``plain``) and checked before any work, and what it changes of its experiment."""

    checked: Checked
    folder: Path
    plain: Plain = field(default_factory=dict)
    changes: Changes = field(default_factory=dict)


@dataclass(frozen=True)
class Sweep:
    """Several runs of one command line: their folder, the keys that are swept, and how many runs share the machine.

    costs : what each run takes, by the name of its folder (``app.command.Command.cost``)
    more : overrides that Hydra needs to put them there
    runs : how many there are
    family : what all runs have in common; None where only the sweeper knows the runs
    launcher : the class of the launcher that is chosen
    changes : what each run changes of its experiment, by the name of its folder
    foreseen : whether all runs are known, and were checked, before the first begins
    tolerated : the share of a batch of runs that may fail before the sweep ends
    words : the swept keys and values of each run, by the name of its folder, where they are known beforehand
    """

    folder: Path
    swept: tuple[str, ...]
    at_once: int
    runs: int
    more: tuple[str, ...] = ()
    family: str | None = None
    costs: Mapping[str, float] = field(default_factory=dict)
    launcher: str = ""
    changes: Mapping[str, Changes] = field(default_factory=dict)
    foreseen: bool = True
    tolerated: float = 1.0
    words: Mapping[str, str] = field(default_factory=dict)

    def of(self, jobs: Sequence[Job], rows: Sequence[list[str]]) -> "Sweep":
        """The same with what tells its runs apart, all of which are known; ``rows`` are the overrides of each."""
        swept = [" ".join(word for word in row if word.partition("=")[0] in self.swept) for row in rows]
        names = [job.folder.name for job in jobs]
        changes = {job.folder.name: job.changes for job in jobs}
        return replace(self, changes=changes, words=dict(zip(names, swept, strict=True)))

    @property
    def place(self) -> str:
        """The override that tells Hydra the folder."""
        return f"hydra.sweep.dir={quoted(str(self.folder))}"

    def clock(self) -> SweepClock:
        """A clock of the sweep that begins now."""
        return SweepClock(self.folder, SUMMARY, self.runs, self.costs, self.at_once)

    def note(self) -> None:
        """Leave in the folder what a greater sweep will find it by, and the runs that were asked for there."""
        if self.family is not None or self.words:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(self.folder / SWEEP, {"family": self.family, "runs": {**asked_for(self.folder), **self.words}})


def check_kinds(folder: Path, jobs: Sequence[Job], is_sweep: bool) -> None:
    """Refuse a sweep in a run's folder, and a run in a sweep's: the tables of the sweep would have it as a cell."""
    if is_sweep and (folder / PROVENANCE).exists() and all(job.folder != folder for job in jobs):
        raise BadInput(f"{folder} holds a run; choose another folder for a sweep (hydra.sweep.dir)")
    if not is_sweep and (folder / OF_HYDRA).exists():
        raise BadInput(f"{folder} holds a sweep; choose another folder for a run (hydra.run.dir)")


def family_of(jobs: Sequence[Job], swept: Sequence[str]) -> str:
    """A digest of what the runs of a sweep have in common, the values of its swept keys left out."""
    paths = paths_of(swept)
    found = [flat(job.checked.identity) for job in jobs]

    def common(key: str) -> bool:
        if any(key == path or key.startswith(f"{path}.") for path in paths):
            return False
        return all(own.get(key) == found[0][key] for own in found)

    return digest({"swept": sorted(swept), "common": {k: v for k, v in found[0].items() if common(k)}})


def folder_of(base: Path, jobs: Sequence[Job], family: str) -> Path:
    """The folder of a sweep that has no name of its own: where these very runs lie, or a part of them, or a new one."""
    own = base.with_name(f"{base.name}-{digest(sorted(str(job.folder) for job in jobs))}")
    if own.is_dir():
        return own
    names = {str(job.folder) for job in jobs}
    smaller = [path.parent for path in sorted(base.parent.glob(f"{base.name}-*/{SWEEP}")) if _is(path, family)]
    grown = [folder for folder in smaller if _runs_in(folder) <= names]
    return max(grown, key=lambda folder: len(_runs_in(folder)), default=own)


def folder_of_study(base: Path, identity: dict[str, Any], given: Sequence[Override]) -> Path:
    """The folder of runs that a sweeper makes up as it goes on: a study of more trials goes on in that of fewer.

    identity : of the keys that are fixed; given : the overrides of the command line
    """

    def named(overrides: Sequence[Override]) -> Path:
        words = sorted(str(override.input_line) for override in overrides)
        return base.with_name(f"{base.name}-{digest([identity, words])}")

    own = named(given)  # the number of trials was once part of it
    return own if own.is_dir() else named([one for one in given if one.key_or_group != TRIALS])


def best_of(folder: Path) -> list[str]:
    """What a sweeper that looks for the best has found, in a line; nothing where none has looked."""
    path = folder / BEST
    if not path.is_file():
        return []
    import yaml

    found = yaml.safe_load(path.read_text("utf-8"))
    if "best_params" not in found:
        return []
    params = found["best_params"].items()
    values = {key: shown(value) if isinstance(value, bool) else str(value) for key, value in params}
    short = {key: fewer_digits([value], BEST_DIGITS)[value] for key, value in values.items()}
    words = " ".join(f"{key}={value}" for key, value in short.items())
    more = "" if short == values else f" (all digits: {here(path)})"
    said = "the best of many by its own games, so confirm it on another seed"
    return [f"best: {words}{more}, {found['best_value']:.{BEST_DIGITS}g}; {said}"]


def _runs_in(folder: Path) -> set[str]:
    """Names of the folders of runs in that of a sweep; launchers keep theirs hidden."""
    return {path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")}


def _is(path: Path, family: str) -> bool:
    known: dict[str, Any] = read_json(path, ADVICE)
    return known.get("family") == family
