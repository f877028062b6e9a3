"""Every command at a tiny budget: what it writes, that it goes on where it was, that threads decide speed alone."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars
import pytest
import yaml

from experiments.analysis.result_table import columns
from experiments.runs.results import read
from experiments.runs.run_directory import CONFIG, PROVENANCE, SUMMARY
from experiments.terminal.console import seconds_text

ROOT = Path(__file__).resolve().parent.parent.parent
TINY = "games=4 budget.iterations=3 engine=cpu threads=1"
MATCH_SUMMARY = {
    "games", "wins", "draws", "losses", "win_rate", "ci95_low", "ci95_high", "iterations_per_second",
    "playouts_per_second", "seconds", "digest",
}  # fmt: skip


def said(err: str) -> list[str]:
    """Lines of progress, without those that depend on the cache and on the machine's speed."""
    return [line for line in err.splitlines() if not re.match(r"compiling |sweep: |.*: \d+ %", line)]


def summary_of(folder: Path) -> dict:
    return json.loads((folder / SUMMARY).read_text())


def test_a_match_leaves_what_is_needed_to_do_it_again(run, only):
    done = run(f"match {TINY}")
    assert done.code == 0 and not said(done.err)
    folder = only("outputs/match/*")
    summary = summary_of(folder)
    assert summary.keys() >= MATCH_SUMMARY
    assert summary["games"] == summary["wins"] + summary["draws"] + summary["losses"] == 4
    assert 0 <= summary["ci95_low"] <= summary["win_rate"] <= summary["ci95_high"] <= 1
    assert summary["player"]["iterations"] > 0 and summary["iterations_per_second"] > 0
    for side in ("player", "opponent"):
        assert (summary[side]["made_a_move"], summary[side]["counted"]) == (3.0, "iterations")
    records = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    assert sum(summary[side]["moves"] for side in ("player", "opponent")) == sum(r["plies"] for r in records)
    assert "; 3 iterations a move" in done.out and columns([read(folder)])[1][0].count("3 / 3") == 1
    provenance = json.loads((folder / PROVENANCE).read_text())
    assert provenance["seed"] == 1 and provenance["versions"]["numba"]
    assert yaml.safe_load((folder / CONFIG).read_text())["opponent"]["budget"]["iterations"] == 3
    assert "Score of uct vs uct" in done.out and "seed 1" in done.out and folder.name in done.out


def test_the_same_command_goes_on_and_more_games_extend(run, only, tmp_path, monkeypatch):
    run(f"match {TINY} games=3", last=True)
    folder = only("outputs/match/*")
    three = summary_of(folder)
    journal = (folder / "moves.jsonl").read_bytes()
    with monkeypatch.context() as patch:  # a match that is over asks for no search, which would have to be loaded
        patch.setattr("gpumcts.players.construction.tree_search", None)
        assert run(f"match {TINY} games=3", last=True).code == 0
    again = summary_of(folder)
    assert (folder / "moves.jsonl").read_bytes() == journal
    assert again["digest"] == three["digest"] and again["player"]["iterations"] == three["player"]["iterations"]
    run(f"match {TINY} games=6", last=True)
    extended = summary_of(only("outputs/match/*"))
    run(f"match {TINY} games=6 threads=2 games_in_flight=2 hydra.run.dir=fresh", last=True)
    fresh = summary_of(tmp_path / "fresh")
    assert extended["digest"] == fresh["digest"] != three["digest"]
    assert (
        extended["player"]["moves"] == fresh["player"]["moves"] > three["player"]["moves"] == again["player"]["moves"]
    )


