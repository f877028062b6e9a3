"""What rests on evaluations is refused on a game that has none; those of the library that say 0 do have one."""

import pytest

import gpumcts as g
from experiments.config.schema import PlayerConfig
from gpumcts import options
from gpumcts.games.contract import has_evaluation
from gpumcts.playouts.contract import check_policy
from tests.games.conformance import heap

ASKING = {
    "playout=minimax": lambda game: g.Search(game, playout="minimax"),
    "playout=evaluation": lambda game: g.Search(game, playout="evaluation"),
    "playout.truncate=3": lambda game: g.Search(game, playout=g.playouts.Uniform(truncate=3)),
    "backup=heuristic_prior": lambda game: g.Search(game, backup="heuristic_prior"),
    "player=pvs": lambda game: g.play_match(game, (g.players.Pvs(depth=1), g.players.Random()), games=2),
    "player=minimax": lambda game: g.play_match(game, (g.players.Random(), g.players.Minimax(depth=1)), games=2),
}
COMMANDS = {
    "opponent.playout=evaluation": "playout@opponent.playout=evaluation",
    "opponent.player=minimax": "player=random player@opponent.player=minimax budget@opponent.budget=depth",
    "opponent.backup=implicit_minimax": "backup@opponent.backup=implicit_minimax",
}


@pytest.fixture
def silent(tmp_path, monkeypatch):
    """The name of a game that has no body of ``evaluation``."""
    monkeypatch.syspath_prepend(str(tmp_path))
    heap.write(tmp_path, "silent_lab.heap")
    yield "silent_lab.heap"
    heap.forget("silent_lab.heap")


@pytest.mark.parametrize("asking", ASKING)
def test_it_is_refused_from_python(asking, silent):
    with pytest.raises(g.BadInput) as refusal:
        ASKING[asking](g.make(silent))
    how = "write one, @contract.evaluation.implements(Heap)"
    assert str(refusal.value) == f"{asking}: game={silent} has no evaluation: {how}"


@pytest.mark.parametrize("key", COMMANDS)
def test_it_is_refused_by_a_command_before_a_folder_is_made(key, silent, tmp_path, monkeypatch, capsys):
    from experiments.match import COMMAND

    monkeypatch.chdir(tmp_path)
    file = tmp_path / "conf" / "game" / "heap.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"name: {silent}\n")
    assert COMMAND.main(["--config-dir", "conf", "game=heap", "games=2", *COMMANDS[key].split()]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {key}: game={silent} has no evaluation: ")
    assert not (tmp_path / "outputs").exists()


def test_what_rests_on_results_alone_goes_on(silent):
    from experiments.players.kinds import minimax

    game, keys = g.make(silent), minimax.MinimaxKeys(leaf="playout")
    minimax.KIND.check(game, PlayerConfig("minimax", {}, own=keys), "")
    check_policy(g.playouts.Uniform(), game)


@pytest.mark.parametrize("name", options.names("game"))
def test_games_of_the_library_say_it(name):
    assert has_evaluation(options.compiled(options.option("game", name)()))


def test_a_user_who_writes_none_is_told_by_the_check(silent):
    from experiments.check_game import _minimax

    assert _minimax(g.make(silent)).startswith("refused, as player=pvs and all else that rests on an evaluation")
    assert _minimax(g.make("connect_four")) == "plays it in lanes"
