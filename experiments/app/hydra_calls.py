"""Calls of Hydra: composing with a user's own folder of configurations, and a command line that it reads."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hydra import compose, initialize_config_dir
from omegaconf import DictConfig

from experiments.app.error_messages import CONF, no_text
from gpumcts.errors import BadInput

VERSION_BASE = "1.3"
PARAMS = "hydra.sweeper.params"


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
    if config_dir is not None and not Path(config_dir).is_dir():
        raise BadInput(f"--config-dir {config_dir}: there is no such folder")


@contextmanager
def composing(config_dir: str | None) -> Iterator[list[str]]:
    """Hydra's composition, with a user's own folder of configurations; gives the overrides that add it."""
    check_config_dir(config_dir)
    with initialize_config_dir(str(CONF), version_base=VERSION_BASE):
        try:
            yield [] if config_dir is None else [f"hydra.searchpath=['file://{Path(config_dir).resolve()}']"]
        except UnicodeDecodeError as error:
            raise BadInput(no_text(config_dir or str(CONF), error.reason)) from None


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
