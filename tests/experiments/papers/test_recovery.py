"""Recovery from poor early choices: every rule and operator is asked, comparisons are paired."""

import csv

import numpy as np
import pytest
import yaml

from experiments.app.error_messages import CONF
from experiments.papers.open_questions import recovery
from gpumcts import options

FILE = yaml.safe_load((CONF / "experiment/open_questions/recovery.yaml").read_text("utf-8"))


SCALES = ("small", "document")


def made(scale: str) -> list[dict]:
    """The options that a sweep takes."""
    return [FILE["options"][name] for name in FILE["scales"][scale]["option"].replace(" ", "").split(",")]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", ["selection", "backup"])
def test_every_option_is_asked(kind, scale):
    """All but RAVE, which has nothing to learn on trees whose moves are no points."""
    assert {one[kind]["name"] for one in made(scale)} == set(options.names(kind)) - {"rave"}


def test_the_sweeps_take_what_is_described():
    assert made("document") == list(FILE["options"].values())
    assert FILE["scales"]["document"]["shape"].split(",") == list(FILE["shapes"])
    assert set(FILE["scales"]["small"]["shape"].split(",")) == {"deceptive", "implanted", "pgames"}
    titles = [one["title"] for one in FILE["options"].values()]
    assert len(set(titles)) == len(titles) and all(recovery.PLAIN in [o["title"] for o in made(b)] for b in SCALES)
    assert {"leaves": "biased", "trap": [5, 7]}.items() <= FILE["shapes"]["traps"].items()


@pytest.mark.parametrize(
    ("rule", "constant"),
    [
        ("boltzmann", "temperature"), ("ucb1", "exploration"), ("sensei", "uctk"), ("epsilon_greedy", "epsilon"),
        ("depth_decayed", "exploration"),
    ],
)  # fmt: skip
def test_the_constant_of_a_rule_takes_some_values(rule, constant):
    found = [one["selection"] for one in made("document") if one["selection"]["name"] == rule]
    assert len({one[constant] for one in found if constant in one}) >= 3


def run_of(name: str, areas: np.ndarray, kind: str = "trees") -> recovery.Run:
    return recovery.Run(name, kind, 1000, None, None, None, areas, np.arange(len(areas)))


def test_what_differs_beyond_chance_is_marked():
    rng = np.random.default_rng(1)
    base = rng.uniform(0.2, 0.8, 40)
    runs = [run_of(recovery.PLAIN, base)]
    for name, shift in (("better", -0.1), ("worse", 0.1), ("equal", 0.0)):
        runs.append(run_of(name, base + shift + rng.normal(0, 0.05, 40)))
    gaps = recovery.against_plain(runs)
    assert [recovery.sign(gaps[name, "trees"]) for name in ("better", "worse", "equal")] == [" +", " -", ""]
    assert recovery.gap(runs[0], runs[0]).p == 1.0
    robust, _ = recovery.verdicts([run.name for run in runs], ["trees"], gaps)
    assert robust.endswith("worse on none: better.")


def test_runs_are_paired_by_the_numbers_of_their_trees():
    """A run of more trees, or of others, is compared on those that both have."""
    noise = np.random.default_rng(3).normal(0, 0.01, 20)
    more, fewer = run_of("more", np.arange(30.0)), run_of("fewer", np.arange(20) - 0.1 + noise)
    later = fewer._replace(areas=fewer.areas[5:], trees=fewer.trees[5:])
    assert recovery.gap(fewer, more).mean == pytest.approx(-0.1 + noise.mean())
    assert recovery.gap(later, more, odd=True).mean == pytest.approx(-0.1 + noise[5::2].mean())
    assert recovery.odd_trees(later, more) == 8
    elsewhere = fewer._replace(trees=fewer.trees + 1000)
    assert recovery.gap(elsewhere, more) == recovery.Gap(0.0, 0.0, 1.0)


def test_boltzmann_is_compared_on_trees_that_chose_no_constant():
    """The temperature that is best on even trees is taken, and only odd trees say how good it is."""
    even = np.arange(40) % 2 == 0
    noise = np.random.default_rng(2).normal(0, 0.01, 40)
    runs = [
        run_of("UCB1, C = 1", np.full(40, 0.3) + noise),
        run_of("Boltzmann, T = 0.1", np.where(even, 0.1, 0.5)),
        run_of("Boltzmann, T = 0.5", np.where(even, 0.2, 0.1)),
    ]
    (line,) = recovery.boltzmann(runs, ["trees"])
    assert "Boltzmann, T = 0.1 against UCB1, C = 1" in line and "significantly weaker" in line and "on 20 other" in line


@pytest.mark.slow
def test_a_sweep_in_little(run, only):
    line = "trees experiment=open_questions/recovery scale=small engine=cpu threads=1 scales.small.runs=2"
    more = ["scales.small.iterations=60", "scales.small.option='ucb1_1,uniform_minimax,boltzmann_01'"]
    more += ["scales.small.trees={deceptive: 6, pgames: 8}", "hydra.sweeper.params.shape='deceptive,pgames'"]
    more += ["shapes.pgames.depth=6", "shapes.deceptive.depth=4"]
    done = run(line, *more)
    assert done.code == 0, done.err
    assert "Boltzmann against UCB1, pgames" in done.out and "Reduced, scale=small" in done.out
    with only("multirun/open_questions/*/recovery.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = ("UCB1, C = 1", "Boltzmann, T = 0.1", "uniform, minimax")  # as they are described
    assert [(row["run"], row["trees_of"]) for row in rows] == [
        (n, kind) for kind in ("deceptive", "pgames") for n in names
    ]
    assert all(0 <= float(row["failure_rate"]) <= 1 for row in rows)
    assert all((row["p_holm"] == "") == (row["run"] == recovery.PLAIN) for row in rows)
    assert only("multirun/open_questions/*/recovery.png").stat().st_size > 10_000
