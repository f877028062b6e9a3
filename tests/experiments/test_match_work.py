"""What a match has measured outlives a kill, and what was not measured is told; a damaged summary is named."""

import json
import re

import pytest

from experiments.runs import match_work
from experiments.runs.match_work import UNMEASURED, MatchWork
from experiments.runs.run_directory import SUMMARY, WORK

TINY = "budget.iterations=3 engine=cpu threads=1"


def summary_of(folder):
    return json.loads((folder / SUMMARY).read_text())


@pytest.fixture
def killed(run, monkeypatch):
    """A match of so many games, killed after its last move and before anything that comes then."""

    def kill(games):
        with monkeypatch.context() as patch:
            patch.setattr(match_work, "SECONDS_A_WRITE", 0.0)
            patch.setattr(MatchWork, "end", lambda *_: exec("raise KeyboardInterrupt"))
            assert run(f"match {TINY} games={games} hydra.run.dir=killed").code == 130

    return kill


def test_work_is_kept_while_a_match_is_played(run, tmp_path, killed):
    """The summary of a match that was killed, and had nothing left to do, is that of a match that was not."""
    assert run(f"match {TINY} games=2 hydra.run.dir=whole").code == 0
    killed(2)
    assert not (tmp_path / "killed" / SUMMARY).exists()
    done = run(f"match {TINY} games=2 hydra.run.dir=killed")
    whole, found = summary_of(tmp_path / "whole"), summary_of(tmp_path / "killed")
    assert "no search" not in done.out and found["digest"] == whole["digest"]
    for side in ("player", "opponent"):
        for key in ("iterations", "playouts", "moves", "made_a_move"):
            assert found[side][key] == whole[side][key] > 0
        assert 0 < found[side]["seconds"] <= found["seconds"]


def test_work_that_was_not_kept_is_told_of(run, tmp_path, killed):
    """As by a version that kept none: who searched is not said to have no search, and the seconds lack its moves."""
    killed(2)
    (tmp_path / "killed" / WORK).unlink()
    for _ in range(2):  # the second one finds what the first left
        done = run(f"match {TINY} games=2 hydra.run.dir=killed")
        moves = summary_of(tmp_path / "killed")[UNMEASURED]
        assert f" s, without that of {moves} moves of a run that was killed" in done.out and moves > 100
        assert "no search" not in done.out and "player: no move of it was measured" in done.out


def test_who_does_not_search_is_said_to(run):
    assert "opponent: no search" in run(f"match {TINY} player@opponent.player=random games=2").out


def test_work_a_move_is_not_told_where_an_earlier_run_did_not_count_moves(run, only):
    """Its work is in the totals."""
    run(f"match {TINY} games=2")
    folder = only("outputs/match/*")
    (folder / WORK).unlink()  # which earlier versions did not keep
    summary = summary_of(folder)
    del summary["player"]["moves"]
    (folder / SUMMARY).write_text(json.dumps(summary))
    assert run(f"match {TINY} games=4").code == 0
    extended = summary_of(folder)
    assert extended["player"]["moves"] is None is extended["player"]["made_a_move"]
    assert extended["opponent"]["made_a_move"] == 3.0 and extended["player"]["iterations"] > 0


def test_a_damaged_summary_is_named_and_made_anew(run, tmp_path):
    line = "match player=random player@opponent.player=random games=2 hydra.run.dir=here"
    assert run(line).code == 0
    path = tmp_path / "here" / SUMMARY
    whole = path.read_bytes()
    for damaged in (whole[:60], b"\xff", b"[]"):
        path.write_bytes(damaged)
        for command in (line, "report runs=here"):
            done = run(command)
            assert (done.code, done.out) == (2, "") and done.err.endswith(
                f"/{SUMMARY} is damaged: it holds no JSON object; "
                "remove it, and the command that made the folder writes it anew\n"
            )
            assert done.err.startswith(f"error: {tmp_path}") and done.err.count("\n") == 1
    path.unlink()
    assert run(line).code == 0 and summary_of(tmp_path / "here") == json.loads(whole)


def test_a_file_that_is_none_of_a_run_is_named_by_a_report(run, tmp_path):
    """Before anything is written."""
    assert run("match player=random player@opponent.player=random games=2 hydra.run.dir=here").code == 0
    summary = summary_of(tmp_path / "here")
    record = json.loads((tmp_path / "here/provenance.json").read_text())
    none = "is damaged: it is no summary of experiments.match; remove it, and the command that made the folder .*"
    damaged = {
        ("config.yaml", b"\xff\xfe"): "is damaged: it is no UTF-8 text",
        ("config.yaml", b""): "is damaged: it holds no configuration",
        ("config.yaml", b"[1]"): "is damaged: it holds no configuration",
        ("summary.json", _bytes(summary, win_rate=None)): none,
        ("summary.json", _bytes(summary, ci95_low="?")): none,
        ("summary.json", _bytes(summary, opponent=None)): none,
        ("summary.json", b"{}"): none,
        ("provenance.json", _bytes(record, time=None)): "is damaged: it has no time",
        ("provenance.json", _bytes(record, versions=None)): "is damaged: it has no versions",
        ("provenance.json", _bytes(record, versions={})): "is damaged: it has no versions.gpumcts",
        ("provenance.json", _bytes(record, command=7)): "is damaged: it has no command",
        ("provenance.json", _bytes(record, identity=[])): "is damaged: it has no identity",
        ("provenance.json", _bytes(record, identity={"game": "go"})): "is damaged: it has no identity.game",
    }
    for (name, data), said in damaged.items():
        path = tmp_path / "here" / name
        whole = path.read_bytes()
        path.write_bytes(data)
        done = run("report runs=here hydra.run.dir=page")
        path.write_bytes(whole)
        assert (done.code, done.out) == (2, "")
        assert re.fullmatch(f"error: {re.escape(str(path))} {said}\n", done.err), done.err
    assert not (tmp_path / "page").exists() and run("report runs=here").code == 0


def _bytes(values, **changed):
    return json.dumps({**values, **changed}).encode()


@pytest.mark.parametrize("damaged", ['{"seconds": "x"}', '{"player": 3}', '{"opponent": {"iterations": null}}'])
def test_work_without_numbers_is_damaged(run, tmp_path, damaged):
    line = "match player=random player@opponent.player=random hydra.run.dir=here"
    assert run(f"{line} games=2").code == 0
    (tmp_path / "here" / WORK).write_text(damaged)
    done = run(f"{line} games=3")
    assert done.code == 2 and done.err.endswith(f"/{WORK} is damaged: it holds no numbers{match_work.GO_ON}\n")
    (tmp_path / "here" / WORK).unlink()
    assert run(f"{line} games=3").code == 0 and summary_of(tmp_path / "here")["games"] == 3
