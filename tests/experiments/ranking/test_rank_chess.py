"""experiments.rank and experiments.traps on Chess: few positions, MM-1 to MM-4, and files that are broken."""

import csv
import json
from pathlib import Path

import pytest

from gpumcts.alpha_beta.leaves import WON

GAMES = """[Event "a"]
[White "Scholar"]
[Black "Victim"]
[Date "1620.??.??"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

[Event "b"]
[Result "*"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 *
"""
SCHOLAR = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"  # mate in one
MATE = "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
FORCED = "7k/8/8/8/8/8/1r6/K7 w - - 0 1"  # the rook is to be taken
TRAP = "2RN4/r4k1p/3p1p1b/3P1P2/5p1P/8/5K2/8 b - - 7 55"  # Kramnik - Timman 1993: Ke7 loses a rook to Nc6+
WORDS = ["+method.mm1={kind: minimax, depth: 1}", "reference=mm1", "methods=[mm1,evaluation,minimax_2]", "threads=1"]


def write(folder: Path, name: str, *lines: str) -> None:
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_ranks_of_the_games_of_a_pgn(run, tmp_path):
    write(tmp_path, "g.pgn", GAMES)
    done = run("rank data.pgn=g.pgn data.games=1 data.positions=1000 data.from_ply=4 hydra.run.dir=a", *WORDS)
    assert done.code == 0, done.err
    rows = rows_of(tmp_path / "a/ranks.csv")
    mating = [row for row in rows if row["position"] == SCHOLAR and row["move"] == "h5f7"]
    assert {row["method"] for row in mating} == {"mm1", "evaluation", "minimax_2"}
    assert all(row["rank"] == "1" and row["game"] == "1" and row["ply"] == "6" for row in mating)
    assert {int(row["value"]) for row in mating if row["method"] == "mm1"} == {WON}
    assert [row["ply"] for row in rows_of(tmp_path / "a/boards.csv")][::2] == ["4", "5", "6"]
    report = (tmp_path / "a/report.md").read_text()
    assert "Game: chess (evaluation=michniewski, max_plies=2048, repetition=played)." in report
    part = "3 positions, all there are (data.positions=1000) from ply 4 on that leave a choice"
    assert f"Positions: {part}, of 1 game of data.pgn=g.pgn (SHA-256 " in report
    assert "fifty moves without a capture" in report and "not in searches and playouts" in report
    assert "1 position at an end" in report  # that of the mate
    assert "document" not in report


@pytest.mark.slow
def test_an_experiment_tells_what_is_less_than_the_documents(run, tmp_path):
    """Its values as the run had them, not as its scale has them, and a reference that goes by the document's name."""
    write(tmp_path, "g.pgn", GAMES)
    fewer = "method.random_playouts.playouts=5 method.mm1_playouts.playouts=2 method.minimax_2_playouts.playouts=1"
    shallow = "reference=minimax_8 methods=[minimax_8,random_playouts,mm1_playouts] method.minimax_8.depth=1"
    experiment = "experiment=ramanujan2010understanding/fig1 scale=small data.pgn=g.pgn data.from_ply=0"
    done = run(f"rank {experiment} data.positions=2 {fewer} {shallow} threads=1 hydra.run.dir=a")
    assert done.code == 0, done.err
    report = (tmp_path / "a/report.md").read_text()
    assert "Reduced, scale=small: positions 2 (document: all)" in report
    assert "random_playouts 5 (document: 10,000); mm1_playouts 2 (document: 1,000)" in report
    assert "Not as the experiment has it, by the command line: positions 2 (of the experiment: 24)" in report
    assert "**The reference is not the document's:** MM-1 of the state after the move; the document's is MM-8" in report


@pytest.mark.slow
@pytest.mark.parametrize("source", ["data.pgn=g.pgn", "data.positions_file=p.txt"])
def test_the_documents_share_stands_beside_games_of_a_pgn_alone(run, tmp_path, source):
    write(tmp_path, "g.pgn", GAMES)
    write(tmp_path, "p.txt", SCHOLAR, TRAP)
    done = run(f"traps {source} shallow=1 deep=2 threads=1 hydra.run.dir=t")
    assert done.code == 0, done.err
    report = (tmp_path / "t/report.md").read_text()
    assert ("the document has 52 %" in report) == (source == "data.pgn=g.pgn")
    assert source in report


