"""The best of a sweep is named with the command that plays it on fresh games, and what these say of it."""

import shlex
from pathlib import Path

import pytest

from experiments.analysis import holdout as rounds
from experiments.app.flags import parsed
from experiments.match import COMMAND
from experiments.papers import hashimoto2012accelerated as document
from experiments.papers import open_questions
from experiments.runs.results import Result
from gpumcts.match.statistics import wilson

ADAPTIVE = "accelerated_adaptive"


def result_of(k: int, wins: int, games: int = 400, **more) -> Result:
    """A match of Table 1 (a)."""
    config = {"document": "hashimoto2012accelerated/table1a", "panel": "go, size 9", "k": k, "round": "choose", **more}
    command = ["match.py", "experiment=hashimoto2012accelerated/table1a", "game=go", "k=1,2,3"]
    command += ["budget=small"]  # as an earlier commit wrote it; the command that is shown says scale=small
    low, high = wilson(wins, 0, games)
    summary = {"games": games, "win_rate": wins / games, "ci95_low": low, "ci95_high": high, "seed": 1}
    provenance = {"program": "match", "label": f"k={k}", "command": [*command, "hydra.sweep.dir='x'"]}
    return Result(Path(f"{k}"), config, provenance, summary)


def test_the_best_of_a_round_and_the_command_that_confirms_it():
    """The command composes, and plays that k with the other seed."""
    (line,) = rounds.verdicts([result_of(1, 10), result_of(2, 230), result_of(3, 220)], "k")
    said, command = line.split(" On fresh games: python -m experiments.match ")
    assert said.endswith("go, size 9: best k=2, 57.5 % [52.6, 62.3], seed 1.")
    assert command == "experiment=hashimoto2012accelerated/table1a game=go scale=small k=2 round=confirm"
    jobs, _ = COMMAND._jobs(parsed(command.split()))
    assert [(job.checked.keys.seed, job.checked.study.k) for job in jobs] == [(2, 2)]


@pytest.mark.parametrize(
    "word",
    [
        'opponent.player.command="gtp-rhino -l 1"',
        "opponent.player.command=gtp-rhino -l 1",
        'opponent.player.setup=["it\'s",b]',
    ],
)
def test_a_shell_takes_the_command_apart_as_it_was_typed(word):
    some = [result_of(k, 200 + k) for k in (1, 2)]
    for result in some:
        result.provenance["command"].append(word)
    (line,) = rounds.verdicts(some, "k")
    command = line.partition(" On fresh games: ")[2]
    words = ["experiment=hashimoto2012accelerated/table1a", "game=go", "scale=small", word, "k=2", "round=confirm"]
    assert shlex.split(command) == ["python", "-m", "experiments.match", *words]


@pytest.mark.parametrize("flag", [["--config-dir", "my conf"], ["--config-dir=my conf"], ["-cd", "my conf"]])
def test_a_folder_of_ones_own_and_a_swept_null_are_written_as_they_are_typed(flag):
    some = [result_of(k, 200 + k, search={"first_play_urgency": None, "solve": True}) for k in (1, 2)]
    for result in some:
        own = ["search.first_play_urgency=null,1", "search.solve=true,false"]
        result.provenance["command"][1:] = ["-m", *flag, *result.provenance["command"][1:], *own]
    (line,) = rounds.verdicts(some, "k")
    words = shlex.split(line.partition(" On fresh games: ")[2])
    assert words[3 : 3 + len(flag)] == flag
    assert words[-4:] == ["search.first_play_urgency=null", "search.solve=true", "k=2", "round=confirm"]


@pytest.mark.parametrize(
    ("wins", "said"), [(230, "above 50 %: a gain is confirmed"), (215, "not above 50 %: no gain is confirmed")]
)
def test_what_fresh_games_say(wins, said):
    (line,) = rounds.verdicts([result_of(2, wins, round="confirm")], "k")
    assert line.endswith(f"the lower end is {said}")


def test_few_games_decide_nothing():
    (line,) = rounds.verdicts([result_of(2, 30, 40, round="confirm")], "k")
    assert line.endswith("75.0 % [59.8, 85.8], seed 1; a verdict takes 400 games, and 40 were played")
    (line,) = rounds.verdicts([result_of(1, 10, 40), result_of(2, 30, 40)], "k")
    assert "seed 1 (chosen by 40 games a cell). On fresh games: " in line