@pytest.mark.slow
def test_earlier_runs_of_other_commits_or_machines_are_kept(run, only, monkeypatch):
    """Those that added games: a run that finds nothing to do leaves the record as it was."""
    for games, commit in zip((2, 3, 4, 5, 6, 6), "abbacd", strict=True):
        monkeypatch.setattr("experiments.runs.provenance.commit", lambda commit=40 * commit: commit)
        assert run(f"match games={games} player=random player@opponent.player=random").code == 0
    folder = only("outputs/match/*")
    record = json.loads((folder / PROVENANCE).read_text())
    assert record["commit"] == "c" * 40
    assert [run["commit"][0] for run in record["earlier"]] == ["b", "a"]
    assert read(folder).earlier_commits == ["b" * 40, "a" * 40]
    assert run(f"report runs={folder}").code == 0
    assert (
        "cccccccccccc, earlier bbbbbbbbbbbb, earlier aaaaaaaaaaaa" in only("outputs/report/*/report.html").read_text()
    )


def test_the_seed_0_is_a_seed_like_any_other(run, tmp_path):
    for seed in (0, 1):
        assert run(f"match {TINY} seed={seed} hydra.run.dir=seed{seed}").code == 0
    assert summary_of(tmp_path / "seed0")["seed"] == 0
    assert summary_of(tmp_path / "seed0")["digest"] != summary_of(tmp_path / "seed1")["digest"]


def test_a_random_opponent_and_random_players(run, only, tmp_path):
    assert run(f"match {TINY} player@opponent.player=random hydra.run.dir=a").code == 0
    assert summary_of(tmp_path / "a")["opponent"]["iterations"] == 0
    assert run("match games=4 player=random player@opponent.player=random hydra.run.dir=b").code == 0
    assert summary_of(tmp_path / "b")["games"] == 4


@pytest.mark.parametrize("sent", [[signal.SIGINT], [signal.SIGTERM, signal.SIGTERM]])
def test_ctrl_c_and_sigterm_keep_what_there_is(tmp_path, sent):
    """``timeout`` sends SIGTERM twice, to the command and to its group."""
    command = [sys.executable, "-m", "experiments.match", "games=40", "budget.iterations=400", "hydra.run.dir=here"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    journal, deadline = tmp_path / "here" / "moves.jsonl", time.monotonic() + 120
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.02)
    for number in sent:
        process.send_signal(number)
        time.sleep(0.01)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err and "the same command goes on" in err
    assert summary_of(tmp_path / "here")["interrupted"] and summary_of(tmp_path / "here")["digest"] is None


# ------------------------------------------------------------------------------------------- the other commands


@pytest.mark.slow
def test_alpha_beta_in_a_match(run, only):
    """With leaves enough for Dots and Boxes of one row it never loses, whoever begins."""
    players = "player=alpha_beta player@opponent.player=random budget.iterations=10000"
    done = run(f"match game=dots_and_boxes game.rows=1 {players} games=20 threads=1")
    assert done.code == 0, done.err
    summary = summary_of(only("outputs/match/*"))
    assert summary["losses"] == 0 < summary["wins"]
    assert summary["player"]["label"] == "alpha_beta" and 0 < summary["player"]["iterations"] < 20 * 7 * 10_000


@pytest.mark.slow
def test_plain_monte_carlo_is_a_search_of_the_root_by_uniform_moves(run, tmp_path):
    line = "match game=dots_and_boxes games=6 budget.iterations=40 threads=1"
    assert run(f"{line} player=mc hydra.run.dir=mc").code == 0
    assert run(f"{line} search=flat selection=uniform hydra.run.dir=uct").code == 0
    mc, uct = summary_of(tmp_path / "mc"), summary_of(tmp_path / "uct")
    assert mc["digest"] == uct["digest"]
    assert mc["player"]["label"] == "mc" and mc["player"]["playouts"] == uct["player"]["playouts"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "same"),
    [
        ("player.uctk=0.5", "selection.uctk=0.5 search=sensei search.solve=true"),
        ("player.best=visits player.solve=false", "search.final=visits"),
    ],
)
def test_senseis_player_is_uct_by_its_formula(run, tmp_path, own, same):
    line = "match game=dots_and_boxes games=6 budget.iterations=40 threads=1"
    assert run(f"{line} player=sensei {own} hydra.run.dir=own").code == 0
    assert run(f"{line} selection=sensei {same} hydra.run.dir=same").code == 0
    sensei, uct = summary_of(tmp_path / "own"), summary_of(tmp_path / "same")
    assert sensei["digest"] == uct["digest"] and sensei["player"]["label"] == "sensei"


