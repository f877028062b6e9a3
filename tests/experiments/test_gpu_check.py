"""The check of a device and its campaign, on a machine without one: steps, files, exit codes, and what is bad input."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import machine, measure
from benchmarks.device import (
    bars,
    book,
    campaign,
    choices,
    device_tests,
    peers,
    process,
    report,
    sizes,
    steps,
    suites,
    tools,
)
from benchmarks.device.book import ABSENT, DONE, FAILED, UNFINISHED, Book, Entry
from benchmarks.device.process import Ended
from benchmarks.measure import KERNELS, Row
from benchmarks.peers.names import not_installed
from gpumcts.errors import BadInput
from gpumcts.kernels import crossover
from gpumcts.kernels.cuda import device, device_choices

ROOT = process.ROOT
MADE_ON = {"commit": "abc", "device": "A device", "sizes": "small"}


# ---------------------------------------------------------------------------------------------------------- a campaign


class World:
    """A device that is not there: what its processes answer, and what was asked of them, in order."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.problem = ""
        self.now = 0.0
        self.seconds = 10.0  # that a step takes
        self.answers: dict[str, Ended] = {}
        self.tests: list[tuple[str, str]] = [("a.py::one", "passed"), ("a.py::two", "passed")]
        self.alone = "passed"

    def python(self, module, *words, seconds):
        self.asked.append(words[-1])
        self.now += min(self.seconds, seconds)
        return self.answers.get(words[-1], Ended(0, [_row(words[-1])._asdict()], ""))

    def run_tests(self, folder, results, seconds, words=()):
        self.asked.append("tests")
        self.now += self.seconds
        for name, outcome in self.tests:
            results.collected.add(name)
            results.ended.setdefault(name, (outcome, 1.0, "assert 1 == 2" if outcome == "failed" else ""))

    def run_alone(self, folder, name, seconds):
        self.asked.append(f"alone {name}")
        return self.alone, 1.0, "" if self.alone == "passed" else "assert 3 == 4"


def _row(name: str) -> Row:
    """A figure of a suite."""
    if name.startswith("ways"):
        at = {"game": "go:Board9", "policy": "uniform:Uniform", "way": "whole", **KERNELS}
        return Row(name, name, "playouts/s", 200e6, 1, 1, at=at)
    if name.startswith("caps"):
        at = dict.fromkeys(choices.PARTS, "x:X") | {"cap": 168} | KERNELS
        return Row(name, name, "iterations/s", 5.0, 1, 1, at=at)
    if name.endswith("crossover"):
        return Row(name, name, "iterations/s", 5.0, 1, 1, at={"engine": "cpu", "trees": 1, "playouts": 1})
    return Row(name, name, "playouts/s", 5.0, 1, 1)


@pytest.fixture
def world(monkeypatch, tmp_path):
    made = World()
    monkeypatch.setattr(steps, "python", made.python)
    monkeypatch.setattr(device_tests, "run_tests", made.run_tests)
    monkeypatch.setattr(device_tests, "run_alone", made.run_alone)
    monkeypatch.setattr(campaign, "device_problem", lambda: made.problem)
    nothing = {"kernels": [], "missing": 0, "seconds": 1.0, "problems": []}
    monkeypatch.setattr(campaign, "compile_first", lambda context, seconds, planned: nothing)
    monkeypatch.setattr(campaign.time, "monotonic", lambda: made.now)
    found = {"device": {"name": "A device", "driver": "13.0"}, "cpu": "", "cores": 2, "clocks": {}, "versions": {}}
    monkeypatch.setattr(machine, "machine", lambda: {**found, "commit": "abc"})
    monkeypatch.setattr(tools, "find", lambda tool: None)
    monkeypatch.setattr(steps.documents, "missing", lambda: "hydra-core not installed")
    monkeypatch.setattr(steps.cache, "root", lambda: tmp_path / "cache")
    return made


