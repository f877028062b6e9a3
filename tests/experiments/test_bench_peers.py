"""Peers of the benchmarks in processes of their own, ways to find attacks, and bad input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import chess_attacks, memory
from benchmarks.ours import keys
from benchmarks.peers import contenders as peers
from benchmarks.peers import pgx_playouts
from gpumcts.errors import BadInput
from gpumcts.games.othello import Othello

PROCESS = """
import sys
for line in sys.stdin:
    if int(line) == 7:
        sys.exit("ValueError: no sevens")
    print(60 * int(line), flush=True)
"""


def test_a_peer_in_a_process_of_its_own(tmp_path, monkeypatch):
    script = tmp_path / "process.py"
    script.write_text(PROCESS)
    monkeypatch.setattr(pgx_playouts, "PROCESS", script)
    (peer,) = peers.of_playouts(["pgx"], Othello(), "othello")
    with peer as contender:
        contender.run(2048)
        with pytest.raises(BadInput, match="against=pgx: its process failed: ValueError: no sevens"):
            contender.run(7)
    assert not peers.of_playouts(["pgx"], None, "dots_and_boxes")


@pytest.mark.slow
def test_ways_to_find_attacks_count_the_same(run, monkeypatch):
    """The suite itself refuses to time ways that do not."""
    monkeypatch.setattr(chess_attacks, "UNITS", chess_attacks.POSITIONS)
    done = run("bench game=chess suites=[chess_attacks] against=null repeats=1 hydra.run.dir=here")
    assert done.code == 0, done.err
    assert len(json.loads(Path("here/figures.json").read_text())) == 12


def test_tables_of_attacks():
    """What a rook and a bishop on every square see among a few pieces, by magic numbers and step by step."""
    tables = chess_attacks.tables_of()
    for kind, ways in enumerate((chess_attacks.STEPS[:2], chess_attacks.STEPS[2:])):
        for square in range(64):
            taken = int(keys(1)[0]) * (square + 1) & int(keys(2)[1]) | 1 << square
            product = (taken & int(tables.masks[kind, square])) * int(tables.magics[kind, square]) % 2**64
            place = int(tables.begins[kind, square]) + (product >> int(tables.shifts[kind, square]))
            assert tables.attacks[place] == chess_attacks.walk(square, ways[0] + ways[1], taken)


def test_pgx_plays_othello():
    """60.4 plies a game, passes included: 60.42 is the mean of ours, and 1024 games have a standard error of 0.05."""
    pytest.importorskip("pgx")
    command = [sys.executable, "-P", str(pgx_playouts.PROCESS), "othello", "1024"]
    done = subprocess.run(command, input="1024\n", capture_output=True, text=True, check=True)
    assert abs(int(done.stdout) / 1024 - 60.42) < 0.3


def test_a_peer_that_is_not_installed(run, monkeypatch, tmp_path):
    """Asked for, it is refused; by default it is left out, with a word."""
    monkeypatch.setattr("benchmarks.peers.names.find_spec", lambda module: None)
    done = run("bench suites=[memory] against=[open_spiel]")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("error: against=open_spiel: pyspiel is not installed; pip install open_spiel")
    done = run("bench suites=[memory] against=pgx")
    assert done.err.startswith(
        "error: against=pgx: pgx and jax are not installed; pip install pgx jax, or against=null"
    )
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(memory, "names", lambda kind: [])
    done = run("bench suites=[memory]")
    assert done.code == 0 and "measured without open_spiel: pyspiel is not installed" in done.err


def test_an_engine_that_is_not_there_leaves_nothing(run, monkeypatch, tmp_path):
    monkeypatch.setattr("gpumcts.kernels.engines.cuda_problem", lambda: "no NVIDIA driver is there")
    done = run("bench engine=cuda against=null hydra.run.dir=b")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("error: engine=cuda: no NVIDIA driver is there")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("bench suites=[speed]", "suites=[speed]: must be a list of playouts, search, match, memory, scaling, startup"),
        ("bench suites=[memory,match,memory]", "suites=[memory,match,memory]: memory stands there twice"),
        ("bench suites=[trees] game=go", "game counts for nothing in suites=[trees], whose games are P-games and"),
        ("bench suites=[trees] game.corner_weight=3", "game counts for nothing in suites=[trees]"),
        (
            "bench suites=[trees] threads=2",
            "threads counts for suites playouts, search, match, one_tree, ",
        ),
        ("bench suites=[startup,memory] engine=cudasim", "engine counts for suites playouts, search, match, scaling, "),
        ("bench suites=[chess_attacks]", "suites=[chess_attacks] is of Chess, not of othello; add game=chess"),
        ("bench against=chess", "against=chess: must be a list of open_spiel, pgx, mctsnc, or null"),
        ("bench repeats=0", "repeats=0: must be an integer in [1, 1000]"),
        ("bench suites=[match] game=shortest_path", "suites=[match]: game=shortest_path is for one player"),
        ("bench suites=[crossover]", "suites=[crossover] is between engines: engine must be cuda, device, auto or"),
        ("bench suites=[beside]", "suites=[beside] compares with another checkout of gpumcts: add checkout=FOLDER"),
        ("bench suites=[beside] checkout=.", "checkout=.: there is no checkout of gpumcts (no gpumcts/__init__.py)"),
        (
            "bench suites=[beside] checkout=. engine=cudasim",
            "suites=[beside] is of the CPU: engine=cudasim must be cpu",
        ),
        ("bench suites=[memory] checkout=.", "checkout counts for suites=[beside] alone; leave it out"),
        ("bench trees=[0]", "trees=[0]: must be a list of integers in [1, 1000000], such as [1,100]"),
        ("bench trees=[5]", "trees counts for suites=[crossover] alone; leave it out"),
        ("bench suites=[memory] only=[average]", "only counts for suites playouts, search and beside; leave it out"),
        (
            "bench suites=[playouts] only=[go]",
            "only=['go']: no row of game=othello engine=cpu is go; there are: uniform, minimax",
        ),
        (
            "bench suites=[playouts,search] only=[rave]",
            "only=['rave'] leaves nothing of suite playouts, which has uniform, minimax",
        ),
        (
            "bench suites=[search] only=[rave] engine=cudasim",
            "only=['rave']: no row of game=othello engine=cudasim is rave",
        ),
        ("bench engine=cudasim suites=[crossover] trees=[]", "trees and playouts: lists with a number at least"),
        ("bench engine=cudasim suites=[crossover] trees=[10000000]", "trees=[10000000]: must be a list of integers"),
        (
            "bench engine=cudasim suites=[crossover] playouts=[1,1000000] iterations=3000",
            "playouts=[1000000] iterations=3000: their product must be below 2,147,483,648",
        ),
        (
            "worked figure=fig9",
            "figure=fig9: must be one of hashimoto2012accelerated/fig1, hashimoto2012accelerated/fig2",
        ),
    ],
)
def test_bad_input(run, words, message):
    done = run(words)
    assert done.code == 2
    assert done.err.startswith(f"error: {message}")
    assert done.err.count("\n") == 1
