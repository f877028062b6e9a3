"""What Ramanujan et al. 2010 say beside their tables and figures, by made-up searches: cells and verdicts by rule."""

from pathlib import Path

import numpy as np
import pytest

from experiments import match, trees
from experiments.papers.ramanujan2010understanding.claims import eq2
from experiments.papers.ramanujan2010understanding.searches import Searches
from experiments.reproduction.catalogue import item_of
from experiments.reproduction.cells import Digests
from experiments.reproduction.gathering import matches, strategies
from experiments.reproduction.pages import page_of
from experiments.reproduction.quantities import Points
from experiments.runs.results import Result
from tests.experiments.config.drivers import composed
from tests.experiments.reproduction.planted import RECORD

NAME = "ramanujan2010understanding"
DIGESTS = Digests(all="0" * 64, first_ten="1" * 64)
HORIZON = 1000.0


def result(config, summary=None, **more):
    """A run without a folder; ``more`` goes into its configuration."""
    record = {**RECORD, "identity": {}, "command": ["trees.py"], "label": str(config)}
    return Result(Path(), {"trees": 4000, **config, **more}, record, summary or {})


def searches(mean, count=100, spread=0.02, value=0.72):
    """Searches that converge after about ``mean`` iterations, with A worth about ``value`` all the time."""
    noise = 1 + spread * np.linspace(-1, 1, count)
    shape = (count, 2, 2)
    return Searches(
        points=np.array([1.0, HORIZON]),
        crossing=mean * noise,
        visits=np.broadcast_to(np.array([[[1.0, 0.0], [HORIZON, 0.0]]]), shape),
        values=value * noise[:, None, None] * np.ones(shape),
    )


@pytest.fixture
def planted(monkeypatch):
    """Digests without folders; returns a function that says what searches a run has."""
    monkeypatch.setattr(strategies, "search_digests", lambda _: DIGESTS)

    def plant(of_run):
        monkeypatch.setattr(strategies, "read_searches", of_run)

    return plant


def verdicts(item, found):
    return {cell.cell: cell.verdict for cell in found}, page_of(item, found).verdicts.word


# ------------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("shallow", "deep", "words"),
    [
        (0.72, 0.85, ("agrees", "agrees", "agrees")),
        (0.80, 0.70, ("differs", "differs", "differs")),
        (0.72, 0.72, ("agrees", "differs", "open")),
    ],
)
def test_what_a_is_worth_at_convergence(planted, shallow, deep, words):
    paper, item = item_of(f"{NAME}/values")
    worth = {"shallow_shallow": shallow, "deep_deep": deep}
    planted(lambda run: searches(500.0, value=worth[run.config["shape"]]))
    found = strategies.values(paper, item, [result({"shape": shape}, runs=100) for shape in worth])
    assert verdicts(item, found)[0] == dict(
        zip(("shallow-shallow", "deep-deep", "deep-over-shallow"), words, strict=True)
    )
    few = strategies.values(paper, item, [result({"shape": shape}, runs=10) for shape in worth])
    assert verdicts(item, few)[1] == "reduced"


# ------------------------------------------------------------------------------------------------------------- levels


def level(depths, median, alone, trees=50, exploration=0.7):
    times = {f"crossing_{key}": factor * median for key, factor in (("median", 1), ("low", 0.97), ("high", 1.03))}
    game = {"critical": list(depths), "single_agent": alone}
    config = {"game": game, "selection": {"exploration": exploration}, "budget": {"iterations": 200_000}}
    return result(config, {"searches": trees, "never": 0, **times}, trees=trees)


@pytest.mark.parametrize(("four", "verdict"), [(900.0, "agrees"), (300.0, "differs"), (500.5, "open")])
def test_with_one_player_more_critical_levels_take_longer(planted, four, verdict):
    paper, item = item_of(f"{NAME}/sec6_levels")
    runs = [level((20,), 500.0, True), level((4, 10, 14, 20), four, True)]
    planted(lambda run: searches(run.summary["crossing_median"]))
    assert verdicts(item, strategies.levels(paper, item, runs))[0] == {"one-c70-four-over-one": verdict}


def test_eq_2_is_judged_where_it_was_not_fitted(planted):
    paper, item = item_of(f"{NAME}/sec6_levels")
    fitted = [(d,) for d in range(2, 21, 2)] + [(4, 8), (4, 16), (8, 16), (10, 20)]
    factors = {(4, 8, 12): 1.0, (6, 12, 18): 3.0, (2, 6, 10, 14): 1.0}
    runs = [
        level(depths, factors.get(depths, 1.0) * eq2(depths, 3.0, 2.0, 2.4), False) for depths in (*fitted, *factors)
    ]
    found, _ = verdicts(item, strategies.levels(paper, item, runs))
    assert found == {"two-c70-4-8-12": "agrees", "two-c70-6-12-18": "differs", "two-c70-2-6-10-14": "agrees"}


