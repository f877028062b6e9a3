"""Cells that are made of other items' files: their verdicts by rule, what they keep of their sources, and what is
stale."""

import pytest

from experiments.reproduction import again, command_line, schedule
from experiments.reproduction.catalogue import item_of
from experiments.reproduction.cells import RESULTS, Cell, cells_below, read, write
from experiments.reproduction.derived import derived, every_derived, sources_of
from experiments.reproduction.pages import generate, page_of
from experiments.reproduction.quantities import Measured, Points, Published
from experiments.reproduction.schedule import tasks
from gpumcts.errors import BadInput

PAPER, DRAWS = item_of("hashimoto2012accelerated/draws")
_, AHEAD = item_of("hashimoto2012accelerated/sec53")
ACCELERATED = read(RESULTS / "hashimoto2012accelerated/table1a/othello-k3.json")


def source(item="table1a", name="othello-k3", wins=500, draws=40, games=1000, printed=0.5) -> Cell:
    """A cell of Table 1 with chosen counts and a chosen printed figure."""
    points = Points(wins=wins, draws=draws, losses=games - wins - draws)
    budget: dict[str, int | float] = {"games": 1000, "iterations": 50_000}
    published = Published(relation="equals", value=printed, count=1000, half=0.03, budget=budget, source="Table 1")
    asked = ACCELERATED.asked.model_copy(update={
        "budget": {"games": games, "iterations": 50_000},
        "keys": {"backup": {"name": "accelerated" if item == "table1a" else "discounted"}},
    })  # fmt: skip
    more = {"asked": asked, "measured": Measured(unit="rate", quantity=points), "published": published}
    return ACCELERATED.model_copy(update={"item": item, "cell": name, "title": name, **more})


@pytest.mark.parametrize(
    ("draws", "games", "verdict"),
    [(40, 1000, "agrees"), (120, 1000, "differs"), (78, 1000, "open"), (4, 100, "reduced")],
)
def test_a_share_of_draws_in_othello_is_below_the_paper_s_largest(tmp_path, draws, games, verdict):
    write(source(wins=games // 2, draws=draws, games=games), tmp_path)
    (found,) = derived(PAPER, DRAWS, tmp_path)
    assert (found.cell, found.verdict) == ("table1a-othello-k3", verdict)
    assert (found.measured.quantity.value, found.digests) == (draws / games, ACCELERATED.digests)


def test_draws_of_havannah_have_no_verdict_and_explanations_no_cell(tmp_path):
    write(source(name="havannah-base4-k4", draws=6), tmp_path)
    write(source(name="othello-k3-score").model_copy(update={"explains": "the move"}), tmp_path)
    found = derived(PAPER, DRAWS, tmp_path)
    assert {cell.cell: cell.verdict for cell in found} == {"table1a-havannah-base4-k4": "unpublished"}


@pytest.mark.parametrize(("wins", "verdict"), [(300, "agrees"), (600, "differs"), (490, "open")])
def test_accelerated_is_above_discounted_where_the_paper_s_figures_are_apart(tmp_path, wins, verdict):
    write(source(), tmp_path)
    write(source("table1b", wins=wins, printed=0.28), tmp_path)
    write(source(name="othello-k7"), tmp_path)
    write(source("table1b", "othello-k7", printed=0.48), tmp_path)
    write(source(name="othello-k1"), tmp_path)  # has no other side yet
    found = {cell.cell: cell for cell in derived(PAPER, AHEAD, tmp_path)}
    assert {name: cell.verdict for name, cell in found.items()} == {"othello-k3": verdict, "othello-k7": "unpublished"}
    assert found["othello-k3"].measured.names == ("Accelerated", "Discounted")
    assert page_of(AHEAD, list(found.values())).verdicts.word == verdict
    missing = page_of(AHEAD, list(found.values()), sources_wait=True).verdicts.word
    assert missing == ("open" if verdict == "agrees" else verdict)


def test_an_item_does_not_agree_while_runs_of_its_sources_are_missing(tmp_path):
    write(source(), tmp_path)
    for cell in every_derived(tmp_path):
        write(cell, tmp_path)
    pages = generate(tmp_path, tmp_path)
    assert "Shares of draws | open | 1 |" in pages[tmp_path / "README.md"]


def test_a_cell_names_its_sources_and_is_made_again_by_them(tmp_path, monkeypatch):
    for one in (source(), source("table1b", wins=300, printed=0.28)):
        write(one, tmp_path)
    (found,) = derived(PAPER, AHEAD, tmp_path)
    paths = sources_of(found)
    assert [str(path) for path in paths] == [
        f"hashimoto2012accelerated/{item}/othello-k3.json" for item in ("table1a", "table1b")
    ]
    assert sources_of(ACCELERATED) == []
    monkeypatch.setattr(again, "RESULTS", tmp_path)
    monkeypatch.setattr(again, "digest_of_folder", lambda cell, _: cell.digests.first_ten)
    monkeypatch.setattr(again.subprocess, "run", lambda *_, **__: type("Done", (), {"returncode": 0})())
    assert again.first_ten(found, tmp_path) == found.digests.first_ten != ACCELERATED.digests.first_ten


def test_nothing_is_made_of_nothing(tmp_path):
    with pytest.raises(BadInput, match="draws: is made of the cells of table1a, table1b; run these"):
        derived(PAPER, DRAWS, tmp_path)
    assert list(every_derived(tmp_path)) == []


def test_a_derived_item_is_made_without_a_run_and_checked(tmp_path, monkeypatch, capsys):
    for module in (schedule, command_line):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    monkeypatch.setattr(command_line, "cells_below", lambda: cells_below(tmp_path))
    write(source(), tmp_path)
    task = next(task for task in tasks(tmp_path) if task.item.name == "draws")
    assert not task.done and schedule.work(task, "document", 0.0, None)
    assert next(task for task in tasks(tmp_path) if task.item.name == "draws").done
    write(source(draws=41), tmp_path)
    command_line.check()
    assert "draws/table1a-othello-k3.json is not what the files give that it is made of" in capsys.readouterr().err
