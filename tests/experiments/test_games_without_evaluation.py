"""Commands refuse what rests on evaluations on a game that has none, and the check of a game says so."""

import pytest

import gpumcts as g
from experiments import check_game, match
from experiments.config.schema import PlayerConfig
from experiments.players.kinds import minimax
from tests.games.conformance import heap

COMMANDS = {
    "opponent.playout=evaluation": "playout@opponent.playout=evaluation",
    "opponent.player=minimax": "player=random player@opponent.player=minimax budget@opponent.budget=depth",
    "opponent.backup=implicit_minimax": "backup@opponent.backup=implicit_minimax",
}


@pytest.fixture
def silent(tmp_path):
    """The name of a game that has no body of ``evaluation``."""
    with heap.importable(tmp_path, "silent_lab.heap") as name:
        yield name


@pytest.mark.parametrize("key", COMMANDS)
def test_it_is_refused_by_a_command_before_a_folder_is_made(key, silent, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "conf" / "game" / "heap.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"name: {silent}\n")
    assert match.COMMAND.main(["--config-dir", "conf", "game=heap", "games=2", *COMMANDS[key].split()]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {key}: game={silent} has no evaluation: ")
    assert not (tmp_path / "outputs").exists()


def test_minimax_over_playouts_goes_on(silent):
    keys = minimax.MinimaxKeys(leaf="playout")
    minimax.KIND.check(g.make(silent), PlayerConfig("minimax", {}, own=keys), "")


def test_a_user_who_writes_none_is_told_by_the_check(silent):
    assert check_game._minimax(g.make(silent)).startswith(
        "refused, as player=pvs and all else that rests on an evaluation"
    )
    assert check_game._minimax(g.make("connect_four")) == "plays it in lanes"