@pytest.mark.slow
def test_principal_variation_search_in_a_match(run, only):
    """In seconds on both sides: what was measured first binds, for nodes as for leaves."""
    line = (
        "match game=dots_and_boxes player=pvs player@opponent.player=alpha_beta budget=seconds budget.seconds=0.0005 "
        "games=20"
    )
    assert run(f"{line} threads=1").code == 0
    folder = only("outputs/match/*")
    rates, first = json.loads((folder / "rates.json").read_text()), summary_of(folder)
    assert rates["player"]["iterations"] == first["player"]["iterations_a_move"] > 0
    assert rates["opponent"]["iterations"] == first["opponent"]["iterations_a_move"] > 0
    assert first["player"]["label"] == "pvs" and first["player"]["iterations_per_second"] > 0
    done = run(f"{line} threads=2")
    assert done.code == 0, done.err
    assert json.loads((folder / "rates.json").read_text()) == rates
    assert summary_of(folder)["digest"] == first["digest"]


@pytest.mark.slow
def test_a_deeper_search_wins(run, only):
    """4 plies against 1 in Othello: 36 wins of 50 have a probability of 1e-3 between equals, and the seed is fixed."""
    players = "player=pvs budget=depth player@opponent.player=pvs budget@opponent.budget=depth opponent.budget.depth=1"
    assert run(f"match {players} games=50 threads=1").code == 0
    summary = summary_of(only("outputs/match/*"))
    assert summary["wins"] >= 36 and summary["player"]["iterations"] > summary["opponent"]["iterations"]


@pytest.mark.slow
def test_minimax_in_a_match(run, only):
    """MM-2 and MM-1-R by the names of Ramanujan et al. 2010; 15 wins of 20 would have a probability of 0.02, and the
    seed is fixed."""
    players = "player=minimax budget=depth budget.depth=2 player@opponent.player=minimax budget@opponent.budget=depth"
    assert run(f"match {players} opponent.budget.depth=1 opponent.player.leaf=playout games=20 threads=1").code == 0
    summary = summary_of(only("outputs/match/*"))
    assert (summary["player"]["label"], summary["opponent"]["label"]) == ("MM-2", "MM-1-R")
    assert summary["wins"] >= 15 and summary["player"]["iterations"] > summary["opponent"]["iterations"]


def test_playouts(run, tmp_path):
    digests = set()
    for number, threads in enumerate((1, 2)):
        assert run(f"playouts count=3000 engine=cpu threads={threads} hydra.run.dir=p{number}").code == 0
        summary = summary_of(tmp_path / f"p{number}")
        assert summary["first_wins"] + summary["draws"] + summary["second_wins"] == summary["playouts"] == 3000
        assert summary["playouts_per_second"] > 0
        assert 59.5 < summary["mean_plies"] < 61.5  # 60.4 of random games, standard deviation below 2 each
        digests.add(summary["digest"])
    assert len(digests) == 1


def test_playouts_of_a_game_for_one_player_have_a_mean_reward(run, tmp_path):
    """Nobody wins there. In a field whose every toll is 1 each walk costs 8, of 16 that are worth 1/2."""
    tolls = "game.terrain=0,839493740672007"
    done = run(f"playouts -m game=shortest_path {tolls} count=500 engine=cpu threads=1 hydra.sweep.dir=sweep")
    assert done.code == 0 and "mean reward" in done.out and "0.750000" in done.out and "wins" not in done.out
    found = [summary_of(path.parent) for path in (tmp_path / "sweep").glob("*/summary.json")]
    equal, default = sorted((summary["mean_reward"] for summary in found), reverse=True)
    assert equal == 0.75 and 0.40 < default < 0.46  # 0.43 by 18.4, the mean cost of a random walk


