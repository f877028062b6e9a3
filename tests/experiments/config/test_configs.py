"""Every configuration composes, and conf/ and the classes say the same keys with the same defaults."""

import math
import re
import shlex
from pathlib import Path

import pytest
import yaml
from hydra import compose, initialize_config_dir
from hydra._internal.utils import get_args_parser

from experiments import (
    bench,
    doctor,
    gtp,
    match,
    perft,
    pgn,
    planning,
    playouts,
    rank,
    report,
    search,
    sgf,
    traps,
    trees,
    uci,
    worked,
)
from experiments.app.error_messages import CONF, choices
from experiments.app.help import help_text
from experiments.app.hydra_speed import quicken
from experiments.app.task import plain_of
from experiments.config import command_options as keys
from experiments.config.budgets import Budget
from experiments.config.schema import Checked, PlayerConfig
from experiments.players import registry
from gpumcts import options
from gpumcts.playouts.evaluation import Evaluation
from gpumcts.playouts.go.options import GoPolicy
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.staged import Staged
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.settings import Settings

COMMANDS = {
    command.name: command
    for command in (
        m.COMMAND
        for m in (
            match,
            playouts,
            perft,
            search,
            gtp,
            uci,
            rank,
            traps,
            trees,
            planning,
            report,
            sgf,
            pgn,
            doctor,
            bench,
            worked,
        )
    )
}
GROUPS = ("game", "player", "playout", "selection", "backup", "search", "budget", "engine")
OPTION_KINDS = ("game", "playout", "selection", "backup")
FILES = sorted(CONF.rglob("*.yaml"))
OVERLAYS = [file for group in ("preset", "cell", "experiment") for file in sorted((CONF / group).rglob("*.yaml"))]


@pytest.fixture(autouse=True, scope="module")
def quick_hydra():
    """As every command has it."""
    quicken()


def composed(command: str, *overrides: str) -> dict:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return plain_of(compose(command, list(overrides)))


def read(file: Path) -> dict:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def said(values: dict) -> dict:
    """Keys with values and types, so that 1 does not pass for 1.0."""
    return {key: (value, type(value)) for key, value in values.items()}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in OPTION_KINDS for name in options.names(kind)])
def test_an_option_and_its_file_say_the_same(kind, name):
    fields = read(CONF / kind / f"{name}.yaml")
    assert fields.pop("name") == name
    assert said(fields) == said(options.option(kind, name)._field_defaults)


@pytest.mark.parametrize("kind", OPTION_KINDS)
def test_every_file_of_an_option_names_a_module(kind):
    assert choices(kind) == options.names(kind)


@pytest.mark.parametrize(
    ("file", "cls"),
    [
        ("match", keys.MatchKeys),
        ("playouts", keys.PlayoutsKeys),
        ("trees", trees.TreesKeys),
        ("rank", rank.RankKeys),
        ("traps", traps.TrapsKeys),
        ("perft", keys.PerftKeys),
        ("search", keys.SearchKeys),
        ("gtp", keys.GtpKeys),
        ("uci", keys.UciKeys),
        ("report", keys.ReportKeys),
        ("sgf", keys.SgfKeys),
        ("pgn", keys.SgfKeys),
        ("bench", bench.BenchKeys),
        ("worked", worked.WorkedKeys),
    ],
)
def test_a_command_and_its_file_say_the_same(file, cls):
    keys = {key: value for key, value in read(CONF / f"{file}.yaml").items() if key not in ("defaults", "hydra")}
    assert said(keys) == said(cls._field_defaults)


def test_search_settings_and_their_file_say_the_same():
    defaults = {key: value for key, value in Settings()._asdict().items() if key != "playouts_per_leaf"}
    assert said(read(CONF / "search" / "default.yaml")) == said(defaults)


def test_budgets_and_their_class_say_the_same():
    fields = read(CONF / "budget/iterations.yaml")
    assert fields.pop("name") == "iterations"
    assert said(fields) == said(Budget()._asdict())
    for file in (CONF / "budget").glob("*.yaml"):
        assert list(read(file)) == ["name", *Budget._fields]


@pytest.mark.parametrize("name", [name for name in registry.names() if registry.kind_of(name).keys])
def test_the_keys_of_a_player_and_its_file_say_the_same(name):
    assert said(read(CONF / "player" / f"{name}.yaml")) == said(registry.kind_of(name).keys._field_defaults)


def test_every_player_that_searches_has_units():
    kinds = [registry.kind_of(name) for name in registry.names()]
    assert all(bool(kind.units) == ("budget" in kind.groups) for kind in kinds)
    assert all((kind.rated is not None) == ("seconds" in kind.units) for kind in kinds)


