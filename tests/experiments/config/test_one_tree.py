"""Leaves a batch of commands that search one position: the game's, unless somebody names a number."""

import pytest

from experiments.app.error_messages import CONF
from experiments.app.serving import serving_config, tell_batches
from experiments.config.command_options import GtpKeys, UciKeys
from experiments.config.one_tree import BATCHES, FEW, leaves_of
from experiments.players.kinds.uct import searching_player
from gpumcts.errors import BadInput
from tests.experiments.config.drivers import composed

ONE_TREE = ("search", "gtp", "uci")
OTHELLO = 1024
NAMED = sorted(file.stem for file in (CONF / "one_tree").glob("*.yaml"))


def leaves(command, *overrides):
    return composed(command, *overrides)["search"]["leaves_per_tree"]


@pytest.mark.parametrize("command", ONE_TREE)
@pytest.mark.parametrize(
    "overrides, expected",
    [
        (["budget=seconds"], OTHELLO),
        (["budget=seconds", "search.leaves_per_tree=3"], 3),
        (["budget=seconds", "search=sensei"], OTHELLO),
        (["budget=seconds", "search.table=1000"], 1),
        ([f"budget.iterations={BATCHES * OTHELLO}"], OTHELLO),
        ([f"budget.iterations={BATCHES * OTHELLO - 1}"], OTHELLO - 1),
        ([f"budget.iterations={BATCHES * 8}", "search.roots=2"], 4),
        (["budget=seconds", "budget.seconds=.inf"], OTHELLO),
        (["budget=seconds", "budget.seconds=nonsense"], OTHELLO),
        (["budget=seconds", "budget.seconds=0.01"], 10_000 // BATCHES),
        (["budget=seconds", "search.roots=4"], OTHELLO // 4),
        (["budget=seconds", "budget.playouts_per_leaf=8"], OTHELLO // 8),
        (["budget=seconds", "budget.playouts_per_leaf=1024"], FEW),
        (["budget=seconds", "search.in_flight=virtual_loss"], FEW),
        (["budget=seconds", "search.in_flight=unobserved"], OTHELLO),
        (["budget=seconds", "selection=bast"], FEW),
        (["budget=seconds", "selection.exploration=0"], FEW),
        (["budget.iterations=1"], 1),
        (["budget.iterations=nonsense"], OTHELLO),
    ],
)
def test_leaves_of_one_tree(command, overrides, expected):
    budget = [] if overrides[0].startswith("budget=") else ["budget=iterations"]
    assert leaves(command, "game=othello", *budget, *overrides) == expected


@pytest.mark.parametrize(
    "overrides, expected",
    [
        ([], "unobserved"),
        (["search=sensei", "selection=sensei"], "unobserved"),
        (["search.leaves_per_tree=1"], "virtual_loss"),
        (["search.leaves_per_tree=1", "search.batches_in_flight=2"], "unobserved"),
        (["search.in_flight=virtual_loss"], "virtual_loss"),
        (["selection=bast"], "virtual_loss"),
        (["selection=rave"], "virtual_loss"),
        (["selection=rave", "selection.exploration=0.1"], "unobserved"),
        (["search.table=100"], "virtual_loss"),
    ],
)
def test_samples_in_flight_are_unobserved_where_visits_count(overrides, expected):
    """And where something is in flight: what nobody asked for is not refused."""
    plain = composed("gtp", "game=othello", *overrides)
    assert plain["search"]["in_flight"] == expected
    assert searching_player(plain).settings.in_flight == expected


@pytest.mark.parametrize("overrides", [["selection.exploration=x"], ["selection.name=my.rule"], ["search.in_flight=x"]])
def test_what_is_no_rule_is_refused_by_its_own_keys(overrides):
    with pytest.raises(BadInput, match=overrides[0].partition("=")[0]):
        searching_player(composed("gtp", "game=othello", *overrides))


@pytest.mark.parametrize("command", ONE_TREE)
def test_a_game_of_which_nothing_is_said_takes_one(command):
    assert "gomoku" not in NAMED and leaves(command, "game=gomoku", "budget=seconds") == 1


def test_a_match_takes_one():
    assert [leaves("match", f"game={game}") for game in NAMED] == [1] * len(NAMED)


@pytest.mark.parametrize("game", NAMED)
def test_the_searches_of_a_paper_take_one(game):
    assert leaves("search", "experiment=hashimoto2012accelerated/overhead", f"game={game}") == 1


@pytest.mark.parametrize("game", NAMED)
def test_what_conf_says_is_a_number_that_a_search_takes(game):
    player = searching_player(composed("gtp", f"game={game}"))
    assert player.settings.leaves_per_tree > 1


def test_trees_share_a_budget():
    assert [leaves_of(64, 6_400, roots) for roots in (1, 2, 3, 200)] == [64, 64, 42, 1]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (f"budget.iterations={BATCHES}", f"{BATCHES} iterations, "),
        (f"budget.iterations={2 * BATCHES}", f"{2 * BATCHES} iterations in batches of 2 leaves, "),
        ("budget.iterations=9 search.leaves_per_tree=64", "9 iterations in batches of 9 leaves, "),
    ],
)
def test_a_search_tells_how_many(run, keys, told):
    done = run(f"search {keys} engine=cpu threads=1")
    assert done.code == 0, done.err
    assert told in done.out


@pytest.mark.parametrize("command", ["gtp", "uci"])
@pytest.mark.parametrize("game, told", [("othello", f"searches in batches of {OTHELLO:,} leaves"), ("gomoku", "")])
def test_an_engine_tells_how_many(capsys, command, game, told):
    tell_batches(serving_config(composed(command, f"game={game}"), {"gtp": GtpKeys, "uci": UciKeys}[command], command))
    assert capsys.readouterr().err.split(" (")[0].strip() == told