def test_a_sequential_test_confirms_nothing_and_is_left_out_of_the_confirmation():
    """Its matches have different numbers of games, and a win rate that ended one overstates the difference."""
    some = [result_of(1, 10, 34), result_of(2, 30, 40)]
    for result in some:
        result.provenance["command"].append("sprt=[0,50]")
    (line,) = rounds.verdicts(some, "k")
    assert "(chosen by 34 to 40 games a cell). On fresh games: " in line and "sprt" not in line
    fresh = result_of(2, 400, 420, round="confirm")
    assert "a gain is confirmed" in rounds.verdicts([fresh], "k")[0]
    fresh.summary["sprt"] = {"decision": "H1"}
    (line,) = rounds.verdicts([fresh], "k")
    assert line.endswith("seed 1; a sequential test may end it early, which overstates a difference: no verdict")


def test_tables_of_a_sweep_are_told_apart():
    """Of Table 2 each column has its best, and its command keeps to the column; swept games are settled."""
    some = [result_of(k, 100 + k, panel=c, column=c, game={"name": "go"}) for c in "ab" for k in (1, 2)]
    for result in some:
        result.provenance["command"][2] = "game=othello,go"
    lines = rounds.verdicts(some, "k", ("column",))
    assert [line.partition("table1a ")[2] for line in lines] == [
        f"game=go scale=small column={c} k=2 round=confirm" for c in "ab"
    ]


def test_nothing_is_said_of_a_single_cell_or_of_runs_without_rounds():
    assert rounds.verdicts([result_of(2, 230)], "k") == []
    assert rounds.verdicts([result_of(1, 230, round=None), result_of(2, 230, round=None)], "k") == []


def duellists(round_, *wins):
    """Two fixed decays and two rules of the decay that sets itself."""
    ways = [("k2", "accelerated"), ("k3", "accelerated"), ("visits_01", ADAPTIVE), ("depth_2", ADAPTIVE)]
    more = {"document": "open_questions/decay", "board": "othello", "by": "many", "round": round_}
    some = [
        result_of(k, won, **more, option=option, backup={"name": name})
        for k, ((option, name), won) in enumerate(zip(ways, wins, strict=False))
    ]
    for result in some:
        result.provenance["command"][1:] = ["experiment=open_questions/decay", "scale=small", "board=othello,go"]
    return some


def test_the_best_decay_by_hand_and_the_best_rule_play_on():
    """Both are named, whichever is ahead, and the command that confirms them composes."""
    (line,) = open_questions.duels(duellists("choose", 190, 220, 215, 100))
    assert "best decay by hand k=1, 55.0 %" in line and "best rule k=2, 53.8 %" in line
    command = line.partition("On fresh games: python -m experiments.match ")[2]
    words = "experiment=open_questions/decay scale=small board=othello by=many option=k3,visits_01 round=confirm"
    assert command == words
    jobs, _ = COMMAND._jobs(parsed(command.split()))
    assert [job.checked.player.identity["backup"]["name"] for job in jobs] == ["accelerated", ADAPTIVE]


@pytest.mark.parametrize(
    ("wins", "said"),
    [(240, "+10.0 points [+3.1, +16.8], above"), (210, "+2.5 points [-4.4, +9.4], neither"), (160, "below")],
)
def test_a_rule_is_set_against_the_decay_found_by_hand(wins, said):
    (line,) = open_questions.duels(duellists("confirm", 100, 200, wins))
    assert said in line and line.endswith("the decay found by hand")


def test_a_rule_whose_match_a_sequential_test_may_end_is_set_against_nothing():
    some = duellists("confirm", 100, 200, 240)
    some[2].summary["sprt"] = {"decision": "go on"}
    (line,) = open_questions.duels(some)
    assert line.endswith(": a sequential test may end it early, which overstates a difference: no verdict")


def test_every_item_with_rounds_has_a_title_and_an_end():
    assert set(document.CONCLUSIONS) == {"table1a", "table1b", "table2"}
    assert set(document.TITLES) == {*document.CONCLUSIONS, "overhead"}  # searches, which have no rounds
    assert open_questions.CONCLUSIONS["decay"] is open_questions.decay


@pytest.mark.parametrize(
    ("item", "k", "game", "column", "rate"),
    [
        ("table1a", 4, {"name": "havannah", "base": 5}, None, 58.2),
        ("table1b", 4, {"name": "go", "size": 9}, None, 18.6),
        ("table1a", 4, {"name": "go", "size": 13}, None, None),
        ("table1a", 4, {"name": "clobber"}, None, None),
        ("table2", 4, {"name": "go", "size": 9}, "a", 55.9),
        ("table2", 6, {"name": "go", "size": 9}, "b", 49.8),
        ("table2", 7, {"name": "go", "size": 9}, "b", None),
    ],
)
def test_what_the_document_prints(item, k, game, column, rate):
    printed = document.published(item, {"k": k, "game": game, "column": column})
    assert (None if printed is None else round(100 * printed.win_rate, 1)) == rate
    if printed is not None:
        assert printed.iterations == (50_000 if item != "table2" else None)  # which is not tested against
