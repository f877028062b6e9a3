"""Go move by move against OpenSpiel, which knows no superko, and against a slow reference that does."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.kernels.batch import Rules
from tests.games.go_drivers import GO, SIZES, traced_with_any_move
from tests.games.openspiel import as_ours, follow, keys_from
from tests.reference.go import BLACK, WHITE, GoGame

U = np.uint64

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def compare_with_openspiel(size, first, games):
    """Random games move by move. OpenSpiel ends a game that repeats a position."""
    theirs, keys = f"go(board_size={size},komi=7.5)", keys_from(first, games)
    *_, repeated = follow(GO[size], theirs, as_ours, keys, trace=traced_with_any_move, repetition=True)
    assert games - repeated > games // 2


@pytest.mark.parametrize("size", SIZES)
def test_move_by_move_against_openspiel(size):
    compare_with_openspiel(size, 0, {9: 40, 13: 10, 19: 5}[size])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 500))
@pytest.mark.parametrize("size", GO)
def test_ten_thousand_games_against_openspiel(size, first):
    compare_with_openspiel(size, first, 500)


def compare_with_reference(size, game_number, superko):
    """A random game of the slow reference, move by move: points that a ko forbade, and those that only superko did."""
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
