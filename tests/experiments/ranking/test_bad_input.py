"""Bad input of the ranks of moves is one line, and leaves nothing."""

import pytest

from gpumcts.players import game_checks

BAD = {
    "rank methods=[minimax_9]": "methods: minimax_9 is not known; there are: minimax_8,",
    "rank methods=[minimax_4]": "give another one beside the reference",
    "rank methods=[minimax_8,minimax_8]": "one of them is named twice",
    "rank methods=[minimax_8,evaluation]": "reference=minimax_4: must be one of methods",
    "rank yardstick=minimax_6": "yardstick: the key is called reference now",
    "rank +yardstick=minimax_6": "yardstick: the key is called reference now",
    "rank reference=evaluation baseline=evaluation": "that is the reference",
    "rank method.minimax_4.depth=0": "method.minimax_4.depth=0: must be an integer in [1,",
    "rank reference=m methods=[m,evaluation] +method.m={kind:minimax,dept:5}": "method.m.dept: unknown key; method.m",
    "rank +method.m={kind:minimax,depth:5}": "method.m does not count: methods=[minimax_4,evaluation,random_playouts,",
    "rank method.evaluation.kind=luck": "method.evaluation.kind=luck is not known; there are: evaluation, minimax",
    "rank method.random_playouts.playout.name=luck": "method.random_playouts.playout.name=luck is not known",
    "rank data.pgn=": "data.pgn=: must name a file, or be null",
    "rank method.random_playouts.playouts=0": "method.random_playouts.playouts=0: must be",
    "rank budget.iterations=7": "budget.iterations: unknown key",
    "rank scale=document": "scale goes with an experiment that has figures for document and small",
    "rank experiment=ramanujan2010understanding/fig1": (
        "data.pgn=null: this experiment takes games of grandmasters; give data"
    ),
    "rank ties_win_rate=2": "ties_win_rate=2: must be a number in [0, 1]",
    "rank game=sailing": "game=sailing is for one player",
    "rank game=dice_duel methods=[minimax_4,evaluation]": "chance moves",
    "rank game=othello data.pgn=games.pgn": "data.pgn=games.pgn: PGN is of game=chess",
    "rank data.pgn=nowhere.pgn": "data.pgn=nowhere.pgn: cannot be read: No such file",
    "rank data.pgn=a.pgn data.positions_file=b.txt": "give one of them",
    "rank data.positions_file=b.txt data.games=3": "data.games=3 does not count",
    "rank data.positions_file=b.txt data.to_ply=3": "data.to_ply=3 does not count",
    "rank data.from_ply=9 data.to_ply=8": "data.to_ply=8: must be at least data.from_ply=9",
    "rank game=othello data.games=1 data.from_ply=999 data.to_ply=999": "no position of ply 999 in which there is a",
    "rank game=othello data.games=1 data.from_ply=1000": "no position from ply 1000 on in which there is a choice",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_one_line(run, tmp_path, line):
    outcome = run(line)
    assert outcome.code == 2 and outcome.out == ""
    assert len(outcome.err.splitlines()) == 1 and BAD[line] in outcome.err, outcome.err
    assert not list(tmp_path.iterdir())


FILES = {
    "": "there is none at all",
    "# nothing\n\n": "there is none at all",
    f"{'X' * 64} X\n": "1 are over, 0 have one legal move",
    "abc\n": "line 1: position: Othello takes 64 characters",
}


@pytest.mark.parametrize("content", FILES)
def test_a_file_without_positions_is_one_line(run, tmp_path, content):
    (tmp_path / "p.txt").write_text(content)
    outcome = run("rank game=othello data.positions_file=p.txt")
    assert outcome.code == 2 and len(outcome.err.splitlines()) == 1
    assert FILES[content] in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["p.txt"]


@pytest.mark.parametrize("command", ["rank", "traps"])
def test_a_file_is_missed_before_anything_compiles(run, monkeypatch, command):
    monkeypatch.setattr(game_checks, "Rules", None)  # whose calls compile
    outcome = run(f"{command} game=othello data.positions_file=p.txt")
    assert (
        outcome.code == 2
        and outcome.err == "error: data.positions_file=p.txt: cannot be read: No such file or directory\n"
    )
