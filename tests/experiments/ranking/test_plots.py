"""Plots of move ranks: what stands on their axes."""

import io
import itertools

import pytest

from experiments.ranking import plots


@pytest.mark.parametrize(
    ("span", "labels"),
    [
        ((3e-5, 1.1e-3), ["50 µs", "100 µs", "200 µs", "500 µs", "1 ms"]),
        ((3e-6, 2.0), ["10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]),
    ],
)
def test_times_of_an_axis_have_labels_apart(span, labels):
    figure = plots._figure(5, 4)
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_xlim(*span)
    plots._name_times(axes)
    figure.savefig(io.BytesIO())
    ticks = [*axes.xaxis.get_majorticklabels(), *axes.xaxis.get_minorticklabels()]
    shown = [tick for tick in ticks if tick.get_text() and span[0] <= tick.get_position()[0] <= span[1]]
    assert [tick.get_text() for tick in shown] == labels
    boxes = [tick.get_window_extent() for tick in shown]
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))
