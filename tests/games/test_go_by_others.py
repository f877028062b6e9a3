"""Go move by move against OpenSpiel, which knows no superko, and against a slow reference that does."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.kernels.batch import Rules
from gpumcts.rng import key_of
from tests.games import drivers
from tests.games.go_drivers import GO, SIZES, traced_with_any_move
from tests.reference.go import BLACK, WHITE, GoGame

U = np.uint64

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def compare_with_openspiel(size, first, games):
    """Play random games and ask OpenSpiel for legal moves, mover, end and result. It ends a game that repeats a position."""
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = GO[size], pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    keys = np.array([key_of(10, number) for number in range(first, first + games)], np.uint64)
    words, played, plies = traced_with_any_move(game, keys)
    finished = 0
    for g in range(games):
        states = words[g, : plies[g] + 1]
        numbers, moves, _ = drivers.described(game, states, np.zeros(len(states), np.uint64))
        other = theirs.new_initial_state()
        for ply in range(plies[g]):
            count, mover = numbers[ply, :2]
            assert mover == other.current_player()
            assert moves[ply, :count].tolist() == other.legal_actions()
            other.apply_action(int(played[g, ply]))
            if other.is_terminal() and ply + 1 < plies[g]:
                assert other.returns() == [0.0, 0.0], "it repeats a position, and is a draw there"
                break
        else:
            finished += 1
            assert other.is_terminal() and numbers[plies[g], 0] == 0
            if any(other.returns()):
                assert other.returns()[0] * SCORE_UNIT == numbers[plies[g], 3]
    assert finished > games // 2
    return finished


@pytest.mark.parametrize("size", SIZES)
def test_move_by_move_against_openspiel(size):
    compare_with_openspiel(size, 0, {9: 40, 13: 10, 19: 5}[size])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 500))
@pytest.mark.parametrize("size", GO)
def test_ten_thousand_games_against_openspiel(size, first):
    compare_with_openspiel(size, first, 500)


def compare_with_reference(size, game_number, superko):
    """A random game of the slow reference, followed move by move: points that a ko forbade, and those that only superko did."""
    game, rules = GO[size], Rules(GO[size])
    theirs, generator = GoGame(size, superko), np.random.default_rng([11, game_number])
    states, forbidden, beyond = [rules.words(contract.start(game))], 0, 0
    while True:
        state = rules.state(states[-1])
        moves = rules.legal_moves(states[-1]).tolist()
        assert moves == theirs.legal()
        if not moves:
            break
        plain = rules.state(states[-1])._replace(
            **{f: U(0) for f in state._fields if f.startswith("banned")}
        )  # without ko
        forbidden += len(rules.legal_moves(rules.words(plain))) - len(moves)
        # Captures often, so that positions come back.
        captures = [m for m in moves[:-1] if theirs.after(m)[1]]
        choice = captures if captures and generator.random() < 0.5 else moves[:-1] or moves
        move = int(generator.choice(choice)) if generator.random() < 0.98 else moves[-1]
        theirs.play(move)
        after = rules.play(states[-1][None], np.array([move]))[0]
        if superko:
            plainly = len(rules.legal_moves(after))
            after = rules.with_history(after, np.array(states))
            beyond += plainly - len(rules.legal_moves(after))
        states.append(after)
    final = rules.state(states[-1])
    lead = 2 * (theirs.area(BLACK) - theirs.area(WHITE)) - game.half_points
    assert contract.score(game, final) == np.sign(lead) * SCORE_UNIT
    return np.array([forbidden, beyond])


@pytest.mark.parametrize("superko", [False, True])
def test_against_the_slow_reference(superko):
    forbidden, _ = sum(compare_with_reference(9, number, superko) for number in range(2))
    assert forbidden > 0


@pytest.mark.slow
@pytest.mark.parametrize("superko", [False, True])
@pytest.mark.parametrize("size, games", [(9, 60), (13, 10), (19, 3)])
def test_more_games_against_the_slow_reference(size, games, superko):
    forbidden, beyond = sum(compare_with_reference(size, 100 + number, superko) for number in range(games))
    assert forbidden > 0
    assert superko == (beyond > 0) or games < 60
