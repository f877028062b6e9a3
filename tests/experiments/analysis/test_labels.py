"""What runs of several sweeps are called side by side."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.analysis.labels import in_one_folder, shown, told_apart, told_briefly
from experiments.runs.results import Result


def match(label, backup="average", iterations=500, games=100, sweep="a", more=None, **opponent):
    budget = {"iterations": iterations, "seconds": None}
    identity = {"game": {"name": "go"}, "backup": {"name": backup}, "budget": budget}
    identity["opponent"] = {"backup": {"name": "average"}, "budget": {**budget, **opponent}}
    identity = {**identity, **(more or {}), "seed": int((re.findall(r"seed=(\d+)", label) or [0])[0])}
    record = {"program": "match", "name": "go", "label": label, "identity": identity}
    folder = Path(sweep) / f"{backup}-{iterations}"
    return Result(folder, {"games": games}, {**record, "command": ["match.py", "-m"] if sweep else []}, {})


def played(label, game, sweep, backup="average", iterations=500, exploration=1.0, **parameters):
    """A match of a game with a parameter of its own."""
    more = {"game": {"name": game, **parameters}, "selection": {"name": "ucb1", "exploration": exploration}}
    return match(label, backup, iterations, sweep=sweep, more=more)


def labels(*results):
    return [result.label for result in told_apart(results)]


def test_runs_of_two_sweeps_are_told_apart_by_the_keys_in_which_they_differ():
    two = [match(f"backup={name}", name, sweep="a") for name in ("average", "minimax")]
    two += [match(f"backup={name}", name, 700, 150, sweep="b") for name in ("average", "minimax")]
    two.append(match("budget.iterations=50 backup=minimax", "minimax", 50, 20, sweep="c"))
    assert labels(*two) == [
        "backup=average budget.iterations=500",
        "backup=minimax budget.iterations=500",
        "backup=average budget.iterations=700",
        "backup=minimax budget.iterations=700",
        "budget.iterations=50 backup=minimax",
    ]


def test_sweeps_of_several_games_say_of_each_run_its_game_and_what_the_other_sweeps():
    """Two sweeps whose labels do not collide: without the game a row would be taken for any."""
    first = [played(f"backup={name}", "connect_four", "a", name) for name in ("average", "minimax")]
    second = [played(f"selection.exploration={x}", "othello", "b", exploration=x, corner_weight=8) for x in (0.5, 2.0)]
    assert labels(*first, *second) == [
        "game=connect_four backup=average selection.exploration=1",
        "game=connect_four backup=minimax selection.exploration=1",
        "game=othello backup=average selection.exploration=0.5",
        "game=othello backup=average selection.exploration=2",
    ]


def test_a_parameter_of_another_choice_is_no_difference():
    """Labels collide, and the games' own parameters are no part of what tells them apart; those of one game are."""
    four, othello = played("backup=average", "connect_four", "a"), played("backup=average", "othello", "b", weight=8)
    assert labels(four, othello) == ["game=connect_four", "game=othello"]
    other = played("backup=average", "othello", "c", weight=9)
    assert labels(four, othello, other) == [
        "game=connect_four",
        "game=othello game.weight=8",
        "game=othello game.weight=9",
    ]


def test_a_parameter_that_two_choices_have_is_compared_within_each():
    sizes = [played("seed=0", "go", "a", size=9), played("seed=0", "othello", "b", size=8)]
    assert labels(*sizes) == ["game=go", "game=othello"]


def test_what_varies_within_a_sweep_is_told_by_its_own_keys():
    """k decides the backup here: a sweep's labels tell it, and that of another has its budget alone more."""
    sweeps = {"a": 500, "b": 700}
    runs = [match(f"k={k}", f"by_{k}", n, sweep=sweep) for sweep, n in sweeps.items() for k in (1, 2)]
    assert labels(*runs) == [f"budget.iterations={n} k={k}" for n in sweeps.values() for k in (1, 2)]
    assert labels(*runs[:2]) == ["k=1", "k=2"]


