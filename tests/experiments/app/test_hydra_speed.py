"""Files of configuration are read once, and again where they change; sweeps still refuse what cannot be composed."""

import os

import pytest
from hydra.plugins.config_source import ConfigLoadError
from omegaconf import OmegaConf

from experiments.app.hydra_speed import FileConfigSource


def source(folder):
    return FileConfigSource("test", f"file://{folder}")


def test_what_is_given_is_a_copy(tmp_path):
    (tmp_path / "a.yaml").write_text("# @package _global_\ndefaults: [b]\nkey: 1\n")
    first = source(tmp_path).load_config("a")
    first.config.pop("defaults")
    first.header["package"] = "other"
    again = source(tmp_path).load_config("a")
    assert OmegaConf.to_container(again.config) == {"defaults": ["b"], "key": 1}
    assert again.header["package"] == "_global_" and again.provider == "test"


def test_a_file_is_parsed_once_until_it_changes(tmp_path, monkeypatch):
    parsed = []
    load = OmegaConf.load
    monkeypatch.setattr(OmegaConf, "load", lambda file: parsed.append(file.name) or load(file))
    path = tmp_path / "a.yaml"
    path.write_text("key: 1\n")
    assert [source(tmp_path).load_config("a").config.key for _ in range(3)] == [1, 1, 1] and len(parsed) == 1
    path.write_text("key: 2\n")
    os.utime(path, ns=(1, 1))  # a clock may be too coarse to tell the two writes apart
    assert source(tmp_path).load_config("a").config.key == 2 and len(parsed) == 2


def test_a_file_that_is_not_there_is_refused_as_hydra_does(tmp_path):
    with pytest.raises(ConfigLoadError, match="nothing"):
        source(tmp_path).load_config("nothing")
