"""What rests on evaluations is refused on a game that has none; those of the library that say 0 do have one."""

import pytest

import gpumcts as g
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


@pytest.fixture
def silent(tmp_path):
    """The name of a game that has no body of ``evaluation``."""
    with heap.importable(tmp_path, "silent_lab.heap") as name:
        yield name


@pytest.mark.parametrize("asking", ASKING)
def test_it_is_refused_from_python(asking, silent):
    with pytest.raises(g.BadInput) as refusal:
        ASKING[asking](g.make(silent))
    how = "write one, @contract.evaluation.implements(Heap)"
    assert str(refusal.value) == f"{asking}: game={silent} has no evaluation: {how}"


def test_what_rests_on_results_alone_goes_on(silent):
    check_policy(g.playouts.Uniform(), g.make(silent))


@pytest.mark.parametrize("name", options.names("game"))
def test_games_of_the_library_say_it(name):
    assert has_evaluation(options.compiled(options.option("game", name)()))
