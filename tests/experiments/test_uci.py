"""experiments.uci as others see it, player=uci on the command line, and both against each other."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FAKE = shlex.join([sys.executable, "-I", str(ROOT / "tests/players/fake_uci_program.py")])
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENGINE = [
    sys.executable,
    "-m",
    "experiments.uci",
    "game=othello",
    "engine=cpu",
    "budget=iterations",
    "budget.iterations=3",
    "threads=1",
]


def test_the_engine_as_a_process(tmp_path):
    """Nothing but UCI on stdout, from its first byte; no folder; it ends with the input."""
    done = subprocess.run(
        ENGINE, input=b"uci\nboom\ngo\n", capture_output=True, cwd=tmp_path, env=ENVIRONMENT, timeout=300
    )
    assert done.returncode == 0, done.stderr
    first, *_, info, last = done.stdout.decode().splitlines()
    assert first.startswith("id name gpumcts ") and info.startswith("info depth ")
    assert last in ("bestmove d3", "bestmove c4", "bestmove f5", "bestmove e6")
    assert b"Traceback" not in done.stderr and not list(tmp_path.iterdir())


@pytest.mark.slow
def test_both_ends(run, only, monkeypatch):
    """A whole game of our player against our engine in another process."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = run(
        "match game=othello games=1 budget.iterations=3 engine=cpu threads=1 player@opponent.player=uci",
        "opponent.player.patience=300",
        "opponent.player.nodes=3",
        "opponent.player.options={MultiPV:2,Move Overhead:0}",
        f"opponent.player.command='{shlex.join(ENGINE)}'",
    )
    assert done.code == 0, done.err
    summary = json.loads(only("outputs/match/*/summary.json").read_text())
    assert summary["games"] == 1 and summary["opponent"]["forfeited"] == summary["opponent"]["resigned"] == 0
    assert summary["opponent"]["program"].startswith("gpumcts ") and summary["digest"] is None and summary["no_digest"]
    (game,) = only("outputs/match/*/games.jsonl").read_text().splitlines()
    assert "ended" not in json.loads(game)


def test_forfeits_are_told(run, only):
    line = "match game=dots_and_boxes games=3 player=uci player.depth=1 player@opponent.player=random threads=1"
    done = run(line, f"player.command='{FAKE} crash'", "player.options={Hash:8,Own Book:true,Clear Hash:null}")
    assert done.code == 0, done.err
    assert "player forfeited 3" in done.out and "Fake 1; resigned 0, forfeited 3 games" in done.out
    assert "ended with exit code 3: out of luck (3)" in done.out and "out of luck" not in done.err
    summary = json.loads(only("outputs/match/*/summary.json").read_text())
    assert summary["losses"] == 3 and summary["player"]["reasons"] == {"ended with exit code 3: out of luck": 3}
    assert "out of luck" in only("outputs/match/*/player.stderr.txt").read_text()
    assert "uci python" in done.out


BAD = {
    ("match player=uci",): "player.command=null: name the program, such as 'player.command=\"gnuchess --uci\"'",
    (
        "match player=uci player.command=no_such_program player.depth=1",
    ): "player.command=no_such_program: no_such_program cannot be started",
    ("match player=uci player.command=cat",): "player=uci takes one limit a move of player.depth, player.nodes, ",
    (
        "match player@opponent.player=uci opponent.player.command=cat",
        "opponent.player.depth=1",
        "opponent.player.nodes=9",
    ): "opponent.player=uci takes one limit a move of opponent.player.depth, ",
    ("match player=uci player.depth=1", f"player.command='{FAKE} dies'"): "ended with exit code 1: no licence",
    ("match player=uci player.depth=1 player.patience=0.5 player.command=cat",): "hangs: no answer to uci within 0.5 s",
    (
        "match game=dots_and_boxes player=uci player.depth=1 player.options={Threads:1}",
        f"player.command='{FAKE} good'",
    ): "option Threads: the program has none such; it lists Hash, Own Book",
    (
        "match game=dots_and_boxes player=uci player.depth=1 player.options={hash:0}",
        f"player.command='{FAKE} good'",
    ): "option Hash=0: must be an integer in [1, 64]",
    ("match player=uci player.command=cat player.options=Hash",): "player.options=Hash: must be names with values",
    ("match player=uci player.command=cat player.depth=0",): "player.depth=0: must be an integer in [1, 1000]",
    ("match player=uci player.command=cat player.seconds=60",): "player.patience=60: must be above player.seconds=60",
    ("match player=uci player.command=cat budget.iterations=9 player@opponent.player=random",): "budget does not count",
    ("match game=dice_duel player=uci player.command=cat",): "player=uci: in DiceDuel chance moves",
    ("uci -m seed=1,2",): "experiments.uci serves one program at a time: it takes no sweep (-m)",
    ("uci game=dice_duel",): "experiments.uci: in DiceDuel chance moves",
    ("uci game=sailing",): "game=sailing is for one player; UCI takes a game for two",
    ("uci engine=device",): "engine=device: ",
    ("uci resign=0.1",): "resign",
    (
        "uci game=chess selection=rave",
    ): "selection=rave wants a game whose moves are points (CELLS), and game=chess is none",
    (
        "uci memory_gb=1e-9",
    ): "memory_gb=1e-09: too little for any search: a batch of budget.playouts_per_leaf=1 takes 256 rows x ",
    (
        "match game=othello player=uci player.depth=1",
        f"player.command='{FAKE} good'",
    ): "good: it does not play othello: UCI is for chess, and for what a program lists as UCI_Variant",
    (
        "match game=chess player=uci player.depth=1 player.command=cat player.options={UCI_Chess960:true}",
    ): "player.options.UCI_Chess960=True: castling is told as in chess (e1g1); leave it false",
}


@pytest.mark.parametrize("words", BAD, ids=lambda words: words[0])
def test_bad_input_is_one_line(run, tmp_path, words):
    done = run(*words)
    assert done.code == 2 and done.out == ""
    assert len(done.err.splitlines()) == 1 and done.err.startswith("error: "), done.err
    assert BAD[words] in done.err
    assert not list(tmp_path.iterdir())
