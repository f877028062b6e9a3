"""Results as files: what was edited is refused by name, pages fit the files, the first ten games can be made again."""

import json
import random
import re
import shutil
import tarfile
from pathlib import Path

import pytest

from experiments.reproduction import command_line, schedule
from experiments.reproduction.again import first_ten, run_of
from experiments.reproduction.catalogue import items, papers
from experiments.reproduction.cells import Cell, cells_below, read, write
from experiments.reproduction.command_line import _selected, main
from experiments.reproduction.game_files import lacking
from experiments.reproduction.gathering import gatherer, matches
from experiments.reproduction.pages import generate, page_of
from experiments.reproduction.quantities import Published
from experiments.reproduction.schedule import pack, scale_word, tasks
from experiments.runs.results import Result
from gpumcts.errors import BadInput
from tests.experiments.config.drivers import composed
from tests.experiments.reproduction.planted import cell

CONF = Path(__file__).parents[3] / "conf" / "experiment"


@pytest.fixture(scope="module")
def every():
    """All committed cells."""
    return list(cells_below())


# ------------------------------------------------------------------------------------------------------------- files


def test_a_file_is_read_as_it_was_written(tmp_path):
    assert read(write(cell(), tmp_path), tmp_path) == cell()


def test_two_processes_that_write_a_cell_have_a_file_each_until_it_is_whole(tmp_path):
    path = tmp_path / cell().path
    path.parent.mkdir(parents=True)
    other = path.with_name(f".{path.name}.new")
    other.mkdir()  # a name that every process would take
    assert write(cell(), tmp_path) == path and sorted(path.parent.iterdir()) == [other, path]


@pytest.mark.parametrize(
    ("there", "edited", "named"),
    [
        ('"wins": 563', '"wins": 573', "check sum"),
        ('"verdict": "agrees"', '"verdict": "differs"', "verdict"),
        ('"value": 0.563,\n  "interval"', '"value": 0.663,\n  "interval"', "derived part"),
        ('"first_ten": "1', '"first_ten": "2', "check sum"),
        ('"first_ten"', '"last_ten"', "digests.first_ten: Field required"),
        ('"losses": 437', '"losses": 438', "check sum"),
        ('"seed": 1', '"seed": "1"', "asked.seed"),
        ('"format": 1,', '"format": 1, "more": 2,', "more"),
        ("{", "", "is not a cell's file"),
    ],
)
def test_a_file_that_was_edited_is_refused_by_name(tmp_path, there, edited, named):
    path = write(cell(), tmp_path)
    text = path.read_text()
    assert there in text
    path.write_text(text.replace(there, edited, 1))
    with pytest.raises(BadInput, match=named) as told:
        read(path, tmp_path)
    assert str(path) in str(told.value) and "\n" not in str(told.value)


def test_a_file_in_another_cell_s_place_is_refused(tmp_path):
    path = write(cell(), tmp_path)
    shutil.copy(path, path.with_name("othello-k4.json"))
    with pytest.raises(BadInput, match="othello-k4.json holds the cell"):
        list(cells_below(tmp_path))


def test_a_name_that_is_no_file_name_is_refused(tmp_path):
    with pytest.raises(BadInput, match="names are lower-case"):
        write(cell("../k3"), tmp_path)


def test_every_committed_file_is_of_an_item_and_a_run(every):
    known = items()
    for found in every:
        assert any(run.owns(found.cell) for run in known[f"{found.paper}/{found.item}"].runs), found.path


# ------------------------------------------------------------------------------------------------------------- pages


def test_the_committed_pages_are_what_the_files_give():
    for path, text in generate().items():
        assert path.read_text("utf-8") == text, f"{path}: python -m experiments.reproduce --pages"


def test_every_figure_of_a_page_is_a_cell_s_and_no_line_is_long():
    for path, text in generate().items():
        lines = [line for line in text.splitlines() if not line.startswith(("|", "!", "python -m"))]
        assert max(map(len, lines)) <= 120, path


def test_an_item_differs_only_beyond_the_correction_for_its_cells():
    item = items()["hashimoto2012accelerated/table1a"]
    near = [cell(f"othello-k{k}", wins=518) for k in (1, 2, 3, 4, 5)]  # p 0.044 each, 0.22 for five
    assert [c.verdict for c in near] == ["differs"] * 5
    assert page_of(item, near).verdicts.word == "open"
    assert page_of(item, [*near, cell("othello-k6", wins=400)]).verdicts.word == "differs"
    assert page_of(item, [cell(iterations=2000)]).verdicts.word == "reduced"
    assert page_of(item, []).verdicts.word == "not run"


