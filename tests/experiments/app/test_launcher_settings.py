"""Keys of joblib's and submitit's launchers: what they would not do is refused; runs of submitit have their time."""

import pytest
from omegaconf import OmegaConf

from experiments.app import joblib_settings, submitit_settings
from experiments.app.launchers import CHECKS, SUBMITIT_SLURM, prepare_launcher
from gpumcts.errors import BadInput
from tests.experiments.app.test_launchers import needs

DEFAULTS = {
    "n_jobs": -1, "backend": None, "prefer": "processes", "require": None, "timeout": None, "pre_dispatch": "2*n_jobs",
    "batch_size": "auto", "max_nbytes": None, "mmap_mode": "r",
}  # fmt: skip
PLUGIN = {"timeout_min": 60, "tasks_per_node": 1, "nodes": 1}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n_jobs", 0), ("backend", "threading"), ("prefer", "threads"), ("require", "sharedmem"), ("timeout", 0.0),
        ("timeout", -1.0), ("timeout", float("nan")), ("pre_dispatch", "0"), ("pre_dispatch", "x*n_jobs"),
        ("batch_size", "0"), ("batch_size", "many"), ("max_nbytes", "5Q"), ("mmap_mode", "x"),
    ],
)  # fmt: skip
def test_a_key_that_joblib_would_not_do_is_refused(key, value):
    with pytest.raises(BadInput) as refused:
        joblib_settings.check({**DEFAULTS, key: value})
    assert str(refused.value).startswith(f"hydra.launcher.{key}={value}: must be ")


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {
            "n_jobs": 3,
            "backend": "loky",
            "timeout": 0.5,
            "pre_dispatch": "all",
            "batch_size": "2",
            "max_nbytes": "1.5M",
        },
        {"n_jobs": -2, "timeout": 1e-05, "pre_dispatch": "12", "mmap_mode": "w+"},
        {"timeout": 1e20, "pre_dispatch": "n_jobs", "max_nbytes": "100"},
    ],
)
def test_other_keys_of_joblib_are_taken(keys):
    joblib_settings.check({**DEFAULTS, **keys})


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [("timeout_min", 0, "an integer above 0"), ("tasks_per_node", 2, "1: each"), ("nodes", 0, "1: each")],
)
def test_a_key_that_submitit_would_not_do_is_refused(key, value, wanted):
    submitit_settings.check(PLUGIN)
    with pytest.raises(BadInput) as refused:
        submitit_settings.check({**PLUGIN, key: value})
    assert str(refused.value).startswith(f"hydra.launcher.{key}={value}: must be {wanted}")


def test_slurm_is_refused_where_it_is_not(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="^hydra/launcher=submitit_slurm: there is no srun here: "):
        CHECKS[SUBMITIT_SLURM](PLUGIN)
    (tmp_path / "srun").touch(0o755)
    CHECKS[SUBMITIT_SLURM](PLUGIN)


@pytest.mark.parametrize(
    ("launcher", "given", "minutes"),
    [
        ("submitit_local", [], submitit_settings.A_YEAR),
        ("submitit_local", ["hydra/launcher=submitit_local", "hydra.launcher.timeout_min=60"], 60),
        ("submitit_slurm", [], 60),
        ("basic", [], 60),
    ],
)
def test_a_local_run_of_submitit_takes_its_time_unless_a_time_is_given(launcher, given, minutes):
    keys = OmegaConf.create(PLUGIN)
    prepare_launcher({"hydra/launcher": launcher}, keys, given)
    assert keys.timeout_min == minutes


@pytest.mark.parametrize(
    ("extra", "words", "said"),
    [
        ("joblib", "joblib hydra.launcher.backend=x", "backend=x: must be loky, or null: Hydra runs on no other"),
        ("submitit", "submitit_local hydra.launcher.timeout_min=0", "timeout_min=0: must be an integer above 0"),
    ],
)
def test_a_refused_key_is_one_line_before_any_work(run, tmp_path, extra, words, said):
    needs(extra)
    done = run(f"match -m seed=1,2 hydra/launcher={words}")
    assert (done.code, done.out, done.err) == (2, "", f"error: hydra.launcher.{said}\n")
    assert list(tmp_path.iterdir()) == []