def entries(folder: Path) -> dict[str, dict]:
    """What the record of a campaign holds."""
    return json.loads((folder / book.FILE).read_text("utf-8"))["steps"]


def test_a_campaign_goes_on_where_it_ended(world, tmp_path, capsys):
    """Two calls do every step once; after the first some are left, and both say how it stands."""
    world.seconds = 30
    assert campaign.campaign(tmp_path, 120, "small") == campaign.TIME_OVER
    first, world.asked = world.asked, []
    assert 0 < len(first) < 10 and {entry["state"] for entry in entries(tmp_path).values()} >= {DONE, UNFINISHED}
    world.seconds = 1
    assert campaign.campaign(tmp_path, 480, "small") == campaign.SOUND
    assert not set(first) & set(world.asked)
    states = {name: entry["state"] for name, entry in entries(tmp_path).items()}
    assert {name for name, state in states.items() if state == UNFINISHED} == set()
    absent = {name for name, state in states.items() if state == ABSENT}
    assert {name.partition(":")[0] for name in absent} == {*tools.CHECKS, "ncu", "documents"}
    table = (tmp_path / report.TABLE).read_text("utf-8")
    assert "compute-sanitizer is not there" in table and "not with --sizes small" in table
    assert "200 M" in table and "steps" in capsys.readouterr().out
    world.asked = []
    assert campaign.campaign(tmp_path, 480, "small") == campaign.SOUND and world.asked == []


def test_a_peer_that_is_not_there_is_absent(world, tmp_path):
    """With what is missing; one that is there has its figures."""
    world.answers["peers: pgx, othello"] = Ended(process.ABSENT_CODE, [], "pgx is not installed; pip install pgx")
    assert campaign.campaign(tmp_path, 480, "small") == campaign.SOUND
    found = entries(tmp_path)
    assert found["peers: pgx, othello"]["state"] == ABSENT
    assert found["peers: pgx, othello"]["told"] == "pgx is not installed; pip install pgx"
    assert len(found["peers: mctsnc, gomoku"]["rows"]) == 1


def test_peers_say_what_is_missing(monkeypatch, tmp_path):
    """In the process of the step: no checkout of MCTS-NC here, and a JAX that finds no device."""
    monkeypatch.delenv("GPUMCTS_MCTSNC", raising=False)
    monkeypatch.setattr(peers, "not_installed", lambda peer: "" if peer == "pgx" else not_installed(peer))
    assert peers.missing("peers: mctsnc, gomoku").startswith("no checkout of MCTS-NC is named")
    monkeypatch.setattr(peers, "ASKED", "raise SystemExit('no device of kind cuda')")
    assert peers.missing("peers: pgx, othello").startswith("JAX has no CUDA device: no device of kind cuda; pip")
    with pytest.raises(SystemExit, match=str(process.ABSENT_CODE)):
        suites.main("small", "peers: mctsnc, connect_four", tmp_path / "rows")


def test_documents_go_on(world, tmp_path, monkeypatch):
    """From call to call, until none is left; a run that fails is told."""
    left = iter(
        [(False, "1 of 2 runs are done"), BadInput("exit code 2: error: seed=x"), (True, "2 of 2 runs are done")]
    )

    def play(words, folder, seconds):
        found = next(left)
        if isinstance(found, BadInput):
            raise found
        assert words == ("--all",) and folder == tmp_path and seconds > 0
        return found

    monkeypatch.setitem(sizes.NAMED, "small", sizes.SMALL._replace(documents=("--all",)))
    monkeypatch.setattr(steps.documents, "missing", lambda: "")
    monkeypatch.setattr(steps.documents, "play", play)
    assert campaign.campaign(tmp_path, 480, "small") == campaign.TIME_OVER
    assert entries(tmp_path)["documents"]["told"] == "1 of 2 runs are done"
    assert campaign.campaign(tmp_path, 480, "small") == campaign.FAILURES
    assert entries(tmp_path)["documents"]["told"] == "exit code 2: error: seed=x"


