"""Groups that count in some runs of a sweep and not in others."""

import pytest

from experiments.app.idle_groups import IdleGroups, without
from experiments.config.schema import Given, IdleGroup


def test_a_round_robin_has_the_budget_of_those_who_take_one(run, tmp_path):
    """Random against random takes none: one run, whatever the budgets."""
    players = "player=random player@opponent.player=random,uct"
    done = run(f"match -m games=2 game=dots_and_boxes {players} budget.iterations=8,9")
    assert done.code == 0, done.err
    found = [path.parent.name for path in tmp_path.glob("multirun/match-*/*/summary.json")]
    assert [sum(f"random_vs_{other}" in name for name in found) for other in ("random", "uct")] == [1, 2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("match -m player=random seed=1,2 backup=minimax", "backup does not count for player=random; leave it out"),
        (
            "match -m player@opponent.player=random,alpha_beta opponent.playout=uniform",
            "opponent.playout does not count for opponent.player=random; leave it out",
        ),
        ("trees -m method=alpha_beta exact=true seed=1,2 backup=max", "backup does not count for method=alpha_beta"),
    ],
)
def test_a_group_that_counts_in_no_run_is_refused(run, tmp_path, words, said):
    refused = run(words)
    assert refused.code == 2 and said in refused.err
    assert refused.err.count("\n") == 1 and not list(tmp_path.iterdir())


def test_what_does_not_count_is_left_out_of_what_tells_runs_apart():
    plain = {"seed": 1, "backup": {"name": "max"}, "opponent": {"backup": {"name": "max"}, "playout": 3}}
    assert without({"backup"}, plain) == {"seed": 1, "opponent": plain["opponent"]}
    assert without({"opponent.backup"}, plain) == {**plain, "opponent": {"playout": 3}}
    assert without({"playout"}, {"opponent": {"playout": {"name": "same"}}}) == {"opponent": {}}
    assert without((), plain) == plain


def test_a_check_that_knows_no_idle_groups_ends():
    """Its refusal is told; it is not asked for ever."""

    def check(plain, given):
        raise IdleGroup("backup", "player=own")

    with pytest.raises(IdleGroup, match="backup does not count for player=own; leave it out"):
        IdleGroups().checked(check, {}, Given(frozenset(), dict))
