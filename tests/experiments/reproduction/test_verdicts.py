"""Verdicts by hand: what agrees, differs, stays open, and what is only a smaller run."""

import math

import pytest
from pydantic import ValidationError

from experiments.reproduction.quantities import Estimate, Exact, Mean, Measured, OpenEnded, Points, Published, Share
from experiments.reproduction.verdicts import compare, own_budget

BUDGET = {"games": 1000, "iterations": 50_000}


def rate(wins, draws, losses):
    return Measured(unit="rate", quantity=Points(wins=wins, draws=draws, losses=losses))


def printed(value, count=1000, half=0.031, relation="equals"):
    return Published(relation=relation, value=value, count=count, half=half, budget=BUDGET, source="Table 1")


@pytest.mark.parametrize(
    ("wins", "draws", "losses", "value", "verdict"),
    [
        (563, 0, 437, 0.563, "agrees"),  # the interval of the difference is about +-4.4 points
        (575, 0, 425, 0.563, "open"),  # 1.2 points off: its end lies beyond five
        (505, 10, 485, 0.563, "differs"),
        (0, 0, 1000, 0.0, "agrees"),  # no variance is seen on either side, and yet there is a width
        (5630, 0, 4370, 0.563, "agrees"),
    ],
)
def test_a_rate_beside_a_printed_one(wins, draws, losses, value, verdict):
    found = compare(rate(wins, draws, losses), printed(value), BUDGET)
    assert found is not None and found.verdict == verdict
    assert found.low < found.difference < found.high


def test_the_variance_of_the_paper_s_own_games_counts():
    wide = compare(rate(5630, 0, 4370), printed(0.563, 100), BUDGET)
    narrow = compare(rate(5630, 0, 4370), printed(0.563, 10_000), BUDGET)
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)
    assert math.isclose(wide.high - wide.low, 2 * 1.96 * math.sqrt(0.246 / 100 + 0.246 / 10_000), rel_tol=1e-2)


@pytest.mark.parametrize("budget", [{"games": 1000, "iterations": 2000}, {"games": 999, "iterations": 50_000}, {}])
def test_another_budget_is_reduced_however_close(budget):
    assert compare(rate(563, 0, 437), printed(0.563), budget).verdict == "reduced"


def test_more_games_are_the_paper_s_budget_and_more_iterations_are_not():
    assert own_budget({"games": 2000, "iterations": 50_000}, BUDGET)
    assert not own_budget({"games": 2000, "iterations": 60_000}, BUDGET)


@pytest.mark.parametrize(
    ("mean", "deviation", "verdict"),
    [(16_100.0, 800.0, "agrees"), (16_100.0, 8000.0, "open"), (23_000.0, 800.0, "differs")],
)
def test_a_count_is_compared_as_a_ratio(mean, deviation, verdict):
    measured = Measured(unit="iterations", quantity=Mean(count=100, mean=mean, deviation=deviation))
    published = Published(relation="equals", value=16_000.0, half=500.0, budget={}, source="Table 2")
    found = compare(measured, published, {})
    assert found.verdict == verdict
    assert math.isclose(found.difference, math.log(mean / 16_000))


@pytest.mark.parametrize(
    ("mean", "relation", "verdict"),
    [(-0.2, "below", "agrees"), (0.2, "below", "differs"), (0.01, "below", "open"),
     (0.2, "above", "agrees"), (0.01, "near", "agrees")],
)  # fmt: skip
def test_claims_in_words_have_a_side(mean, relation, verdict):
    measured = Measured(unit="rate difference", quantity=Mean(count=200, mean=mean, deviation=0.2))
    published = Published(relation=relation, value=0.0, budget={}, source="Figure 4")
    assert compare(measured, published, {}).verdict == verdict


@pytest.mark.parametrize(
    ("number", "half", "unit", "verdict"),
    [
        (0.347, 0.0347, "slope", "agrees"),
        (0.386, 0.0347, "slope", "differs"),  # a ninth above, within five hundredths and not within a tenth
        (0.308, 0.0347, "slope", "differs"),
        (0.386, 0.05, "slope", "agrees"),
        (0.83, 0.01, "correlation", "differs"),
        (0.83, 0.04, "correlation", "agrees"),
        (0.83, 0.01, "rate", "agrees"),  # of a rate, within five points whatever the paper's interval
    ],
)
def test_a_slope_and_a_correlation_are_near_within_what_is_named_and_a_rate_within_five_points(
    number, half, unit, verdict
):
    value = 0.347 if unit == "slope" else 0.8
    measured = Measured(unit=unit, quantity=Estimate(count=9, number=number, low=number - 0.004, high=number + 0.004))
    found = compare(measured, Published(relation="near", value=value, half=half, budget={}, source="x"), {})
    assert found is not None and found.verdict == verdict


