"""A search, a tally and a match from Python are those of the commands, to the last bit."""

import json

import pytest

import gpumcts as g
from gpumcts.match.journal import IDENTITY

GAME = "game=dots_and_boxes game.rows=1 game.columns=2 engine=cpu threads=1"
BOXES = g.make("dots_and_boxes", rows=1, columns=2)


def _summary(only):
    return json.loads(only("outputs/*/*/summary.json").read_text())


def test_a_search(run, only):
    first = g.legal_moves(BOXES, g.start(BOXES))[0]
    moves = g.move_text(BOXES, g.start(BOXES), first)
    settings = (
        "selection.exploration=0.7 search=threshold search.threshold=3 search.solve=true budget.iterations=400 seed=9"
    )
    assert run(f"search {GAME} {settings} moves={moves}").code == 0
    summary = _summary(only)
    search = g.Search(
        BOXES,
        selection=g.selection.Ucb1(exploration=0.7),
        expansion="threshold",
        threshold=3,
        solve=True,
        threads=1,
        engine="cpu",
    )
    state = g.after(BOXES, moves)
    result = search(state, iterations=400, seed=9)
    assert summary["best"] == g.move_text(BOXES, state, result.best[0])
    rows = result.to_frame()
    for key, column in (("move", "text"), ("visits", "visits"), ("value", "value")):
        assert [row[key] for row in summary["moves"]] == rows[column].to_list()
    lines = [result.variation_text(0, move) for move in result.moves[0]]
    assert [row["variation"] for row in summary["moves"]] == lines


def test_a_tally(run, only):
    assert run(f"playouts {GAME} playout=uniform count=3000 seed=5").code == 0
    summary, tally = _summary(only), g.play_out(BOXES, "uniform", g.start(BOXES), playouts=3000, seed=5)
    assert summary["digest"] == tally.digest
    assert (summary["first_wins"], summary["draws"]) == (tally.wins[0], tally.draws[0])
    assert summary["mean_plies"] == tally.plies[0] / 3000


PLAYERS = {
    "opponent.budget.iterations=20 player@opponent.player=mc budget@opponent.budget=iterations": lambda search: (
        search.player(60),
        g.players.MonteCarlo(iterations=20),
    ),
    "player@opponent.player=random": lambda search: (search.player(60), g.players.Random()),
    "player@opponent.player=sensei budget@opponent.budget=iterations opponent.budget.iterations=20": lambda search: (
        search.player(60),
        g.players.Sensei(iterations=20),
    ),
    "player@opponent.player=minimax budget@opponent.budget=depth opponent.budget.depth=2": lambda search: (
        search.player(60),
        g.players.Minimax(depth=2),
    ),
    "player@opponent.player=pvs budget@opponent.budget=nodes opponent.budget.nodes=50": lambda search: (
        search.player(60),
        g.players.Pvs(nodes=50),
    ),
    "player@opponent.player=alpha_beta budget@opponent.budget=iterations "
    "opponent.budget.iterations=50": lambda search: (
        search.player(60),
        g.players.AlphaBeta(leaves=50),
    ),
}


QUICK = "player@opponent.player=random"


@pytest.mark.parametrize(
    "opponent", [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PLAYERS]
)
def test_a_match(opponent, run, only):
    """The same digest, and the same identity, so that a folder of the command goes on from Python."""
    common = "selection.exploration=0.5 search.first_play_urgency=1.0 budget.iterations=60 games=8 seed=2"
    outcome = run(f"match {GAME} {common} {opponent}")
    assert outcome.code == 0, outcome.err
    search = g.Search(
        BOXES, selection=g.selection.Ucb1(exploration=0.5), first_play_urgency=1.0, threads=1, engine="cpu"
    )
    pair = PLAYERS[opponent](search)
    match = g.play_match(BOXES, pair, games=8, seed=2, threads=1, engine="cpu")
    summary = _summary(only)
    assert summary["digest"] == match.digest
    assert (summary["wins"], summary["draws"], summary["losses"]) == (match.wins, match.draws, match.losses)
    assert (summary["ci95_low"], summary["ci95_high"]) == match.interval
    folder = only("outputs/*/*/summary.json").parent
    assert json.loads((folder / IDENTITY).read_text())["opponent"]
    more = g.play_match(BOXES, pair, games=10, seed=2, threads=1, engine="cpu", folder=folder)
    assert list(more.records[:8]) == list(match.records)


def test_a_search_where_chance_moves_is_refused(run):
    """A search decides for a player: the command and the function say so of the same position."""
    line = "search game=dice_duel engine=cpu threads=1 budget.iterations=20"
    done = run(line)
    assert done.code == 2 and done.err.startswith("error: position=null: chance is to move there")
    with pytest.raises(g.BadInput, match=r"^states\[0\]: chance is to move there"):
        g.Search("dice_duel", engine="cpu", threads=1)(g.start("dice_duel"), iterations=20)
    assert run(line, "moves='1'").code == 0
