"""The plot of soft traps: readings stand side by side, so that intervals of few games can be told apart."""

from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from experiments.soft_traps.report import plot


@pytest.fixture
def axes(monkeypatch, tmp_path):
    """Of a plot of two readings that agree everywhere, over three Deltas, of three games."""
    found = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **__: found.append(self))
    monkeypatch.setattr("experiments.soft_traps.report._as_printed", lambda config: False)
    shares = [{"share": [share, max(0, share - 0.4), min(1, share + 0.4)]} for share in (1.0, 0.5, 0.0)]
    config = SimpleNamespace(keys=SimpleNamespace(shallow=2, deep=4, strategy=1))
    plot(config, {"deltas": [1, 5, 100], "shares": {"disagree": shares, "worse": shares}}, tmp_path / "x.png")
    (figure,) = found
    return figure.axes[0]


def test_readings_that_agree_do_not_cover_each_other(axes):
    marked = [line for line in axes.lines if line.get_marker() == "o"]
    first, second = (line.get_xdata() for line in marked)
    assert all(0.2 < right - left < 1 for left, right in zip(first, second, strict=True))
    assert [line.get_ydata().tolist() for line in marked] == [[100, 50, 0]] * 2


def test_intervals_are_lines_and_no_bands(axes):
    assert {type(one).__name__ for one in axes.collections} == {"LineCollection"}
    ends = [[point[1] for point in line] for line in axes.collections[0].get_segments()]
    assert ends == [pytest.approx(pair) for pair in ([60, 100], [10, 90], [0, 40])]


def test_deltas_are_as_far_apart_as_their_readings_need(axes):
    assert list(axes.get_xticks()) == [0, 1, 2]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "5", "100"]
    assert axes.get_legend() is None and axes.figure.legends  # outside of the axes
