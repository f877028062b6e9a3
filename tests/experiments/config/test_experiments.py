"""The experiments of Hashimoto et al. 2012 and Ramanujan et al. 2010 say what the documents say."""

import math

import pytest

from experiments import (
    match,
)
from experiments.app.error_messages import CONF
from experiments.config.schema import Checked, PlayerConfig
from gpumcts import options
from gpumcts.playouts.evaluation import Evaluation
from gpumcts.playouts.go.options import GoPolicy
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.staged import Staged
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.settings import Settings
from tests.experiments.config.drivers import composed


@pytest.mark.parametrize("table", ["table1a", "table1b"])
def test_the_decays_of_hashimoto2012(table):
    """decay = 1 - 0.1^k, and what stands for it is the decimal the document means, to the last bit."""
    name = f"experiment=hashimoto2012accelerated/{table}"
    for k in range(1, 8):
        config = match.match_config(composed("match", name, f"k={k}"))
        assert config.player.operator.decay == float("0." + "9" * k)
        assert config.player.rule.exploration == config.opponent.rule.exploration == 1.0
        assert config.study.k == k


@pytest.mark.parametrize(
    "board, policy, title, option",
    [
        ("othello", "own", "uniform", Uniform()),
        ("amazons", "own", "drawn in stages", Staged()),
        ("go", "own", "Fuego's order", GoPolicy()),
        ("chess", "mm2", "MM-2", Minimax(depth=2)),
    ],
)
def test_a_game_has_playouts_of_its_own(board, policy, title, option):
    words = ("experiment=playouts/random_vs_informed", "scale=small", f"board={board}", f"policy={policy}")
    config = match.match_config(composed("match", *words))
    assert config.study.title == title and config.opponent.policy == Uniform()
    assert config.player.policy == option


@pytest.mark.parametrize("table", ["table1a", "table1b"])
def test_the_scales_of_an_experiment_take_effect(table):
    name = f"experiment=hashimoto2012accelerated/{table}"
    document, small = (composed("match", name, f"scale={scale}") for scale in ("document", "small"))
    assert (document["games"], document["budget"]["iterations"]) == (1000, 50_000)
    assert small["games"] < 1000 and small["budget"]["iterations"] < 50_000
    assert small["opponent"]["budget"]["iterations"] == small["budget"]["iterations"]
    assert (
        composed("match", name, "scale=small", "games=7", "budget.iterations=9")["opponent"]["budget"]["iterations"]
        == 9
    )


@pytest.mark.parametrize("game, extra, final", [("othello", 0, "value"), ("havannah", 0, "value"), ("go", 1, "visits")])
@pytest.mark.parametrize("table", ["table1a", "table1b"])
def test_go_has_fuegos_settings_in_table_1(table, game, extra, final):
    """On both sides: its bias, with which its urgency of 1 is to try every move once, and its most visited move."""
    config = match.match_config(composed("match", f"experiment=hashimoto2012accelerated/{table}", f"game={game}"))
    assert config.player.settings == config.opponent.settings == Settings(final=final)
    assert config.player.rule == config.opponent.rule == options.option("selection", "ucb1")(extra_visits=extra)
    fuego = match.match_config(composed("match", "search=fuego")).player.settings
    assert fuego == Settings(first_play_urgency=1.0)


@pytest.mark.parametrize(
    "option, rule, urgency, policy",
    [
        ("rave_go", ("rave", {}), 1.0, GoPolicy()),
        ("go", ("ucb1", {"extra_visits": 1}), math.inf, GoPolicy()),
        ("rave_uniform", ("rave", {}), 1.0, Uniform()),
    ],
)
def test_our_go_player_against_gnu_go(option, rule, urgency, policy):
    """Fuego's urgency with RAVE; without, its bias, with which every move is tried once."""
    player = match.match_config(composed("match", "experiment=go/gnugo", f"option={option}")).player
    name, values = rule
    assert player.rule == options.option("selection", name)(**values)
    assert player.settings == Settings(first_play_urgency=urgency) and player.policy == policy