def test_two_sweeps_in_one_folder_are_told_apart():
    runs = [played("backup=minimax", "othello", "a", "minimax"), played("seed=0", "go", "a")]
    assert labels(*runs) == ["game=othello backup=minimax", "game=go backup=average"]


def test_runs_outside_of_sweeps_are_told_by_their_choices():
    def alone(label, game, iterations):
        run = played(label, game, "", iterations=iterations)
        return Result(Path("outputs") / f"{game}-{iterations}", run.config, run.provenance, {})

    assert labels(alone("", "go", 50), alone("game=othello", "othello", 60)) == [
        "game=go budget.iterations=50",
        "game=othello budget.iterations=60",
    ]
    assert labels(alone("", "go", 50)) == ["go"]


def test_the_opponents_choice_is_known_by_its_package():
    other = {"opponent": {"backup": {"name": "minimax"}}}
    runs = [match("backup@opponent.backup=minimax", more=other), match("seed=0", sweep="b")]
    assert labels(*runs) == ["backup@opponent.backup=minimax", "backup@opponent.backup=average"]


def test_an_opponents_choice_is_told_as_a_command_line_has_it():
    other = {"opponent": {"backup": {"name": "minimax"}}}
    assert labels(match("seed=1", more=other), match("seed=1", sweep="b")) == [
        "backup@opponent.backup=minimax",
        "backup@opponent.backup=average",
    ]


def test_an_opponent_with_settings_of_its_own_is_told():
    assert labels(match("seed=1"), match("seed=1", iterations=700, sweep="b")) == [
        "budget.iterations=500",
        "budget.iterations=700",
    ]
    assert labels(match("seed=1", seconds=1), match("seed=1", seconds=2, sweep="b")) == [
        "opponent.budget.seconds=1",
        "opponent.budget.seconds=2",
    ]
    alone = match("seed=1", iterations=700, sweep="b", more={"opponent": {"player": {"name": "random"}}})
    assert labels(match("seed=1", more={"player": {"name": "uct"}}), alone) == [
        "budget.iterations=500",  # and not that of the opponent, which is the same wherever there is one
        "budget.iterations=700",
    ]


def test_titles_get_no_keys_unless_they_recur():
    found = labels(match("equal time"), match("seed=1"), match("seed=1", games=7, sweep="b"))
    assert found == ["equal time", "seed=1 games=100", "seed=1 games=7"]
    assert labels(match("equal time"), match("equal time", games=7)) == ["equal time games=100", "equal time games=7"]


def test_runs_that_differ_in_nothing_get_the_names_of_their_sweeps():
    assert labels(match("seed=1"), match("seed=1", sweep="b")) == ["seed=1 (a)", "seed=1 (b)"]


@pytest.mark.parametrize("some", [[], ["seed=1"], ["seed=1", "seed=2"]])
def test_labels_that_differ_stay_as_they_are(some):
    assert labels(*map(match, some)) == some


def test_values_with_blanks_are_no_title():
    engine = match('opponent.player.command="gtp -l 1" backup=minimax', "minimax")
    assert labels(engine, match("seed=0", iterations=7, sweep="b")) == [
        'backup=minimax budget.iterations=500 opponent.player.command="gtp -l 1"',
        "backup=average budget.iterations=7",
    ]


def test_long_numbers_have_six_digits_where_they_stay_different():
    def texts(*decays):
        return [result.label for result in shown([match(f"b.decay={decay} c=x") for decay in decays])]

    assert texts("0.9609344229909748", "0.5") == ["b.decay=0.960934 c=x", "b.decay=0.5 c=x"]
    assert texts("0.96093442", "0.96093443") == ["b.decay=0.96093442 c=x", "b.decay=0.96093443 c=x"]
    assert texts("0.999999996") == ["b.decay=0.999999996 c=x"]  # and no 1, which is another operator
    assert [r.label for r in shown([match("0.9609344229909748 of all")])] == ["0.9609344229909748 of all"]


