"""One entry for all commands: compose and check every run of a sweep, and only then let Hydra make folders and work.

Bad input is one line on stderr and exit code 2, with nothing created. Ctrl-C is 130. Anything else that goes wrong is a
fault of the program and keeps its traceback.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import hydra
from hydra import compose, initialize_config_dir
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra._internal.utils import get_args_parser
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from experiments.complaints import (
    CONF,
    choices,
    name_of_choice,
    no_such_choice,
    not_understood,
    one_line,
    set_not_chosen,
)
from experiments.console import say
from experiments.folder import (
    CONFIG,
    PROVENANCE,
    SUMMARY,
    check_folder,
    digest,
    folder_name,
    read_json,
    write_json,
)
from experiments.hydra_speed import quicken
from experiments.provenance import following, provenance
from experiments.schema import Checked, Given, Plain
from gpumcts.errors import BadInput
from gpumcts.kernels import device

VERSION_BASE = "1.3"
BAD_INPUT, INTERRUPTED = 2, 130


@dataclass(frozen=True)
class Run:
    """Where a run works: its folder, its number among those of a sweep (from 1), and what sets it apart there."""

    folder: Path
    number: int = 1
    of: int = 1
    label: str = ""


@dataclass(frozen=True)
class Job:
    """A run as it was composed and checked before any work; ``label`` is what sets it apart in a sweep."""

    checked: Checked
    folder: Path
    label: str


@dataclass(frozen=True)
class Sweep:
    """Several runs of one command line: the folder they lie in, and overrides that Hydra needs to put them there."""

    folder: Path
    more: list[str]


def _refuse_nothing(checked: Checked) -> None:
    return None


@dataclass
class Command:
    """A command: ``python -m experiments.<name>``, configured by ``conf/<name>.yaml``.

    check : plain configuration to checked values; raises BadInput
    work : does a run and returns its summary; ``{"interrupted": True, ...}`` ends a sweep
    prepare : refuses what only a look at the machine can tell (no device, not enough memory), before anything is made
    serves : it answers others and leaves nothing: no folder is made, and there is no sweep of it
    """

    name: str
    check: Callable[[Plain, Given | None], Checked]
    work: Callable[[Checked, Run], dict[str, Any]]
    prepare: Callable[[Checked], None] = _refuse_nothing
    serves: bool = False
    _labels: list[str] = field(default_factory=list)
    _failure: BadInput | None = None

    def __post_init__(self) -> None:
        COMMANDS[self.name] = self

    def main(self, arguments: list[str] | None = None) -> int:
        """Run the command line (``sys.argv`` if None); returns the exit code."""
        words = sys.argv[1:] if arguments is None else arguments
        quicken()
        try:
            return self._main(words)
        except (HydraException, OmegaConfBaseException, BadInput) as error:
            message = (
                str(error)
                if isinstance(error, BadInput)
                else set_not_chosen(words) or one_line(error, self._known(words))
            )
            print(f"error: {message}", file=sys.stderr)
            return BAD_INPUT
        except KeyboardInterrupt:
            say("interrupted; the same command goes on where it was")
            return INTERRUPTED

    def _main(self, words: list[str]) -> int:
        parser = get_args_parser()
        parser.error = _refuse_flag  # type: ignore[method-assign]
        flags = parser.parse_args(words)
        if flags.help:
            from experiments.help import help_text

            print(help_text(self, CONF), end="")
            return 0
        if flags.cfg or flags.info or flags.hydra_help or flags.shell_completion:
            self._call_hydra(words)
            return 0
        jobs, sweep = self._jobs(flags)
        if self.serves:
            return self._serve(jobs[0], sweep)
        for job in jobs:
            check_folder(job.folder, job.checked)
            self.prepare(job.checked)
        self._labels = [job.label for job in jobs] if sweep is not None else []
        if sweep is None:
            self._call_hydra(words)
            return 0
        self._call_hydra([*words, f"hydra.sweep.dir='{sweep.folder}'", *sweep.more])
        from experiments.conclusion import conclude

        conclude(sweep.folder)
        return 0

    def _serve(self, job: Job, sweep: Sweep | None) -> int:
        """Work without a folder, in this process."""
        if sweep is not None:
            raise BadInput(f"experiments.{self.name} serves one program at a time: it takes no sweep (-m)")
        self.prepare(job.checked)
        try:
            self.work(job.checked, Run(job.folder))
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            device.release()
        return 0

    # ------------------------------------------------------------------------------------------------- composing

    def _jobs(self, flags: Any) -> tuple[list[Job], Sweep | None]:
        """Every run of the command line, checked; and the sweep, if it is one."""
        with _composing(flags.config_dir) as more:
            name = flags.config_name or self.name
            parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
            given = parser.parse_overrides(flags.overrides)
            _refuse_odd(given)
            _refuse_twice(given)
            first = compose(name, [*_combinations(given)[0], *more], return_hydra_config=True)
            if not flags.multirun and first.hydra.mode != RunMode.MULTIRUN:
                compose(name, [*flags.overrides, *more])  # Hydra's own word on a sweep without -m
                return [self._job(name, flags.overrides, more, "hydra.run.dir")], None
            params = [f"{key}={value}" for key, value in (first.hydra.sweeper.params or {}).items()]
            swept = [word.partition("=")[0] for word in params]
            swept += [str(o.get_key_element()) for o in given if o.is_sweep_override()]
            combinations = _combinations(parser.parse_overrides([*params, *flags.overrides]))

            def every(*also: str) -> list[Job]:
                rows = enumerate(combinations)
                return [self._job(name, [*row, *also], more, "hydra.sweep.subdir", i, swept) for i, row in rows]

            jobs, also = every(), []
            if len({job.folder for job in jobs}) < len(jobs):  # they differ in what decides no result, as threads
                also = ["hydra.sweep.subdir='${run_folder:}-${hydra.job.num}'"]
                jobs = every(*also)
            folder = Path(str(first.hydra.sweep.dir))
        if not any(override.key_or_group == "hydra.sweep.dir" for override in given):
            folder = folder.with_name(f"{folder.name}-{digest(sorted(str(job.folder) for job in jobs))}")
        return [Job(job.checked, folder / job.folder, job.label) for job in jobs], Sweep(folder, also)

    def _job(
        self, name: str, overrides: list[str], more: list[str], where: str, number: int = 0, swept: Sequence[str] = ()
    ) -> Job:
        composed = compose(name, [*overrides, *more], return_hydra_config=True)
        composed.hydra.job.num = number
        given = OverridesParser.create().parse_overrides(list(overrides))
        plain = _plain(composed)
        _refuse_overruled(composed, plain, given)
        keys = frozenset(_key(override) for override in given)
        checked = self.check(plain, Given(keys, lambda: _plain(compose(name, more))))
        return Job(checked, Path(str(OmegaConf.select(composed, where))), _label(overrides, swept))

    def _known(self, words: list[str]) -> dict[str, Any]:
        """The configuration as the command line's groups make it, for suggestions; empty where it cannot be had."""
        groups = [word for word in words if (CONF / word.partition("=")[0].partition("@")[0]).is_dir() and "=" in word]
        for overrides in (groups, []):
            try:
                with _composing(None):
                    composed = compose(self.name, overrides)
                    return {str(key): value for key, value in OmegaConf.to_container(composed, resolve=False).items()}  # type: ignore[union-attr]
            except (HydraException, OmegaConfBaseException):
                continue
        return {}

    # --------------------------------------------------------------------------------------------------- running

    def _call_hydra(self, words: list[str]) -> None:
        self._failure = None
        entry = hydra.main(version_base=VERSION_BASE, config_path=str(CONF), config_name=self.name)(self._work)
        with _as_command_line(words):
            entry()
        if self._failure is not None:
            raise self._failure

    def _work(self, config: DictConfig) -> None:
        """One run, called by Hydra once its folder is there."""
        own = HydraConfig.get()
        sweeping = own.mode == RunMode.MULTIRUN
        checked = self.check(_plain(config), None)
        number = own.job.num if sweeping else 0
        label = self._labels[number] if number < len(self._labels) else " ".join(own.overrides.task)
        label = checked.study.title or label
        run = Run(Path(own.runtime.output_dir), number + 1, max(len(self._labels), number + 1), label)
        try:
            self._do(checked, run, OmegaConf.to_yaml(config, resolve=True))
        except BadInput as error:
            if sweeping:
                raise  # Hydra names the run, does the others, and raises at the end
            self._failure = error  # raised once Hydra is back: it would print lines of its own

    def _do(self, checked: Checked, run: Run, config: str) -> None:
        (run.folder / CONFIG).write_text(config, encoding="utf-8")
        path = run.folder / PROVENANCE
        record = provenance(self.name, run.label, checked)
        write_json(path, following(record, read_json(path)) if path.exists() else record)
        try:
            summary = self.work(checked, run)
        finally:
            device.release()  # the next run of a sweep finds the device's memory free
        write_json(run.folder / SUMMARY, summary)
        if summary.get("interrupted"):
            raise KeyboardInterrupt


