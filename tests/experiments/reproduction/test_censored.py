"""What lies beyond a run's horizon: no exact figure is made of it, and nothing that was left out is counted."""

import itertools
import math

import numpy as np
import pytest

from experiments.papers.ramanujan2010understanding import fig3, tables
from experiments.papers.ramanujan2010understanding.searches import Mean as Moments
from experiments.papers.ramanujan2010understanding.searches import mean_of
from experiments.reproduction.catalogue import item_of
from experiments.reproduction.cells import Digests
from experiments.reproduction.gathering import estimates, strategies, synthetic
from experiments.reproduction.gathering.common import mean_of_all, mean_within
from experiments.reproduction.pages import value_text
from experiments.reproduction.quantities import Estimate, Mean, OpenEnded
from gpumcts.errors import BadInput
from tests.experiments.reproduction.test_strategies import NAME, level, pair, result, searches, verdicts

DIGESTS = Digests(all="0" * 64, first_ten="1" * 64)


@pytest.fixture(autouse=True)
def without_folders(monkeypatch):
    for module in (strategies, estimates, synthetic):
        monkeypatch.setattr(module, "search_digests", lambda _: DIGESTS)


def with_beyond(mean, beyond, count=100):
    """Searches of which the last ``beyond`` did not converge."""
    found = searches(mean, count)
    found.crossing[count - beyond :] = math.inf
    return found


# ------------------------------------------------------------------------------------------------------------- means


def test_a_mean_with_searches_beyond_the_horizon_has_a_lower_end_alone():
    times = np.array([100.0, 200.0, np.inf])
    found = mean_within(times, 1000.0)
    assert isinstance(found, OpenEnded) and found.number == pytest.approx(1300 / 3) and found.most == 1000
    assert found.low < found.value and value_text(found, "iterations").endswith(", no end]")
    assert isinstance(mean_within(times[:2], 1000.0), Mean)
    assert value_text(mean_within(times[2:].repeat(3), 1000.0), "iterations") == "over 1,000"


@pytest.mark.parametrize(("beyond", "kind", "verdict"), [(0, Mean, "agrees"), (1, OpenEnded, "open")])
def test_scenario_a_does_not_agree_where_a_search_is_beyond_the_horizon(monkeypatch, beyond, kind, verdict):
    paper, item = item_of(f"{NAME}/scenario_a")
    monkeypatch.setattr(strategies, "read_searches", lambda _: with_beyond(9.0, beyond))
    run = result({"game": {"critical": [0], "first_share": 0.5}, "selection": {"epsilon": 0.02}})
    (found,) = strategies.scenarios(paper, item, [run])
    assert isinstance(found.measured.quantity, kind)
    assert found.verdict == verdict


@pytest.mark.parametrize(
    ("deep", "shallow", "verdict"),
    [((400.0, 0), (100.0, 0), "agrees"), ((400.0, 30), (100.0, 0), "agrees"), ((400.0, 0), (100.0, 10), "open")],
)
def test_a_deeper_node_takes_longer_for_sure_only_where_the_shallow_ones_all_converged(
    monkeypatch, deep, shallow, verdict
):
    paper, item = item_of(f"{NAME}/sec6_claims")
    told = {20: with_beyond(*deep), 10: with_beyond(*shallow)}
    monkeypatch.setattr(estimates, "read_searches", lambda run: told[run.config["game"]["critical"][0]])
    runs = [level((depth,), 1.0, False) for depth in told]
    for run in runs:
        run.config["scales"] = {"document": {"trees": 50}}
    assert verdicts(item, estimates.depths(paper, item, runs))[0] == {"c70-two": verdict}


def test_a_mean_of_table_2_without_those_that_never_converged_has_no_upper_end():
    _, item = item_of(f"{NAME}/table2")
    for never, kind in ((0, Mean), (3, OpenEnded)):
        time = Moments(40, 16_000.0, 800.0, 16_000.0)
        plan = tables.Cell(0.7, "deep", "shallow", "F", time, time, 0.0, time, never)
        measured, _ = synthetic._plan(item, plan, 100_000)
        assert measured is not None and isinstance(measured.quantity, kind)