@pytest.mark.parametrize("k", range(1, 7))
def test_table_2_of_hashimoto2012(k):
    """RAVE on both sides, the column and k of the player alone."""
    for column, name in (("a", "Accelerated"), ("b", "Discounted")):
        overrides = ("experiment=hashimoto2012accelerated/table2", f"column={column}", f"k={k}", "round=confirm")
        config = match.match_config(composed("match", *overrides))
        operator, plain = config.player.operator, config.opponent.operator
        assert (type(operator).__name__, operator.decay) == (name, float("0." + "9" * k))
        assert type(plain).__name__ == "Average"
        assert config.player.rule == config.opponent.rule == options.option("selection", "rave")()
        assert config.player.settings == config.opponent.settings == Settings(first_play_urgency=1.0)
        assert (config.keys.seed, config.keys.games, config.player.iterations) == (2, 1000, 50_000)


def ramanujan(item: str, cell: str) -> Checked:
    return match.match_config(composed("match", f"experiment=ramanujan2010understanding/{item}", f"cell=chess/{cell}"))


def tree_of(player: PlayerConfig) -> tuple:
    """What a UCT player of Ramanujan et al. 2010 is made of: iterations, leaf, rule, and what decides the move; backup
    is the average."""
    assert (player.name, type(player.operator).__name__) == ("uct", "Average")
    assert player.settings == Settings(final=player.settings.final)
    return player.iterations, player.policy, player.rule, player.settings.final


UCB1 = options.option("selection", "ucb1")(exploration=0.4, lowest_reward=-1)
"""On both sides of Ramanujan et al. 2010's matches in Chess: C = 0.4, results in {-1, 0, 1}."""


@pytest.mark.parametrize("k, nodes", [(2, 1000), (4, 10_000), (6, 200_000)])
def test_table_1_of_ramanujan2010(k, nodes):
    """UCT of the document's nodes, and a random player, against MM-k-R."""
    uct, random = (ramanujan("table1", f"{name}_mm{k}r") for name in ("uct", "random"))
    assert tree_of(uct.player) == (nodes, Uniform(), UCB1, "visits") and random.player.name == "random"
    for config in (uct, random):
        assert config.opponent.identity["player"]["leaf"] == "playout" and config.keys.games == 100
        assert (config.opponent.name, config.opponent.budget.depth) == ("minimax", k)


def test_uct_may_have_the_nodes_that_mm_k_r_visits_in_table_1_of_ramanujan2010():
    """In place of the document's number of nodes."""
    words = ("cell=chess/uct_mm2r", "budget.iterations=null", "budget.matched=4")
    config = match.match_config(composed("match", "experiment=ramanujan2010understanding/table1", *words))
    assert (config.player.budget.matched, config.player.iterations, config.opponent.budget.depth) == (4, 0, 2)


def test_mm6r_against_mm2r_in_table_1_of_ramanujan2010():
    config = ramanujan("table1", "mm6r_mm2r")
    sides = config.player, config.opponent
    assert [(side.name, side.own.leaf, side.budget.depth) for side in sides] == [
        ("minimax", "playout", 6),
        ("minimax", "playout", 2),
    ]


@pytest.mark.parametrize(
    "iterations, final", [(50, "value"), (100, "value"), (1000, "visits")]
)  # few iterations leave nearly all moves with as many visits
def test_uct_h_against_uct_in_section_4_of_ramanujan2010(iterations, final):
    config = ramanujan("sec4", f"uct_h_{iterations}")
    assert tree_of(config.player) == (iterations, Evaluation("linear"), UCB1, final)
    assert tree_of(config.opponent) == (10_000, Uniform(), UCB1, "visits") and config.keys.games == 100


def test_uct_h_against_mm2_in_section_4_of_ramanujan2010():
    config = ramanujan("sec4", "uct_h_mm2")
    assert tree_of(config.player) == (50_000, Evaluation("linear"), UCB1, "visits")
    opponent = config.opponent
    assert (opponent.name, opponent.own.leaf, opponent.own.quiescence) == ("minimax", "evaluation", False)
    assert (opponent.budget.depth, config.keys.games) == (2, 400)


def test_every_cell_of_ramanujan2010_in_chess_is_tested():
    """Those above are all there are."""
    cells = {file.stem for file in (CONF / "cell/chess").glob("*.yaml")}
    mm = {f"{name}_mm{k}r" for name in ("uct", "random") for k in (2, 4, 6)} | {"mm6r_mm2r"}
    assert cells == mm | {"uct_h_50", "uct_h_100", "uct_h_1000", "uct_h_mm2"}
