"""A decay that sets itself, on trees: constants are chosen on even trees, operators compared on odd ones."""

import csv

import numpy as np
import pytest
import yaml

from experiments.app.error_messages import CONF
from experiments.papers.open_questions import drift
from experiments.papers.open_questions.recovery import Run

FILE = yaml.safe_load((CONF / "experiment/open_questions/drift.yaml").read_text("utf-8"))
EVEN = np.arange(200) % 2 == 0


def run_of(name: str, even: float, odd: float, seed: int = 1) -> Run:
    noise = np.random.default_rng(seed).normal(0, 0.02, len(EVEN))
    return Run(name, "trees", 1000, None, None, None, np.where(EVEN, even, odd) + noise, np.arange(len(EVEN)))


def test_the_constants_are_those_that_are_best_on_even_trees_and_odd_trees_compare():
    runs = [run_of("flattered", 0.1, 0.5, 1), run_of("honest", 0.2, 0.2, 2), run_of("mean", 0.3, 0.4, 3)]
    operators = {"flattered": "accelerated", "honest": "accelerated", "mean": "average"}
    (duel,) = drift.duels(runs, operators)
    assert (duel.first.name, duel.second.name, duel.trees) == ("mean", "flattered", 100)
    assert 0.08 < duel.gap.mean < 0.12 and duel.verdict == "mean fails less often"


def test_every_pair_of_families_is_compared_and_corrected_together():
    runs = [run_of("mean", 0.4, 0.4, 1), run_of("fixed", 0.3, 0.3, 2), run_of("rule", 0.3, 0.3, 3)]
    found = drift.duels(runs, {"mean": "average", "fixed": "accelerated", "rule": "accelerated_adaptive"})
    assert [(duel.first.name, duel.second.name) for duel in found] == [
        ("mean", "fixed"),
        ("mean", "rule"),
        ("fixed", "rule"),
    ]
    assert [duel.verdict for duel in found] == [
        "fixed fails less often",
        "rule fails less often",
        "no difference beyond chance",
    ]


def test_the_sweep_takes_what_is_described_and_every_family():
    words = FILE["hydra"]["sweeper"]["params"]
    for key, of in (("shape", "shapes"), ("option", "options"), ("column", "columns")):
        assert words[key].split(",") == list(FILE[of])
    assert {option["backup"]["name"] for option in FILE["options"].values()} == set(drift.FAMILIES)


@pytest.mark.slow
def test_a_sweep_in_little(run, only):
    line = "trees experiment=open_questions/drift scale=small engine=cpu threads=1 scales.small.iterations=60"
    more = ["scales.small.trees=8", "shapes.deceptive.depth=4", "shape=deceptive", "option=mean,decay_09,moved_1"]
    done = run(line, *more, "column=c025,c050")
    assert done.code == 0, done.err
    with only("multirun/open_questions/*/drift.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 and {row["trees"] for row in rows} == {"deceptive"}
    assert all(0 <= float(row["p_holm"]) <= 1 for row in rows)