@pytest.mark.parametrize(("beyond", "verdict"), [(0, "agrees"), (4, "open")])
def test_unlucky_searches_beyond_the_horizon_leave_figure_6_open_above(monkeypatch, beyond, verdict):
    from experiments.papers.ramanujan2010understanding.fig6 import Simulated

    paper, item = item_of(f"{NAME}/fig6")

    def simulated(run):
        epsilon, own = run.config["selection"]["epsilon"], Moments(2000, 95.0, 9.0, 95.0)
        mean = own if epsilon == 0.542 else Moments(2000, 200.0, 9.0, 200.0)
        some = (own, 0.5, own, mean, own, 0, 1.0, own, beyond)
        return Simulated("B", epsilon, 0.5, 0.5, 4000, 5000.0, *some)

    monkeypatch.setattr(estimates, "simulated", simulated)
    scales = {"document": {"trees": 4000}}
    runs = [result({"selection": {"epsilon": epsilon}, "scales": scales}) for epsilon in (0.542, 0.2)]
    found = estimates.epsilons(paper, item, runs)
    assert [isinstance(cell.measured.quantity, OpenEnded) for cell in found] == [bool(beyond)] * 2
    assert [cell.verdict for cell in found] == [verdict] * 2


# ----------------------------------------------------------------------------------------------------------- medians


def test_a_median_whose_upper_end_is_beyond_the_horizon_has_none(monkeypatch):
    paper, item = item_of(f"{NAME}/slices")
    runs = {d1: pair(d1, 22, median) for d1, median in ((0, 1000.0), (12, 300.0), (20, 900.0))}
    runs[12].summary["crossing_high"] = None
    runs[20].summary.update(crossing_median=None, crossing_high=None)
    found = {cell.cell: cell for cell in strategies.slices(paper, item, list(runs.values()))}
    assert {name: cell.verdict for name, cell in found.items()} == {"c70-dip-0": "open", "c70-dip-20": "open"}
    assert found["c70-dip-0"].measured.quantity.model_dump() == {
        "kind": "open_ended", "count": 100, "number": 300.0, "low": 291.0, "most": 200_000.0,
    }  # fmt: skip
    assert found["c70-dip-20"].measured.other.number is None
    runs[12].summary["crossing_high"] = 309.0
    found = {cell.cell: cell.verdict for cell in strategies.slices(paper, item, list(runs.values()))}
    assert found == {"c70-dip-0": "agrees", "c70-dip-20": "agrees"}  # below what was never reached


def test_eq_2_does_not_agree_where_the_upper_end_or_the_median_is_beyond_the_horizon():
    from experiments.papers.ramanujan2010understanding.claims import eq2

    paper, item = item_of(f"{NAME}/sec6_levels")
    fitted = [(d,) for d in range(2, 21, 2)] + [(4, 8), (4, 16), (8, 16), (10, 20)]
    more = [(4, 8, 12), (2, 6, 10, 14), (4, 10, 14, 20)]
    runs = {depths: level(depths, eq2(depths, 3.0, 2.0, 2.4), False) for depths in (*fitted, *more)}
    runs[4, 8, 12].summary["crossing_high"] = None
    runs[2, 6, 10, 14].summary.update(crossing_median=None, crossing_low=None, crossing_high=None)
    found, _ = verdicts(item, strategies.levels(paper, item, list(runs.values())))
    assert found == {"two-c70-4-8-12": "open", "two-c70-2-6-10-14": "differs", "two-c70-4-10-14-20": "agrees"}


# --------------------------------------------------------------------------------------------------------------- fits


@pytest.mark.parametrize(("deepest", "pairs", "verdict"), [(None, 66, "agrees"), (22, 55, "reduced")])
def test_a_fit_counts_the_pairs_that_it_used(deepest, pairs, verdict):
    paper, item = item_of(f"{NAME}/fig3")
    runs = []
    for d1, d2 in itertools.combinations(range(0, 24, 2), 2):
        run = pair(d1, d2, fig3.eq1(d1, d2, 3.0, 5.0, 2.37))
        if d2 == deepest:
            run.summary.update(crossing_median=None, crossing_low=None, crossing_high=None)
        runs.append(run)
    (found,) = estimates.growth(paper, item, runs)
    assert isinstance(found.measured.quantity, Estimate)
    assert (found.measured.quantity.count, found.asked.budget["pairs"], found.verdict) == (pairs, pairs, verdict)


@pytest.mark.parametrize("times", [[], [7.0]])
def test_a_mean_of_fewer_than_two_searches_is_refused(times):
    with pytest.raises(BadInput, match="no interval of a mean; take more"):
        mean_of_all(mean_of(np.array(times)))
    with pytest.raises(BadInput, match="trees=1: one tree gives no interval"):
        synthetic._mean(np.array([0.5]))
