"""plot.png of runs of many kinds: panels that can be read, in as many pictures as they take."""

import warnings
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from experiments import match, perft, playouts, search, trees  # noqa: F401  they say how their runs are shown
from experiments.analysis import plots
from experiments.runs.results import Result

LONG = " ".join(f"group_{n}.parameter_{n}=value_{n}" for n in range(9))


def result(program, label, summary, game="othello"):
    record = {
        "program": program,
        "label": label,
        "name": label,
        "command": [program],
        "identity": {"game": {"name": game}},
    }
    return Result(Path("a") / label, {}, record, summary)


def played(label, game="othello"):
    rates = {"win_rate": 0.5, "ci95_low": 0.4, "ci95_high": 0.6}
    return result("match", label, {"games": 4, "seed": 1, **rates}, game)


def mixed():
    """Runs of five commands, names of which are long."""
    curve = {"points": [1, 10], "failure_rate": [0.5, 0.1], "low": [0.4, 0.0], "high": [0.6, 0.2]}
    found = [played(f"{LONG} a={n}", game) for game in ("othello", "go") for n in "uv"]
    found += [result("perft", f"{LONG} a={n}", {"nodes_per_second": 2e8}) for n in "uv"]
    rates = {"first_wins": 1, "draws": 0, "playouts": 2, "playouts_per_second": 123456.0}
    found += [result("playouts", f"{LONG} a={n}", rates) for n in "uv"]
    value = {"moves": [{"value": 0.5}], "iterations_per_second": 1000.0}
    found += [result("search", f"{LONG} a={n} b={n}", value) for n in "uv"]
    return [*found, *(result("trees", f"{LONG} a={n}", curve, "pgame") for n in "uv")]


@pytest.fixture
def drawn(monkeypatch):
    """The figures that were written, laid out."""
    found = []
    saved = Figure.savefig

    def kept(self, *given, **more):
        saved(self, *given, **more)
        found.append(self)

    monkeypatch.setattr(Figure, "savefig", kept)
    return found


def test_panels_of_many_kinds_lie_within_the_picture_and_apart(tmp_path, drawn):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (path,) = plots.plot(mixed(), tmp_path / "plot.png")
    (figure,) = drawn
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    width, height = figure.bbox.width, figure.bbox.height
    near = 0.02 * width  # letters are as wide as the resolution has them
    assert len(boxes) == 6 and all(box.x0 >= -near and box.x1 <= width + near for box in boxes)
    assert all(above.y0 >= below.y1 for above, below in zip(boxes, boxes[1:], strict=False))
    assert all(axes.get_title("left") for axes in figure.axes)
    assert height - boxes[0].y1 < 0.1 * figure.dpi  # no blank room on top
    assert imread(path).shape[0] == pytest.approx(height * plots.DOTS_PER_INCH / figure.dpi, abs=1)


def test_rates_have_short_numbers_beside_their_axis(tmp_path, drawn):
    plots.plot(mixed()[6:8], tmp_path / "plot.png")
    texts = [label.get_text() for label in drawn[0].axes[0].get_xticklabels()]
    assert drawn[0].axes[0].get_title("left") == "playouts: Othello" and "100 k" in texts


def test_many_panels_take_several_pictures(tmp_path, drawn):
    """Each of up to two feet; pictures of an earlier plot that had more go, other files stay."""
    runs = [played(f"a={a}", f"game_{n}") for n in range(20) for a in "uv"]
    others = [tmp_path / name for name in ("plot-7.png", "plot-elo.png")]
    for other in others:
        other.write_bytes(b"")
    files = plots.plot(runs, tmp_path / "plot.png")
    assert [file.name for file in files] == ["plot.png", "plot-2.png"] and all(map(Path.is_file, files))
    assert [other.exists() for other in others] == [False, True]
    assert sum(len(figure.axes) for figure in drawn) == 20
    assert all(figure.get_size_inches()[1] <= plots.PICTURE for figure in drawn)


def test_a_panel_of_very_many_runs_has_fewer_dots(tmp_path, monkeypatch):
    """The renderer refuses pictures of 65,536 dots."""
    monkeypatch.setattr(plots, "MAX_DOTS", 500)
    plots.plot([played(f"a=x{n}") for n in range(9)], tmp_path / "plot.png")
    assert imread(tmp_path / "plot.png").shape[0] in (499, 500)


@pytest.mark.parametrize("labels", [["a=$x_$", "a=b", "a=c"], ["a=$x_$ b=1", "a=$x_$ b=2", "a=c b=1", "a=c b=2"]])
def test_dollar_signs_in_labels_are_no_formulas(tmp_path, labels, drawn):
    """Beside lines, and beside the cells of a matrix."""
    (path,) = plots.plot([played(label) for label in labels], tmp_path / "plot.png")
    assert path.exists()
    (figure,) = drawn
    assert any(r"\$x_\$" in tick.get_text() for axes in figure.axes for tick in axes.get_yticklabels())


def test_values_that_cross_a_level_beside_runs_without_one(tmp_path, drawn):
    """A sweep over ``level=null,0.7,0.85``: the runs that have one, and all of their levels."""
    crossed = {f"crossing_{key}": 5.0 for key in ("median", "low", "high")} | {"points": [1, 10]}
    some = [result("trees", "level=null", {"points": [1, 10]}, "pgame")]
    some += [result("trees", f"level={x}", {**crossed, "level": x}, "pgame") for x in (0.7, 0.85)]
    plots.plot(some, tmp_path / "plot.png")
    (axes,) = drawn[0].axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["level=0.7", "level=0.85"]
    assert axes.get_xlabel() == "iterations until the root stays above 0.7 or 0.85 (median, 95 %)"
