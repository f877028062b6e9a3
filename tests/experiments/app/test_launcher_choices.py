"""A launcher or a sweeper that is chosen in vain: it is not installed, or there is one run. Each is one line."""

from importlib.util import find_spec

import pytest

from experiments.app import launchers
from tests.experiments.app.test_launchers import PLUGINS, needs


@pytest.mark.parametrize("word", ["hydra/launcher=joblib", "hydra/launcher=ray", "hydra/sweeper=optuna"])
def test_what_is_not_installed_is_one_line_that_names_the_extra(run, tmp_path, monkeypatch, word):
    monkeypatch.setattr(launchers, "find_spec", lambda name: None if "hydra_plugins" in name else find_spec(name))
    done = run(f"match -m seed=1,2 {word}")
    extra = word.rpartition("=")[2]
    pins = "constraints-ray.txt" if extra == "ray" else "constraints.txt"
    assert done.code == 2 and done.err == f"error: {word}: it is not installed: pip install -e '.[{extra}]' -c {pins}\n"
    assert not (tmp_path / "multirun").exists()


@pytest.mark.parametrize("word", ["hydra/launcher=joblib", "hydra/sweeper=optuna", "hydra/sweeper=basic"])
def test_one_run_takes_no_launcher_and_no_sweeper(run, tmp_path, word):
    if (extra := word.rpartition("=")[2]) in PLUGINS:
        needs(extra)
    code, _, error = run(f"match {word} games=2")
    assert code == 2 and error == f"error: {word}: is of use in a sweep alone: add -m\n"
    assert not list(tmp_path.iterdir())


def test_a_sweeper_that_has_nothing_to_draw_is_one_line(run, tmp_path):
    needs("optuna")
    done = run("match -m hydra/sweeper=optuna objective=win_rate games=2")
    said = "error: hydra/sweeper=optuna: name a key and its values, as seed=1,2\n"
    assert (done.code, done.out, done.err, list(tmp_path.iterdir())) == (2, "", said, [])
