"""What Ray's launcher is given besides the command line: the cores of this process, and no lines of its own.

``hydra.launcher.ray.init`` goes to ``ray.init``, ``hydra.launcher.ray.remote`` to ``ray.remote``; the command line adds
keys to them: ``+hydra.launcher.ray.init.num_cpus=4``.
"""

import logging
import os
from collections.abc import Mapping
from typing import Any

from omegaconf import DictConfig, flag_override

from experiments.config.schema import usable_cores
from gpumcts.errors import BadInput

ADDED_TO = INIT, REMOTE = "hydra.launcher.ray.init", "hydra.launcher.ray.remote"
"""Where keys are added."""
OWN = "local"
"""The address of a Ray that is started for the sweep. Without one Ray joins any that was started on this machine."""
ENVIRONMENT = {
    "RAY_DEDUP_LOGS": "0",  # lines that differ in their numbers alone are one to Ray: it would hide results
    "RAY_DISABLE_WORKER_LOG_PREFIX": "1",
    "RAY_COLOR_PREFIX": "0",  # before lines of Ray's own, in files too
}
"""Ray reads these as it is imported."""


def check(launcher: Mapping[str, Any]) -> None:
    """Raise BadInput where no run would begin, or runs would leave their folders elsewhere."""
    address, cores, each = launcher["ray"]["init"].get("address"), _cores(launcher), _cores_a_run(launcher)
    if address not in (None, OWN):
        raise BadInput(
            f"{INIT}.address={address}: a sweep starts a Ray of its own; "
            "one that is there would put the runs into the folder where it was started"
        )
    if type(cores) is not int or cores < 1:
        raise BadInput(f"{INIT}.num_cpus={cores}: must be an integer above 0")
    if type(each) not in (int, float) or each <= 0:
        raise BadInput(f"{REMOTE}.num_cpus={each}: must be a number above 0")
    if each > cores:  # Ray would wait for more of them
        raise BadInput(f"{REMOTE}.num_cpus={each}: a run asks for more cores than there are, {cores}")


def workers(launcher: Mapping[str, Any]) -> int:
    """How many runs Ray does at a time."""
    return int(_cores(launcher) / _cores_a_run(launcher) + 1e-9)  # 0.3 / 0.1 is less than 3


def prepare(launcher: DictConfig) -> None:
    """Fill in what the command line does not say, before Ray is imported."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    settings = {
        "address": OWN,
        "num_cpus": usable_cores(),
        "logging_level": logging.ERROR,
        "include_dashboard": False,
    }
    with flag_override(launcher, ["readonly", "struct"], [False, False]):
        for key, value in settings.items():
            if launcher.ray.init.get(key) is None:
                launcher.ray.init[key] = value


def _cores(launcher: Mapping[str, Any]) -> Any:
    given = launcher["ray"]["init"].get("num_cpus")
    return usable_cores() if given is None else given


def _cores_a_run(launcher: Mapping[str, Any]) -> Any:
    given = launcher["ray"]["remote"].get("num_cpus")
    return 1 if given is None else given