COMMANDS: dict[str, Command] = {}


def _run_folder(*, _root_: DictConfig) -> str:
    """Resolver ``${run_folder:}``: what the folder of the composed run is called."""
    command = COMMANDS[str(_root_.hydra.job.name)]
    return folder_name(command.check(_plain(_root_), None))


OmegaConf.register_new_resolver("run_folder", _run_folder, replace=True)


def _plain(config: DictConfig) -> dict[str, Any]:
    """A composed configuration as plain containers, interpolations resolved, Hydra's own part left out."""
    own = {str(key): config[key] for key in config if key != "hydra"}
    return {k: OmegaConf.to_container(v, resolve=True) if OmegaConf.is_config(v) else v for k, v in own.items()}


def _refuse_odd(given: list[Override]) -> None:
    """Refuse what Hydra would answer with a traceback."""
    for override in given:
        if not override.key_or_group:
            raise BadInput(not_understood(str(override.input_line)))
        value = None if override.is_delete() or override.is_sweep_override() else override.value()
        if choices(override.key_or_group) and isinstance(value, bool | int | float):
            raise BadInput(no_such_choice(override.key_or_group, value))


def _refuse_twice(given: list[Override]) -> None:
    """Refuse two choices of a group, of which Hydra would take the last without a word; of other keys that is its custom."""
    seen: dict[str, str] = {}
    for override in given:
        line, key = str(override.input_line), str(override.get_key_element()).lstrip("+~")
        if choices(override.key_or_group) and seen.setdefault(key, line) != line:
            raise BadInput(f"{key} is given twice: {seen[key]} and {line}")


