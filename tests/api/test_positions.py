"""Positions from Python: where they come from, what may be played there, and what is refused."""

import numpy as np
import pytest

import gpumcts as g
from gpumcts.kernels.batch import Rules
from gpumcts.rng import key_of


@pytest.fixture(scope="module")
def game():
    return g.make("othello")


def test_start_is_a_batch(game):
    states = g.start(game, batch=4)
    assert states.shape == (4, 3) and states.dtype == np.uint64
    assert (states == states[0]).all()
    assert (g.start("othello") == states[:1]).all()


def test_texts_go_both_ways(game):
    states = g.random_positions(game, 5, plies=20, seed=3)
    texts = [g.position_text(game, state) for state in states]
    assert (g.position(game, *texts) == states).all()


def test_moves_from_the_start_are_those_played(game):
    before = g.start(game)
    for text in ("f5", "d6", "c3"):
        move = next(m for m in g.legal_moves(game, before) if g.move_text(game, before, m) == text)
        before = g.play(game, before, [move])
    assert (before == g.after(game, "f5 d6 c3")).all()
    assert g.after(game, "", "f5").shape == (2, 3)


def test_random_positions_are_those_of_the_games_of_a_match(game):
    states = g.random_positions(game, 3, plies=2, seed=5)
    rules = Rules(game)
    for number, state in enumerate(states):
        expected = rules.starts(1)
        for ply in range(2):
            key = np.array([key_of(5, number, ply)], np.uint64)
            expected = rules.play(expected, rules.random_moves(expected, key))
        assert (expected[0] == state).all()


def test_random_positions_are_never_over():
    game = g.make("dots_and_boxes", rows=1, columns=1)
    assert all(len(g.legal_moves(game, state)) == 1 for state in g.random_positions(game, 20, plies=3))
    with pytest.raises(g.BadInput, match="plies=4: only 0 of [0-9]+ random games last so long"):
        g.random_positions(game, 20, plies=4)


def test_fewer_random_positions_are_the_first_of_more(game):
    assert (g.random_positions(game, 100, plies=8)[:7] == g.random_positions(game, 7, plies=8)).all()


def test_chance_moves_until_a_player_does():
    game = g.make("dice_duel")
    movers = Rules(game).movers(g.random_positions(game, 50, plies=2))
    assert set(movers.tolist()) <= {0, 1}


REFUSED = {
    "moves: number 2: move 'f5' is not legal here": lambda game: g.after(game, "f5 f5"),
    "moves=3: must be text": lambda game: g.after(game, 3),  # type: ignore[arg-type]
    "moves=.too many digits to show.: must be text": lambda game: g.after(game, 10**5000),  # type: ignore[arg-type]
    "position: Othello takes 64 characters": lambda game: g.position(game, "nope"),
    r"moves\[1\]=3: not legal in states\[1\]; legal are 19": lambda game: g.play(game, g.start(game, 2), [19, 3]),
    r"moves\[0\]=18446744073709551615: not legal in states\[0\]; legal are 19": lambda game: g.play(
        game, g.start(game), np.array([2**64 - 1], np.uint64)
    ),
    r"moves\[0\]=0: not legal in states\[0\]; legal are ([0-9]+, ){40}\.\.\.$": lambda game: g.play(
        "amazons", g.start("amazons"), [0]
    ),
    r"moves: must be int64\[2\], a move for each state, not float64": lambda game: g.play(
        game, g.start(game, 2), [1.0, 2]
    ),
    r"states: must be uint64\[B, 3\], .* not uint64\[3\]": lambda game: g.play(game, g.start(game)[0], [19]),
    r"states: must be uint64\[B, 3\], .* not int64\[1, 3\]": lambda game: g.play(game, np.zeros((1, 3), int), [19]),
    r"state: must be uint64\[3\], one state, not uint64\[2, 3\]": lambda game: g.board_text(game, g.start(game, 2)),
    "move=0: not legal in this state; legal are 19": lambda game: g.move_text(game, g.start(game), 0),
    "batch=0: must be an integer in": lambda game: g.start(game, batch=0),
    "batch=.too many digits to show.: must be an integer in": lambda game: g.start(game, batch=10**5000),
    r"states: must be uint64\[B, \d+\], .* not object\[2\]": lambda game: g.play(game, [[0], [1, 2]], [0, 1]),
    r"moves: must be int64\[1\], a move for each state, not object\[2\]": lambda game: g.play(
        game, g.start(game), [[0], [1, 2]]
    ),
    r"state: must be uint64\[\d+\], one state, not object\[2\]": lambda game: g.legal_moves(game, [[0], [1, 2]]),
    "batch=True: must be an integer in": lambda game: g.start(game, batch=True),
    "plies=-1: must be an integer in": lambda game: g.random_positions(game, 1, plies=-1),
    r"seed=-1: must be an integer in \[0, 2\^64 - 1\]": lambda game: g.random_positions(game, 1, seed=-1),
    "game=3: must be a game or its name; there are: amazons, ": lambda game: g.start(3),  # type: ignore[arg-type]
    r"game=array\(\[\[0, 0, 0.* \.\.\.: must be a game": lambda game: g.start(np.zeros((99, 3), int)),  # type: ignore[arg-type]
    r"game=Uniform\(truncate=0\): must be a game": lambda game: g.start(g.playouts.Uniform()),
    "game=nope is not known; there are: amazons, ": lambda game: g.make("nope"),
    r"game.base=99: must be an integer in \[4, 10\]": lambda game: g.make("havannah", base=99),
    "game.size: unknown parameter; game has corner_weight": lambda game: g.make("othello", size=8),
    "game.rows=1, game.columns=1: a board of Clobber has two": lambda game: g.make("clobber", rows=1, columns=1),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_wrong_is_one_line(message, game):
    with pytest.raises(g.BadInput, match=f"^{message}") as caught:
        REFUSED[message](game)
    assert "\n" not in str(caught.value)
