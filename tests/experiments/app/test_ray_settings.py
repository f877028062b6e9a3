"""What Ray's launcher is given besides the command line; what would never begin is refused."""

import logging
import os

import pytest
from omegaconf import OmegaConf

from experiments.app import ray_settings
from experiments.config.schema import usable_cores
from gpumcts.errors import BadInput


def launcher(init=None, remote=None):
    return OmegaConf.create({"ray": {"init": {"address": None, **(init or {})}, "remote": remote or {}}})


@pytest.mark.parametrize(
    ("init", "remote", "said"),
    [
        ({"num_cpus": 0}, {}, "init.num_cpus=0: must be an integer above 0"),
        ({"num_cpus": 1.5}, {}, "init.num_cpus=1.5: must be an integer above 0"),
        ({"num_cpus": True}, {}, "init.num_cpus=True: must be an integer above 0"),
        ({}, {"num_cpus": 0}, "remote.num_cpus=0: must be a number above 0"),
        ({}, {"num_cpus": "two"}, "remote.num_cpus=two: must be a number above 0"),
        ({"num_cpus": 2}, {"num_cpus": 3}, "remote.num_cpus=3: a run asks for more cores than there are, 2"),
        ({"address": "auto"}, {}, "init.address=auto: a sweep starts a Ray of its own; "),
    ],
)
def test_what_would_never_begin_or_lie_elsewhere_is_refused(init, remote, said):
    with pytest.raises(BadInput) as refused:
        ray_settings.check(launcher(init, remote))
    assert str(refused.value).startswith(f"hydra.launcher.ray.{said}")


@pytest.mark.parametrize("init", [{}, {"address": "local"}, {"num_cpus": 4}])
def test_other_settings_are_taken(init):
    ray_settings.check(launcher(init, {"num_cpus": 1, "max_retries": 0}))


@pytest.mark.parametrize(
    ("init", "remote", "expected"),
    [
        ({}, {}, usable_cores()),
        ({"num_cpus": 6}, {}, 6),
        ({"num_cpus": 6}, {"num_cpus": 4}, 1),
        ({"num_cpus": 3}, {"num_cpus": 0.1}, 30),
    ],
)
def test_runs_at_a_time(init, remote, expected):
    assert ray_settings.workers(launcher(init, remote)) == expected


def test_what_is_not_said_is_filled_in(monkeypatch):
    monkeypatch.setattr(os, "environ", {"RAY_DEDUP_LOGS": "1"})
    config = launcher({"num_cpus": 7})
    OmegaConf.set_struct(config, True)
    ray_settings.prepare(config)
    assert config.ray.init == {
        "address": "local", "num_cpus": 7, "logging_level": logging.ERROR, "include_dashboard": False,
    }  # fmt: skip
    assert os.environ == ray_settings.ENVIRONMENT | {"RAY_DEDUP_LOGS": "1"}
    config = launcher()
    ray_settings.prepare(config)
    assert config.ray.init.num_cpus == usable_cores()
