"""A user's own player is one module and one YAML file: chosen, configured, budgeted, labelled, resumed as others."""

import json
import sys
import textwrap

import pytest

PLAYER = '''
"""player=cautious: the first legal move, or the last one; it counts the moves that it looked at."""

from typing import NamedTuple

import numpy as np

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig
from experiments.config.validation import typed
from experiments.players.contract import Kind
from gpumcts.kernels.batch import Rules


class CautiousKeys(NamedTuple):
    name: str = "my_lab.cautious"
    last: bool = False


class Cautious:
    trusted, concurrent, remembers, playouts, seconds = True, False, False, 0, 0.0

    def __init__(self, context, looks, last):
        self.name, self.iterations, self._rules = context.name, 0, Rules(context.game)
        self._looks, self._last = looks, last

    def choose(self, states, keys, games, stop=None):
        moves = [self._rules.legal_moves(words) for words in states]
        self.iterations += sum(min(len(some), self._looks) for some in moves)
        return np.array([some[-1 if self._last else 0] for some in moves], np.int64)

    def forget(self, games):
        return None


def configured(plain, prefix):
    keys = typed(CautiousKeys, plain["player"], f"{prefix}player")
    budget = budget_of(plain["budget"], prefix, "cautious", ("iterations",))
    identity = {"player": keys._asdict(), "budget": {"iterations": budget.iterations}}
    return PlayerConfig(keys.name, identity, budget=budget, own=keys)


KIND = Kind(
    configured,
    lambda player, context, looks: Cautious(context, looks, player.own.last),
    keys=CautiousKeys,
    groups=("budget",),
    units=("iterations",),
    counted="looks",
    chance=False,
    label=lambda identity: "cautious",
)
'''
WORDS = "--config-dir conf games=4 game=dots_and_boxes player@opponent.player=random budget.iterations=3"


@pytest.fixture
def lab(tmp_path, monkeypatch):
    (tmp_path / "my_lab").mkdir()
    (tmp_path / "my_lab/__init__.py").touch()
    (tmp_path / "my_lab/cautious.py").write_text(textwrap.dedent(PLAYER))
    (tmp_path / "my_lab/broken.py").write_text("import numpy\nKIND = nothing\n")
    (tmp_path / "conf/player").mkdir(parents=True)
    (tmp_path / "conf/player/cautious.yaml").write_text("# the first legal move\nname: my_lab.cautious\nlast: false\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions within a second have the same stamp
    yield
    forget()


def forget():
    """Load the module anew, as another process does."""
    for name in ("my_lab", "my_lab.cautious"):
        sys.modules.pop(name, None)


def test_a_player_of_ones_own_sits_at_the_board(lab, run, only):
    done = run(f"match {WORDS} player=cautious")
    assert done.code == 0, done.err
    summary = json.loads((only("outputs/match/*") / "summary.json").read_text())
    assert summary["games"] == 4 and summary["player"]["label"] == "cautious"
    assert summary["player"]["counted"] == "looks" and 0 < summary["player"]["made_a_move"] <= 3
    assert "looks a move" in done.out and only("outputs/match/*").name.startswith("dots_and_boxes_cautious_vs_random")
    again = run(f"match {WORDS} player=cautious player.last=true hydra.run.dir=last")
    assert again.code == 0 and json.loads(only("last/summary.json").read_text())["digest"] != summary["digest"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("player=cautious player.last=1", "player.last=1: must be true or false"),
        ("player=cautious playout=minimax", "playout does not count for player=my_lab.cautious; leave it out"),
        ("player=cautious budget=depth", "takes iterations; e.g. budget=iterations"),
        ("player=cautious game=dice_duel", "player=my_lab.cautious: in DiceDuel chance moves"),
        ("player=cautious player.name=my_lab.nobody", "player.name=my_lab.nobody: cannot import it: "),
        ("player=cautious player.name=my_lab.broken", "player.name=my_lab.broken: my_lab/broken.py:2: NameError: name"),
        ("player=cautious player.name=my_lab", "player.name=my_lab is not known; there are: alpha_beta, gtp, mc, "),
        ("player=cautious player.name=tests.recorded", "player.name=tests.recorded: the module has no KIND of player"),
    ],
)
def test_what_is_wrong_with_it_is_one_line(lab, run, tmp_path, words, said):
    done = run(f"match --config-dir conf games=4 player@opponent.player=random {words}")
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1, done.err
    assert not (tmp_path / "outputs").exists()


def test_an_edit_of_its_module_is_another_player(lab, run, tmp_path):
    line = f"match {WORDS} player=cautious hydra.run.dir=one"
    assert run(line).code == 0
    file = tmp_path / "my_lab/cautious.py"
    text = file.read_text()
    file.write_text(text.replace("-1 if self._last", "-2 if self._last"))
    forget()
    edited = run(line)
    said = "error: my_lab/cautious.py has changed since the run in one; start in another folder\n"
    assert (edited.code, edited.err) == (2, said)
    file.write_text(text)
    forget()
    again = run(line)
    assert again.code == 0 and "nothing was left to do" in again.err


def test_an_edit_of_the_opponents_module_is_seen_too(lab, run, tmp_path):
    line = "match --config-dir conf games=2 game=dots_and_boxes player=random player@opponent.player=cautious"
    line += " budget.iterations=3 hydra.run.dir=one"
    assert run(line).code == 0
    with (tmp_path / "my_lab/cautious.py").open("a") as file:
        file.write("# another version\n")
    forget()
    assert run(line).err.startswith("error: my_lab/cautious.py has changed since the run in one; ")
