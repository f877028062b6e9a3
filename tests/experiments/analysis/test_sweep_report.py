"""What the end of a sweep says of budgets: those of the experiment, and those of the command line."""

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.analysis import sweep_report
from experiments.analysis.sweep_report import against_even, overridden, reduced
from experiments.runs.results import Result

SCALES = {
    "small": {"games": {"othello": 400, "go": 100}, "iterations": {"few": 500, "many": 2000}},
    "document": {"games": {"othello": 1000, "go": 1000}, "iterations": {"few": 5000, "many": 50000}},
}


def result(scale, games, iterations):
    config = {"scales": SCALES, "scale": scale, "games": games, "budget": {"iterations": iterations}}
    return Result(Path("x"), config, {}, {})


@pytest.mark.parametrize("scale, games, iterations", [("small", 400, 2000), ("document", 1000, 50000)])
def test_budgets_of_the_experiment_are_not_mentioned(scale, games, iterations):
    assert overridden([result(scale, games, iterations)]) == []


def test_what_the_command_line_changed_is_told():
    found = overridden([result("document", 2, 50), result("document", 1000, 2000), result("document", 1000, 5000)])
    assert found == [
        "Not as the experiment has it, by the command line: games 2 (of the experiment: 1,000); "
        "iterations 50 to 2,000 (of the experiment: 5,000 to 50,000)."
    ]


def test_reduced_scales_are_told_beside_the_documents():
    (line,) = reduced([result("small", 400, 500)])
    assert line.startswith("Reduced, scale=small: games 100 to 400 (document: 1,000); iterations 500 to 2,000")


def test_a_run_of_an_earlier_commit_has_its_scale_under_the_budget():
    config = {"scales": SCALES, "games": 400, "budget": {"name": "small", "iterations": 500}}
    assert reduced([Result(Path("x"), config, {}, {})]) == reduced([result("small", 400, 500)])


def test_experiments_without_scales_have_nothing_to_tell():
    plain = Result(Path("x"), {"games": 7, "budget": {"name": "iterations", "iterations": 3}}, {}, {})
    assert overridden([plain]) == reduced([plain]) == []


def departed(**changes):
    config = {"scales": SCALES, "scale": "small", "document": "ramanujan2010understanding/sec4", "column": "uct_h_50"}
    config |= {"game": {"name": "othello"}}
    return Result(Path("x"), config, {"program": "match", "changes": changes}, {"games": 20})


def test_what_a_record_says_was_changed_is_told_and_is_not_reduced():
    runs = [departed(games=[3, 400], game=["othello", "chess"]), departed(games=[3, 100])]
    assert overridden(runs) == [
        "Not as the experiment has it, by the command line: games 3 (of the experiment: 100 to 400); "
        "game othello (of the experiment: chess)."
    ]
    assert "games" not in reduced(runs)[0] and "iterations 500 to 2,000 (document" in reduced(runs)[0]


def test_a_documents_figure_stands_beside_no_other_game():
    """It does beside other amounts, and beside keys of which the document says nothing."""
    assert departed(games=[3, 400]).published.win_rate == departed(**{"playout.limit": [6500, None]}).published.win_rate
    other = departed(game=["othello", "chess"])
    assert other.published is None and other.printed.win_rate == 0.55
    assert other.title.endswith("section 4), othello, here game=othello")


def match_of(label, wins, games=400, draws=0, **config):
    summary = {"wins": wins, "draws": draws, "games": games, "win_rate": (wins + draws / 2) / games if games else None}
    return Result(Path(label), config, {"program": "match", "name": label, "label": label}, summary)


