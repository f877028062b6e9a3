"""Hydra's launchers and sweepers: which extra brings them, and how many runs go on at the same time."""

import logging
import traceback
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig

from experiments.app import joblib_settings, ray_settings, submitit_settings
from experiments.config.schema import usable_cores
from experiments.config.validation import as_typed
from gpumcts.errors import BadInput

GRID = "grid"
GRIDS = (GRID, "basic")
"""Sweepers whose runs are known beforehand: our own, and Hydra's, which composes each run twice."""
LAUNCHER, SWEEPER = "hydra/launcher", "hydra/sweeper"
JOBLIB, RAY, SUBMITIT_LOCAL, SUBMITIT_SLURM = "joblib", "ray", "submitit_local", "submitit_slurm"
RAY_AWS = "ray_aws"
"""The plugin's other launcher, which starts machines; it is of the time before Ray 2."""
SAMPLER_SEED = "hydra.sweeper.sampler.seed"
LAUNCH = "hydra_plugins.gpumcts_watched_launcher"
"""The module between a sweeper and a launcher."""
EXTRAS = {
    (LAUNCHER, "joblib"): ("joblib", "hydra_plugins.hydra_joblib_launcher"),
    (LAUNCHER, "submitit_local"): ("submitit", "hydra_plugins.hydra_submitit_launcher"),
    (LAUNCHER, "submitit_slurm"): ("submitit", "hydra_plugins.hydra_submitit_launcher"),
    (LAUNCHER, "ray"): ("ray", "hydra_plugins.hydra_ray_launcher"),
    (SWEEPER, "optuna"): ("optuna", "hydra_plugins.hydra_optuna_sweeper"),
}
"""The extra that installs a choice, and a module of it."""
CHECKS = {
    JOBLIB: joblib_settings.check,
    RAY: ray_settings.check,
    SUBMITIT_LOCAL: submitit_settings.check,
    SUBMITIT_SLURM: submitit_settings.check_slurm,
}
"""Of the launchers' keys, by launcher."""
COUNTS = {"max_batch_size": ", or null", "n_trials": "", "n_jobs": ""}
"""Keys of sweepers that count runs, and what else they may be."""
DIRECTIONS = ("minimize", "maximize")
LOGGERS = {"optuna": logging.WARNING, "hydra_plugins.hydra_optuna_sweeper": logging.CRITICAL}
"""Loggers whose lesser messages are no news: that a study begins; that a trial failed, which the command tells."""


def check_installed(given: Sequence[Override]) -> None:
    """Raise BadInput, naming the extra, where a launcher or a sweeper is chosen that is not installed."""
    for override in given:
        choice = None if override.is_delete() or override.is_sweep_override() else str(override.value())
        extra, module = EXTRAS.get((override.key_or_group, choice or ""), ("", ""))
        if extra and not _is_there(module):
            raise BadInput(
                f"{override.input_line}: it is not installed: pip install -e '.[{extra}]' -c {pins_of(extra)}"
            )


def check_sweeps(given: Sequence[Override]) -> None:
    """Raise BadInput where one run is asked for with a launcher or a sweeper, which would do nothing for it."""
    for override in given:
        if override.key_or_group in (LAUNCHER, SWEEPER) and not override.is_delete():
            raise BadInput(f"{override.input_line}: is of use in a sweep alone: add -m")


def check_launcher(choices: Mapping[str, Any], launcher: Mapping[str, Any]) -> None:
    """Raise BadInput where Hydra's configuration of the chosen launcher has what it would not do."""
    if choices.get(LAUNCHER) == RAY_AWS:
        raise BadInput(f"{LAUNCHER}={RAY_AWS}: a sweep starts a Ray of its own on this machine: {LAUNCHER}={RAY}")
    _check_keys(str(choices.get(LAUNCHER)), launcher)
    if check := CHECKS.get(str(choices.get(LAUNCHER))):
        check(launcher)


def prepare_launcher(choices: Mapping[str, Any], launcher: DictConfig, given: Sequence[str] = ()) -> None:
    """Fill in what the launcher that is chosen is not told by the command line.

    given : the command line's overrides of Hydra's own keys
    """
    if choices.get(LAUNCHER) == RAY:
        ray_settings.prepare(launcher)
    elif choices.get(LAUNCHER) == SUBMITIT_LOCAL:
        submitit_settings.prepare_local(launcher, given)


def start_launcher(choices: Mapping[str, Any], launcher: DictConfig) -> None:
    """Start what the runs of the chosen launcher share, before the first of them. Raises BadInput."""
    if choices.get(LAUNCHER) == RAY:
        ray_settings.start(launcher)


