"""The ladder of doublings that senseis_uct/go9 ends with."""

import math
from pathlib import Path

from experiments.papers.senseis_uct import CONCLUSIONS, rungs
from experiments.runs.results import Result

OPTIONS = {"a": {"kind": "doubling"}, "b": {"kind": "uctk"}, "c": {"kind": "gnugo"}}


def result(playouts, wins, losses, option="a", against=None):
    opponent = {"budget": {"iterations": playouts // 2 if against is None else against}}
    config = {"options": OPTIONS, "option": option, "budget": {"iterations": playouts}, "title": f"{playouts} {option}"}
    config["opponent"] = opponent
    counts = {"games": wins + losses, "wins": wins, "draws": 0, "losses": losses}
    rates = {"win_rate": wins / (wins + losses), "ci95_low": 0.1, "ci95_high": 0.9}
    return Result(Path("x"), config, {}, {**counts, **rates})


def test_elo_adds_up_over_doublings_and_so_do_squares_of_its_errors():
    ladder = rungs([result(2000, 60, 40), result(1000, 75, 25), result(8000, 60, 40), result(4000, 50, 50)])
    assert [rung.playouts for rung in ladder] == [1000, 2000, 4000, 8000]
    steps = [400 * math.log10(3), 400 * math.log10(1.5), 0, 400 * math.log10(1.5)]
    for number, rung in enumerate(ladder):
        assert math.isclose(rung.elo, steps[number], abs_tol=1e-9)
        assert math.isclose(rung.total, sum(steps[: number + 1]), abs_tol=1e-9)
        assert math.isclose(rung.total_half**2, sum(step.half**2 for step in ladder[: number + 1]))


def test_a_gap_or_a_step_without_end_has_no_sum():
    gap = rungs([result(1000, 60, 40), result(4000, 60, 40), result(8000, 60, 40)])
    assert [math.isnan(rung.total) for rung in gap] == [False, True, True]
    won = rungs([result(1000, 60, 40), result(2000, 10, 0)])
    assert math.isinf(won[1].total) and math.isinf(won[1].total_half)


def test_a_doubling_that_the_command_line_made_none_is_no_step(tmp_path, capsys):
    CONCLUSIONS["go9"]([result(1000, 75, 25), result(20, 60, 40, against=500)], tmp_path)
    said = capsys.readouterr().out
    assert "+191 ± " in said and "+70 ± " not in said


def test_the_end_of_the_sweep(tmp_path, capsys):
    some = [result(1000, 75, 25), result(2000, 60, 40), result(2000, 40, 60, "b"), result(4000, 1, 9, "c")]
    assert CONCLUSIONS["go9"](some, tmp_path) == ["elo.png"] and (tmp_path / "elo.png").stat().st_size > 5000
    said = capsys.readouterr().out
    for words in ("+191 ± ", "+70 ± ", "+261 ± ", "Other UCTK against 1", "2000 b", "Against GNU Go", "4000 c"):
        assert words in said
    assert CONCLUSIONS["go9"]([result(1000, 10, 0)], tmp_path) == []
