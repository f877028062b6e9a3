"""Every game keeps the contract. A new game is tested here without new test code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpumcts.games import contract
from gpumcts.games.conformance import suite
from gpumcts.games.conformance.suite import QUESTIONS, Effort, Suite
from tests.games import drivers
from tests.games.drivers import GAMES
from tests.games.narrow_bounds import FewMoves

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def marks(name):
    """Large games take long; what is asked of their types and in plain Python, smaller boards are asked too."""
    return [pytest.mark.slow] if drivers.is_large(name) and name != "havannah-least" else []


every_game = pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in GAMES])
ASKED_BEFORE = (suite.plain_python, suite.types_of_bodies)
"""What commands ask of users' games: of the library's own here, where it takes a compilation's time, at one size."""
DEAR = {
    (question, name)
    for question in (suite.rules_hold, suite.same_answers, suite.ends_stay)
    for name in ("chess-default", "go-default", "gomoku-9", "havannah-least")
}
"""Rules that take seconds to compile, and are compared with other programs and references beside these questions."""


@pytest.fixture(scope="module")
def suites():
    """Suites made once, with their random games: name -> Suite."""
    made = {}

    def of(name):
        if name not in made:
            kind = name.split("-")[0]
            games = drivers.FEWER.get(kind, Effort().games)
            effort = Effort(games, every=drivers.LONG.get(kind, 1), moves=drivers.most_in_plain_python(name))
            made[name] = Suite(GAMES[name], effort)
        return made[name]

    return of


@pytest.mark.parametrize(
    "question, name",
    [
        pytest.param(q, name, id=f"{q.__name__}-{name}", marks=[pytest.mark.slow] if (q, name) in DEAR else marks(name))
        for q in QUESTIONS
        if q not in ASKED_BEFORE
        for name in GAMES
    ],
)
def test_a_game_keeps_the_contract(question, name, suites):
    assert suites(name).run(question) == ""


@pytest.mark.parametrize("question", ASKED_BEFORE, ids=lambda q: q.__name__)
@pytest.mark.parametrize("name", ["othello-default", "connect_four-default", "dice_duel-default", "sailing-default"])
def test_a_game_is_taken_by_what_is_asked_first(question, name, suites):
    assert suites(name).run(question) == ""


@pytest.mark.slow
@pytest.mark.parametrize("question", ASKED_BEFORE, ids=lambda q: q.__name__)
@pytest.mark.parametrize(
    "name", [name for name in GAMES if name.endswith(("-default", "amazons-6-split", "havannah-least"))]
)
def test_every_game_is_taken_by_what_is_asked_first(question, name, suites):
    assert suites(name).run(question) == ""


@pytest.mark.parametrize(
    "name", [name for name in GAMES if name.endswith(("default", "6-split")) and not drivers.is_large(name)]
)
def test_any_text_is_a_position_or_refused(name, suites):
    """A damaged position is refused with BadInput, or is another position that keeps the contract."""
    states = suites(name).plain_states(4)
    texts = [contract.position_text(GAMES[name], state) for state in states]

    @settings(max_examples=150, deadline=None, database=None, derandomize=True)
    @given(st.sampled_from(texts), st.integers(0, 200), st.sampled_from(["", " ", *"0123459-.|/XOABxoabce"]))
    def damage(text, at, put):
        at %= len(text)
        damaged = text[:at] + put + text[at + 1 :]
        assert suite.fault_of_text(GAMES[name], damaged) == ""

    damage()


def test_games_are_found_by_name():
    assert {name.split("-")[0] for name in GAMES} >= {"othello", "dots_and_boxes", "shortest_path", "connect_four"}


def test_moves_beyond_the_bound_are_written_nowhere():
    """The suite goes on after it has named a MAX_MOVES that is too small; memory behind the moves stays as it is."""
    game = FewMoves(1, 2)
    state = contract.start(game)
    assert contract.count_moves(game, state) == 7
    words, room = np.array([state] * 2, np.uint64), np.full((3, game.MAX_MOVES), -9, np.int64)
    numbers, remaining = np.zeros((2, 5), np.int64), np.zeros(2)
    suite.drivers._described(game, words, np.zeros(2, np.uint64), numbers, room[:2], remaining)
    assert numbers[:, 0].tolist() == [7, 7]
    assert room[:2].tolist() == [[contract.nth_move(game, state, k) for k in range(5)]] * 2
    assert (room[2] == -9).all()
