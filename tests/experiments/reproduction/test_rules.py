"""Section 2.4 of Kocsis, Szepesvári, Willemson 2006 by made-up failure rates: rules of search beside UCT."""

from pathlib import Path

import numpy as np
import pytest

from experiments import trees
from experiments.reproduction.catalogue import item_of
from experiments.reproduction.cells import Digests
from experiments.reproduction.gathering import synthetic
from experiments.reproduction.pages import page_of
from experiments.runs.results import Result
from tests.experiments.config.drivers import composed
from tests.experiments.reproduction.planted import RECORD

PAPER, ITEM = item_of("kocsis2006improved/sec24")
OPTIONS = ("uct", "boltzmann_005", "boltzmann_01", "boltzmann_02", "minimax")
POINTS = [10, 100, 1000]


@pytest.fixture
def gathered(monkeypatch):
    """A function from failure rates by option to cells; a tree's own rate lies about its option's."""

    def gather(rates, runs=200):
        spread = 0.01 * np.linspace(-1, 1, 200)[:, None] * np.ones(len(POINTS))
        monkeypatch.setattr(synthetic, "pieces_of", lambda folder: folder.name)
        monkeypatch.setattr(synthetic, "rates_by_tree", lambda name: rates[name] + spread * (name != "uct"))
        monkeypatch.setattr(synthetic, "search_digests", lambda _: Digests(all="0" * 64, first_ten="1" * 64))
        found = []
        for option in rates:
            config = {"game": {"branching": 2, "depth": 20}, "option": option, "trees": 200, "runs": runs}
            record = {**RECORD, "label": option, "identity": {}, "command": ["trees.py"]}
            found.append(Result(Path(option), config, record, {"points": POINTS}))
        return synthetic.rules(PAPER, ITEM, found)

    return gather


@pytest.mark.parametrize(("rate", "word"), [(0.1, "agrees"), (0.02, "differs"), (0.05, "open")])
def test_boltzmann_exploration_has_to_fail_more_at_every_temperature(gathered, rate, word):
    found = gathered(dict.fromkeys(OPTIONS, 0.2) | {"uct": 0.05, "boltzmann_01": rate})
    by_name = {cell.cell.removeprefix("b2d20-"): cell.verdict for cell in found}
    assert {name: by_name[name] for name in by_name if "minimax" not in name} == {
        f"boltzmann-{temperature}-{point}": word if temperature == "01" else "agrees"
        for temperature in ("005", "01", "02")
        for point in (100, 1000)
    }
    assert by_name["minimax-100"] == by_name["minimax-1000"] == "unpublished"
    both = [*found, *[cell.model_copy(update={"cell": cell.cell.replace("b2d20", "b8d8")}) for cell in found]]
    assert page_of(ITEM, both).verdicts.word == word
    assert all(any(run.owns(cell.cell) for run in ITEM.runs) for cell in both)


def test_fewer_runs_are_another_budget(gathered):
    found = gathered({"uct": 0.05, "boltzmann_01": 0.2}, runs=20)
    assert {cell.verdict for cell in found} == {"reduced"} and len(found) == 2


@pytest.mark.parametrize("shape", ["b2d20", "b8d8"])
@pytest.mark.parametrize("option", OPTIONS)
def test_the_experiment_composes_with_one_change_from_uct(shape, option):
    words = ("experiment=kocsis2006improved/sec24", "scale=document", f"shape={shape}", f"option={option}")
    ours, figure = (
        trees.trees_config(composed("trees", *some)).identity
        for some in (words, ("experiment=kocsis2006improved/fig4", f"shape={shape}", "cell=kocsis/uct"))
    )
    changed = {key for key in figure if ours[key] != figure[key]} - {"budget"}
    assert changed == {"uct": set(), "minimax": {"backup"}}.get(option, {"selection"})