def test_a_single_agreeing_cell_of_many_is_no_agreement():
    item = items()["hashimoto2012accelerated/table1a"]
    assert page_of(item, [cell()]).verdicts.word == "open"


def test_a_cell_without_a_figure_has_no_verdict_and_is_reduced_at_less():
    budget: dict[str, int | float] = {"iterations": 50_000}
    unstated = Published(relation="unstated", budget=budget, source="Table 1")
    item = items()["hashimoto2012accelerated/table1a"]
    for iterations, word in ((50_000, "unpublished"), (2000, "reduced")):
        some = cell(published=unstated, iterations=iterations)
        assert some.verdict == page_of(item, [some]).verdicts.word == word


# --------------------------------------------------------------------------------------------------------- catalogue


def test_every_run_of_the_catalogue_names_an_experiment_and_no_two_runs_a_cell():
    for paper in papers().values():
        for item in paper.items:
            for run in () if item.derived_from else item.runs:
                experiment = next(word for word in run.command if word.startswith("experiment="))
                assert (CONF / f"{experiment.partition('=')[2]}.yaml").exists()
            names = [name for run in item.runs for name in run.cells]
            assert len(names) == len(set(names)), item.name


def test_a_run_of_matches_gives_a_cell_that_it_owns_and_no_other_run_s(monkeypatch):
    for name, told in (
        ("points_of", (None, None)),
        ("published_of", None),
        ("budget_of", {"iterations": 0}),
        ("Measured", None),
    ):
        monkeypatch.setattr(matches, name, lambda *_, told=told, **__: told)
    monkeypatch.setattr(matches, "cell_of", lambda _paper, _item, name, *_: name)
    for paper in papers().values():
        for item in paper.items:
            alike = {re.sub(r"\d", "", run.name): run for run in item.runs}  # one of the runs that differ in a number
            for run in alike.values():
                if run.command[0] == "match" and not any("*" in name for name in run.cells):
                    config = composed(run.command[0], *(scale_word(word, "document") for word in run.command[1:]))
                    record = {"label": "", "name": ""}
                    assert gatherer(item)(paper, item, [Result(Path(), config, record, {})]) == run.cells, run.command


def test_a_run_whose_cell_is_another_run_s_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(schedule, "FOLDERS", tmp_path / "folders")
    monkeypatch.setattr(schedule, "RESULTS", tmp_path)
    monkeypatch.setattr(schedule, "_call", lambda *_: 0)
    monkeypatch.setattr(schedule, "gather", lambda *_: [cell("othello-k3")])
    some = next(task for task in tasks(tmp_path) if task.run.name == "othello-k4")
    with pytest.raises(BadInput, match="table1a/othello-k4: gives the cell othello-k3, but its cells are othello-k4"):
        schedule.work(some, "document", 0.0, 1)
    assert list(cells_below(tmp_path)) == []


def test_a_cell_at_the_paper_s_budget_is_not_lost_to_one_at_less(tmp_path):
    schedule.keep(cell(iterations=2000), tmp_path)
    path = schedule.keep(cell(), tmp_path)
    with pytest.raises(BadInput, match="othello-k3.json is at the paper's own budget"):
        schedule.keep(cell(iterations=2000), tmp_path)
    assert read(path, tmp_path) == cell()


def test_what_a_run_found_at_less_goes_where_it_finds_others_at_the_paper_s_budget(tmp_path):
    some = next(task for task in tasks() if task.name == "ramanujan2010understanding/fig2/all")

    def trap(number: int, **more: int) -> Cell:
        return cell(f"trap-{number}", **more).model_copy(update={"paper": some.paper.name, "item": some.item.name})

    old = [write(trap(number, iterations=2000), tmp_path) for number in (1, 2)]
    other = write(cell("elsewhere", iterations=2000), tmp_path)
    assert not schedule.drop_reduced(some, [trap(1, iterations=2000)], tmp_path)  # as reduced as they are
    schedule.keep(trap(1), tmp_path)
    assert schedule.drop_reduced(some, [trap(1)], tmp_path) == [old[1]]
    assert [path.exists() for path in (*old, other)] == [True, False, True]


def test_runs_are_listed_the_most_worth_while_first(tmp_path):
    found = tasks(tmp_path)
    assert [task.run.order for task in found] == sorted(task.run.order for task in found)
    assert not any(task.done for task in found)
    write(cell(), tmp_path)
    write(cell("othello-k4", iterations=2000), tmp_path)
    done = {task.run.name: task.done for task in tasks(tmp_path) if task.item.name == "table1a"}
    assert done["othello-k3"] and not done["othello-k4"]


