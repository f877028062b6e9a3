"""What Ray's launcher is given besides the command line; what would never begin is refused."""

import logging
import os
import signal
import sys

import pytest
from omegaconf import OmegaConf

from experiments.app import ray_settings
from experiments.config.schema import usable_cores
from experiments.terminal import termination
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
        ({"num_cpu": 2}, {}, "init.num_cpu: unknown key; hydra.launcher.ray.init takes address, num_cpus, "),
        ({}, {"num_returns": 2}, "remote.num_returns: unknown key; hydra.launcher.ray.remote takes num_cpus, "),
        ({"object_store_memory": 1}, {}, "init.object_store_memory=1: must be a number of bytes, an integer, 78643200"),
        ({}, {"max_retries": -2}, "remote.max_retries=-2: must be an integer, 0 or more; -1 is any number of times"),
        ({}, {"num_gpus": 1.5}, "remote.num_gpus=1.5: must be a share in [0, 1], or a greater integer"),
        ({}, {"resources": 3}, "remote.resources=3: must be numbers by name, as {disk: 1}"),
        ({"resources": {"GPU": 1}}, {}, "init.resources.GPU=1: must be a number, 0 or more, of anything but CPU and"),
        ({"address": "auto"}, {}, "init.address=auto: a sweep starts a Ray of its own; "),
    ],
)
def test_what_would_never_begin_or_lie_elsewhere_is_refused(init, remote, said):
    with pytest.raises(BadInput) as refused:
        ray_settings.check(launcher(init, remote))
    assert str(refused.value).startswith(f"hydra.launcher.ray.{said}")


def test_a_key_beside_rays_own_groups_is_refused():
    config = launcher()
    config.ray.foo = 1
    with pytest.raises(
        BadInput, match=r"^hydra.launcher.ray.foo: unknown key; hydra.launcher.ray has init and remote$"
    ):
        ray_settings.check(config)


class Ray:
    """What is used of the module ``ray``, on a machine of two cores, one disk and no GPU."""

    def __init__(self):
        self.given = None

    def is_initialized(self):
        return self.given is not None

    def init(self, **given):
        self.given = given

    def cluster_resources(self):
        return {"CPU": 2.0, "memory": 1e9, "disk": 1.0}


@pytest.fixture
def ray(monkeypatch):
    """In the place of Ray; the handler of SIGTERM is put back."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(termination, "_last", -float("inf"))  # no echo of an earlier test's
    monkeypatch.setitem(sys.modules, "ray", Ray())
    yield sys.modules["ray"]
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(
    ("remote", "said"),
    [
        ({"num_gpus": 1}, "num_gpus=1: a run asks for more than there is, 0"),
        ({"memory": 2 * 10**9}, "memory=2000000000: a run asks for more than there is, 1000000000"),
        ({"resources": {"disk": 2}}, "resources.disk=2: a run asks for more than there is, 1"),
        ({"accelerator_type": "H100"}, "accelerator_type=H100: there is no such device"),
    ],
)
def test_a_run_that_would_wait_for_good_is_refused(ray, remote, said):
    with pytest.raises(BadInput) as refused:
        ray_settings.start(launcher({}, remote))
    assert str(refused.value) == f"hydra.launcher.ray.remote.{said}"


def test_ray_is_started_once_and_sigterm_is_an_interrupt(ray):
    ray_settings.start(launcher({"num_cpus": 2}, {"resources": {"disk": 1}, "num_gpus": 0}))
    assert ray.given == {"address": None, "num_cpus": 2}
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)  # an echo
    ray_settings.start(launcher({"num_cpus": 3}))
    assert ray.given["num_cpus"] == 2


@pytest.mark.parametrize("init", [{}, {"address": "local"}, {"num_cpus": 4}, {"_temp_dir": "there"}])
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
        "object_store_memory": ray_settings.STORE,
    }  # fmt: skip
    assert os.environ == ray_settings.ENVIRONMENT | {"RAY_DEDUP_LOGS": "1"}
    config = launcher()
    ray_settings.prepare(config)
    assert config.ray.init.num_cpus == usable_cores()
