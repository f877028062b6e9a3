"""The work of one run, as Hydra's launchers call it: in this process, or in a worker, which imports the command."""

import gc
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from experiments.app.error_messages import guess
from experiments.app.failed_runs import TRACEBACK, Failed, Watch, failed_by
from experiments.app.overrides import OBJECTIVE, at, label_of
from experiments.app.workers import end_with
from experiments.config import one_tree  # noqa: F401  its resolver is part of conf/
from experiments.config.amounts import Changes
from experiments.config.json_files import read_json, write_json
from experiments.config.schema import Checked
from experiments.config.validation import as_typed
from experiments.runs.provenance import CHANGES, adds_nothing, date_of, following, kept, provenance
from experiments.runs.results import flat
from experiments.runs.run_directory import CONFIG, PROVENANCE, SUMMARY, Run, folder_name, read_summary
from experiments.terminal.console import here, say, sweeping
from experiments.terminal.sweep_clock import SweepClock
from experiments.terminal.termination import ending_by_sigterm
from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import device
from gpumcts.match.lock import held
from gpumcts.whole_files import disk_full, naming, refused_path, write_whole

COMMANDS: dict[str, Any] = {}
"""Commands (``experiments.app.command.Command``) by name, those whose modules were imported."""
NOT_OF_THE_COMMAND = ("hydra", OBJECTIVE)


@dataclass
class Task:
    """A run of a command; it can be pickled, and knows in another process where its command is defined.

    name, module : the command, and the module that makes it known
    swept : keys whose values set the runs of a sweep apart
    of : how many runs the sweep has
    at_once : how many of them share this machine at a time
    clock : of the sweep
    changes : what runs change of their experiment, by the names of their folders
    failure : of a run outside of a sweep, which is raised once Hydra is back: it would print lines of its own
    watch : of the sweep, in the process that began it
    """

    name: str
    module: str
    swept: tuple[str, ...] = ()
    of: int = 1
    at_once: int = 1
    clock: SweepClock | None = None
    changes: Mapping[str, Changes] = field(default_factory=dict)
    failure: list[Exception] = field(default_factory=list)
    watch: Watch | None = field(default=None, repr=False)

    def __reduce__(self) -> tuple[Callable[..., "Task"], tuple[Any, ...]]:
        told = (self.name, self.module, self.swept, self.of, self.at_once, self.clock, self.changes)
        return task_of, (*told, os.getpid())

    def __call__(self, config: DictConfig) -> float | Failed | None:
        """Do the run, once Hydra has made its folder; returns its objective, where there is one."""
        own = HydraConfig.get()
        if own.mode == RunMode.MULTIRUN:
            try:
                with ending_by_sigterm():
                    return self._done(config, own)
            except Exception as error:
                label = label_of(list(own.overrides.task), self.swept)
                return failed_by(error, own.job.num + 1, label, Path(own.runtime.output_dir))
        try:
            return self._done(config, own)
        except (BadInput, OSError) as error:
            if isinstance(error, OSError) and disk_full(error) is None and refused_path(error) is None:
                raise
            self.failure.append(error)
            return None

    def _done(self, config: DictConfig, own: Any) -> float | None:
        of_sweep = own.mode == RunMode.MULTIRUN
        checked = replace(COMMANDS[self.name].check(plain_of(config), None), at_once=self.at_once)
        words = list(own.overrides.task)
        label = checked.study.title or (label_of(words, self.swept) if of_sweep else " ".join(words))
        number = own.job.num + 1 if of_sweep else 1
        run = Run(Path(own.runtime.output_dir), number, max(self.of, number), label)
        with sweeping(self.clock, run.folder.name), naming(run.folder):
            summary = self._do(checked, run, OmegaConf.to_yaml(config, resolve=True))
        return objective_of(config.get(OBJECTIVE), summary)

    def _do(self, checked: Checked, run: Run, config: str) -> dict[str, Any]:
        command, path = COMMANDS[self.name], run.folder / PROVENANCE
        record = {**provenance(self.name, run.label, checked), "number": run.number}
        if changes := self.changes.get(run.folder.name):
            record[CHANGES] = changes
        # Whoever works there has written these files; who goes on from moves on disk takes the lock again as it works.
        with held(run.folder) if command.resumes else nullcontext():
            before, files_before = _read(path), {file: _bytes(file) for file in (path, run.folder / CONFIG)}
            finished = read_summary(run.folder) if command.resumes and (run.folder / SUMMARY).exists() else {}
            write_whole(run.folder / CONFIG, config.encode())
            (run.folder / TRACEBACK).unlink(missing_ok=True)  # of an earlier attempt
            write_json(path, following(record, before) if before else record)
        if run.of > 1 and not gc.get_freeze_count():
            gc.freeze()  # modules stay: what is released after each run of a sweep is not looked for among them
        try:
            summary = command.work(checked, run)
        finally:
            if run.of > 1:
                device.release()  # the next run of the sweep finds memory free, the device's too
        if summary.get("interrupted") and not command.resumes and before and _is_whole(run.folder):
            for file, data in files_before.items():
                write_whole(file, data)
            say(f"the result of the run begun {date_of(before)} stays in {here(run.folder)}")
            raise KeyboardInterrupt
        write_json(run.folder / SUMMARY, summary)
        if before and finished and adds_nothing(summary, finished):
            write_json(path, kept(record, before))
            if not summary.get("interrupted"):
                title = f"[{run.number}/{run.of}] {run.label}: " if run.of > 1 else ""
                say(f"{title}finished before, by the run begun {date_of(before)}; nothing was left to do")
        if summary.get("interrupted"):
            raise KeyboardInterrupt
        return summary


