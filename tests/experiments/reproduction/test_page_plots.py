"""Plots of the pages: a panel for each unit, and a legend of all that is drawn."""

import re

import pytest

from experiments.reproduction.cells import cells_below
from experiments.reproduction.page_plots import plot
from experiments.reproduction.quantities import Estimate, Measured, Published

CELL = next(cells_below())


def cell_of(unit, number, value=None):
    quantity = Estimate(count=9, number=number, low=0.9 * number, high=1.1 * number)
    relation = "unstated" if value is None else "equals"
    published = Published(relation=relation, value=value, budget={}, source="x")
    return CELL.model_copy(update={"measured": Measured(unit=unit, quantity=quantity), "published": published})


def texts_of(cells, path):
    plot(cells, path)
    return re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text())


def test_another_unit_has_another_axis(tmp_path):
    """Rates and their differences are per cent both."""
    some = [
        cell_of("iterations", 4e4),
        cell_of("correlation", 0.9),
        cell_of("rate", 0.5),
        cell_of("rate difference", 0.1),
    ]
    said = texts_of(some, tmp_path / "plot.svg")
    named = [text for text in said if text.endswith("(95 %)")]
    assert named == ["iterations (95 %)", "correlation (95 %)", "per cent (95 %)"]


@pytest.mark.parametrize("printed", [[0.4, None], [None, 0.4], [0.4, 0.4]])
def test_what_the_paper_prints_is_in_the_legend_wherever_it_stands(printed, tmp_path):
    said = texts_of([cell_of("rate", 0.5, value) for value in printed], tmp_path / "plot.svg")
    assert (said.count("paper"), said.count("ours")) == (1, 1)


@pytest.mark.parametrize(("numbers", "logarithmic"), [([100.0, 120.0], False), ([100.0, 900.0], True)])
def test_counts_of_a_narrow_range_have_a_plain_axis(numbers, logarithmic, tmp_path):
    plot([cell_of("iterations", number) for number in numbers], tmp_path / "plot.svg")
    assert ("<!-- $\\mathdefault{10^{2}}$ -->" in (tmp_path / "plot.svg").read_text()) == logarithmic