def test_two_measured_quantities_are_compared_with_each_other():
    fewer, more = Share(hits=10, count=1000), Share(hits=100, count=1000)
    measured = Measured(unit="rate", quantity=fewer, other=more, names=("UCT", "MC"))
    assert compare(measured, Published(relation="below", budget={}, source="x"), {}).verdict == "agrees"
    assert compare(measured, Published(relation="above", budget={}, source="x"), {}).verdict == "differs"


@pytest.mark.parametrize("lost", [Points(wins=0, draws=0, losses=10), Share(hits=0, count=10)])
def test_a_match_of_losses_alone_has_a_width_on_either_side(lost):
    """No variance is seen in ten losses, which leave up to 28 % open, as the first quantity and as the second."""
    level, words = Points(wins=12, draws=0, losses=88), Published(relation="above", budget={}, source="Table 1")
    first, second = (
        compare(Measured(unit="rate", quantity=one, other=other, names=("a", "b")), words, {})
        for one, other in ((level, lost), (lost, level))
    )
    assert first is not None and second is not None
    assert (first.low, first.high) == pytest.approx((-second.high, -second.low))
    assert first.verdict == "open" and first.p_value > 0.05


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ((1e6, 1e6, 1e6), (400, 300, 500), "differs"),  # exactly known samples, a factor of 2,500 apart
        ((None, 1e6, 1e6), (400, 300, 500), "differs"),  # not reached, and yet above
        ((1200, 800, 1e6, "open"), (400, 300, 500), "differs"),
        ((None, 1e6, 1e6), (None, 2e4, 1e6), "open"),  # neither was reached
        ((None, 1e6, 1e6), (None, 1e6, 1e6), "open"),  # and nothing is seen to vary
        ((None, 1e6, 1e6), (4000, 3000, 16000, "open"), "open"),  # where the other would end is not known
        ((400, 300, 500), (None, 1e6, 1e6), "differs"),
        ((400, 390, 410), (405, 390, 420), "agrees"),
        ((400, 390, 410), (405, 390, 420, "open"), "open"),
    ],
)
def test_what_was_not_reached_is_never_near(ours, theirs, verdict):
    """Estimates (number, low, high); open-ended ones end at the most that was drawn."""

    def quantity(number, low, most, kind=""):
        if kind == "open" or number is None:
            return OpenEnded(count=1, number=number, low=low, most=most)
        return Estimate(count=1, number=number, low=low, high=most)

    measured = Measured(unit="samples", quantity=quantity(*ours), other=quantity(*theirs), names=("a", "b"))
    near = Published(relation="near", half=405, budget={}, source="3.2")
    found = compare(measured, near, {})
    assert found is not None and found.verdict == verdict
    assert math.isinf(found.high) == isinstance(measured.quantity, OpenEnded)
    assert math.isinf(found.low) == isinstance(measured.other, OpenEnded)
    assert verdict != "differs" or found.p_value < 0.05


def test_lopsided_intervals_count_by_their_logarithms():
    ours, theirs = (Estimate(count=1, number=1e6, low=low, high=1e6) for low in (2e4, 9e5))
    measured = Measured(unit="samples", quantity=ours, other=theirs, names=("a", "b"))
    found = compare(measured, Published(relation="near", half=1e6, budget={}, source="3.2"), {})
    half = math.hypot(math.log(50), math.log(10 / 9)) / 2  # of intervals from 1/50 and 9/10 of their ends
    assert found is not None and math.isclose(found.high, half) and found.verdict == "open"


def test_exact_values_agree_or_differ():
    published = Published(relation="equals", value=0.6, budget={}, source="Figure 2")
    assert compare(Measured(unit="value", quantity=Exact(number=0.6)), published, {}).verdict == "agrees"
    assert compare(Measured(unit="value", quantity=Exact(number=0.61)), published, {}).verdict == "differs"


def test_a_figure_whose_condition_is_not_named_is_no_verdict():
    assert compare(rate(52, 0, 48), printed(0.52, relation="unstated"), BUDGET) is None


def test_a_count_that_is_above_none_agrees_and_none_is_open():
    published = Published(relation="above", value=0.0, budget={}, source="Figure 2")
    for count, verdict in ((1, "agrees"), (0, "open")):
        measured = Measured(unit="positions", quantity=Exact(number=count))
        assert compare(measured, published, {}).verdict == verdict


@pytest.mark.parametrize(
    "broken",
    [
        lambda: Points(wins=0, draws=0, losses=0),
        lambda: Share(hits=2, count=1),
        lambda: Mean(count=1, mean=0.0, deviation=0.0),
        lambda: Exact(number=math.nan),
        lambda: Published(relation="equals", budget={}, source="x"),
        lambda: Measured(unit="rate", quantity=Exact(number=1.0), other=Exact(number=1.0)),
    ],
)
def test_quantities_that_cannot_be_are_refused(broken):
    with pytest.raises(ValidationError):
        broken()