def _is_whole(folder: Path) -> bool:
    """Whether there is a summary of a run that nobody interrupted."""
    try:
        return (folder / SUMMARY).exists() and not read_summary(folder).get("interrupted")
    except BadInput:  # damaged
        return False


def _bytes(path: Path) -> bytes:
    """What a file holds; nothing where there is none."""
    return path.read_bytes() if path.exists() else b""


def _read(path: Path) -> dict[str, Any]:
    """A JSON file; empty where there is none."""
    return read_json(path) if path.exists() else {}


def task_of(
    name: str,
    module: str,
    swept: tuple[str, ...],
    of: int,
    at_once: int,
    clock: SweepClock | None = None,
    changes: Mapping[str, Changes] = MappingProxyType({}),
    sender: int | None = None,
) -> Task:
    """A task in a process that may not know the command yet; ``sender`` is the process of its sweep."""
    if sender is not None:
        end_with(sender)
    if name not in COMMANDS:
        importlib.import_module(module)
    return Task(name, module, swept, of, at_once, clock, changes)


def module_of(work: Callable[..., Any]) -> str:
    """The module of a function by a name that other processes can import, though it runs as ``__main__`` here."""
    name = work.__module__
    spec = getattr(sys.modules[name], "__spec__", None)
    return spec.name if name == "__main__" and spec is not None else name


def check_objective(key: Any, numbers: Sequence[str], name: str) -> None:
    """Refuse an ``objective`` that is none of the numbers that the summary of a command has."""
    if not numbers:
        raise BadInput(f"objective={as_typed(key)}: experiments.{name} has no number to look for")
    if OmegaConf.is_config(key):
        raise BadInput(f"objective={as_typed(key)}: must be one number of the summary: {', '.join(numbers)}")
    if key not in numbers:
        near = guess(str(key), numbers)
        raise BadInput(f"objective={key}: the summary has no such number{near}; it has {', '.join(numbers)}")


def objective_of(key: Any, summary: dict[str, Any]) -> float | None:
    """The number of a summary that ``objective`` names (``win_rate``, ``player.made_a_move``); None for no objective.

    Raises BadInput where this run's summary has no such number, or null in its place.
    """
    if key is None:
        return None
    numbers = {name: value for name, value in flat(summary).items() if type(value) in (int, float)}
    if key not in numbers:
        raise BadInput(f"objective={key}: this run has no such number; it has {', '.join(numbers)}")
    return float(numbers[key])


def plain_of(config: DictConfig) -> dict[str, Any]:
    """A composed configuration as plain containers, interpolations resolved, without keys of Hydra and the sweeper."""
    own = {str(key): config[key] for key in config if key not in NOT_OF_THE_COMMAND}
    return {k: OmegaConf.to_container(v, resolve=True) if OmegaConf.is_config(v) else v for k, v in own.items()}


def _run_folder(*keys: str, _root_: DictConfig) -> str:
    """Resolver ``${run_folder:}``: what the folder of the composed run is called.

    ``${run_folder:threads}`` has the value of that key too.
    """
    command, plain = COMMANDS[str(_root_.hydra.job.name)], plain_of(_root_)
    apart = {key: at(plain, key.split(".")) for key in keys if key}
    return folder_name(command.check(plain, None), apart)


OmegaConf.register_new_resolver("run_folder", _run_folder, replace=True)
