"""What submitit's launchers are given besides the command line, and what of it they could not do."""

import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import DictConfig

from gpumcts.errors import BadInput

TIMEOUT = "timeout_min"
A_YEAR = 366 * 24 * 60
"""Minutes. Submitit knows no run without a limit."""
ONE = ("tasks_per_node", "nodes")


def check(launcher: Mapping[str, Any]) -> None:
    """Raise BadInput where a run would end at once, or be done several times in one folder."""
    if (minutes := launcher[TIMEOUT]) < 1:
        raise BadInput(f"hydra.launcher.{TIMEOUT}={minutes}: must be an integer above 0")
    for key in ONE:
        if (number := launcher[key]) != 1:
            raise BadInput(f"hydra.launcher.{key}={number}: must be 1: each task of a job would do the same run")


def check_slurm(launcher: Mapping[str, Any]) -> None:
    """As ``check``; raise BadInput too where submitit would find no SLURM, which it tells as an error of its own."""
    check(launcher)
    if shutil.which("srun") is None:
        raise BadInput("hydra/launcher=submitit_slurm: there is no srun here: start the sweep on a SLURM cluster")


def prepare_local(launcher: DictConfig, given: Sequence[str]) -> None:
    """Let runs take their time: the plugin ends a run after an hour, and gives it up at its fourth.

    given : the command line's overrides of Hydra's own keys
    """
    key = f"hydra.launcher.{TIMEOUT}="
    if not any(word.lstrip("+").startswith(key) for word in given):
        launcher[TIMEOUT] = A_YEAR