def test_documents_of_papers(tmp_path):
    """What is asked of ``experiments.reproduce`` is understood; a run that lacks a device to begin is told."""
    item = "item=hashimoto2012accelerated/table1a"
    ended, told = steps.documents.play(("item=hashimoto2012accelerated/fig1",), tmp_path, 30)  # which has no engine
    assert not ended
    assert re.fullmatch(r"\d+ of \d\d runs are done; experiments.reproduce --collect .* from documents", told)
    with pytest.raises(BadInput, match="^exit code 2: "):
        steps.documents.play((item, "run=nonesuch"), tmp_path, 30)


def test_what_failed_is_run_again(world, tmp_path):
    """A suite that fails once counts by its second run; a test that fails alone too is told with its text."""
    world.answers["launch"] = Ended(1, [], "RuntimeError: broken")
    world.tests.append(("a.py::three", "failed"))
    real, world.alone = world.python, "failed"

    def python(module, *words, seconds):
        ended = real(module, *words, seconds=seconds)
        world.answers.pop(words[-1], None)  # it fails but once
        return ended

    steps.python = python
    assert campaign.campaign(tmp_path, 480, "small") == campaign.FAILURES
    found = entries(tmp_path)
    assert found["launch"]["state"] == DONE and "RuntimeError: broken" in found["launch"]["told"]
    assert found["tests"]["state"] == FAILED and found["again: tests"]["state"] == FAILED
    assert "alone a.py::three" in world.asked and "alone a.py::one" not in world.asked
    table = (tmp_path / report.TABLE).read_text("utf-8")
    assert "failed: a.py::three" in table and "assert 3 == 4" in table and "assert 1 == 2" not in table


def test_a_test_that_failed_for_anothers_fault(world, tmp_path):
    world.tests.append(("a.py::three", "failed"))
    assert campaign.campaign(tmp_path, 480, "small") == campaign.SOUND
    assert entries(tmp_path)["again: tests"]["told"] == "1 tests failed, 0 of 1 fail alone too"


def test_a_failed_step_costs_no_other(world, tmp_path):
    world.answers["playouts"] = Ended(1, [_row("playouts")._asdict()], "RuntimeError: broken")
    world.answers["match"] = Ended(None, [_row("match")._asdict()], "")
    assert campaign.check(tmp_path, 480, "small") == campaign.FAILURES
    found = entries(tmp_path)
    assert found["playouts"]["told"] == "RuntimeError: broken" and len(found["playouts"]["rows"]) == 1
    assert found["match"]["state"] == UNFINISHED and found["match"]["told"] == "stopped after 70 s"
    assert campaign.check(tmp_path, 240, "small") == campaign.FAILURES  # half the minutes, half the time of each
    assert entries(tmp_path)["match"]["told"] == "stopped after 35 s"
    assert found["crossover"]["state"] == DONE and "again: playouts" not in found


def test_compiling_is_counted_apart(world, tmp_path, monkeypatch):
    """The seconds of a check begin as kernels are compiled; those of a campaign's call, where others wait, do not."""

    def compile_first(context, seconds, planned):
        world.now += 300
        return {"kernels": [], "missing": 0, "seconds": 300.0, "problems": []}

    monkeypatch.setattr(campaign, "compile_first", compile_first)
    assert campaign.check(tmp_path / "check", 310, "small") == campaign.SOUND
    assert campaign.campaign(tmp_path / "campaign", 310, "small") == campaign.TIME_OVER


def test_a_slow_suite_is_not_tried_for_ever(world, tmp_path):
    world.answers["match"] = Ended(None, [], "")
    for code in (campaign.TIME_OVER, campaign.FAILURES):
        assert campaign.campaign(tmp_path, 4800, "small") == code
    assert entries(tmp_path)["match"]["state"] == FAILED


