"""plot.png of a sweep: a curve over a swept number, a matrix over two swept keys, and what its axes hold."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from experiments import match, search, trees  # noqa: F401  they say how their runs are shown
from experiments.analysis import plots
from experiments.analysis.by_game import game_title
from experiments.analysis.result_table import playouts_cells, playouts_measure, search_cells
from experiments.analysis.swept_plot import labels_that_fit, places_across
from experiments.runs.results import Result
from tests.games.conformance import heap


def result(program, label, summary, config=None, folder=None):
    return Result(
        folder, config or {}, {"program": program, "label": label, "name": program, "command": ["", "-m"]}, summary
    )


def played(label, wins, games=100, **config):
    """A match; its interval is 10 % to each side."""
    rate = wins / games if games else None
    ends = {"ci95_low": rate - 0.1, "ci95_high": rate + 0.1} if games else {"ci95_low": None, "ci95_high": None}
    return result("match", label, {"games": games, "win_rate": rate, "seed": 1, **ends}, config, Path("a") / label)


def searched(label, value):
    """A search whose move is not the one that it visited most."""
    moves = [{"move": "a1", "visits": 9, "value": 0.75}, {"move": "b1", "visits": 8, "value": value}]
    counts = {"iterations": 20, "iterations_per_second": 1000.0, "seconds": 1.0}
    return result("search", label, {"best": "b1", "moves": moves, **counts})


def drawn(results):
    """The axes of each panel."""
    panels = plots._panels_of(results)
    found = [Figure().subplots() for _ in panels]
    for axes, panel in zip(found, panels, strict=True):
        panel.draw(axes, results)
    return found


def legend_of(axes):
    """What stands beside the colours of a matrix."""
    return axes.images[0].colorbar.ax.get_ylabel()


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_swept_number_is_a_curve_in_per_cent_with_intervals():
    (axes,) = drawn([played(f"n={n}", wins) for n, wins in ((4, 80), (1, 20), (2, 50))])
    even, curve = axes.lines
    assert list(even.get_ydata()) == [50, 50]
    assert list(curve.get_xdata()) == [1, 2, 4] and list(curve.get_ydata()) == [20, 50, 80]
    ends = [bar.get_segments()[0].tolist() for bar in axes.collections]
    wanted = [[[1, 10], [1, 30]], [[2, 40], [2, 60]], [[4, 70], [4, 90]]]
    assert [sum(bar, []) for bar in ends] == [pytest.approx(sum(bar, [])) for bar in wanted]
    assert axes.get_ylim() == (0, 100) and axes.get_ylabel() == "win rate, % (95 %)"
    assert axes.get_xlabel() == "n" and ticks(axes.xaxis) == ["1", "2", "4"] and axes.get_xscale() == "linear"


def test_a_wide_span_is_logarithmic_and_a_value_is_no_win_rate():
    """A search's value has neither a line at 50 % nor per cents; its bars of speed stand below."""
    axes, bars = drawn([searched(f"n={n}", 0.25) for n in (10, 100, 1000)])
    (curve,) = axes.lines
    assert axes.get_xscale() == "log" and list(curve.get_ydata()) == [0.25] * 3
    assert axes.get_ylabel() == "value of the best move" and not axes.collections
    assert [bar.get_width() for bar in bars.patches] == [1000.0] * 3


def test_the_value_of_a_search_is_that_of_its_move():
    cells = search_cells(searched("n=1", 0.25))
    assert (cells["plays"], cells["value"]) == ("b1", "0.2500")


@pytest.mark.parametrize("ends", [{"mean_reward": None}, {"first_wins": 0, "draws": 0, "second_wins": 0}])
def test_playouts_that_were_interrupted_before_any_have_no_number(ends):
    counts = {"playouts": 0, "playouts_per_second": 0.0, "mean_plies": None, "seconds": 0.0, "digest": "0" * 64}
    none = result("playouts", "n=1", {**counts, **ends})
    cells = playouts_cells(none)
    assert cells["mean plies"] == cells.get("mean reward", cells.get("first wins %")) == "-"
    assert playouts_measure(none) is None


def test_places_are_logarithmic_over_a_wide_span():
    assert places_across([1.0, 10.0, 100.0]) == (pytest.approx([0.0, 0.5, 1.0]), True)
    assert places_across([1.0, 2.0, 3.0]) == ([0.0, 0.5, 1.0], False)
    assert places_across([-1.0, 0.0, 100.0])[1] is False