def test_a_players_file_is_named_in_the_schema():
    assert choices("player") == registry.names()


BESIDE = {
    ("playout", "go"): {"game": "go"},
    ("player", "pvs"): {"budget": "depth"},
    ("player", "minimax"): {"budget": "depth"},
    ("budget", "nodes"): {"player": "pvs"},
    ("budget", "depth"): {"player": "pvs"},
}
"""What else a choice needs: pvs and minimax take no iterations, nobody else takes nodes or a depth, and `go` plays Go alone."""


def players_of(game: str) -> int:
    return options.compiled(options.option("game", game)()).PLAYERS


@pytest.mark.parametrize("group", GROUPS)
def test_every_choice_composes_for_the_player(group):
    for choice in choices(group):
        if (group, choice) == ("budget", "same") or (group == "game" and players_of(choice) == 1):
            continue  # for opponents; for one player
        beside = [f"{key}={value}" for key, value in BESIDE.get((group, choice), {}).items()]
        others = ["player@opponent.player=random"] if beside else []
        if choice == "matched":  # which the other side must not
            others = ["budget@opponent.budget=iterations"]
        match.match_config(composed("match", f"{group}={choice}", *beside, *others))


@pytest.mark.parametrize("group", [group for group in GROUPS if group not in ("game", "engine")])
def test_every_choice_composes_for_the_opponent(group):
    for choice in choices(group):
        beside = BESIDE.get((group, choice), {}).items()
        others = [f"{key}={value}" if key == "game" else f"{key}@opponent.{key}={value}" for key, value in beside]
        match.match_config(composed("match", f"{group}@opponent.{group}={choice}", *others))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_composes_and_explains_itself(name):
    COMMANDS[name].check(composed(name), None)
    text = help_text(COMMANDS[name], CONF)
    keys = [key for key in read(CONF / f"{name}.yaml") if key not in ("defaults", "hydra")]
    assert all(f"  {key}=" in text for key in keys)
    assert f"python -m experiments.{name}" in text


LONG = (
    "recovery",
    "random_vs_informed",
    "evaluation",
    "decay",
    "fig4_variants",
    "go9",
    "rhino",
    "go/policy",
    "fig3",
    "sec6_claims",
    "table3",
    "fig6",
    "fig4",
    "fig5",
    "parallel/leaves",
)
"""Sweeps of many jobs, which are composed one by one. Single cells are slow too: their tables sweep over them."""


def _overlay(file):
    name = str(file.relative_to(CONF).with_suffix(""))  # one sweep has 128 jobs
    return pytest.param(
        file, id=name, marks=[pytest.mark.slow] if name.endswith(LONG) or name.startswith("cell/") else []
    )


@pytest.mark.parametrize("file", [_overlay(file) for file in OVERLAYS])
def test_an_overlay_begins_with_its_command(file):
    """The second line, after Hydra's own, is a command that composes, job by job."""
    package, command = file.read_text(encoding="utf-8").splitlines()[:2]
    assert package == "# @package _global_"
    words = shlex.split(command.removeprefix("# "))
    assert words[:2] == ["python", "-m"]
    group, *rest = file.relative_to(CONF).with_suffix("").parts
    assert f"{group}={'/'.join(rest)}" in words
    jobs, _ = COMMANDS[words[2].removeprefix("experiments.")]._jobs(get_args_parser().parse_args(words[3:]))
    assert jobs


@pytest.mark.parametrize("table", ["table1a", "table1b"])
def test_the_decays_of_document_002(table):
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
    words = ("experiment=playouts/random_vs_informed", "budget=small", f"board={board}", f"policy={policy}")
    config = match.match_config(composed("match", *words))
    assert config.study.title == title and config.opponent.policy == Uniform()
    assert config.player.policy == option


