"""experiments.gtp as others see it, player=gtp on the command line, and both against each other."""

import contextlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.games.conformance import heap

ROOT = Path(__file__).resolve().parent.parent.parent
FAKE = shlex.join([sys.executable, "-I", str(ROOT / "tests/players/fake_program.py")])
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENGINE = [
    sys.executable,
    "-m",
    "experiments.gtp",
    "engine=cpu",
    "budget=iterations",
    "budget.iterations=3",
    "threads=1",
]


def test_the_engine_as_a_process(tmp_path):
    """Nothing but answers on stdout, from its first byte; no folder; it ends with the input."""
    done = subprocess.run(
        ENGINE, input=b"1 name\ngenmove b\nboom\n", capture_output=True, cwd=tmp_path, env=ENVIRONMENT, timeout=300
    )
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.decode().split("\n\n")[:-1]
    assert (first, third) == ("=1 gpumcts", "? unknown command")
    assert second in ("= d3", "= c4", "= f5", "= e6")
    assert b"Traceback" not in done.stderr and not list(tmp_path.iterdir())


def test_boardsize_of_a_game_of_ones_own(tmp_path):
    heap.write(tmp_path, "own_lab.heap")
    file = tmp_path / "own_lab/heap.py"
    file.write_text(file.read_text().replace("stones", "size"))
    done = subprocess.run(
        [*ENGINE, "game=own_lab.heap"], input=b"boardsize 15\nshowboard\nboardsize 99\nquit\n", capture_output=True,
        cwd=tmp_path, env=ENVIRONMENT, timeout=300,
    )  # fmt: skip
    assert done.stdout.decode().split("\n\n")[:3] == ["=", f"=\n{15 * 'o'}.", "? unacceptable size"], done.stderr


@pytest.mark.parametrize("command", [ENGINE, [word.replace("gtp", "uci") for word in ENGINE]], ids=["gtp", "uci"])
def test_a_reader_that_goes_away_is_no_error(tmp_path, command):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, **pipes) as engine:
        engine.stdin.write(b"name\nuci\n")
        engine.stdin.flush()
        engine.stdout.read(1)
        engine.stdout.close()
        for _ in range(3):
            with contextlib.suppress(BrokenPipeError):
                engine.stdin.write(b"name\nuci\n")  # neither waits for the search
                engine.stdin.flush()
        assert engine.wait(timeout=300) == 0
        assert b"Traceback" not in engine.stderr.read()


@pytest.mark.slow
def test_both_ends(run, only, monkeypatch):
    """A whole game of our player against our engine in another process."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = run(
        "match games=1 budget.iterations=3 engine=cpu threads=1 player@opponent.player=gtp "
        "opponent.player.patience=300",
        f"opponent.player.command='{shlex.join(ENGINE)}'",
    )
    assert done.code == 0, done.err
    summary = json.loads(only("outputs/match/*/summary.json").read_text())
    assert summary["games"] == 1 and summary["opponent"]["forfeited"] == summary["opponent"]["resigned"] == 0
    assert summary["opponent"]["program"].startswith("gpumcts ") and summary["digest"] is None and summary["no_digest"]
    assert "ply " in only("outputs/match/*/opponent.stderr.txt").read_text()


def test_forfeits_are_told(run, only):
    line = "match game=dots_and_boxes games=3 player=gtp player@opponent.player=random threads=1"
    done = run(line, f"player.command='{FAKE} crash'")
    assert done.code == 0, done.err
    assert "player forfeited 3" in done.out and "Fake 1; resigned 0, forfeited 3 games" in done.out
    assert "ended with exit code 3: out of luck (3)" in done.out and "out of luck" not in done.err
    summary = json.loads(only("outputs/match/*/summary.json").read_text())
    assert summary["losses"] == 3 and summary["player"]["reasons"] == {"ended with exit code 3: out of luck": 3}
    assert "out of luck" in only("outputs/match/*/player.stderr.txt").read_text()
    assert done.out.count("gtp") and "gtp python" in done.out


@pytest.mark.slow
def test_processes_decide_no_result_and_the_same_command_goes_on(run, only):
    line = "match game=dots_and_boxes games=4 player=gtp player@opponent.player=random threads=1"
    for processes in (1, 2):
        assert run(line, f"player.command='{FAKE} good'", f"player.processes={processes}").code == 0
    assert only("outputs/match/*/games.jsonl").read_text().count("\n") == 4


GNU_GO = "gnugo --mode gtp --level 1 --chinese-rules --positional-superko --capture-all-dead --play-out-aftermath"
BAD = {
    ("match player=gtp",): f"player.command=null: name the program, such as 'player.command=\"{GNU_GO}\"'",
    (
        "match player=gtp player.command=no_such_program",
    ): "player.command=no_such_program: no_such_program cannot be started",
    (
        "match player@opponent.player=gtp",
        "opponent.player.command=no_such_program -x",
    ): "opponent.player.command=no_such",
    ("match game=dots_and_boxes player=gtp", f"player.command='{FAKE} dies'"): "ended with exit code 1: no licence",
    ("match player=gtp player.command=cat player.seconds=0.5",): "player.seconds=0.5: must be an integer in [1, 86400]",
    ("match player=gtp player.command=cat player.seconds=60",): "player.patience=60: must be above player.seconds=60",
    ("match player=gtp player.command=cat player.processes=0",): "player.processes=0: must be an integer",
    (
        "match player=gtp player.command=cat player.setup=level",
    ): "player.setup=level: must be a list, which stands in brackets",
    ("match player=gtp player.command=cat backup=minimax",): "backup does not count for player=gtp",
    ("match player=gtp player.command=7",): "player.command=7 is read as a number; it must be text",
    ("match game=dice_duel player=gtp player.command=cat",): "player=gtp: in DiceDuel chance moves",
    ("gtp -m seed=1,2",): "experiments.gtp serves one program at a time: it takes no sweep (-m)",
    ("gtp game=dice_duel",): "experiments.gtp: in DiceDuel chance moves",
    ("gtp game=sailing",): "game=sailing is for one player; GTP takes a game for two",
    ("gtp search.table=100",): "search.table=100: an engine searches a tree by slices",
    ("gtp engine=device",): "engine=device: ",
    ("gtp budget.seconds=0",): "budget.seconds=0: must be a number in (0, ",
}


def test_a_missing_program_is_refused_before_anything_compiles(run, monkeypatch):
    monkeypatch.setattr("experiments.players.preflight.check_chance", lambda _: pytest.fail("the game was asked"))
    assert "no_such_program cannot be started" in run("match player=gtp player.command=no_such_program").err


@pytest.mark.parametrize("words", BAD, ids=lambda words: words[0])
def test_bad_input_is_one_line(run, tmp_path, words):
    done = run(*words)
    assert done.code == 2 and done.out == ""
    assert len(done.err.splitlines()) == 1 and done.err.startswith("error: "), done.err
    assert BAD[words] in done.err
    assert not list(tmp_path.iterdir())