def test_crowded_values_are_not_all_told():
    (axes,) = drawn([played(f"n={n}", 50) for n in range(1000, 1060)])
    told = [text for text in ticks(axes.xaxis) if text]
    assert 5 <= len(told) < 20 and told[0] == "1000" and len(axes.lines[-1].get_xdata()) == 60
    assert labels_that_fit([0.0, 1.0, 2.0, 3.0], ["10", "11", "12", "13"], 0.5) == ["10", "", "12", ""]


DRAWN = ("0.91348005863081516", "0.96093442299097482", "0.99712345678901234")


def test_numbers_that_a_sweeper_drew_are_points_that_no_line_joins():
    """Ticks are those of the axis, since the numbers mean nothing of their own."""
    (axes,) = drawn([played(f"b.decay={number}", 50) for number in DRAWN])
    assert axes.lines[-1].get_linestyle() == "None" and axes.lines[-1].get_marker() == "o"
    assert list(axes.lines[-1].get_xdata()) == [float(number) for number in DRAWN] and len(axes.collections) == 3
    assert not [label for label in ticks(axes.xaxis) if len(label) > 6]


def of_command(run, *words):
    return replace(run, provenance={**run.provenance, "command": ["match.py", "-m", *words]})


@pytest.mark.parametrize(
    ("numbers", "word", "joined"),
    [
        ((3, 17, 29), "n=interval(1,50)", False),
        ((3, 17, 29), "hydra.sweeper.params.n=interval(1,50)", False),
        ((3, 17, 29), "n=3,17,29", True),
        ((3, 17, 29), "other_n=interval(1,50)", True),
        ((10, 20, 30), "n=range(10,31,10)", True),
        ((0.1, 0.1 * 10 ** (1 / 3), 0.1 * 10 ** (2 / 3), 1.0), "", True),
    ],
)
def test_a_list_and_a_regular_row_are_joined(numbers, word, joined):
    (axes,) = drawn([of_command(played(f"n={number}", 50), word) for number in numbers])
    assert (axes.lines[-1].get_linestyle() == "-") == joined


def test_two_keys_that_a_sweeper_drew_are_no_matrix():
    (axes,) = drawn([played(f"n={DRAWN[i]} m={DRAWN[-i]}", 50) for i in range(3)])
    assert not axes.images and axes.get_xlabel() == "win rate of the player, % (Wilson 95 %)"


def test_ticks_have_four_digits_of_numbers_that_nobody_wrote():
    numbers = [0.1 * 10 ** (step / 3) for step in range(4)]
    (axes,) = drawn([played(f"n={number!r}", 50) for number in numbers])
    assert ticks(axes.xaxis) == ["0.1", "0.2154", "0.4642", "1.0"]
    (matrix,) = drawn([played(f"n={number!r} b={b}", 50) for number in numbers for b in "uv"])
    assert ticks(matrix.yaxis) == ["0.1", "0.2154", "0.4642", "1.0"]


def test_matches_without_a_game_are_left_out():
    (axes,) = drawn([*(played(f"n={n}", 50) for n in (1, 2, 3)), played("n=4", 0, 0)])
    assert list(axes.lines[-1].get_xdata()) == [1, 2, 3]


def test_two_swept_keys_are_a_matrix_that_says_what_is_missing():
    runs = [played("n=10 b=u", 20), played("n=2 b=u", 80), played("n=2 b=v", 50), played("n=10 b=v", 0, 0)]
    (axes,) = drawn(runs)
    ((top, missing),) = [image.get_array()[:, 1].tolist() for image in axes.images]
    assert axes.images[0].get_array()[:, 0].tolist() == [0.8, 0.2] and top == 0.5
    assert missing is None or math.isnan(missing)
    assert texts(axes) == ["80.0 %\n[70.0, 90.0]", "50.0 %\n[40.0, 60.0]", "20.0 %\n[10.0, 30.0]", "missing"]
    assert ticks(axes.yaxis) == ["2", "10"] and ticks(axes.xaxis) == ["u", "v"]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("n", "b")
    assert legend_of(axes) == "win rate, % (95 %)"


def test_a_wide_matrix_has_the_numbers_alone():
    (axes,) = drawn([played(f"b={b} n={n}", n, games=100) for b in "uv" for n in range(10, 30) if (b, n) != ("v", 29)])
    assert texts(axes)[:2] == ["10.0", "11.0"] and texts(axes)[-1] == "-"
    assert legend_of(axes) == "win rate, %"
    assert all(label.get_rotation() == 0 for label in axes.get_xticklabels())


