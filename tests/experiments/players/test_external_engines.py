"""How a configuration starts an external engine, and that one of a user's own is a module and a file."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from experiments.players.external_engines import launch_of
from experiments.players.kinds.uci import UciPlayerKeys

ROOT = Path(__file__).resolve().parents[3]
FAKE = shlex.join([sys.executable, "-I", str(ROOT / "tests/players/fake_program.py")])


def test_the_limit_of_time_is_told_to_the_program_and_to_us():
    assert launch_of(UciPlayerKeys(command="cat", seconds=0.25))[1:] == ("movetime 250", {}, 60.0, 0.25)
    assert launch_of(UciPlayerKeys(command="cat", depth=3))[1:] == ("depth 3", {}, 60.0, None)


ENGINE = '''
"""player=shouting: a program that speaks GTP, whose commands are in capitals."""

from typing import NamedTuple

from experiments.players.contract import Program
from experiments.players.external_engines import Patience, Processes, external_engine
from gpumcts.errors import BadInput
from gpumcts.players.gtp import GtpPlayer, GtpLaunch, probe


class ShoutingKeys(NamedTuple):
    name: str = "our_lab.shouting"
    command: str | None = None
    seconds: float | None = None
    patience: Patience = 60.0
    processes: Processes = 1
    volume: int = 3


def launch(words, keys, prefix):
    if keys.volume > 11:
        raise BadInput(f"{prefix}player.volume={keys.volume}: must be at most 11")
    return GtpLaunch([*words, "plays"], (), None, keys.patience)


KIND = external_engine(ShoutingKeys, Program(launch, probe, GtpPlayer, "shout --loud"))
'''


@pytest.fixture
def lab(tmp_path, monkeypatch):
    (tmp_path / "our_lab").mkdir()
    (tmp_path / "our_lab/__init__.py").touch()
    (tmp_path / "our_lab/shouting.py").write_text(ENGINE)
    (tmp_path / "conf/player").mkdir(parents=True)
    keys = "name: our_lab.shouting\ncommand: null\nseconds: null\npatience: 60\nprocesses: 1\nvolume: 3\n"
    (tmp_path / "conf/player/shouting.yaml").write_text(f"# a program that shouts\n{keys}")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_an_engine_of_ones_own_is_one_module_and_one_file(lab, run, only):
    line = "match --config-dir conf games=2 game=dots_and_boxes player=shouting player@opponent.player=random"
    done = run(line, f"player.command='{FAKE}'")
    assert done.code == 0, done.err
    summary = json.loads((only("outputs/match/*") / "summary.json").read_text())
    assert summary["games"] == 2 and summary["player"]["forfeited"] == 0
    for words, said in (
        ([], "player.command=null: name the program, such as 'player.command=\"shout --loud\"'"),
        ([f"player.command='{FAKE}'", "player.volume=12"], "player.volume=12: must be at most 11"),
    ):
        refused = run(line, *words)
        assert refused.code == 2 and said in refused.err and refused.err.count("\n") == 1, refused.err
