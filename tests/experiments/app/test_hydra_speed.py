"""Files of configuration are read once, and again where they change; sweeps still refuse what cannot be composed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.hydra_config import HydraConfig
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigLoadError
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from experiments.app import departures, flags
from experiments.app.error_messages import CONF
from experiments.app.hydra_speed import OwnFolder, ParsedFiles, quicken
from experiments.app.overrides import combinations
from gpumcts import __version__
from gpumcts.errors import BadInput

ROOT = Path(__file__).resolve().parents[3]


def source(folder):
    return ParsedFiles("test", f"conf://{folder}")


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


def test_a_folder_tells_its_groups_and_files(tmp_path):
    (tmp_path / "game/more").mkdir(parents=True)
    for name in ("game/go.yaml", "game/chess.yaml", "game/more/hex.yaml", "game/notes.txt"):
        (tmp_path / name).write_text("key: 1\n")
    files = source(tmp_path)
    assert files.available() and not source(tmp_path / "none").available()
    assert files.is_group("game") and not files.is_group("game/go")
    assert files.is_config("game/go") and not files.is_config("game/hex")
    assert files.list("game", ObjectType.CONFIG) == ["chess", "go"]
    assert files.list("game", ObjectType.GROUP) == ["more"]
    assert files.list("game", None) == ["chess", "go", "more"]


def test_our_own_folder_is_read_by_it_and_others_by_hydra(tmp_path):
    """A second call registers nothing twice."""
    quicken()
    quicken()
    assert Plugins.instance().discover(SearchPathPlugin).count(OwnFolder) == 1
    for folder, scheme in ((CONF, "conf"), (tmp_path, "file")):
        (tmp_path / "perft.yaml").write_text("key: 1\n")
        with initialize_config_dir(str(folder), version_base="1.3"):
            composed = compose("perft", return_hydra_config=True)
        HydraConfig.instance().set_config(composed)
        (main,) = (one for one in HydraConfig.get().runtime.config_sources if one.provider == "main")
        assert (main["schema"], main.path) == (scheme, str(folder))


def test_no_module_takes_what_is_hydras_own():
    """A release of Hydra may change its ``_internal`` without a word."""
    own = re.compile(r"hydra\._internal|from hydra import _[a-z]")
    folders = ("experiments", "gpumcts", "benchmarks", "hydra_plugins", "tests")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if path != Path(__file__)]
    assert len(files) > 100
    assert [str(path) for path in files if own.search(path.read_text("utf-8"))] == []


def test_flags_of_a_command_line():
    found = flags.parsed(["-cd", "mine", "a=1", "b=2,3", "--cfg", "job", "--resolve"])
    assert found.config_dir == "mine" and found.overrides == ["a=1", "b=2,3"]
    assert (found.cfg, found.resolve, found.info, found.help, found.multirun) == ("job", True, None, False, False)
    assert flags.parsed(["-m"]).multirun and flags.parsed(["-i"]).info == "all"
    assert (flags.parsed([]).config_name, flags.parsed(["-cn", "other"]).config_name) == (None, "other")


def test_the_version_is_ours_before_hydras(capsys):
    with pytest.raises(SystemExit, match="0"):
        flags.parsed(["--version"])
    assert re.fullmatch(rf"gpumcts {re.escape(__version__)}, Hydra 1\.3\.\d+\n", capsys.readouterr().out)


def test_every_flag_of_hydra_is_known():
    """As Hydra's own help lists them; in a process of its own, whose logging Hydra may set."""
    words = [sys.executable, "-m", "experiments.perft", "--hydra-help"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^(--[\w-]+)(?:,(-\w+))? : ", told, re.MULTILINE)
    known = {word for action in flags._parser()._actions for word in action.option_strings}
    assert len(listed) > 10 and {word for pair in listed for word in pair if word} == known


@pytest.mark.parametrize("words", [["--rnu"], ["--cfg", "jobs"], ["-cd"], ["-i", "nothing"]])
def test_a_flag_that_is_none_is_refused_in_a_line(words):
    with pytest.raises(BadInput, match=r"^[^\n]+; --help shows what there is$"):
        flags.parsed(words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-m", "--cfg", "job"], "--multirun and --cfg do not go together"),
        (["--resolve"], "--resolve goes with --cfg"),
    ],
)
def test_flags_that_do_not_go_together(words, said):
    """Hydra answers them with a traceback."""
    with pytest.raises(BadInput, match=said):
        flags.parsed(words)


def test_the_runs_of_a_sweep():
    """Every combination, the last key fastest; a key given again is where it was, with its last values."""
    given = OverridesParser.create().parse_overrides(["a=1,2", "+b=x", "c=range(0,3)", "~d", "e='p,q'", "a=3,4"])
    rows = combinations(given)
    assert len(rows) == 6 and rows[0] == ["a=3", "+b=x", "c=0", "~d=null", "e='p,q'"]
    assert [(row[0], row[2]) for row in rows[:4]] == [("a=3", "c=0"), ("a=3", "c=1"), ("a=3", "c=2"), ("a=4", "c=0")]
    with pytest.raises(BadInput, match="a range is for a sweeper"):
        combinations(OverridesParser.create().parse_overrides(["a=interval(0,1)"]))


def test_the_own_configuration_of_a_command_is_composed_once_for_all_its_runs(run, monkeypatch):
    """Sides without a search have groups that do not count: all are compared with what is usual."""
    asked, real = [], departures.compose

    def counted(name, overrides, **keys):
        asked.append((name, *overrides))
        return real(name, overrides, **keys)

    monkeypatch.setattr(departures, "compose", counted)
    line = "match -m seed=1,2 player=random player@opponent.player=random game=dots_and_boxes games=2"
    assert run(f"{line} threads=1 engine=cpu hydra.sweep.dir=of").code == 0
    assert asked.count(("match",)) == 1