def test_names_that_would_touch_are_slanted():
    (axes,) = drawn([played(f"n={n} b={b * 30}", 50) for n in (1, 2) for b in "uvw"])
    assert all(label.get_rotation() == 30 for label in axes.get_xticklabels())


@pytest.mark.parametrize(
    "labels", [["b=u", "b=v", "b=w"], ["n=1", "n=2"], ["n=1", "n=2", "n=inf"], ["n=1", "n=2", "n=nan"]]
)
def test_other_sweeps_have_a_line_a_match(labels):
    """Names, two numbers, and numbers that have no place on an axis."""
    (axes,) = drawn([played(label, 50) for label in labels])
    assert axes.get_xlabel() == "win rate of the player, % (Wilson 95 %)"
    assert len(ticks(axes.yaxis)) == len(labels)


def test_a_sweep_over_k_keeps_its_own_axis():
    (axes,) = drawn([played(f"k={k}", 50, k=k, budget={"iterations": 10}) for k in (1, 2, 3)])
    assert axes.get_xlabel() == "k (decay = 1 - 0.1^k)"


def test_a_picture_is_written(tmp_path):
    assert plots.plot([played(f"n={n} b={b}", 50) for n in (1, 2) for b in "uv"], tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert not plots.plot([played("n=1", 0, 0), played("n=2", 0, 0)], tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


@pytest.mark.parametrize("wins", [(53, 53), (20, 80), (0, 100)])
def test_colours_of_win_rates_are_the_same_in_all_matrices(wins):
    """They part at 50 %, in the middle, and a legend says what they are."""
    (axes,) = drawn([played(f"n={n} b={b}", wins[n]) for n in (0, 1) for b in "uv"])
    assert axes.images[0].get_clim() == (0, 1)
    assert ticks(axes.images[0].colorbar.ax.yaxis) == ["0", "20", "40", "60", "80", "100"]


def test_a_title_tells_what_all_runs_share():
    def of(label, iterations=500, game="othello", against="uct"):
        identity = {"game": {"name": game}, "budget": {"iterations": iterations, "seconds": None}}
        run = played(label, 50)
        record = {**run.provenance, "identity": identity}
        return replace(run, provenance=record, summary={**run.summary, "opponent": {"label": against}})

    title = plots.plot_title
    assert title([of("a=1"), of("a=2")]) == "Othello, against UCT, 500 iterations"
    assert title([of("a=1"), of("a=2", iterations=700)]) == "Othello, against UCT"
    assert title([of("a=1"), of("a=2", game="go", against="random")]) == "500 iterations"
    assert title([of("a=1", 5), of("a=2", game="go", against="random")]) == "match"
    assert title([searched("n=1", 0.5)]) == "search"


def test_what_alpha_beta_is_given_are_leaves():
    def of(method):
        summary = {"points": [1, 2], "failure_rate": [0.5, 0.1], "low": [0.4, 0.0], "high": [0.6, 0.2]}
        run = result("trees", method, summary, {"method": method})
        return replace(run, provenance={**run.provenance, "identity": {"budget": {"iterations": 2}}})

    uct, alpha_beta = of("search"), of("alpha_beta")
    both = "iterations (alpha-beta: leaves)"
    for runs, counted in (([uct], "iterations"), ([alpha_beta], "leaves"), ([uct, alpha_beta], both)):
        (axes,) = drawn(runs)
        assert axes.get_xlabel() == counted and plots.plot_title(runs) == f"trees: 2 {counted}"


def test_a_game_of_ones_own_has_the_name_of_its_class_in_a_title(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    heap.write(tmp_path, "titled_lab.heap_of_stones")
    try:
        assert game_title("titled_lab.heap_of_stones") == "Heap"
    finally:
        heap.forget("titled_lab.heap_of_stones")
    assert game_title("gone_lab.last_stone") == "Last stone" and game_title("connect_four") == "Connect four"


def test_long_names_fold_and_have_more_room():
    long = " ".join(f"group_{n}.parameter=value_{n}" for n in range(4))
    runs = [played(f"{long} b={b}", 50) for b in "uv"]
    (axes,) = drawn(runs)
    assert max(len(line) for name in ticks(axes.yaxis) for line in name.split("\n")) <= 56
    assert plots._panels_of(runs)[0].inches > plots._panels_of([played(f"b={b}", 50) for b in "uv"])[0].inches


def test_a_rate_at_the_edge_is_written_beside_it():
    (axes,) = drawn([played("b=u", 0), played("b=v", 100), played("b=w", 50)])
    assert [text.get_ha() for text in axes.texts] == ["left", "right", "center"]
