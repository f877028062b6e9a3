"""experiments.uci in the hands of python-chess, which refuses what is no UCI and what is no legal move."""

import os
import random
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


@pytest.fixture(scope="module")
def ours():
    """Our engine in the hands of python-chess, which refuses what is no UCI and what is no legal move."""
    engine = pytest.importorskip("chess.engine")
    command = [sys.executable, "-m", "experiments.uci", "game=chess", "engine=cpu", "threads=1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with engine.SimpleEngine.popen_uci(command, timeout=300, env=environment) as opened:
        opened.ping()
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("side", [True, False])
def test_python_chess_plays_our_engine(ours, side):
    """A whole game against random moves; every move and every line of ``pv`` is legal to python-chess."""
    import chess.engine

    board, rng, infos = chess.Board(), random.Random(side), 0
    while not board.is_game_over():
        if board.turn == side:
            played = ours.play(board, chess.engine.Limit(nodes=60), game=side, info=chess.engine.INFO_ALL)
            line = board.copy(stack=False)
            for move in played.info.get("pv", []):
                assert move in line.legal_moves
                line.push(move)
            infos += "score" in played.info
            board.push(played.move)
        else:
            board.push(rng.choice(list(board.legal_moves)))
    assert infos > 5


@pytest.mark.slow
def test_python_chess_reads_our_mates():
    engine = pytest.importorskip("chess.engine")
    import chess

    words = ["game=chess", "engine=cpu", "threads=1", "search.solve=true"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "experiments.uci", *words]
    with engine.SimpleEngine.popen_uci(command, timeout=300, env=environment) as solving:
        for fen, mate in (
            ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", 1),  # Ra8
            ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", -1),  # Kg8, Ra8
        ):
            found = solving.analyse(chess.Board(fen), engine.Limit(nodes=3000))
            assert found["score"].relative.mate() == mate


@pytest.mark.slow
def test_python_chess_analyses_with_our_engine(ours):
    import chess.engine

    mate = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
    lines = ours.analyse(mate, chess.engine.Limit(nodes=2000), multipv=3)
    assert [line["multipv"] for line in lines] == [1, 2, 3] and lines[0]["pv"][0].uci() == "h5f7"
    assert lines[0]["score"].white().score() > lines[1]["score"].white().score()
    assert ours.play(mate, chess.engine.Limit(time=0.1)).move == chess.Move.from_uci("h5f7")
    with ours.analysis(chess.Board()) as analysis:
        nodes = [info["nodes"] for info, _ in zip((i for i in analysis if "nodes" in i), range(2), strict=False)]
    assert nodes == sorted(nodes) and len(nodes) == 2
    board = chess.Board()
    for move in SHUFFLE * 4:
        board.push_uci(move)
    assert ours.play(board, chess.engine.Limit(nodes=50)).move in board.legal_moves
    assert re.match("gpumcts ", ours.id["name"])
