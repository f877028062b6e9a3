"""``engine=auto``: the fastest engine by a table, chosen for every search, without an effect on what is found."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpumcts.errors import BadInput
from gpumcts.kernels import crossover, engines
from gpumcts.kernels.crossover import Crossover, predicted
from gpumcts.kernels.cuda.driver import DeviceInfo
from gpumcts.options import option
from gpumcts.tree import engine_choice, search
from gpumcts.tree.device_search import DeviceEngine
from gpumcts.tree.engine_choice import EngineChoice
from gpumcts.tree.host import team
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings
from tests.tree.drivers import OTHELLO, UCB1, UNIFORM, keys_for, operator_of
from tests.tree.simulated_searches import digest, roots
from tests.tree.test_device_playouts import Elsewhere

MINIMAX = option("playout", "minimax")(depth=2)
MIN_TEAM_PLAYOUTS = team.MIN_TEAM_PLAYOUTS
PERFORMANCE = Path(__file__).parents[2] / "docs" / "performance"


def table(game="othello", policy="uniform", threads=1, **rates):
    """A table in which the CPU plays 100 whatever there is, and others ten times the trees, or what is given."""
    cells = [
        {"trees": trees, "playouts": playouts, "rates": {"cpu": 100.0, "cuda": 10.0 * trees * playouts, **rates}}
        for trees in (1, 1000)
        for playouts in (1, 100)
    ]
    return {"game": game, "policy": policy, "threads": threads, "cells": cells}


LISTED = json.dumps(table() | {"cells": [{"trees": 1, "playouts": 1, "rates": [1]}]})
HUGE = json.dumps(table(cuda=10**400))
RAGGED = json.dumps(table() | {"cells": table()["cells"][:3]})


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """``measured(*tables)``: they are the user's own."""

    def own(*tables):
        file = tmp_path / "own.json"
        file.write_text(json.dumps(list(tables)))
        monkeypatch.setenv(crossover.VARIABLE, str(file))

    return own


# ------------------------------------------------------------------------------------------------------------- tables