def test_values_stand_as_the_run_took_them():
    """However they were typed, in a report and at the end of a sweep; text as it was typed."""

    def typed(label, **config):
        run = played(label, "othello", "a", exploration=1.0)
        return replace(run, config={**run.config, **config})

    runs = [
        typed("selection.exploration=1.0 n=1e3 x=a/2.0", n=1000.0),
        typed("selection.exploration=1 n=2 x=b solve=True", n=2, solve=True),
    ]
    words = ["selection.exploration=1 n=1000 x=a/2.0", "selection.exploration=1 n=2 x=b solve=true"]
    assert [run.label for run in shown(runs)] == words
    assert labels(*runs) == ["n=1000 x=a/2.0", "n=2 x=b solve=true"]


def test_a_panel_names_runs_by_what_differs_in_it():
    """Games stand beside each run, so they are named only where nothing else differs; a run alone has its own name."""

    def briefly(*words):
        return [run.label for run in told_briefly([match(label) for label in words])]

    assert briefly("a=1 b=2 games=4", "a=2 b=2 games=6") == ["a=1", "a=2"]
    assert briefly("a=1 games=4", "a=1 games=6") == ["games=4", "games=6"]
    assert briefly("a=1 b=2", "a=1 b=2 c=3", "a=1 c=2") == ["b=2", "b=2 c=3", "c=2"]
    assert briefly("a=1 (x)", "a=1 (y)") == ["a=1 (x)", "a=1 (y)"]
    assert briefly("a=1") == ["go"] and briefly("equal time") == ["equal time"]


def of_command(result, command):
    """A run of a sweep whose folder another sweep was given too."""
    return replace(result, provenance={**result.provenance, "command": ["match.py", "-m", *command.split()]})


def test_sweeps_that_share_a_folder_are_told_apart_and_stand_one_after_another():
    """By what their command lines fix, whether their labels are the same or not."""
    four = [of_command(played(f"seed={n}", "connect_four", "x"), "game=connect_four seed=1,2") for n in (1, 2)]
    go = [of_command(played(f"seed={n}", "go", "x"), "game=go seed=1,2") for n in (1, 2)]
    alternating = [four[0], go[0], four[1], go[1]]
    expected = [f"game={game} seed={n}" for game in ("connect_four", "go") for n in (1, 2)]
    assert [result.label for result in in_one_folder(alternating)] == expected
    others = [of_command(played(f"seed={n}", "go", "x"), "game=go seed=3,4") for n in (3, 4)]
    expected[2:] = ["game=go seed=3", "game=go seed=4"]
    assert [result.label for result in in_one_folder([*four, *others])] == expected


def test_a_sweep_that_grew_or_had_more_games_is_one():
    """Its runs keep the words of their own sweep, though all have one game that no label tells."""
    lines = ["game=go seed=1,3", "game=go seed=1,2,3", "game=go seed=1,2,3 games=50"]
    runs = [
        of_command(match(f"seed={n}", games=g), line) for n, g, line in zip((1, 2, 3), (9, 9, 50), lines, strict=True)
    ]
    assert [result.label for result in in_one_folder(runs)] == ["seed=1", "seed=2", "seed=3"]
    solved = [match(f"search.solve={value}", more={"search": {"solve": value}}) for value in (True, False)]
    assert [result.label for result in in_one_folder(solved)] == ["search.solve=true", "search.solve=false"]


def test_folders_tell_the_same_runs_apart_in_tables_too():
    """A number at the end of a label took the place of the folder behind it; copies of a sweep have one name."""
    runs = [match("seed=1", sweep=sweep) for sweep in ("a", "b/a", "c")]
    assert [result.label for result in shown(told_apart(runs))] == ["seed=1 (a)", "seed=1 (b/a)", "seed=1 (c)"]
