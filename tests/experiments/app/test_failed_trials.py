"""Trials of Optuna that are refused, before they begin or at work: a line each, and a table of the others."""

import pytest

from experiments import playouts
from gpumcts.errors import BadInput
from tests.experiments.app.test_launchers import needs

pytestmark = pytest.mark.filterwarnings("ignore")  # Optuna's own, as it is imported


@pytest.fixture(autouse=True)
def installed():
    needs("optuna")


STUDY = "playouts -m count=20 threads=1 engine=cpu hydra/sweeper=optuna objective=playouts_per_second"
REFUSED = "seed=-1: must be an integer in [0, 18446744073709551615]"


def studied(run, line):
    """What a study says with errors in it, and the seeds of its table."""
    done = run(f"{STUDY} {line}")
    seeds = [line.split()[0] for line in done.out.splitlines() if line.startswith(" seed=")]
    return done, [line for line in done.err.splitlines() if "rror" in line or "ailed" in line], seeds


def test_a_refused_trial_is_one_line_and_ends_the_study(run, tmp_path):
    """The trials before it are in the table. Nothing is left of the one that was not begun."""
    done, errors, seeds = studied(run, "hydra.sweeper.sampler.seed=4 hydra.sweeper.n_jobs=1 seed=int(interval(-2,2))")
    number = 1 + len({line.split("/")[0] for line in done.err.splitlines() if line.startswith("[")})
    ends = "; the sweep ends here, by hydra.sweeper.max_failure_rate=0"
    assert (done.code, errors) == (2, [f"error: [{number}/20] {REFUSED}{ends}"])
    assert done.err.splitlines()[-1:] == errors and "study" not in done.err and "best:" not in done.out
    assert seeds and len(seeds) == len([*tmp_path.glob("multirun/*/*/")])


@pytest.mark.parametrize(
    ("space", "said"),
    [
        ("seeed=interval(1,5)", "seeed: unknown key (did you mean seed?)"),
        (
            "seed=interval(1,5)",
            "seed=3.472: must be an integer in [0, 18446744073709551615]; seed=int(interval(1,5)) draws integers",
        ),
        ("playout.truncate=int(interval(-9,-2))", "playout.truncate=-5: must be an integer "),
    ],
)
def test_an_interval_of_which_nothing_is_taken_is_refused_before_the_study_begins(space, said, run, tmp_path):
    """An unknown key, real numbers for an integer: two trials were drawn, and a folder was left."""
    done, errors, _ = studied(run, space)
    assert (done.code, len(errors), [*tmp_path.iterdir()]) == (2, 1, [])
    assert errors[0].startswith(f"error: {said}")


@pytest.mark.parametrize("space", ["seed=choice(1,2,-1)", "seed=1,-1"])
def test_a_choice_that_would_end_the_study_is_refused_before_it_begins(space, run, tmp_path):
    done, errors, _ = studied(run, space)
    assert (done.code, done.out, errors) == (2, "", [f"error: {REFUSED}"])
    assert not [*tmp_path.glob("multirun/*")]


@pytest.mark.slow
def test_a_study_goes_on_past_refused_trials_where_it_may(run):
    rest = "hydra.sweeper.sampler.seed=4 hydra.sweeper.n_trials=9 hydra.sweeper.max_failure_rate=1"
    done, errors, seeds = studied(run, f"{rest} seed=choice(1,-1,2)")
    assert done.code == 2 and {line.partition("] ")[2] for line in errors} == {REFUSED}, done.err
    told = [line.split("/")[0].removeprefix("error: ") for line in done.err.splitlines() if "[" in line]
    assert sorted(told) == [f"[{number}" for number in range(1, 10)]
    assert sorted(seeds) == ["seed=1", "seed=2"] and "best: seed=" in done.out


def test_a_study_whose_trials_are_all_refused_says_no_more_than_why(run, tmp_path):
    rest = "hydra.sweeper.n_trials=3 hydra.sweeper.max_failure_rate=1"
    done, errors, _ = studied(run, f"{rest} seed=choice(-1)")
    assert (done.code, done.out, errors) == (2, "", [f"error: [{number}/3] {REFUSED}" for number in (1, 2, 3)])
    assert done.err.splitlines() == errors


@pytest.mark.slow
def test_a_trial_that_is_refused_at_work_is_one_line(run, monkeypatch):
    work = playouts.COMMAND.work

    def refused(config, run):
        if config.keys.seed == 2:
            raise BadInput("seed=2: it is refused")
        return work(config, run)

    monkeypatch.setattr(playouts.COMMAND, "work", refused)
    rest = "hydra.sweeper.sampler.seed=4 hydra.sweeper.n_trials=9 hydra.sweeper.max_failure_rate=1"
    done, errors, seeds = studied(run, f"{rest} seed=choice(1,2)")
    assert done.code == 2 and {line.partition("] ")[2] for line in errors} == {"seed=2: it is refused"}, done.err
    assert seeds == ["seed=1"] and "best: seed=1" in done.out


def test_a_stored_study_knows_which_trials_failed(run, tmp_path):
    import optuna

    storage = f"sqlite:///{tmp_path}/study.db"
    rest = f"hydra.sweeper.storage={storage} hydra.sweeper.study_name=it hydra.sweeper.sampler.seed=4"
    assert run(f"{STUDY} {rest} seed=int(interval(-3,3))").code == 2
    trials = optuna.load_study(study_name="it", storage=storage).trials
    ended = [(trial.params["seed"], trial.state.name) for trial in trials if trial.state.name != "RUNNING"]
    assert all(state == ("FAIL" if seed < 0 else "COMPLETE") for seed, state in ended)
    assert "FAIL" in dict(ended).values()


@pytest.mark.slow
def test_a_choice_that_a_group_lacks_is_told_as_on_a_command_line(run):
    rest = "hydra.sweeper.n_trials=9 hydra.sweeper.max_failure_rate=1"
    done, errors, _ = studied(run, f"{rest} seed=1 playout=choice(uniform,unifrom)")
    why = "playout=unifrom is not known (did you mean uniform?); there are: evaluation, go, minimax, staged, uniform"
    assert done.code == 2 and {line.partition("] ")[2] for line in errors} == {why}, done.err