# ----------------------------------------------------------------------------------------------------------- command


def test_the_first_ten_of_the_cheapest_cells_are_made_again(tmp_path, every):
    cheapest = {found.item: found for found in every if found.asked.command[0] == "worked"}
    assert set(cheapest) == {"fig1", "fig2", "fig3"}
    some = random.Random(1).choice(sorted(cheapest.values(), key=lambda found: found.item))
    assert first_ten(some, tmp_path) == some.digests.first_ten


@pytest.mark.slow
def test_the_first_ten_of_ten_random_cells_are_made_again(tmp_path, every):
    there = [found for found in every if lacking(run_of(found).command) is None]
    for number, some in enumerate(random.Random().sample(there, 10)):
        assert first_ten(some, tmp_path / str(number)) == some.digests.first_ten, some.path


def test_a_match_is_collected_and_is_reduced_at_another_budget(tmp_path, monkeypatch, capsys):
    from experiments.match import COMMAND

    words = ["experiment=hashimoto2012accelerated/table1a", "game=othello", "scale=small", "k=3", "games=12"]
    assert COMMAND.main([*words, "budget.iterations=20", f"hydra.sweep.dir='{tmp_path}/runs'", "threads=1"]) == 0
    for module in ("cells", "schedule", "command_line"):
        monkeypatch.setattr(f"experiments.reproduction.{module}.RESULTS", tmp_path / "results")
    monkeypatch.setattr(write, "__defaults__", (tmp_path / "results",))
    item = "item=hashimoto2012accelerated/table1a"
    assert main([item, "--collect", str(tmp_path / "runs")]) == 0
    found = read(tmp_path / "results/hashimoto2012accelerated/table1a/othello-k3.json", tmp_path / "results")
    assert (found.verdict, found.measured.quantity.count) == ("reduced", 12)
    journal = next((tmp_path / "runs").rglob("games.jsonl"))
    lines = journal.read_text().splitlines()
    record = json.loads(lines[3])
    lines[3] = json.dumps({**record, "result": {"win": "loss"}.get(record["result"], "win")})
    journal.write_text("\n".join(lines) + "\n")
    capsys.readouterr()
    assert main([item, "--collect", str(tmp_path / "runs")]) == 2
    assert "are not those of its summary's digest" in capsys.readouterr().err


@pytest.mark.parametrize("every_so_many", [41, pytest.param(1, marks=pytest.mark.slow)])
def test_a_run_goes_by_every_name_that_the_list_prints(every_so_many):
    every = tasks()
    for task in every[::every_so_many]:
        assert _selected({"run": task.name}) == [task]
        assert _selected({"item": task.name.rpartition("/")[0], "run": task.name.rpartition("/")[2]}) == [task]
        assert _selected({"item": task.name.rpartition("/")[0], "run": task.name}) == [task]
    assert len({task.name for task in every}) == len(every)


def test_what_a_run_s_name_names_is_run_alone(tmp_path, monkeypatch, capsys):
    worked = []
    monkeypatch.setattr(command_line, "tasks", lambda: tasks(tmp_path))
    monkeypatch.setattr(command_line, "work", lambda task, *_: worked.append(task.name) or True)
    assert main(["run=hashimoto2012accelerated/table1a/othello-k4"]) == 0
    assert worked == ["hashimoto2012accelerated/table1a/othello-k4"]
    assert "1 run finished" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--hours", "0"], "--hours 0: must be greater than 0"),
        (["--hours", "nan"], "--hours nan"),
        (["--hours", "soon"], "argument --hours"),
        (
            ["item=hashimoto2012accelerated/table9"],
            "item=hashimoto2012accelerated/table9: must be one of hashimoto2012accelerated/",
        ),
        (["item=hashimoto2012accelerated/table1a", "run=othello-k9"], "run=othello-k9: there is no such run of item="),
        (["run=hashimoto2012accelerated/table1a/othello-k9"], "experiments.reproduce --list lists the names"),
        (
            ["item=hashimoto2012accelerated/fig1", "run=hashimoto2012accelerated/fig2/all"],
            "fig2/all: there is no such run",
        ),
        (["run=othello-k3"], "run=othello-k3: needs item=PAPER/ITEM"),
        (["run="], "run=: needs item=PAPER/ITEM"),
        (["scale=large"], "scale=large: must be document or small"),
        (["games=3"], "games=3: must be item=..., run=..., scale=..."),
        (["--collect", "nowhere"], "--collect needs item="),
        (["item=hashimoto2012accelerated/table1a", "--collect", "nowhere"], "there is no such folder"),
        (["--again", "0"], "--again 0: must be an integer of at least 1"),
        (["--again", "ten"], "--again ten: must be an integer of at least 1"),
        (["--again"], "--again: give a number of cells, or item=... or run=... for all of its cells"),
        (["--threads", "0"], "--threads 0: must be an integer in [1, 4096]"),
        (["--all", "--threads", "4097"], "--threads 4097: must be an integer in [1, 4096]"),
        (["--pages", "--check"], "--check does not go with --pages; give one of them"),
        (["--list", "--check"], "--check does not go with --list"),
        (["--hours", "1"], "--hours counts where runs are made: with item=... or run=..., or with --all"),
        (["--check", "--threads", "2"], "--threads counts where runs are made"),
        (["--again", "1", "--engine", "cuda"], "--engine counts where runs are made"),
        (["--check", "item=hashimoto2012accelerated/fig1"], "--check is of all items: it goes with no item="),
        (["--pages", "run=hashimoto2012accelerated/fig1/all"], "--pages is of all items: it goes with no run="),
        (["--list", "scale=small"], "scale counts where runs are made"),
        (["--nope"], "unrecognized arguments"),
        (["scale=small", "scale=document"], "scale=document: scale is given twice; leave one out"),
    ],
)
def test_bad_input_is_one_line(capsys, words, named):
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and named in told


