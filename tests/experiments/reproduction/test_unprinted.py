"""Cells of which the paper says nothing: explanations, fresh games, columns without a figure. A budget guards them."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from experiments.reproduction import schedule
from experiments.reproduction.catalogue import Run, item_of, items
from experiments.reproduction.cells import Cell, Digests, cells_below, read, write
from experiments.reproduction.gathering import matches
from experiments.reproduction.gathering.common import cell_of
from experiments.reproduction.pages import waiting_of
from experiments.reproduction.quantities import Points
from experiments.reproduction.schedule import scale_word, tasks
from experiments.runs.results import Result
from gpumcts.errors import BadInput
from tests.experiments.config.drivers import composed
from tests.experiments.reproduction.planted import RECORD, cell


def test_an_explanation_is_not_lost_to_one_at_less(tmp_path):
    some, less = (gathered_cell("othello-k3-visits", 1000, n) for n in (50_000, 2000))
    assert (some.verdict, less.verdict) == ("unpublished", "reduced")
    path = schedule.keep(less, tmp_path)
    assert schedule.keep(some, tmp_path) == path
    with pytest.raises(BadInput, match="othello-k3-visits.json is at the paper's own budget"):
        schedule.keep(less, tmp_path)
    assert read(path, tmp_path) == some


def test_a_run_that_explains_is_done_at_the_catalogue_s_budget_alone(tmp_path):
    for iterations, done in ((2000, False), (50_000, True)):
        for name, games in (("visits", 1000), ("reuse", 200)):
            told = gathered_cell(f"othello-k3-{name}", games, iterations)
            write(told, tmp_path)
        found = {task.run.name: task for task in tasks(tmp_path) if task.item.name == "table1a"}
        assert found["othello-k3-visits"].done == found["othello-k3-reuse"].done == done
        waiting = waiting_of(found["othello-k3-visits"].item, list(cells_below(tmp_path)))
        assert ("othello-k3-reuse" in [run.name for run in waiting]) != done
    one = found["othello-k3-visits"]
    assert schedule.drop_reduced(one, [gathered_cell("othello-k3-visits", 1000, 2000)], tmp_path) == []


def gathered_cell(name, games, iterations):
    """A cell of Table 1 (a) from a run without a folder, as the gatherer makes it."""
    paper, item = item_of("hashimoto2012accelerated/table1a")
    record = {**RECORD, "identity": {}, "command": ["match.py"]}
    made = cell(name, wins=games // 2, games=games, iterations=iterations)
    budget = {"games": games, "iterations": iterations}
    run = Result(Path(), {}, record, {})
    return cell_of(paper, item, name, name, [run], made.measured, made.published, budget, made.digests)


def test_a_cell_that_nothing_is_held_against_is_refused_by_name():
    paper, item = item_of("hashimoto2012accelerated/table1a")
    made, run = cell(), Result(Path(), {}, {**RECORD, "identity": {}, "command": ["match.py"]}, {})
    with pytest.raises(BadInput, match="table1a: go-k9 has no figure in the paper and no budget in the catalogue"):
        cell_of(paper, item, "go-k9", "go", [run], made.measured, None, {}, made.digests)
    with pytest.raises(ValidationError, match="published"):
        Cell.model_validate({**made.model_dump(), "published": None})


@pytest.mark.parametrize(("games", "verdict"), [(20, "reduced"), (1000, "unpublished")])
def test_fresh_games_of_a_best_k_are_reduced_at_less(monkeypatch, games, verdict):
    points = Points(wins=games // 2, draws=0, losses=games - games // 2)
    monkeypatch.setattr(matches, "points_of", lambda _: (points, Digests(all="0" * 64, first_ten="1" * 64)))
    words = ("experiment=hashimoto2012accelerated/table1a", "game=othello", "k=3", "round=confirm")
    run = Result(
        Path(), composed("match", *words), {**RECORD, "identity": {}, "command": ["match.py"]}, {"games": games}
    )
    (found,) = matches.decays(*item_of("hashimoto2012accelerated/table1a"), [run])
    assert (found.cell, found.verdict, found.published.value) == ("othello-k3-confirm", verdict, None)


@pytest.mark.parametrize(
    ("option", "word"), [("1k", "agrees"), ("uctk_025", "unpublished"), ("gnugo_4k", "unpublished")]
)
def test_matches_of_the_library_at_a_small_scale_are_reduced(monkeypatch, option, word):
    for scale in ("small", "document"):
        config = composed("match", "experiment=senseis_uct/go9", f"option={option}", f"scale={scale}")
        games = config["games"]
        points = Points(wins=games, draws=0, losses=0)
        monkeypatch.setattr(matches, "points_of", lambda _, p=points: (p, Digests(all="0" * 64, first_ten="1" * 64)))
        run = Result(Path(), config, {**RECORD, "identity": {}, "command": ["match.py"]}, {"games": games})
        (found,) = matches.doublings(*item_of("senseis_uct/go9"), [run])
        assert found.verdict == ("reduced" if scale == "small" else word)


def test_a_run_that_explains_has_the_budget_of_its_command():
    for item in items().values():
        for run in (run for run in item.runs if run.explains):
            words = [scale_word(word, "document") for word in run.command[1:] if "," not in word]
            config = composed(run.command[0], *words)
            told = {"games": config.get("games"), "states": config.get("states"), **(config.get("budget") or {})}
            assert run.budget == {key: told[key] for key in run.budget}, run.command


@pytest.mark.parametrize("more", [{"explains": "the move"}, {"budget": {"games": 2}}])
def test_a_run_of_the_catalogue_has_a_budget_where_it_explains_alone(more):
    with pytest.raises(ValidationError, match="a run has a budget where it explains something, and nowhere else"):
        Run(cells=["a"], command=["match"], hours=1.0, order=1.0, again=[], **more)
