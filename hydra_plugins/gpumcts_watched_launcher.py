"""The launcher of every sweep: it hands the runs on to the launcher that is chosen, and keeps those that fail apart.

Commands put its class in the place of the chosen launcher's, ``hydra.launcher._target_``; so it serves any launcher
under any sweeper. Sweepers get no exceptions of runs, of which Hydra and Optuna print several lines each.
"""

import copy
from collections.abc import Sequence
from itertools import count
from typing import Any

from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, JobStatus
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, read_write

from experiments.app.failed_runs import Failed
from experiments.app.launchers import prepare_launcher, quieten, start_launcher
from experiments.app.overrides import label_of
from experiments.app.task import Task
from experiments.terminal.console import say


class WatchedLauncher(Launcher):
    """The launcher that ``Watch.launcher`` names, with its own keys."""

    def __init__(self, **keys: Any) -> None:
        """The keys are the chosen launcher's, which is made of the same configuration."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Make the launcher that is chosen."""
        assert isinstance(task_function, Task) and task_function.watch is not None
        self.hydra_context, self.config = hydra_context, copy.deepcopy(config)
        quieten()
        self.swept, self.watch = task_function.swept, task_function.watch
        with read_write(self.config.hydra.launcher):
            self.config.hydra.launcher._target_ = self.watch.launcher
        own = self.config.hydra
        prepare_launcher(own.runtime.choices, own.launcher, own.overrides.hydra)
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=self.config
        )

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Launch the runs that are not refused; raises SweepEnded where too many of the last batch failed.

        A run that a sweeper draws twice is launched once: side by side the two would be in each other's folder.
        """
        self.watch.go_on()
        rows = [(tuple(row), self._complaint(row)) for row in job_overrides]
        accepted = [row for row, complaint in rows if complaint is None]
        once = list(dict.fromkeys(accepted))
        launched = self._launched(once, initial_job_idx) if once else ()
        return_of = dict(zip(once, launched, strict=True))
        for row in dict.fromkeys(row for number, row in enumerate(accepted) if row in accepted[:number]):
            say(f"{label_of(row, self.swept)}: drawn more than once at a time, and done once")
        numbers = count(initial_job_idx + len(once) + 1)  # the launcher numbers its own without a gap
        returns = [
            return_of[row] if complaint is None else self._refused(row, next(numbers), complaint)
            for row, complaint in rows
        ]
        self.watch.report([job.return_value for job in returns])
        return returns

    def _launched(self, rows: Sequence[Sequence[str]], first: int) -> Sequence[JobReturn]:
        own = self.config.hydra
        start_launcher(own.runtime.choices, own.launcher)
        return self.launcher.launch([*map(list, rows)], initial_job_idx=first)

    def _complaint(self, row: Sequence[str]) -> str | None:
        if self.watch.refusal is None:
            return None
        loader = self.hydra_context.config_loader
        return self.watch.refusal(row, lambda: loader.load_sweep_config(self.config, list(row)))

    def _refused(self, row: Sequence[str], number: int, complaint: str) -> JobReturn:
        failed = Failed(number, label_of(row, self.swept), complaint)
        return JobReturn(overrides=row, status=JobStatus.COMPLETED, _return_value=failed)