# ------------------------------------------------------------------------------------------------------------- slices


def pair(d1, d2, median, trees=100):
    found = level((d1, d2), median, False, trees)
    found.config["game"]["depth"] = 24
    return found


@pytest.mark.parametrize(
    ("times", "verdict"), [(lambda d2: 2.4 ** (d2 / 2), "agrees"), (lambda d2: float(d2 % 7 + 1), "differs")]
)
def test_a_line_of_the_logarithm_is_essentially_exponential(planted, times, verdict):
    paper, item = item_of(f"{NAME}/slices")
    found = strategies.slices(paper, item, [pair(0, d2, times(d2)) for d2 in range(2, 24, 2)])
    assert verdicts(item, found)[0] == {"c70-line": verdict}


@pytest.mark.parametrize(("least", "word"), [(300.0, "agrees"), (2000.0, "differs")])
def test_the_dip_is_below_both_ends(planted, least, word):
    paper, item = item_of(f"{NAME}/slices")
    runs = [pair(d1, 22, median) for d1, median in ((0, 1000.0), (12, least), (20, 900.0))]
    found = strategies.slices(paper, item, runs)
    assert verdicts(item, found)[0] == {"c70-dip-0": word, "c70-dip-20": word}
    few = [pair(d1, 22, median, trees=20) for d1, median in ((0, 1000.0), (12, least), (20, 900.0))]
    assert set(verdicts(item, strategies.slices(paper, item, few))[0].values()) == {"reduced"}


# ---------------------------------------------------------------------------------------------------------- scenario A


@pytest.mark.parametrize(("mean", "verdict"), [(9.0, "agrees"), (30.0, "differs")])
def test_scenario_a_beside_its_formula(planted, mean, verdict):
    paper, item = item_of(f"{NAME}/scenario_a")
    planted(lambda run: searches(mean))
    game = {"critical": [0], "first_share": 0.5}
    runs = [result({"game": game, "selection": {"epsilon": epsilon}}) for epsilon in (0.02, 0.1)]
    found = strategies.scenarios(paper, item, runs)
    assert verdicts(item, found) == ({"e0.02": verdict, "e0.1": verdict}, verdict)
    assert found[1].published.value == pytest.approx(4 + 0.7 / (0.9 * 0.5 * 0.3))
    assert (
        strategies.scenarios(paper, item, [result({"game": {"critical": [0, 2]}, "selection": {"epsilon": 0.1}})]) == []
    )


# ----------------------------------------------------------------------------------------------------------- rescaling


@pytest.mark.parametrize(
    ("wins", "games", "verdict"),
    [(240, 400, "agrees"), (150, 400, "differs"), (205, 400, "open"), (80, 100, "reduced")],
)
def test_the_linear_rescaling_is_ahead(monkeypatch, wins, games, verdict):
    paper, item = item_of(f"{NAME}/rescaling")
    points = Points(wins=wins, draws=0, losses=games - wins)
    monkeypatch.setattr(matches, "points_of", lambda _: (points, DIGESTS))
    some = result({"column": "i100", "budget": {"iterations": 100}}, {"games": games})
    assert verdicts(item, matches.ahead(paper, item, [some]))[0] == {"i100": verdict}


# -------------------------------------------------------------------------------------------------------- compositions


@pytest.mark.parametrize("name", ["values", "slices", "scenario_a", "sec6_levels"])
def test_every_run_composes_at_the_item_s_budget(name):
    _, item = item_of(f"{NAME}/{name}")
    for run in item.runs:
        swept = [word.split(",")[0] if "[" not in word else f"{word.partition(']')[0]}]" for word in run.command[1:]]
        config = composed("trees", *swept)
        assert config["document"] == f"{NAME}/{item.runs_of}"
        checked = trees.trees_config(config)
        assert {key: {**checked.keys._asdict(), **checked.identity["game"]}[key] for key in item.budget} == item.budget


@pytest.mark.parametrize(("column", "iterations", "final"), [("i100", 100, "value"), ("i1000", 1000, "visits")])
def test_the_match_of_rescalings_composes(column, iterations, final):
    words = next(run.command for run in item_of(f"{NAME}/rescaling")[1].runs if run.cells == [column])[1:]
    config = match.match_config(composed("match", *words))
    for player, rescaling in ((config.player, "linear"), (config.opponent, "sigmoid")):
        assert (player.policy.rescaling, player.iterations, player.settings.final) == (rescaling, iterations, final)
        assert (player.rule.exploration, player.rule.lowest_reward) == (0.4, -1)
    assert config.keys.games == 400
