"""One entry for all commands: compose and check every run of a sweep, and only then let Hydra make folders and work.

Bad input is one line on stderr and exit code 2, with nothing created. Ctrl-C is 130. Anything else that goes wrong is a
fault of the program and keeps its traceback; in a sweep, where the other runs go on, in a file in the run's folder. A
sweep of which some runs failed still ends with its table.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import hydra
from hydra import compose
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from experiments.app.departures import Experiments, check_told_apart
from experiments.app.error_messages import CONF, for_some_choices, one_line, set_not_chosen
from experiments.app.failed_runs import Refusal, SweepEnded, Watch
from experiments.app.flags import asked_of_help, parsed
from experiments.app.hydra_calls import ERRORS_OF_INPUT, VERSION_BASE, as_command_line, composed, composing, known_of
from experiments.app.hydra_speed import quicken
from experiments.app.idle_groups import IdleGroups, checked_with, without
from experiments.app.launchers import (
    GRID,
    GRIDS,
    LAUNCH,
    SWEEPER,
    at_once,
    check_installed,
    check_launcher,
    check_sweeper,
    check_sweeps,
    failure,
    sampler_seed,
)
from experiments.app.line import Line
from experiments.app.overrides import (
    LEFT_OUT,
    OBJECTIVE,
    check_deletions,
    check_experiment,
    check_given_once,
    check_not_overruled,
    check_overrides,
    check_place,
    check_verbose,
    combinations,
    every_choice,
    first_of,
    for_hydra,
    key_of,
    once_each,
    read_overrides,
    told_how_integers_are_drawn,
    words_once_each,
)
from experiments.app.own_modules import register
from experiments.app.repeats import all_but, repeated
from experiments.app.sweeps import Job, Sweep, best_of, check_kinds, family_of, folder_of, folder_of_study
from experiments.app.task import COMMANDS, Task, check_objective, module_of, plain_of
from experiments.app.told_apart import SUBDIR, check_subdir, told_apart, told_by
from experiments.config.scales import old_scale
from experiments.config.schema import Checked, Given, Plain
from experiments.runs.presentation import PRESENTATIONS, Presentation
from experiments.runs.run_directory import SUMMARY, Run, check_folder
from experiments.terminal.console import say, show, showing, shown_in_full, writable
from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import device
from gpumcts.whole_files import disk_full, naming, refused_path

DIRECTION = "hydra.sweeper.direction"
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
WATCHED = f"hydra.launcher._target_={LAUNCH}.WatchedLauncher"


def _checks_nothing(checked: Checked) -> None:
    return None


def _no_numbers(checked: Checked) -> tuple[str, ...]:
    return ()


def _the_same(checked: Checked, folder: Path) -> float:
    return 1.0


@dataclass
class Command:
    """A command: ``python -m experiments.<name>``, configured by ``conf/<name>.yaml``.

    check : plain configuration to checked values; raises BadInput
    work : does a run and returns its summary; ``{"interrupted": True, ...}`` ends a sweep
    prepare : refuses what only a look at the machine can tell (no device, not enough memory), before anything is made
    cost : about how long a run takes in any unit, the part included that an earlier run left in its folder, and 0 where
        that is all of it; the time left of a sweep is told by it
    numbers : the numbers of a run's summary that ``objective=`` may name, nested ones as ``player.made_a_move``
    results : how its runs are shown in tables, plots and reports
    resumes : the same command again does only what is missing, and nothing where all is done
    serves : it answers others and leaves nothing: no folder is made, and there is no sweep of it
    takes_game : whether it takes games of a class, for ``--help``; None where it takes all
    """

    name: str
    check: Callable[[Plain, Given | None], Checked]
    work: Callable[[Checked, Run], dict[str, Any]]
    prepare: Callable[[Checked], None] = _checks_nothing
    serves: bool = False
    takes_game: Callable[[type], bool] | None = None
    cost: Callable[[Checked, Path], float] = _the_same
    numbers: Callable[[Checked], tuple[str, ...]] = _no_numbers
    results: Presentation = Presentation()
    resumes: bool = False

    def __post_init__(self) -> None:
        COMMANDS[self.name] = self
        PRESENTATIONS[self.name] = self.results

    def main(self, arguments: list[str] | None = None) -> int:
        """Run the command line (``sys.argv`` if None); returns the exit code."""
        writable()
        words = for_hydra(sys.argv[1:] if arguments is None else arguments)
        quicken()
        register()
        return shown_in_full(self._ended(words))

    def _ended(self, words: list[str]) -> int:
        """The exit code, once what went wrong has been told."""
        try:
            return self._main(words)
        except ERRORS_OF_INPUT as error:
            print(f"error: {self._said(error, words)}", file=sys.stderr)
            return BAD_INPUT
        except KeyboardInterrupt:
            say(f"interrupted; the same command {self._again}")
            return INTERRUPTED
        except Exception as error:
            if (told := refused_path(error)) is not None:
                print(f"error: {told}", file=sys.stderr)
                return BAD_INPUT
            message = disk_full(error) or failure(error)
            if message is None:
                raise
            print(f"error: {message}; the same command {self._again}", file=sys.stderr)
            return FAILED

    @property
    def _again(self) -> str:
        """What the same command does after one that was cut off."""
        return "goes on where it was" if self.resumes else "starts again"

    def _main(self, words: list[str]) -> int:
        flags = parsed(words)
        if flags.help:
            from experiments.app.help import groups_of, help_text

            asked = asked_of_help(words, flags.overrides, groups_of(self, CONF))
            with showing():
                print(help_text(self, CONF, asked=asked, own=flags.config_dir), end="")
            return 0
        if flags.cfg or flags.info or flags.hydra_help or flags.shell_completion:
            self._call_hydra(words)
            return 0
        jobs, sweep = self._jobs(flags)
        if self.serves:
            return self._serve(jobs[0], sweep)
        share = 1 if sweep is None else sweep.at_once
        check_kinds(jobs[0].folder if sweep is None else sweep.folder, jobs, sweep is not None)
        for job in jobs:
            check_folder(job.folder, job.checked, self.name)
            self.prepare(replace(job.checked, at_once=share))
        if sweep is None:
            changes = {job.folder.name: job.changes for job in jobs}
            self._call_hydra(words, Task(self.name, module_of(self.work), changes=changes))
            return 0
        with naming(sweep.folder):
            sweep.note()
            return self._swept(words, sweep)

    def _said(self, error: Exception, words: list[str], in_sweep: bool = False) -> str:
        """What is wrong with a command line, or with the overrides of a run in a sweep, in a line."""
        if isinstance(error, BadInput):
            return str(error)
        folder = None if in_sweep else parsed(words).config_dir
        known = known_of(self.name, words, in_sweep, folder)
        if told := old_scale(words) or set_not_chosen(words, known):
            return told
        told = one_line(error, known)
        return told + for_some_choices(told, words, lambda some: known_of(self.name, some, in_sweep, folder))

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
        with composing(flags.config_dir) as more:
            line = self._read(flags, more)
            check_verbose(line.first.hydra.verbose)
            if not flags.multirun and line.first.hydra.mode != RunMode.MULTIRUN:
                if line.sweeps:
                    compose(line.name, [*flags.overrides, *more])  # Hydra's own word on a sweep without -m
                check_sweeps(line.given)
                check_place(line.given, of_a_sweep=False)
                return [self._job_of(line.first, line.experiments, flags.overrides, "hydra.run.dir")], None
            check_place(line.given, of_a_sweep=True)
            check_sweeper(line.first.hydra.sweeper)
            check_launcher(line.first.hydra.runtime.choices, line.first.hydra.launcher)
            if line.first.hydra.runtime.choices.get(SWEEPER) in GRIDS:
                return self._grid(line)
            return self._by_another_sweeper(line)

    def _read(self, flags: Any, more: list[str]) -> Line:
        """The command line, refused where no configuration could make sense of it."""
        parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
        given = read_overrides(parser, flags.overrides)
        check_overrides(given)
        check_given_once(given)
        check_experiment(given, self.name)
        check_installed(given)
        given = parser.parse_overrides(once_each(given))
        several = any(override.is_sweep_override() for override in given)
        name = flags.config_name or self.name
        first = composed(name, [*(first_of(given) if several else flags.overrides), *more])
        return Line(name, more, parser, given, several, first, Experiments(name, more))

    def _grid(self, line: Line) -> tuple[list[Job], Sweep]:
        """A sweep over all combinations of values, each of which is checked now."""
        rows, first = combinations(line.drawn()), line.first
        jobs, also = self._every(line, rows), []
        if (repeats := repeated(jobs)) and first.hydra.runtime.choices[SWEEPER] == GRID:
            rows, jobs = all_but(repeats, rows), all_but(repeats, jobs)
            also = [f"{LEFT_OUT}={repeats}"]
        check_subdir(line.given, jobs)
        base, swept = Path(str(first.hydra.sweep.dir)), line.swept()
        family = None if line.names_folder else family_of(jobs, swept)

        def home(of: Sequence[Job]) -> Path:
            return base if family is None else folder_of(base, of, family)

        if len({job.folder for job in jobs}) < len(jobs):  # they differ in what decides no result, as threads
            check_told_apart(jobs, rows, list(first.hydra.sweeper.params or ()))
            jobs, subdir = told_apart(jobs, swept, home)
            also = [*also, subdir]
        folder = home(jobs)
        share = at_once(first.hydra.runtime.choices, first.hydra.launcher, first.hydra.sweeper, len(jobs))
        jobs = [replace(job, folder=folder / job.folder) for job in jobs]
        costs = {job.folder.name: self.cost(job.checked, job.folder) for job in jobs}
        launcher = str(first.hydra.launcher._target_)
        sweep = Sweep(folder, tuple(swept), share, len(jobs), tuple(also), family, costs, launcher)
        return jobs, sweep.of(jobs, rows)

    def _every(self, line: Line, rows: Sequence[list[str]]) -> list[Job]:
        """The run of each row of overrides; a group may be idle in some of them."""
        idle = IdleGroups()
        jobs = [self._job(line, row, number, idle) for number, row in enumerate(rows)]
        idle.refuse_where_in_all(len(rows))
        return jobs

    def _by_another_sweeper(self, line: Line) -> tuple[list[Job], Sweep]:
        """A sweep whose runs its sweeper makes up as it goes on: what is fixed is checked now, each run in its turn."""
        first = line.first
        sweeper, launcher = first.hydra.sweeper, first.hydra.launcher
        if first.get(OBJECTIVE) is None:
            raise BadInput(
                f"hydra/sweeper={first.hydra.runtime.choices[SWEEPER]}: give objective=..., as objective=win_rate"
            )
        if not line.swept():
            raise BadInput(
                f"hydra/sweeper={first.hydra.runtime.choices[SWEEPER]}: name a key and its values, as seed=1,2"
            )
        job = self._job(line, line.fixed())
        folder, also = Path(str(first.hydra.sweep.dir)), []
        if not line.names_folder:
            folder = folder_of_study(folder, job.checked.identity, line.given)
        if not any(override.key_or_group == DIRECTION for override in line.given):
            also = [f"{DIRECTION}=maximize"]
        if not any(override.key_or_group == SUBDIR for override in line.given):
            also += told_by(job.checked, line.swept())
        also += sampler_seed(sweeper, line.given, getattr(job.checked.keys, "seed", None))
        runs, tolerated = int(sweeper.get("n_trials") or 1), float(sweeper.get("max_failure_rate") or 0.0)
        share = at_once(first.hydra.runtime.choices, launcher, sweeper, runs)
        sweep = Sweep(folder, tuple(line.swept()), share, runs, tuple(also), launcher=str(launcher._target_))
        for row in every_choice(line.drawn()) if tolerated == 0 else []:  # a refused trial would end the sweep
            with told_how_integers_are_drawn(line.drawn()):
                self._job(line, row)
        return [Job(job.checked, folder / "checked")], replace(sweep, foreseen=False, tolerated=tolerated)

    def _job(self, line: Line, overrides: list[str], number: int = 0, idle: IdleGroups | None = None) -> Job:
        config = composed(line.name, [*overrides, *line.more])
        config.hydra.job.num = number
        return self._job_of(config, line.experiments, overrides, SUBDIR, idle)

    def _job_of(
        self,
        config: DictConfig,
        experiments: Experiments,
        overrides: list[str],
        where: str,
        idle: IdleGroups | None = None,
    ) -> Job:
        """The run of a composed configuration; composing takes most of a short command's time, so it is done once.

        idle : takes what is set and does not count for this run of a sweep; None refuses it
        """
        given = OverridesParser.create().parse_overrides(list(overrides))
        plain = plain_of(config)
        check_not_overruled(config, plain, given)
        keys = frozenset(key_of(override) for override in given)
        try:
            checked, left = checked_with(idle, self.check, plain, Given(keys, lambda: plain_of(experiments.defaults)))
        except BadInput as error:
            raise experiments.explained(error, config, given) from None
        except KeyError as error:
            check_deletions(given, error)
            raise
        experiments.check_entries(config, given)
        changes = experiments.departures(config, plain, given)
        if (objective := config.get(OBJECTIVE)) is not None:
            check_objective(objective, self.numbers(checked), self.name)
        return Job(checked, Path(str(OmegaConf.select(config, where))), without(left, plain), changes)

    # --------------------------------------------------------------------------------------------------- running

    def _swept(self, words: list[str], sweep: Sweep) -> int:
        """Run a sweep, which ends with the table of the runs that finished, whatever became of the others."""
        refusal = None if sweep.foreseen else self._refusal_in(sweep)
        watch = Watch(sweep.runs, sweep.launcher, refusal, sweep.tolerated)
        module, clock = module_of(self.work), sweep.clock()
        task = Task(self.name, module, sweep.swept, sweep.runs, sweep.at_once, clock, sweep.changes, watch=watch)
        try:
            self._call_hydra([*words_once_each(words), sweep.place, *sweep.more, WATCHED], task)
        except Exception as error:
            # A sweeper may complain that it has nothing to choose from: that says no more than the failed runs do.
            if not (isinstance(error, SweepEnded) or watch.all_failed):
                self._end(sweep, watch)
                raise
        return self._end(sweep, watch)

    def _refusal_in(self, sweep: Sweep) -> Refusal:
        """Checks a run that a sweeper has made up, as the runs of a grid are checked before any begins."""

        def refusal(row: Sequence[str], composed: Callable[[], DictConfig]) -> str | None:
            try:
                config = composed()
                config.hydra.job.num = 0
                experiments = Experiments(config.hydra.job.config_name, [])
                job = self._job_of(config, experiments, list(row), SUBDIR)
                check_folder(sweep.folder / job.folder, job.checked, self.name)
                self.prepare(replace(job.checked, at_once=sweep.at_once))
            except ERRORS_OF_INPUT as error:
                return self._said(error, list(row), in_sweep=True)
            return None

        return refusal

    def _end(self, sweep: Sweep, watch: Watch) -> int:
        """Show the table of a sweep, then the runs that failed or are damaged, a line each; returns the exit code."""
        damaged: list[str] = []
        try:
            if any(sweep.folder.rglob(SUMMARY)):
                from experiments.analysis.sweep_report import conclude

                damaged = conclude(sweep.folder)
            if watch.chosen:
                show(*best_of(sweep.folder))
        finally:  # the disk that is full for a run may be full for the table
            for line in [*watch.lines(), *damaged]:
                print(f"error: {line}", file=sys.stderr)
        if not watch.failed:
            return FAILED if damaged else 0
        return BAD_INPUT if all(failed.refused for failed in watch.failed) else FAILED

    def _call_hydra(self, words: list[str], task: Task | None = None) -> None:
        task = task or Task(self.name, module_of(self.work))
        entry = hydra.main(version_base=VERSION_BASE, config_path=str(CONF), config_name=self.name)(task)
        with as_command_line(words):
            entry()
        if task.failure:
            raise task.failure[0]
