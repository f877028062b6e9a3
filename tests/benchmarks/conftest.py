"""Benchmarks are run as a command, as the experiments are."""

from tests.experiments.conftest import only, run

__all__ = ["only", "run"]
