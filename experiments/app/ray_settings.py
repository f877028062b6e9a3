"""What Ray's launcher is given besides the command line: the cores of this process, and no lines of its own.

Ray is started here and not by the plugin, so that a run which asks for more than there is does not wait for good, and
SIGTERM ends the sweep as Ctrl-C does.

``hydra.launcher.ray.init`` goes to ``ray.init``, ``hydra.launcher.ray.remote`` to ``ray.remote``; the command line adds
keys to them: ``+hydra.launcher.ray.init.num_cpus=4``.
"""

import importlib
import logging
import os
from collections.abc import Mapping
from typing import Any

from omegaconf import DictConfig, OmegaConf, flag_override

from experiments.config.schema import usable_cores
from experiments.terminal.termination import end_by_sigterm
from gpumcts.errors import BadInput

ADDED_TO = INIT, REMOTE = "hydra.launcher.ray.init", "hydra.launcher.ray.remote"
"""Where keys are added."""
KNOWN = {
    INIT: (
        *("address", "num_cpus", "num_gpus", "resources", "object_store_memory", "include_dashboard"),
        *("dashboard_host", "dashboard_port", "configure_logging", "logging_level", "logging_format"),
        *("log_to_driver", "runtime_env"),
    ),
    REMOTE: (
        *("num_cpus", "num_gpus", "memory", "resources", "accelerator_type", "max_retries", "retry_exceptions"),
        *("max_calls", "runtime_env"),
    ),
}
"""Ray's own keys that are of use here, by where they are added; those that begin with _ are left to Ray."""
STORE = 75 * 1024**2
"""Bytes of the shared memory that Ray begins with, the least it takes: runs return a number."""
COUNTS = {
    f"{INIT}.num_gpus": (0, "an integer, 0 or more"),
    f"{INIT}.object_store_memory": (STORE, f"a number of bytes, an integer, {STORE} or more"),
    f"{REMOTE}.memory": (0, "a number of bytes, an integer, 0 or more"),
    f"{REMOTE}.max_retries": (-1, "an integer, 0 or more; -1 is any number of times"),
    f"{REMOTE}.max_calls": (0, "an integer, 0 or more"),
}
"""By key: the least integer, and what is allowed in words."""
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
    _check_names(launcher["ray"])
    _check_counts(launcher["ray"])
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
        "object_store_memory": STORE,
    }
    with flag_override(launcher, ["readonly", "struct"], [False, False]):
        for key, value in settings.items():
            if launcher.ray.init.get(key) is None:
                launcher.ray.init[key] = value


def start(launcher: Mapping[str, Any]) -> None:
    """Start the sweep's Ray, where it has not been; the plugin's launcher finds it there.

    Raises BadInput where a run asks for more than Ray has found: Ray would wait for it. Ray's own handler of SIGTERM
    prints the stack and aborts; it is an interrupt again, as in every command, and Ray ends its processes.
    """
    ray: Any = importlib.import_module("ray")
    if ray.is_initialized():
        return
    ray.init(**_plain(launcher["ray"]["init"]))
    end_by_sigterm()
    _check_there(_plain(launcher["ray"]["remote"]), ray.cluster_resources())


def _check_names(ray: Mapping[str, Any]) -> None:
    places = [where.rpartition(".")[2] for where in ADDED_TO]
    if unknown := [key for key in ray if key not in places]:
        raise BadInput(f"hydra.launcher.ray.{unknown[0]}: unknown key; hydra.launcher.ray has {' and '.join(places)}")
    for where, place in zip(ADDED_TO, places, strict=True):
        for key in ray[place]:
            if key not in KNOWN[where] and not str(key).startswith("_"):
                raise BadInput(f"{where}.{key}: unknown key; {where} takes {', '.join(KNOWN[where])}")


def _check_counts(ray: Mapping[str, Any]) -> None:
    for name, (least, words) in COUNTS.items():
        _, place, key = name.rsplit(".", 2)
        value = ray[place].get(key)
        if value is not None and (type(value) is not int or value < least):
            raise BadInput(f"{name}={value}: must be {words}")
    gpus = ray["remote"].get("num_gpus")
    if gpus is not None and (type(gpus) not in (int, float) or gpus < 0 or (gpus > 1 and gpus != int(gpus))):
        raise BadInput(f"{REMOTE}.num_gpus={gpus}: must be a share in [0, 1], or a greater integer")
    for where in ADDED_TO:
        _check_resources(f"{where}.resources", ray[where.rpartition(".")[2]].get("resources"))


def _check_resources(where: str, resources: Any) -> None:
    if resources is not None and not isinstance(resources, Mapping):
        raise BadInput(f"{where}={resources}: must be numbers by name, as {{disk: 1}}")
    for name, amount in (resources or {}).items():
        if name in ("CPU", "GPU") or type(amount) not in (int, float) or amount < 0:
            allowed = "a number, 0 or more, of anything but CPU and GPU, which are num_cpus and num_gpus"
            raise BadInput(f"{where}.{name}={amount}: must be {allowed}")


def _check_there(remote: Mapping[str, Any], there: Mapping[str, float]) -> None:
    """Raise BadInput at the first of a run's requests that Ray, with the resources ``there``, would never meet."""
    asked = {"num_gpus": ("GPU", remote.get("num_gpus")), "memory": ("memory", remote.get("memory"))}
    asked |= {f"resources.{name}": (name, amount) for name, amount in (remote.get("resources") or {}).items()}
    for key, (name, amount) in asked.items():
        if (amount or 0) > (found := there.get(name, 0)):
            raise BadInput(f"{REMOTE}.{key}={amount}: a run asks for more than there is, {found:.12g}")
    kind = remote.get("accelerator_type")
    if kind is not None and f"accelerator_type:{kind}" not in there:
        raise BadInput(f"{REMOTE}.accelerator_type={kind}: there is no such device")


def _plain(group: Any) -> dict[str, Any]:
    return {str(key): value for key, value in OmegaConf.to_container(group, resolve=True).items()}  # type: ignore[union-attr]


def _cores(launcher: Mapping[str, Any]) -> Any:
    given = launcher["ray"]["init"].get("num_cpus")
    return usable_cores() if given is None else given


def _cores_a_run(launcher: Mapping[str, Any]) -> Any:
    given = launcher["ray"]["remote"].get("num_cpus")
    return 1 if given is None else given