def test_playouts_from_a_position(run, only):
    position = "-" * 18 + "X" + "-" * 8 + "XXXOO" + "-" * 3 + "XXX" + "-" * 27
    assert run("playouts count=10 engine=cpu", f"position={position[:64]} O").code == 0
    assert summary_of(only("outputs/playouts/*"))["playouts"] == 10


def test_perft(run, only):
    done = run("perft depth=6")
    assert done.code == 0 and "8,200 nodes" in done.out
    assert summary_of(only("outputs/perft/*"))["nodes"] == 8200


def test_search(run, only):
    done = run("search budget.iterations=60 engine=cpu threads=1", "moves=f5 d6 c3")
    assert done.code == 0
    summary = summary_of(only("outputs/search/*"))
    assert summary["iterations_per_second"] > 0
    time = summary["time"]
    assert time["threads"] == 1 and time["device_seconds"] is None
    assert sum(part["share"] for part in time["parts"].values()) == pytest.approx(1)
    assert sum(part["seconds"] for part in time["parts"].values()) == pytest.approx(time["seconds"], rel=0.02)
    assert all(f" {part} " in done.out for part in ("selection", "growth", "playouts", "backup", "waiting", "other"))
    assert f"time: {seconds_text(time['seconds'])} " in done.out  # in ms: milliseconds in seconds would be 0.000
    assert f" {seconds_text(time['parts']['playouts']['seconds'])} " in done.out
    assert sum(row["visits"] for row in summary["moves"]) in (59, 60)  # the root's own playout may be one of them
    assert all(row["variation"].startswith(row["move"]) and 0 <= row["value"] <= 1 for row in summary["moves"])
    most = [row["move"] for row in summary["moves"] if row["visits"] == summary["moves"][0]["visits"]]
    assert summary["best"] in most
    assert "White (O) to move" in done.out and "principal variation" in done.out


def test_doctor(run, only):
    done = run("doctor")
    assert done.code == 0
    summary = summary_of(only("outputs/doctor/*"))
    assert summary["cores"] >= 1 and summary["simd_bits"] >= 64
    assert "compile cache" in done.out


def test_help_and_configuration_make_nothing(run, tmp_path):
    assert "Keys and their defaults" in run("match --help").out
    assert "Keys and their defaults" in run("match game=othello games=4 -h").out
    assert "corner_weight: 8" in run("match --cfg job").out
    assert not list(tmp_path.iterdir())


def test_help_of_an_experiment_tells_its_keys(run):
    """With the names that they take, and what it sweeps over; so it does behind a command line."""
    said = run("match --help experiment=parallel/leaves").out
    for line in ("column=64  4, 16, 64, 256, 1024", "option=virtual_loss  virtual_loss, ", "by=iterations, time"):
        assert line in said
    assert "k=3  1, 2, 3, 4, 5, 6, 7" in run("match experiment=hashimoto2012accelerated/table1a --help").out
    assert "shape=mid_mid  shallow_shallow" in run("trees --help experiment=ramanujan2010understanding/table3").out


# ------------------------------------------------------------------------------------------- sweeps and reports


@pytest.fixture
def swept(run, only):
    done = run(f"match -m {TINY} backup=average,accelerated playout=uniform,evaluation")
    assert done.code == 0
    return done, only("multirun/match-*")


def test_a_sweep_says_a_line_a_job_and_ends_with_a_table(swept):
    done, folder = swept
    assert [line.split("]")[0] for line in said(done.err)] == [f"[{n}/4" for n in range(1, 5)]
    assert "backup=accelerated playout=evaluation" in done.err and "win %" in done.out
    assert polars.read_csv(folder / "table.csv").height == polars.read_parquet(folder / "table.parquet").height == 4
    assert (folder / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(folder.glob(f"*/{SUMMARY}"))) == 4


