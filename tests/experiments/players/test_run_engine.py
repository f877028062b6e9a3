"""``engine=auto`` of a run: the CPU, without a look at a device, where none of its searches is faster elsewhere."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from experiments import match, search, trees
from experiments.app.serving import serving_config
from experiments.config.command_options import GtpKeys
from experiments.players import preflight
from experiments.players.player_factory import build_players, context_of
from experiments.players.run_engine import engine_of, played_by
from gpumcts.errors import BadInput
from gpumcts.kernels import crossover, engines
from tests.experiments.config.drivers import composed
from tests.kernels.shown_device import shown_device


@pytest.fixture
def tried(monkeypatch):
    """A machine that shows a device which works; what was asked of it."""
    return shown_device(monkeypatch)


def of_match(*words):
    return match.match_config(composed("match", "game=othello", "threads=1", *words))


@pytest.mark.parametrize(
    ("words", "engine"),
    [
        (("games=20",), "cpu"),
        (("games=100000", "games_in_flight=20"), "cpu"),
        (("games=100000", "games_in_flight=50000"), "auto"),
        (("games=20", "search.roots=1000"), "auto"),
        (("games=20", "budget.playouts_per_leaf=1024"), "auto"),
        (("games=20", "opponent.budget.playouts_per_leaf=1024"), "auto"),
        (("games=20", "search.leaves_per_tree=64", "budget.playouts_per_leaf=64"), "auto"),
        (("games=100000", "player@opponent.player=random", "player=random"), "cpu"),
        (("games=20", "engine=cuda"), "cuda"),
        (("games=20", "engine=cpu"), "cpu"),
    ],
)
def test_of_a_match(words, engine, tried):
    config = of_match(*words)
    assert engine_of(config) == context_of(config).engine == engine and not tried


def test_of_one_tree(tried):
    assert engine_of(search.search_config(composed("search", "game=chess", "threads=1"))) == "cpu"
    many = "search.leaves_per_tree=1024", "budget.playouts_per_leaf=1024"
    assert engine_of(search.search_config(composed("search", "game=othello", "threads=1", *many))) == "auto"
    assert engine_of(serving_config(composed("gtp", "game=othello"), GtpKeys, "gtp")) == "cpu"
    assert not tried


@pytest.mark.parametrize(
    ("words", "engine"),
    [
        (("trees=20", "runs=2"), "cpu"),
        (("trees=200", "runs=200"), "auto"),
        (("trees=200", "runs=200", "method=alpha_beta"), "cpu"),
    ],
)
def test_of_many_searches(words, engine, tried):
    assert engine_of(trees.trees_config(composed("trees", "threads=1", *words))) == engine and not tried


def test_where_there_is_no_device_no_table_is_read(monkeypatch, tried):
    monkeypatch.setenv(crossover.VARIABLE, "/nowhere/own.json")
    with pytest.raises(BadInput, match=r"GPUMCTS_CROSSOVER=/nowhere/own.json: there is no such file"):
        engine_of(of_match("games=20"))
    monkeypatch.setattr(engines.device, "describe", lambda: engines.device.DeviceInfo(problem="no NVIDIA driver"))
    assert engine_of(of_match("games=20")) == "auto"


def test_a_summary_names_what_played(tried):
    many = of_match("games=100000", "games_in_flight=50000")
    on_device = SimpleNamespace(engine=SimpleNamespace(name="device"))
    assert played_by(many, on_device) == "device" and not tried
    assert played_by(many, SimpleNamespace(engine=None)) == played_by(many, None) == "cpu"
    assert played_by(of_match("games=20"), None) == "cpu" and not tried
    assert played_by(of_match("engine=cuda"), None) == "cuda"


def test_where_the_number_of_trees_is_not_known(tried):
    assert engine_of(replace(of_match("games=20"), trees_at_once=None)) == "auto" and not tried


def test_a_match_that_stays_on_the_cpu_tries_no_device(tried, tmp_path):
    """Both sides search at the same time there, as where there is no device."""
    config = of_match("games=2", "budget.iterations=4")
    match.prepare(config)
    pair = build_players(config, tmp_path, lambda done: None)
    assert (pair.engine, pair.at_once) == ("cpu", 2) and not tried
    config = of_match("games=2", "budget.iterations=4", "player@opponent.player=random", "search.roots=1000")
    preflight.check_engine(config)
    assert tried