def test_an_unfinished_run_is_packed_and_goes_on_only_where_the_command_can(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(schedule, "FOLDERS", tmp_path / "folders")
    monkeypatch.setattr(schedule, "UNFINISHED", tmp_path / "unfinished")
    task = next(task for task in tasks(tmp_path) if task.run.name == "othello-k3")
    run = task.folder / "othello_uct_accelerated_decay=0.999_vs_uct-000"
    run.mkdir(parents=True)
    (run / "provenance.json").write_text(json.dumps({"commit": "0" * 40}))
    assert pack([task]) == [task.packed]
    shutil.rmtree(task.folder)
    with monkeypatch.context() as old, pytest.raises(BadInput, match=r"othello-k3.tar.xz can .* 3.11.4 and later"):
        old.delattr(tarfile, "data_filter")
        schedule.work(task, "document", 0.0, 1)
    monkeypatch.setattr(schedule, "_call", lambda *_: 2)  # as a command ends that refuses the folder, in one line
    with pytest.raises(BadInput, match="othello-k3: its command ended with exit code 2; .*; remove .*othello-k3 to"):
        schedule.work(task, "document", 0.0, 1)
    assert (run / "provenance.json").exists()
    assert "goes on where commit 0000000 stopped" in capsys.readouterr().err
    (run / "provenance.json").write_text("{")
    with pytest.raises(BadInput, match="provenance.json"):
        schedule.work(task, "document", 0.0, 1)


def test_an_archive_that_no_run_goes_on_with_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(schedule, "FOLDERS", tmp_path / "folders")
    monkeypatch.setattr(schedule, "UNFINISHED", tmp_path / "unfinished")
    done = next(task for task in tasks() if task.done)
    done.folder.mkdir(parents=True)
    pack([done._replace(cells=[])])  # as it was kept before the run was finished
    assert schedule.unfit_archives() == [f"{done.packed}: no unfinished run has this name; remove it"]


@pytest.mark.parametrize("damage", ["emptied", "cut", "changed"])
def test_a_damaged_archive_is_refused_in_one_line(tmp_path, monkeypatch, capsys, damage):
    monkeypatch.setattr(schedule, "FOLDERS", tmp_path / "folders")
    monkeypatch.setattr(schedule, "UNFINISHED", tmp_path / "unfinished")
    task = next(task for task in tasks(tmp_path) if task.run.name == "othello-k3")
    task.folder.mkdir(parents=True)
    (task.folder / "games").write_bytes(random.Random(1).randbytes(20_000))
    pack([task])
    shutil.rmtree(task.folder)
    data = bytearray(task.packed.read_bytes())
    data[9000:9200] = bytes(200)
    task.packed.write_bytes({"emptied": b"", "cut": data[:9000], "changed": data}[damage])
    monkeypatch.setattr(schedule, "tasks", lambda: [task])
    (checked,) = schedule.unfit_archives()
    assert checked.startswith(f"{task.packed} cannot be unpacked: ")
    monkeypatch.setattr(command_line, "tasks", lambda: [task])
    assert main([f"run={task.name}"]) == 2
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith(("error", "-"))]
    assert len(told) == 1 and "othello-k3.tar.xz cannot be unpacked: " in told[0]
    assert told[0].endswith("; remove it to begin anew")
    assert not task.folder.exists()