@pytest.mark.slow
def test_a_sweep_goes_on_too(swept, run, tmp_path):
    _, folder = swept
    before = {path: path.read_bytes() for path in folder.glob("*/moves.jsonl")}
    run(f"match -m {TINY} playout=uniform,evaluation backup=average,accelerated")
    assert {path: path.read_bytes() for path in tmp_path.glob("multirun/*/*/moves.jsonl")} == before


@pytest.mark.slow
def test_runs_that_differ_in_threads_alone_have_folders_of_their_own(run, tmp_path):
    done = run(f"match -m {TINY} threads=1,2 games=2,3", last=True)
    assert done.code == 0 and "games=3 threads=2" in done.out
    digests = [summary_of(path.parent)["digest"] for path in sorted(tmp_path.glob(f"multirun/*/*/{SUMMARY}"))]
    assert len(digests) == 4 and len(set(digests)) == 2
    assert "Score of" in run(f"match {TINY}").out  # a single run after a sweep, in one process, is one again


def test_a_report_is_one_page_that_needs_nothing_else(swept, run, only):
    done = run("report runs=multirun/**", 'title="Four <cells> & more"')
    assert done.code == 0 and "4 runs" in done.out
    folder = only("outputs/report/*")
    page = (folder / "report.html").read_text("utf-8")
    assert "Four &lt;cells&gt; &amp; more" in page and "data:image/png;base64," in page
    assert "http" not in page and "src=" in page and "<script" not in page
    frame = polars.read_parquet(folder / "table.parquet")
    assert set(frame["config.backup.name"]) == {"average", "accelerated"}
    assert frame["win_rate"].dtype == polars.Float64


def test_a_report_says_of_which_command_it_gathers_no_runs(run):
    assert run("worked figure=hashimoto2012accelerated/fig1 hydra.run.dir=here").code == 0
    told = run("report runs=here")
    assert told.code == 2 and told.err == "error: runs=here: its runs are of worked, which have no reports\n"


@pytest.mark.slow
def test_a_report_takes_a_folder_of_sweeps(swept, run):
    assert "4 runs; report.html" in run("report runs=multirun").out


# ------------------------------------------------------------------------------------------------ experiments


@pytest.mark.slow
@pytest.mark.parametrize("table", ["table1a", "table1b"])
def test_the_tables_of_hashimoto2012_stand_beside_the_papers(run, only, table):
    line = f"match experiment=hashimoto2012accelerated/{table} game=othello scale=small games=2 budget.iterations=2"
    done = run(f"{line} engine=cpu threads=1")
    assert done.code == 0
    frame = polars.read_parquet(only("multirun/hashimoto2012accelerated/*/table.parquet"))
    assert list(frame["config.k"]) == [1, 2, 3, 4, 5, 6, 7]
    printed = {
        "table1a": [39.2, 52.5, 56.3, 52.7, 51.3, 47.4, 48.2],
        "table1b": [0.0, 1.3, 28.0, 47.5, 49.0, 49.2, 48.2],
    }
    assert [round(100 * rate, 1) for rate in frame["document_win_rate"]] == printed[table]
    assert {"table1a": "56.3 ±3.1", "table1b": "28.0 ±2.8"}[table] in done.out
    confirming = f"On fresh games: python -m experiments.{line} engine=cpu threads=1 k="
    assert all(words in done.out for words in ("othello, choose: best k=", confirming, "round=confirm"))


@pytest.mark.slow
def test_the_main_experiment(run, only):
    done = run("match experiment=main games=2 budget.iterations=2 cell=main/informed,main/accelerated engine=cpu")
    assert done.code == 0 and "informed against random, equal playouts" in done.out
    assert "Not as the experiment has it, by the command line: games 2 (of the experiment: 60 to 200); " in done.out
    assert run("match experiment=main games=2 budget.seconds=0.0005 cell=main/informed_equal_time engine=cpu").code == 0
