"""What the tests of configurations share: one as a command has it."""

from hydra import compose, initialize_config_dir

from experiments.app.error_messages import CONF
from experiments.app.task import plain_of


def composed(command: str, *overrides: str) -> dict:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return plain_of(compose(command, list(overrides)))