def test_a_device_lost_in_the_middle(world, tmp_path, capsys):
    """The campaign ends there with a line; the step that met it is still to be done."""
    real = world.python

    def python(module, *words, seconds):
        if words[-1] == "playouts":
            world.problem = "this process's device is lost"
            return Ended(1, [], world.problem)
        return real(module, *words, seconds=seconds)

    steps.python = python
    assert campaign.campaign(tmp_path, 480, "small") == campaign.NO_DEVICE
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "error: the device cannot be used any more: this process's device is lost"
    assert "playouts" not in entries(tmp_path) and entries(tmp_path)["launch"]["state"] == DONE
    world.problem, steps.python = "", real
    assert campaign.campaign(tmp_path, 480, "small") == campaign.SOUND


def test_tables_go_where_engines_look(world, tmp_path, monkeypatch):
    """Those of a whole campaign; what little sizes measure stays in the folder, as does what a check finds."""
    monkeypatch.setattr(
        suites, "bench_of", lambda *_: measure.Bench(None, "othello", "auto", 2, 1, (), tmp_path, sizes.SMALL.grid)
    )
    for run in (campaign.check, campaign.campaign):
        assert run(tmp_path / run.__name__, 480, "small") == campaign.SOUND
        assert {device_choices.FILE, crossover.FILE} <= {file.name for file in (tmp_path / run.__name__).iterdir()}
    assert not (tmp_path / "cache").exists()
    assert campaign.campaign(tmp_path / "full", 4800, "full") == campaign.SOUND
    table = json.loads((tmp_path / "cache" / device_choices.FILE).read_text("utf-8"))
    device_choices._check(table)
    assert table["device"] == "A device" and table["ways"][0]["rates"] == {"whole": 200e6}
    monkeypatch.setenv(crossover.VARIABLE, str(tmp_path / "cache" / crossover.FILE))
    assert crossover.tables()[0]["measured"] and crossover.tables()[0]["device"] == "A device"


def test_ways_are_compared_by_the_rate_of_their_kernels():
    """Not by how busy the device was, nor end to end; by the rows of most playouts a leaf, which come last."""
    rows = []
    for playouts, rates in ((1, {"nested": 9.0, "whole": 3.0}), (16, {"nested": 5.0, "whole": 7.0})):
        for way, rate in rates.items():
            at = {"game": "go:Board9", "policy": "uniform:Uniform", "way": way, "playouts": playouts}
            rows.append(Row("ways", "", "playouts/s", 100 - rate, 1, 1, at=at))
            rows.append(Row("ways", "", "playouts/s", rate, 1, 1, at=at | KERNELS))
            rows.append(Row("ways", "", "%", 100 / rate, 1, 1, at=at | KERNELS))
    (entry,) = choices.table("A device", rows)["ways"]
    assert entry["rates"] == {"nested": 5.0, "whole": 7.0}


def test_bars(world, tmp_path):
    at = {"game": "othello:Othello", "policy": "uniform:Uniform", **KERNELS}
    rows = [Row("ways: othello, uniform", "", "playouts/s", 151e6, 1, 1, at=at), _row("crossover")]
    found = {bar.what: bar for bar in bars.judged(rows)}
    assert found["uniform Othello in the kernel"].reached == "yes"
    assert found["informed playouts of Othello, times one core"].reached == "not measured"
    assert found["crossover table, cells measured"].reached == "no"
    informed = {"game": "othello:Othello", "policy": "minimax:MinimaxDepth1"}
    ratios = {f"othello, minimax:depth=1, {choices.PER_CORE}": 199.0}
    rows = [Row("ways: othello, minimax:depth=1", "", "playouts/s", 1, 1, 1, ratios, informed)]
    found = {bar.what: bar for bar in bars.judged(rows)}
    assert found["informed playouts of Othello, times one core"]._replace(measured=0)[1:3] == (200, "times")
    assert found["informed playouts of Othello, times one core"].reached == "no"


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("what, now", [("commit", "def"), ("device", "Another"), ("sizes", "full")])
def test_a_folder_of_another_campaign(tmp_path, what, now):
    Book(tmp_path, MADE_ON).write("launch", Entry(DONE))
    with pytest.raises(
        ValueError, match=rf"^{tmp_path}: a record of {what} .*, and this is {now}: name another folder$"
    ):
        Book(tmp_path, {**MADE_ON, what: now})
    assert Book(tmp_path, MADE_ON).of("launch").state == DONE