@pytest.mark.parametrize("table", ["table1a", "table1b"])
def test_the_scales_of_an_experiment_take_effect(table):
    name = f"experiment=hashimoto2012accelerated/{table}"
    document, small = (composed("match", name, f"budget={budget}") for budget in ("document", "small"))
    assert (document["games"], document["budget"]["iterations"]) == (1000, 50_000)
    assert small["games"] < 1000 and small["budget"]["iterations"] < 50_000
    assert small["opponent"]["budget"]["iterations"] == small["budget"]["iterations"]
    assert (
        composed("match", name, "budget=small", "games=7", "budget.iterations=9")["opponent"]["budget"]["iterations"]
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
def test_table_2_of_document_002(k):
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
    """What a UCT player of document 004 is made of: iterations, leaf, rule, and what decides the move; backup is the average."""
    assert (player.name, type(player.operator).__name__) == ("uct", "Average")
    assert player.settings == Settings(final=player.settings.final)
    return player.iterations, player.policy, player.rule, player.settings.final


UCB1 = options.option("selection", "ucb1")(exploration=0.4, lowest_reward=-1)
"""On both sides of document 004's matches in Chess: C = 0.4, results in {-1, 0, 1}."""


@pytest.mark.parametrize("k, nodes", [(2, 1000), (4, 10_000), (6, 200_000)])
def test_table_1_of_document_004(k, nodes):
    """UCT of the document's nodes, and a random player, against MM-k-R."""
    uct, random = (ramanujan("table1", f"{name}_mm{k}r") for name in ("uct", "random"))
    assert tree_of(uct.player) == (nodes, Uniform(), UCB1, "visits") and random.player.name == "random"
    for config in (uct, random):
        assert config.opponent.identity["player"]["leaf"] == "playout" and config.keys.games == 100
        assert (config.opponent.name, config.opponent.budget.depth) == ("minimax", k)


def test_uct_may_have_the_nodes_that_mm_k_r_visits_in_table_1_of_document_004():
    """In place of the document's number of nodes."""
    words = ("cell=chess/uct_mm2r", "budget.iterations=null", "budget.matched=4")
    config = match.match_config(composed("match", "experiment=ramanujan2010understanding/table1", *words))
    assert (config.player.budget.matched, config.player.iterations, config.opponent.budget.depth) == (4, 0, 2)


def test_mm6r_against_mm2r_in_table_1_of_document_004():
    config = ramanujan("table1", "mm6r_mm2r")
    sides = config.player, config.opponent
    assert [(side.name, side.own.leaf, side.budget.depth) for side in sides] == [
        ("minimax", "playout", 6),
        ("minimax", "playout", 2),
    ]


@pytest.mark.parametrize(
    "iterations, final", [(50, "value"), (100, "value"), (1000, "visits")]
)  # few iterations leave nearly all moves with as many visits
def test_uct_h_against_uct_in_section_4_of_document_004(iterations, final):
    config = ramanujan("sec4", f"uct_h_{iterations}")
    assert tree_of(config.player) == (iterations, Evaluation("linear"), UCB1, final)
    assert tree_of(config.opponent) == (10_000, Uniform(), UCB1, "visits") and config.keys.games == 100


def test_uct_h_against_mm2_in_section_4_of_document_004():
    config = ramanujan("sec4", "uct_h_mm2")
    assert tree_of(config.player) == (50_000, Evaluation("linear"), UCB1, "visits")
    opponent = config.opponent
    assert (opponent.name, opponent.own.leaf, opponent.own.quiescence) == ("minimax", "evaluation", False)
    assert (opponent.budget.depth, config.keys.games) == (2, 400)


def test_every_cell_of_document_004_in_chess_is_tested():
    """Those above are all there are."""
    cells = {file.stem for file in (CONF / "cell/chess").glob("*.yaml")}
    mm = {f"{name}_mm{k}r" for name in ("uct", "random") for k in (2, 4, 6)} | {"mm6r_mm2r"}
    assert cells == mm | {"uct_h_50", "uct_h_100", "uct_h_1000", "uct_h_mm2"}


def test_the_opponents_budget_follows_key_by_key():
    config = composed("match", "budget.playouts_per_leaf=3", "opponent.budget.iterations=7")
    assert config["opponent"]["budget"]["playouts_per_leaf"] == 3
    assert (config["budget"]["iterations"], config["opponent"]["budget"]["iterations"]) == (1000, 7)


def test_presets_are_what_they_say():
    uctmax = match.match_config(composed("match", "preset=uctmax_h")).player.identity
    assert (uctmax["playout"]["name"], uctmax["backup"]["name"]) == ("evaluation", "minimax")
    prior = match.match_config(composed("match", "preset=heuristic_prior")).player.identity
    assert prior["backup"]["name"] == "heuristic_prior"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(CONF)))
def test_a_configuration_runs_no_code_and_explains_itself(file):
    text = file.read_text(encoding="utf-8")
    assert "_target_" not in text
    assert text.startswith("#")
    if file.parent.name in (*GROUPS, ""):
        plain = [line for line in text.splitlines() if re.match(r"\w+: \S", line) and not line.startswith("name:")]
        inherits = any(line.startswith("defaults:") for line in text.splitlines())
        assert inherits or all("  # " in line for line in plain)