@pytest.mark.slow
def test_a_trap_that_mm_2_misses_and_its_playouts_avoid(run, tmp_path):
    write(tmp_path, "p.txt", TRAP, SCHOLAR)
    done = run("traps data.positions_file=p.txt deep=4 strategy=0 delta=200 playouts=10 threads=1 hydra.run.dir=t")
    assert done.code == 0, done.err
    trap, mate = (json.loads(line) for line in (tmp_path / "t/results.jsonl").read_text().splitlines())
    assert (trap["move"], trap["playouts_choose"]) == ("f7e7", "f7g7") and trap["line"][0] == "d8c6"
    assert (mate["move"], mate["deep"]) == ("h5f7", WON - 1) and "rank_by_playouts" not in mate
    counts = json.loads((tmp_path / "t/summary.json").read_text())["traps"]
    assert [counts[step]["positions"] for step in ("trap", "unseen", "escapable", "avoided")] == [1, 1, 1, 1]
    assert "MM-2 plays f7e7" in (tmp_path / "t/report.md").read_text()


BROKEN = {
    "1. e4 e5 2. Ke3": "data.pgn=g.pgn: game 1, ply 3: ",
    GAMES + '\n[Event "c"]\n\n1. e4 e5 2. Nf3 Qxf2#\n': "data.pgn=g.pgn: game 3, ply 4: ",
    "": "data.pgn=g.pgn: no game is in it",
    f'[Event "a"]\n[SetUp "1"]\n[FEN "{STALEMATE}"]\n\n1/2-1/2\n': "no position in which there is a choice: 1 are over",
    '[Event "a"]\n[SetUp "1"]\n[FEN "8/8/8/8 w - - 0 1"]\n\n*\n': "data.pgn=g.pgn: game 1: ",
}


@pytest.mark.parametrize("command", ["rank", "traps"])
@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_pgn_is_one_line_that_names_the_key(run, tmp_path, command, text):
    write(tmp_path, "g.pgn", text)
    outcome = run(f"{command} data.pgn=g.pgn")
    assert outcome.code == 2 and outcome.out == "" and len(outcome.err.splitlines()) == 1
    assert BROKEN[text] in outcome.err, outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["g.pgn"]


FILES = {
    (
        MATE,
        STALEMATE,
    ): "data.positions_file=p.txt: no position in which there is a choice: 2 are over, 0 have one legal move",
    (FORCED, MATE): "1 are over, 1 have one legal move",
    (SCHOLAR, "8/8/8/8 w - - 0 1"): "data.positions_file=p.txt: line 2: ",
    (SCHOLAR.replace("w", "x"),): "data.positions_file=p.txt: line 1: ",
    ("# none",): "there is none at all",
}


@pytest.mark.parametrize("command", ["rank", "traps"])
@pytest.mark.parametrize("lines", FILES)
def test_a_file_without_positions_to_rank_is_one_line(run, tmp_path, command, lines):
    write(tmp_path, "p.txt", *lines)
    outcome = run(f"{command} data.positions_file=p.txt")
    assert outcome.code == 2 and outcome.out == "" and len(outcome.err.splitlines()) == 1
    assert FILES[lines] in outcome.err, outcome.err


@pytest.mark.slow
def test_positions_that_are_over_or_forced_are_left_out_and_told(run, tmp_path):
    write(tmp_path, "p.txt", MATE, SCHOLAR, STALEMATE, FORCED)
    done = run("rank data.positions_file=p.txt hydra.run.dir=a", *WORDS)
    assert done.code == 0, done.err
    assert {row["position"] for row in rows_of(tmp_path / "a/ranks.csv")} == {SCHOLAR}
    assert "left out: 2 positions at an end, 1 with one move" in (tmp_path / "a/report.md").read_text()
