"""Words of a command line that file systems or Hydra would answer for us: long names, quotes, keys of Hydra's own."""

import pytest

from tests.experiments.app.refusals import refused, tree

LONG = "a" * 300
WORDS = "match player=random player@opponent.player=random game=dots_and_boxes games=2 engine=cpu"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"{WORDS} hydra.run.dir={LONG}", f"error: {LONG}"),
        (f"{WORDS} -m seed=1,2 hydra.sweep.dir={LONG}", f"error: {LONG}"),
        (f"{WORDS} --config-dir {LONG}", f"--config-dir {LONG}: there is no such folder"),
        (f"{WORDS} {LONG}", f"'{LONG}' is not understood"),
        (f"{WORDS} {LONG}=1", f"{LONG}: unknown key"),
        (f"sgf run={LONG}", LONG),
        (
            "report runs={a,b}/**",
            "'runs={a,b}/**' is not understood; several patterns stand in a list: runs='[a/**,b/**]'",
        ),
        (f"{WORDS} hydra.job.chdir=true", "hydra.job.chdir=true: paths are those of the current folder; leave it out"),
        (f"{WORDS} hydra.job.name=foo", "hydra.job.name=foo: the command itself is named there; leave it out"),
        (f"{WORDS} --experimental-rerun one.pickle", "--experimental-rerun: the same command line does a run again"),
        (f"{WORDS} -m seed=1,2 hydra.sweep.subdir=x", "hydra.sweep.subdir=x: must be a name that tells the runs apart"),
        (
            f"{WORDS} -m seed=1,2 hydra.sweep.subdir=${{seed}}/run",
            "must be a name that tells the runs apart, without a",
        ),
        (f"{WORDS} -m seed=1,2 hydra.sweep.subdir=../${{seed}}", "must be a name that tells the runs apart, without a"),
    ],
)
def test_refused(run, tmp_path, words, said):
    refused(run(words), said)
    assert not tree(tmp_path)


def test_folders_with_quotes_in_their_names(run, tmp_path):
    (tmp_path / "it's").mkdir()
    done = run(f"{WORDS} --config-dir it's -m seed=1,2", 'hydra.sweep.dir="it\'s mine"')
    assert done.code == 0, done.err
    assert len(list((tmp_path / "it's mine").glob("*/summary.json"))) == 2


def test_folders_of_runs_by_a_name_of_ones_own(run, tmp_path):
    assert run(f"{WORDS} -m seed=1,2 hydra.sweep.dir=here hydra.sweep.subdir=of_${{seed}}").code == 0
    assert sorted(path.parent.name for path in (tmp_path / "here").glob("*/summary.json")) == ["of_1", "of_2"]
