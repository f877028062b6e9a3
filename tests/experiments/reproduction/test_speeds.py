"""What the velocities cost: ratios of processor times from made-up searches, and the interval of their median."""

from pathlib import Path

import pytest
from scipy import stats

from experiments import search
from experiments.reproduction.catalogue import item_of
from experiments.reproduction.gathering.speeds import median_of, overhead
from experiments.reproduction.pages import page_of
from experiments.runs.results import Result
from gpumcts.errors import BadInput
from tests.experiments.config.drivers import composed
from tests.experiments.reproduction.planted import RECORD

PAPER, ITEM = item_of("hashimoto2012accelerated/overhead")
WORDS = ("experiment=hashimoto2012accelerated/overhead", "scale=document")


def searches(factor, pairs=40, iterations=50_000):
    """Runs of plain and Accelerated UCT, the second ``factor`` times as long, with some noise."""
    found = []
    for seed in range(1, pairs + 1):
        noise = 1 + 0.001 * (seed % 7)
        for name, seconds in (("average", 0.1), ("accelerated", 0.1 * factor * noise)):
            config = {"game": {"name": "othello"}, "backup": {"name": name}, "seed": seed}
            summary = {"processor_seconds": seconds, "moves": [{"visits": seed}]}
            record = {**RECORD, "label": f"{name} {seed}", "identity": {}, "command": ["search.py"]}
            found.append(Result(Path(), {**config, "budget": {"iterations": iterations}}, record, summary))
    return found


@pytest.mark.parametrize(
    ("factor", "more", "verdict"),
    [
        (1.01, {}, "agrees"),
        (1.2, {}, "differs"),
        (1.047, {}, "open"),
        (1.01, {"iterations": 5000}, "reduced"),
        (1.01, {"pairs": 10}, "reduced"),
    ],
)
def test_an_overhead_below_a_twentieth_is_negligible(factor, more, verdict):
    (found,) = overhead(PAPER, ITEM, searches(factor, **more))
    assert (found.cell, found.verdict) == ("othello-accelerated", verdict)
    assert found.measured.quantity.value == pytest.approx(1.003 * factor, abs=0.001)
    assert page_of(ITEM, [found]).verdicts.word == ("reduced" if verdict == "reduced" else page_word(verdict))


def page_word(verdict):
    return "open" if verdict == "agrees" else verdict  # other games are missing


def test_digests_are_of_what_the_searches_found():
    (one,), (other,) = (overhead(PAPER, ITEM, searches(factor)) for factor in (1.0, 1.5))
    assert one.digests == other.digests and one.digests.all != one.digests.first_ten
    (ten,) = overhead(PAPER, ITEM, searches(1.0, pairs=10))
    assert ten.digests.first_ten == one.digests.first_ten


def test_few_pairs_are_refused():
    with pytest.raises(BadInput, match="5 pairs of searches of othello give no interval"):
        overhead(PAPER, ITEM, searches(1.0, pairs=5))


@pytest.mark.parametrize("count", [6, 7, 20, 40])
def test_the_interval_of_a_median_is_the_narrowest_that_holds_95_per_cent(count):
    found = median_of([float(value) for value in range(count)])
    below = int(found.low)
    assert found.high == count - 1 - below
    coverage = [1 - 2 * stats.binom.cdf(rank, count, 0.5) for rank in (below, below + 1)]
    assert coverage[0] >= 0.95 > coverage[1]


@pytest.mark.parametrize(("game", "playout", "extra"), [("othello", "uniform", 0), ("go", "go", 1)])
@pytest.mark.parametrize("option", ["average", "accelerated", "discounted"])
def test_the_experiment_composes(game, playout, extra, option):
    config = composed("search", *WORDS, f"game={game}", f"option={option}")
    checked = search.search_config(config)
    assert (checked.identity["backup"]["name"], checked.identity["playout"]["name"]) == (option, playout)
    assert checked.identity["selection"]["extra_visits"] == extra
    assert (checked.identity["budget"]["iterations"], checked.engine, checked.keys.threads) == (50_000, "cpu", 1)
    assert config["document"] == f"{PAPER.name}/{ITEM.name}"
