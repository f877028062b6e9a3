"""Overrides that Hydra would take for something else: values given twice, paths of choices, keys of some choices."""

import pytest

from experiments.app.overrides import for_hydra
from experiments.reproduction.again import _replaced
from tests.experiments.app.refusals import refused, tree

REFUSED = {
    "match games=2 games=4": "games is given twice: games=2 and games=4",
    "match -m seed=1,2 budget.iterations=9 budget.iterations=3": "budget.iterations is given twice: ",
    "match games=2 +games=4": "games is given twice: games=2 and +games=4",
    "match game=../game/othello": "game=../game/othello is a path; a choice is given by its name: game=othello",
    "match -m game=go,./othello.yaml": "game=./othello.yaml is a path; a choice is given by its name: game=othello",
    "match backup@opponent.backup=../average": "a choice is given by its name: backup@opponent.backup=average",
    "match game=../my_lab/game": "game=../my_lab/game is not known; there are: amazons, ",
    "match game=null": "game=null is not known; there are: amazons, ",
    "search selection=null": "selection=null is not known; there are: bast, ",
    "match -m backup=average,null": "backup=null is not known; there are: accelerated, ",
    "match backup@opponent.backup=null": "backup=null is not known; there are: accelerated, ",
    "match experiment=null": "experiment=null: leave it out, and nothing is chosen",
    "search preset=null": "preset=null: leave it out, and nothing is chosen",
    "match -m seed=range(3,3)": "seed=range(3,3): no value is among these, so there is nothing to run",
    "match -m backup=glob(nosuch*) seed=1": "backup=glob(nosuch*): no value is among these",
    "match -m backup.decay=interval(0.9,0.1)": "backup.decay=interval(0.9,0.1): an interval has finite ends, the lower",
    "match -m backup.decay=interval(0,inf)": "backup.decay=interval(0,inf): an interval has finite ends, the lower",
    "match -m seed=1,2 hydra.launcher=joblib": "hydra.launcher=joblib: choose it as hydra/launcher=joblib",
    "match -m seed=1,2 hydra.launcher=joblib,basic": "choose it as hydra/launcher=NAME",
    "match -m seed=1,2 hydra.sweeper=optuna": "hydra.sweeper=optuna: choose it as hydra/sweeper=optuna",
    "match -m seed=1,2 ~hydra.sweeper": "~hydra.sweeper: choose it as hydra/sweeper=NAME",
    "match -m seed=1,2 hydra.sweeper.sampler=tpe": "choose it as hydra/sweeper/sampler=tpe",
}
HINT = "give two commands, one for each kind of choice, or an experiment with an axis that sets both"


@pytest.mark.parametrize("line", REFUSED)
def test_an_override_that_would_mean_something_else_is_one_line(run, tmp_path, line):
    outcome, before = run(line), tree(tmp_path)
    refused(outcome, REFUSED[line])
    assert "this experiment" not in outcome.err and tree(tmp_path) == before


@pytest.mark.parametrize(
    ("words", "swept"),
    [
        ("backup=accelerated,average backup.decay=0.5", "backup=accelerated,average"),
        (
            "backup@opponent.backup=average,accelerated opponent.backup.decay=0.5,0.9",
            "backup@opponent.backup=average,accelerated",
        ),
    ],
)
def test_a_key_of_some_swept_choices_is_refused_with_what_to_do(run, words, swept):
    key = words.split()[1].partition("=")[0]
    message = f"; {swept} sweeps choices without {key} too: {HINT}"
    refused(run(f"match -m {words}"), message)


def test_a_key_of_a_choice_in_a_folder_of_ones_own_is_refused_with_what_to_do(run, tmp_path):
    (tmp_path / "conf/backup").mkdir(parents=True)
    (tmp_path / "conf/backup/mine.yaml").write_text("name: my_lab.mine\nstep: 0.05\n")
    refused(run("match --config-dir conf -m backup=average,mine backup.step=0.1"), HINT)


def test_a_key_of_no_swept_choice_has_no_such_hint(run):
    outcome = run("match -m backup=average,minimax backup.decay=0.5")
    refused(outcome, "backup.decay: unknown key; backup=average has no keys")
    assert HINT not in outcome.err


def test_overrides_of_a_run_made_again_replace_its_own():
    words = ["match", "-m", "games=400", "seed=1"]
    assert _replaced(words, ["games=10"]) == ["match", "-m", "seed=1", "games=10"]


def test_flags_of_a_sweep_may_stand_anywhere():
    assert for_hydra(["a=1,2", "-m"]) == ["-m", "a=1,2"]
    assert for_hydra(["--multirun", "a=1"]) == ["-m", "a=1"]
    assert for_hydra(["a=1", "--help"]) == ["a=1", "--help"]


@pytest.mark.parametrize("flag", [["--config-dir", "c=ä"], ["-cd", "c"], ["--config-dir=c"]])
def test_a_folder_of_configurations_may_stand_anywhere(flag):
    """Of two rows of overrides around a flag, Hydra takes only one."""
    assert for_hydra(["a=1", *flag, "b=2"]) == [*flag, "a=1", "b=2"]
    assert for_hydra(["a=1", *flag, "-m", "b=1,2"]) == ["-m", *flag, "a=1", "b=1,2"]
    assert for_hydra([*flag, "a=1"]) == [*flag, "a=1"]
    assert for_hydra(["a=1", flag[0]]) == [flag[0], "a=1"]


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("run=outputs/match/uct_decay=0.9", 'run="outputs/match/uct_decay=0.9"'),
        ("+a.b=c=d=e", '+a.b="c=d=e"'),
        ("runs=Läufe/süße *", 'runs="Läufe/süße *"'),
        *((same, same) for same in ("a=b", "a=", "a==b", "--config-dir=a=b", "run='a=b'", 'run="a=b"')),
        *((same, same) for same in ("a=[b=c]", "a={b:c=d}", "a=b=1,c=2", "a=f(b=c)", "a=${b}=c", "a=b\\=c", "a=ä,ö")),
    ],
)
def test_a_folder_is_given_as_it_was_printed(word, read):
    assert for_hydra([word]) == [read]
