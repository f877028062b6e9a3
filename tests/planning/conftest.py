"""The fixtures of the tests of commands, for the command that plans."""

from tests.experiments.conftest import only, run  # noqa: F401