def test_predictions_are_those_of_the_docs():
    """One playout a leaf: the device passes one core at 100 trees and sixteen at 1,600."""
    for threads, trees in ((1, 100), (16, 1600)):
        found = Crossover(OTHELLO, UNIFORM, threads)
        assert found.fastest(trees - trees // 10) == "cpu" and found.fastest(trees + trees // 10) == "device"
    assert Crossover(OTHELLO, UNIFORM, 16).fastest(5000, playouts=64) == "cuda"
    assert Crossover(OTHELLO, MINIMAX, 1).fastest(100) == "cuda"
    assert not any(predicted(kind, 1)["measured"] for kind in crossover.COSTS)


@pytest.mark.parametrize("device", ["h100", "h200"])
def test_predictions_are_near_what_was_measured(device):
    """On an H100 or an H200, and sixteen cores, the engine that is taken was the fastest or nearly, but in four cells.

    Those have up to 30 trees. Searches of 30 iterations were measured, in which threads of the CPU hardly begin.
    """
    near = []
    for held in json.loads((PERFORMANCE / device / "crossover.json").read_text("utf-8")):
        found = Crossover(OTHELLO, UNIFORM if held["policy"] == "uniform" else MINIMAX, held["threads"])
        for cell in held["cells"]:
            rates = cell["rates"]
            near.append(rates[found.fastest(cell["trees"], cell["playouts"])] / max(rates.values()))
    assert len(near) == 25 and sum(share >= 0.9 for share in near) == 21 and min(near) > 0.5


def test_one_tree_is_the_cpus():
    for game in ("othello", "dots_and_boxes", "pgame"):
        for threads in (1, 3, 64):
            assert Crossover(option("game", game)(), UNIFORM, threads).fastest(1) == "cpu"


# Iterations a second of one tree of Othello on an H100 and sixteen cores, by leaves a batch and playouts a leaf: on the
# CPU, and with engine=cuda on one thread (docs/performance/one-tree.md, h100.md).
ONE_TREE = {(64, 1): (528e3, None), (1024, 1): (1.14e6, 802e3), (16, 64): (184e3, None), (4096, 1): (1.2e6, 970e3)}
ONE_TREE_ELSEWHERE = {(1024, 1024): 388e3, (4096, 64): 730e3, (4096, 1024): 430e3}


@pytest.fixture
def large_teams(monkeypatch):
    """Threads share the batches that are worth it, and not the small ones of tests (conftest.py); a device works."""
    monkeypatch.setattr(team, "MIN_TEAM_PLAYOUTS", MIN_TEAM_PLAYOUTS)
    monkeypatch.setattr(engine_choice, "resolve", str)


def one_tree(leaves, playouts, **more):
    """What is taken for one tree of Othello on sixteen threads, and the rates that are compared."""
    found, settings = Crossover(OTHELLO, UNIFORM, 16), Settings(playouts_per_leaf=playouts, leaves_per_tree=leaves)
    rates, compared = found.rates, []
    found.rates = lambda *arguments: compared.append(rates(*arguments)) or compared[-1]
    choice = EngineChoice(OTHELLO, UNIFORM, 16, found)
    taken = choice.fastest(settings._replace(**more), 1, watched=False, whole=True, together=lambda: None)
    return taken, compared[-1]


def test_predictions_of_one_tree_are_near_what_was_measured(large_teams):
    for (leaves, playouts), (cpu, cuda) in ONE_TREE.items():
        taken, rates = one_tree(leaves, playouts)
        assert taken == "cpu" and rates["cpu"] == pytest.approx(cpu, rel=0.25)
        assert cuda is None or rates["cuda"] == pytest.approx(cuda, rel=0.25)
    for (leaves, playouts), cuda in ONE_TREE_ELSEWHERE.items():
        taken, rates = one_tree(leaves, playouts)
        assert taken == "cuda" and rates["cuda"] == pytest.approx(cuda, rel=0.25)


def test_threads_that_share_no_tree_are_not_counted_for_one(large_teams):
    """Two batches in flight are one thread's, and so are batches that are too small."""
    assert one_tree(1024, 1)[0] == "cpu" and one_tree(1024, 1, batches_in_flight=2)[0] == "cuda"
    alone = one_tree(64, 1)[1]["cpu"]
    assert one_tree(1024, 1, batches_in_flight=2)[1]["cpu"] == alone < one_tree(128, 1)[1]["cpu"]


def test_a_measured_table(measured):
    measured(table())
    found = Crossover(OTHELLO, UNIFORM, 1)
    assert [found.fastest(trees) for trees in (1, 9, 11, 1000, 10**6)] == ["cpu", "cpu", "cuda", "cuda", "cuda"]
    assert found.fastest(1, playouts=11) == found.fastest(2, leaves=6) == "cuda"  # between the cells, and for a batch
    assert Crossover(OTHELLO, UNIFORM, 4).fastest(30) == "cpu"  # four threads are four times one
    assert Crossover(OTHELLO, UNIFORM, 4).fastest(1, playouts=11) == "cuda"  # but have no use for one tree


def test_which_table(measured):
    own = table(game="othello"), table(game="dice_duel", cuda=1.0), table(policy="minimax", cuda=1.0)
    measured(*own, table(threads=8, device=1e9))
    names = {"othello": "cuda", "dice_duel": "cpu", "dots_and_boxes": "cuda"}
    assert {name: Crossover(option("game", name)(), UNIFORM, 1).fastest(1000) for name in names} == names
    assert Crossover(OTHELLO, MINIMAX, 1).fastest(1000) == "cpu"
    assert Crossover(OTHELLO, UNIFORM, 7).fastest(1) == "device"


def test_a_table_in_the_cache_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(crossover.cache, "root", lambda: tmp_path)
    assert Crossover(OTHELLO, UNIFORM, 1).fastest(20) == "cpu"
    (tmp_path / crossover.FILE).write_text(json.dumps(table()))
    assert Crossover(OTHELLO, UNIFORM, 1).fastest(20) == "cuda"


@pytest.mark.parametrize(
    "held",
    ["", "{}", "[1]", '{"cells": [{}]}', json.dumps(table(cpu=0)), json.dumps(table(gpu=1.0)), RAGGED, LISTED, HUGE],
)
def test_no_table(tmp_path, monkeypatch, held):
    monkeypatch.setenv(crossover.VARIABLE, str(tmp_path / "own.json"))
    with pytest.raises(BadInput, match="there is no such file"):
        crossover.tables()
    (tmp_path / "own.json").write_text(held)
    with pytest.raises(BadInput, match="own.json is no table of engines: "):
        crossover.tables()


# ------------------------------------------------------------------------------------------------------------ searches


SHOWN = DeviceInfo("A device", (9, 0), 132, 1 << 36, "13.0")


@pytest.fixture
def device(monkeypatch):
    """A machine with a device that plays where ``auto`` and ``cuda`` say so; the engines that were made."""
    made = []

    def make(name, game, policy, threads=1):
        made.append(Elsewhere(game, policy))
        return made[-1]

    monkeypatch.setattr(engines.device, "describe", lambda: SHOWN)
    for module in (engines, engine_choice):
        monkeypatch.setattr(module, "resolve", {"auto": "cuda", "cuda": "cuda", "cpu": "cpu"}.__getitem__)
    monkeypatch.setattr(engine_choice, "playout_engine", make)
    return made


def automatic(settings=Settings(), **more):
    return Searcher(OTHELLO, UNIFORM, UCB1, operator_of("average"), settings, engine="auto", **more)


@pytest.mark.slow
def test_auto_follows_the_trees(device, measured):
    measured(table())
    searcher = automatic()
    for trees, engine in ((5, 0), (20, 1), (5, 1), (30, 1)):
        found = searcher.search(roots(OTHELLO, trees), keys_for(trees), 30)
        expected = Searcher(OTHELLO, UNIFORM, UCB1, operator_of("average"))
        assert digest(found) == digest(expected.search(roots(OTHELLO, trees), keys_for(trees), 30))
        assert len(device) == engine and (searcher.engine is None) == (trees == 5)
    assert device[0].started == 2 * 2 * 30  # both searches of many trees, in halves


def test_auto_watches_values_on_the_cpu(device, measured):
    measured(table())
    searcher, shown = automatic(), []
    arguments = roots(OTHELLO, 20), keys_for(20), [5, 20], lambda *table: shown.append(table)
    below = searcher.follow(*arguments, level=0.9)
    assert searcher.engine is None and len(below) == 20 and not device
    searcher.follow(*arguments)
    assert searcher.engine is device[0] and len(shown) == 4


def test_of_whole_paths_no_leaf_is_left_to_be_played(device, measured, monkeypatch):
    """They are the CPU's or the device's; ``cuda`` would have nothing to do."""
    measured(table())
    searcher = automatic(Settings(expansion="whole_path"))
    searcher.search(roots(OTHELLO, 20), keys_for(20), 5)
    assert searcher.engine is None and not device
    measured(table(device=150.0))
    monkeypatch.setattr(search, "search_kernel", lambda parts: None)
    monkeypatch.setattr(engine_choice, "resolve", str)
    searcher = automatic(Settings(expansion="whole_path"))
    searcher.adapt(20, 5)
    assert searcher.on_device


@pytest.mark.parametrize(("final", "on_device"), [("visits", True), ("score", False)])
def test_auto_takes_no_device_for_a_final_move_that_needs_the_tree(device, measured, monkeypatch, final, on_device):
    """It would be refused in the middle of a match."""
    measured(table(device=1e9))
    monkeypatch.setattr(search, "search_kernel", lambda parts: None)
    monkeypatch.setattr(engine_choice, "resolve", str)
    searcher = automatic(Settings(final=final))
    searcher.adapt(20, 5)
    assert searcher.on_device == on_device


def test_trees_count_that_a_device_holds(device, measured, monkeypatch):
    """By the memory that the driver shows, and by ``memory_limit``: beyond, they wait for each other."""
    cells = [
        {"trees": trees, "playouts": playouts, "rates": {"cpu": 100.0, "device": 1.0 * trees}}
        for trees in (1, 1000)
        for playouts in (1, 100)
    ]
    measured({"game": "othello", "policy": "uniform", "threads": 1, "cells": cells})
    monkeypatch.setattr(search, "search_kernel", lambda parts: None)
    monkeypatch.setattr(engine_choice, "resolve", str)
    parts = automatic().parts
    each = parts.tree_bytes(100) + search.extra_tree_bytes(parts)
    for memory, limit, trees, reuse, on_device in (
        (0, None, 1000, False, True),  # not known
        (300 * each, None, 1000, False, True),
        (100 * each, None, 1000, False, False),
        (300 * each, 90 * each, 1000, False, False),
        (100 * each, None, 90, False, False),  # too few anyhow
        (300 * each, None, 1000, True, False),  # trees that are kept are there together
        (2000 * each, None, 1000, True, True),
    ):
        monkeypatch.setattr(engines.device, "describe", lambda memory=memory: SHOWN._replace(memory=memory))
        searcher = automatic(Settings(reuse=reuse), memory_limit=limit)
        searcher.adapt(trees, 100)
        assert searcher.on_device == on_device, (memory, limit, trees, reuse)


def test_auto_takes_the_device(device, measured, monkeypatch):
    measured(table(device=1e9))
    kernels = []
    monkeypatch.setattr(search, "search_kernel", kernels.append)
    monkeypatch.setattr(engine_choice, "resolve", str)
    searcher = automatic()
    assert searcher.engine is None and not kernels  # nothing is compiled before it is known what for
    searcher.adapt(1, 100)
    assert isinstance(searcher.engine, DeviceEngine) and searcher.on_device and kernels == [searcher.parts]


def test_auto_takes_no_device_for_slices(device, measured, monkeypatch):
    """A device gives its trees back at the end alone; of the others the fastest is taken."""
    measured(table(device=1e9))
    monkeypatch.setattr(engine_choice, "resolve", str)
    for trees, played_elsewhere in ((3, False), (20, True)):
        searcher = automatic(Settings(roots=trees))
        search = IncrementalSearch(searcher, roots(OTHELLO, 1)[0], keys_for(1)[0])
        assert isinstance(searcher.engine, Elsewhere) == played_elsewhere
        search.go_on(2 * trees)
        assert search.found().iterations == 2 * trees


def test_auto_tries_a_device_when_it_is_to_play(device, measured, monkeypatch):
    """A first kernel takes a second. Where it fails, the CPU plays on."""
    measured(table())
    asked = []
    for module in (engines, engine_choice):
        monkeypatch.setattr(module, "resolve", lambda name: asked.append(name) or "cpu")
    searcher = automatic()
    searcher.search(roots(OTHELLO, 5), keys_for(5), 5)
    assert searcher._engines.are_chosen and "auto" not in asked
    assert not searcher.concurrent  # the next search may be a device's
    for _ in range(2):
        searcher.search(roots(OTHELLO, 20), keys_for(20), 5)
        assert searcher.engine is None and asked.count("auto") == 1 and not device
    assert searcher.concurrent


@pytest.mark.parametrize(("tried", "problem"), [(True, "a first kernel failed"), (True, ""), (False, "not asked for")])
def test_a_device_that_was_tried_in_vain_is_known(device, measured, monkeypatch, tried, problem):
    """Searches that are made later are the CPU's at once, and may go on at the same time."""
    measured(table())
    kernels = SimpleNamespace(is_tried=lambda: tried)
    monkeypatch.setitem(sys.modules, "gpumcts.kernels.cuda.kernels", kernels)
    monkeypatch.setattr(engines, "cuda_problem", lambda: problem)
    known = tried and problem != ""
    assert automatic().concurrent == known


def test_what_stays_on_the_cpu(measured):
    """By every number of trees up to the most, as the table has them between its cells too."""
    measured(*crossover._predictions())
    assert engine_choice.stays_on_cpu(OTHELLO, UNIFORM, Settings(), 1, 64)  # as predicted
    assert not engine_choice.stays_on_cpu(OTHELLO, UNIFORM, Settings(), 1, 1000)
    assert not engine_choice.stays_on_cpu(OTHELLO, UNIFORM, Settings(leaves_per_tree=4096, playouts_per_leaf=64), 1, 1)
    measured(table(threads=4))
    stays = [engine_choice.stays_on_cpu(OTHELLO, UNIFORM, Settings(), 4, most) for most in (1, 9, 11, 1000)]
    assert stays == [True, True, False, False]
    measured(table(cpu=150.0, cuda=100.0, device=100.0))
    assert engine_choice.stays_on_cpu(OTHELLO, UNIFORM, Settings(), 1, 10**6)
    assert engine_choice.stays_on_cpu(OTHELLO, MINIMAX, Settings(table=1000), 1, 10**6)
    measured(table())
    assert engine_choice.stays_on_cpu(OTHELLO, UNIFORM, Settings(expansion="whole_path"), 1, 10**6)


def test_auto_without_a_device_is_the_cpu_at_once(monkeypatch):
    monkeypatch.setattr(engines.device, "describe", lambda: DeviceInfo(problem="no NVIDIA driver is there"))
    monkeypatch.setattr(engines, "Crossover", None)  # no table is read
    searcher = automatic()
    assert searcher.engine is None and not searcher._engines.are_chosen and searcher.plan.steps.select is not None