def test_a_folder_of_another_campaign_is_a_line(world, tmp_path, capsys):
    Book(tmp_path, {**MADE_ON, "kind": "campaign", "commit": "older"}).write("launch", Entry(DONE))
    before = (tmp_path / book.FILE).read_bytes()
    assert campaign.campaign(tmp_path, 480, "small") == 2
    assert (
        capsys.readouterr().err
        == f"error: {tmp_path}: a record of commit older, and this is abc: name another folder\n"
    )
    assert (tmp_path / book.FILE).read_bytes() == before


def test_a_check_leaves_a_campaign_alone(world, tmp_path, capsys):
    assert campaign.campaign(tmp_path, 480, "small") == campaign.SOUND
    before = (tmp_path / book.FILE).read_bytes()
    assert campaign.check(tmp_path, 480, "small") == 2
    assert capsys.readouterr().err.endswith("holds a campaign: go on with it by --campaign, or name another folder\n")
    assert (tmp_path / book.FILE).read_bytes() == before
    for _ in range(2):  # a check's own folder is begun anew
        assert campaign.check(tmp_path / "check", 480, "small") == campaign.SOUND
    assert campaign.campaign(tmp_path / "check", 480, "small") == 2
    assert "a record of kind check, and this is campaign" in capsys.readouterr().err


def test_a_check_leaves_the_figures_of_a_benchmark_alone(world, tmp_path, capsys):
    for name in (report.TABLE, report.FIGURES):
        (tmp_path / name).write_text("{}")
    assert campaign.check(tmp_path, 480, "small") == 2
    told = f"error: {tmp_path} holds {report.FIGURES} that no check has made: name another folder\n"
    assert capsys.readouterr().err == told
    assert (tmp_path / report.TABLE).exists() and (tmp_path / report.FIGURES).exists()


def test_a_check_that_finds_no_device_keeps_what_an_earlier_one_measured(world, tmp_path, capsys):
    assert campaign.check(tmp_path, 480, "small") == campaign.SOUND
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    world.problem = "the driver is gone"
    assert campaign.check(tmp_path, 480, "small") == campaign.NO_DEVICE
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert f"used: the driver is gone; {tmp_path} is left as it was" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("text", ["", "[]", '{"made_on": {}}', '{"made_on": 3, "steps": {}}'])
def test_a_file_that_is_no_record(tmp_path, text):
    (tmp_path / book.FILE).write_text(text)
    with pytest.raises(ValueError, match="is no record of a campaign"):
        Book(tmp_path, MADE_ON)


@pytest.mark.skipif(bool(device.describe().name), reason="there is a device")
@pytest.mark.parametrize("words", [["new"], ["--campaign", "new"]])
def test_without_a_device(tmp_path, words):
    named = [str(tmp_path / word) if word == "new" else word for word in words]
    command_line = [sys.executable, "-m", "experiments.gpu_check", *named]
    done = subprocess.run(command_line, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 2 and done.stderr.startswith("error: no device can be used: no NVIDIA driver is there")
    assert len(done.stderr.splitlines()) == 1
    assert json.loads((tmp_path / "new" / report.FIGURES).read_text("utf-8"))["problem"]


def test_what_a_late_command_started_ends_with_it(tmp_path):
    """A grandchild would keep the device."""
    child = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
    command = [sys.executable, "-c", f"{child} print(p.pid, flush=True); p.wait()"]
    code, said = process.ended_in(tmp_path, command, time.monotonic() + 3)
    assert code is None
    for _ in range(50):
        status = Path(f"/proc/{said[0]}/stat")
        if not status.exists() or status.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("it goes on")