def _check_keys(choice: str, launcher: Mapping[str, Any]) -> None:
    """Raise BadInput at a key that the launcher does not have: a plus before it adds any; some launchers ignore it."""
    store, file = ConfigStore.instance(), f"{choice}.yaml"
    if file not in store.list(LAUNCHER):  # one of a user's own
        return
    known = [str(key) for key in store.load(f"{LAUNCHER}/{file}").node if not str(key).startswith("_")]
    for key in launcher:
        if key not in known and not str(key).startswith("_"):
            has = ", ".join(known) or "no keys"
            raise BadInput(f"hydra.launcher.{key}: unknown key; {LAUNCHER}={choice} has {has}")


def check_sweeper(chosen: Mapping[str, Any]) -> None:
    """Raise BadInput where a key of Hydra's configuration of a sweeper is out of its range."""
    for key, otherwise in COUNTS.items():
        if (number := chosen.get(key)) is not None and number < 1:
            raise BadInput(f"hydra.sweeper.{key}={number}: must be an integer above 0{otherwise}")
    if (rate := chosen.get("max_failure_rate")) is not None and not 0 <= rate <= 1:
        raise BadInput(f"hydra.sweeper.max_failure_rate={rate}: must be a number in [0, 1]")
    direction = chosen.get("direction")
    if "direction" in chosen and getattr(direction, "name", direction) not in DIRECTIONS:
        # An objective is one number: trials of several directions would all count as failed.
        raise BadInput(f"hydra.sweeper.direction={as_typed(direction)}: must be {' or '.join(DIRECTIONS)}")


def sampler_seed(sweeper: Mapping[str, Any], given: Sequence[Override], seed: int | None) -> list[str]:
    """The override that gives Optuna's sampler the run's seed; nothing where it is given one, or has none.

    A study in a storage goes on: under the same seed it would draw the trials again that it has.
    """
    sampler = sweeper.get("sampler") or {}
    named = any(override.key_or_group == SAMPLER_SEED for override in given)
    if named or seed is None or "seed" not in sampler or sampler["seed"] is not None or sweeper.get("storage"):
        return []
    return [f"{SAMPLER_SEED}={seed % 2**32}"]  # numpy's generators take no greater ones


def quieten() -> None:
    """Keep lines of sweepers from the terminal, once they are imported, which sets the levels anew."""
    for name, level in LOGGERS.items():
        logging.getLogger(name).setLevel(level)


def choices(group: str) -> list[str]:
    """What an extra can bring into a group of Hydra's."""
    return [choice for its, choice in EXTRAS if its == group]


def failure(error: Exception) -> str | None:
    """What to say of an error of a launcher (its pool does not start) or of a sweeper; None for an error of ours.

    Runs raise none: they return what went wrong.
    """
    modules = {str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)}
    for (group, choice), (_, plugin) in EXTRAS.items():  # launchers first: a sweeper calls them
        if group == SWEEPER and LAUNCH in modules:
            continue
        roots = (plugin, choice)  # Ray is started without its plugin
        if any(name in roots or name.startswith(tuple(f"{root}." for root in roots)) for name in modules):
            chosen = "submitit" if plugin.endswith("submitit_launcher") else choice
            words = [type(error).__name__, " ".join(str(error).split()).rstrip(".")]
            return f"{group}={chosen} failed: {': '.join(filter(None, words))}"
    return None


def pins_of(extra: str) -> str:
    """The file of the checkout that pins an extra's versions; Ray's launcher wants another cloudpickle than joblib."""
    return "constraints-ray.txt" if extra == "ray" else "constraints.txt"


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


def at_once(choices: Mapping[str, Any], launcher: Mapping[str, Any], sweeper: Mapping[str, Any], runs: int) -> int:
    """How many of so many runs share this machine at a time, by what is chosen and by Hydra's configuration of it."""
    chosen, workers = str(choices.get(LAUNCHER)), 1
    if chosen == JOBLIB:
        workers = _joblib_workers(launcher.get("n_jobs"))
    elif chosen == SUBMITIT_LOCAL:
        workers = runs  # all of them, each in a process
    elif chosen == RAY:
        workers = ray_settings.workers(launcher)
    if choices.get(SWEEPER) == "optuna":
        runs = int(sweeper.get("n_jobs") or 1)
    return max(1, min(workers, runs))


def _joblib_workers(number: int | None) -> int:
    """As joblib counts: -1 is every core, -2 all but one."""
    if number is None:
        return 1
    return number if number > 0 else max(1, usable_cores() + 1 + number)