def _refuse_overruled(composed: DictConfig, plain: Plain, given: list[Override]) -> None:
    """Refuse a choice that the experiment's own file replaces, which Hydra would let pass without a word."""
    for override in given:
        choice = None if override.is_delete() else override.value()
        named = name_of_choice(override.key_or_group, choice) if isinstance(choice, str) else None
        if named is None:
            continue
        path = _key(override).split(".")
        found = _at(plain, path)
        if isinstance(found, dict) and found.get("name", named) != named:
            as_written = _at(OmegaConf.to_container(composed, resolve=False), path)
            own = as_written if isinstance(as_written, str) else f"name={found['name']}"
            raise BadInput(f"{override.input_line}: this experiment sets {_key(override)} itself, to {own}")


def _at(tree: Any, path: Sequence[str]) -> Any:
    """What lies below ``tree`` at a path of keys; None where there is nothing."""
    for part in path:
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def _combinations(overrides: list[Override]) -> list[list[str]]:
    """The overrides of every run, as Hydra's basic sweeper has them."""
    return BasicSweeper.split_arguments(overrides, max_batch_size=None)[0]


def _key(override: Override) -> str:
    """Where in the configuration an override acts: ``opponent.backup`` for ``backup@opponent.backup=...``."""
    return override.package or override.key_or_group.replace("/", ".")


def _label(overrides: Sequence[str], swept: Sequence[str]) -> str:
    """What sets a run of a sweep apart: its values of the keys that are swept."""
    return " ".join(word for word in overrides if word.partition("=")[0] in swept)


def _refuse_flag(message: str) -> NoReturn:
    raise BadInput(f"{message}; --help shows what there is")


@contextmanager
def _composing(config_dir: str | None) -> Iterator[list[str]]:
    """Hydra's composition, with a user's own folder of configurations; gives the overrides that add it."""
    if config_dir is not None and not Path(config_dir).is_dir():
        raise BadInput(f"--config-dir {config_dir}: there is no such folder")
    with initialize_config_dir(str(CONF), version_base=VERSION_BASE):
        yield [] if config_dir is None else [f"hydra.searchpath=['file://{Path(config_dir).resolve()}']"]


@contextmanager
def _as_command_line(words: list[str]) -> Iterator[None]:
    """``words`` as the command line that Hydra reads; with errors raised to us instead of printed."""
    before, environment = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
    sys.argv = [before[0], *words]
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    finally:
        sys.argv = before
        if environment is None:
            del os.environ["HYDRA_FULL_ERROR"]
        else:
            os.environ["HYDRA_FULL_ERROR"] = environment
