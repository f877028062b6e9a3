"""Every configuration composes, and conf/ and the classes say the same keys with the same defaults."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

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
from experiments.app.flags import parsed
from experiments.app.help import help_text
from experiments.config import command_options as keys
from experiments.config.budgets import Budget
from experiments.players import registry
from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.tree.settings import Settings
from tests.experiments.config.drivers import composed

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
"""What else a choice needs: pvs and minimax take no iterations, nobody else nodes or a depth; `go` plays Go alone."""


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


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_a_line_for_each_command_of_its_examples(name):
    begins = [line for line in help_text(COMMANDS[name], CONF, 120).splitlines() if "python -m experiments." in line]
    assert begins and all(re.match("    python -m ", line) and line.count("python -m ") == 1 for line in begins)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_help_has_the_width_of_the_terminal_and_names_no_cell_of_another_command(name, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = help_text(COMMANDS[name], CONF).splitlines()
    typed = [line for line in lines if "python -m " in line or re.search(r"\w=[\[{]", line)]  # as they are to be typed
    assert [line for line in lines if len(line) > width and line not in typed and len(line.split()) > 1] == []
    files = {str(file.relative_to(CONF / "cell").with_suffix("")): file for file in (CONF / "cell").rglob("*.yaml")}
    told = {line.strip().split()[0] for line in lines if line.strip()} & files.keys()
    if "  cell" in lines:
        assert told == {cell for cell, file in files.items() if f"experiments.{name} " in file.read_text()}
    else:
        assert not told


def test_help_of_a_group_or_a_choice_alone():
    every, one = (help_text(COMMANDS["match"], CONF, 120, [word]) for word in ("game", "game=go"))
    assert ".komi=7.5" in one and ".komi=7.5" in every and "othello" in every and "othello" not in one
    assert "playout" not in every.splitlines()[0] and len(one.splitlines()) < 10
    for word, said in (("gam", "no group gam; it has game, player"), ("game=gp", "game has no gp; --help game shows")):
        with pytest.raises(BadInput, match=said):
            help_text(COMMANDS["match"], CONF, asked=[word])


@pytest.mark.parametrize(("name", "taken"), [("planning", {"sailing"}), ("trees", {"deceptive", "implanted", "pgame"})])
def test_help_lists_the_games_that_a_command_takes(name, taken):
    games = {file.stem for file in (CONF / "game").glob("*.yaml")}
    told = help_text(COMMANDS[name], CONF, 120, ["game"])
    assert {game for game in games if re.search(rf"^   [ *]{game} ", told, re.MULTILINE)} == taken
    for game in games - taken:
        with pytest.raises(BadInput, match=f"game={game} "):
            COMMANDS[name].check(composed(name, f"game={game}"), None)


LONG = (
    "recovery",
    "random_vs_informed",
    "evaluation",
    "decay",
    "drift",
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
    jobs, _ = COMMANDS[words[2].removeprefix("experiments.")]._jobs(parsed(words[3:]))
    assert jobs


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
