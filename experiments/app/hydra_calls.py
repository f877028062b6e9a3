"""Calls of Hydra: composing with a user's own folder of configurations, and a command line that it reads."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from experiments.app.error_messages import CONF, no_text
from experiments.app.overrides import quoted
from gpumcts.errors import BadInput

VERSION_BASE = "1.3"
PARAMS = "hydra.sweeper.params"
ERRORS_OF_INPUT = (HydraException, OmegaConfBaseException, YAMLError, BadInput)


def composed(name: str, overrides: list[str]) -> DictConfig:
    """A command's configuration, Hydra's own part included.

    Raises BadInput where overrides set the parameters of a sweeper that has none: OmegaConf fails there.
    """
    try:
        return compose(name, overrides, return_hydra_config=True)
    except (AssertionError, AttributeError):
        if any(word.lstrip("+").startswith(PARAMS) for word in overrides):
            raise BadInput(f"{PARAMS} goes with hydra/sweeper=grid; name the keys themselves, as seed=1,2") from None
        raise


def check_config_dir(config_dir: str | None) -> None:
    """Raise BadInput where a user's own folder of configurations is not there."""
    if config_dir is not None and not os.path.isdir(config_dir):
        raise BadInput(f"--config-dir {config_dir}: there is no such folder")


@contextmanager
def composing(config_dir: str | None) -> Iterator[list[str]]:
    """Hydra's composition, with a user's own folder of configurations; gives the overrides that add it."""
    check_config_dir(config_dir)
    with initialize_config_dir(str(CONF), version_base=VERSION_BASE):
        try:
            yield [] if config_dir is None else [f"hydra.searchpath=[{quoted(f'file://{Path(config_dir).resolve()}')}]"]
        except UnicodeDecodeError as error:
            raise BadInput(no_text(config_dir or str(CONF), error.reason)) from None


def known_of(name: str, words: list[str], in_sweep: bool, config_dir: str | None) -> dict[str, Any]:
    """A command's configuration as the command line's groups make it, for suggestions; empty where it cannot be had.

    in_sweep : a sweep's run asks, where Hydra is at work already
    """
    groups = [word for word in words if "=" in word and os.path.isdir(CONF / word.partition("=")[0].partition("@")[0])]
    for overrides in (groups, []):
        try:
            with nullcontext([]) if in_sweep else composing(config_dir) as more:
                plain: Any = OmegaConf.to_container(compose(name, [*overrides, *more]), resolve=False)
                return {str(key): value for key, value in plain.items()}
        except ERRORS_OF_INPUT:
            continue
    return {}


@contextmanager
def as_command_line(words: list[str]) -> Iterator[None]:
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