def test_win_rates_that_differ_from_even_are_named_with_holms_correction():
    """230 of 400 has p = 0.0031, which of 2 tests is 0.0063, and of 40 is nothing."""
    said = against_even([match_of("a", 230), match_of("b", 205), match_of("none", 0, games=0)])
    assert said == ["1 of 2 win rates differs from 50 % (p by Holm over the sweep's 2 matches): a (57.5 %, p 0.006)."]
    assert against_even([match_of("a", 230), match_of("b", 250)])[0].startswith("2 of 2 win rates differ from 50 %")
    four = against_even([match_of(name, 240) for name in "abcd"])
    assert four == [
        "4 of 4 win rates differ from 50 % (p by Holm over the sweep's 4 matches):",
        *(f"  {name} (60.0 %, p < 0.001)" for name in "abcd"),
    ]
    some = [match_of("a", 230, panel="go"), *[match_of(f"{i}", 200) for i in range(39)]]
    assert against_even(some) == [
        "None of 40 win rates differs from 50 % (Holm over the sweep's 40 matches; the least p is 0.13)."
    ]
    assert against_even(some[:1]) == []


def test_matches_that_a_sequential_test_may_end_have_no_p_value():
    results = [match_of("a", 230), match_of("b", 205), match_of("c", 399), match_of("d", 1)]
    for result in results[2:]:
        result.summary["sprt"] = {"decision": "go on"}
    assert against_even(results) == against_even(results[:2])


def test_a_few_games_lost_are_no_difference_beyond_chance():
    """0 of 6 has p = 1/32, and 1/16 of two tests."""
    assert against_even([match_of("a", 0, games=6), match_of("b", 0, games=6)]) == [
        "None of 2 win rates differs from 50 % (Holm over the sweep's 2 matches; the least p is 0.062)."
    ]


def test_of_several_games_holms_correction_says_which():
    games = [match_of(f"n={n}", 230, game={"name": name}) for n, name in enumerate(("othello", "my_lab.nim", "go"))]
    assert "(p by Holm over the sweep's 3 matches of othello, my_lab.nim and go): n=0" in against_even(games)[0]


def test_numbers_with_many_digits_are_named_by_six(tmp_path, monkeypatch, capsys):
    """In tables and sentences; ``table.csv`` has them all."""
    runs = [match_of(f"decay={decay}", 300) for decay in ("0.9609344229909748", "0.97")]
    side = {"playouts_per_second": 0.0}
    more = {"losses": 100, "ci95_low": 0.5, "ci95_high": 0.9, "seconds": 1.0, "player": side, "opponent": side}
    summaries = {run.label: run.summary | more for run in runs}
    monkeypatch.setattr(
        sweep_report, "sound_below", lambda _: ([replace(run, summary=summaries[run.label]) for run in runs], [])
    )
    monkeypatch.setattr(sweep_report, "plot", lambda *_: [])
    provenance = {"earlier": [], "commit": None}
    runs = [replace(run, provenance={**run.provenance, **provenance}) for run in runs]
    sweep_report.conclude(tmp_path)
    out = capsys.readouterr().out
    assert "decay=0.960934 " in out and "decay=0.9609344" not in out
    assert "decay=0.9609344229909748" in (tmp_path / "table.csv").read_text()


def test_the_table_of_a_folder_with_two_sweeps_has_what_tells_them_apart(tmp_path, monkeypatch, capsys):
    side = {"playouts_per_second": 0.0}
    more = {"losses": 100, "ci95_low": 0.5, "ci95_high": 0.9, "seconds": 1.0, "player": side, "opponent": side}
    runs = []
    for seed, game in ((1, "go"), (2, "chess")):
        run = match_of(f"{tmp_path}/{seed}", 300, game={"name": game})
        record = {"label": f"seed={seed}", "identity": {"game": {"name": game}, "seed": seed}, "earlier": []}
        record |= {"command": ["match.py", "-m", f"game={game}", f"seed={seed},9"], "commit": None}
        runs.append(replace(run, provenance={**run.provenance, **record}, summary={**run.summary, **more}))
    monkeypatch.setattr(sweep_report, "sound_below", lambda _: (runs, []))
    monkeypatch.setattr(sweep_report, "plot", lambda *_: [])
    sweep_report.conclude(tmp_path)
    assert "game=go seed=1" in capsys.readouterr().out
    assert "game=chess seed=2" in (tmp_path / "table.csv").read_text()
