"""Sailing: wind, legs and costs against the tests' own rules, scores, ends, texts, voyages against optimal values."""

import math

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, SCORE_UNIT
from gpumcts.games.sailing import LARGEST, NAMES, Sailing, State, parts
from gpumcts.planning.sailing import mdp_of, number_of
from gpumcts.planning.value_iteration import action_values, optimal_values
from gpumcts.rng import PLY_STEP, key_of
from tests.reference.planning import STEPS, WINDS, leg
from tests.reference.playout import legal_moves

U = np.uint64
READINGS = [Sailing(5, wind_from=wind_from, keep_tack=keep) for wind_from in (False, True) for keep in (False, True)]

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
every_reading = pytest.mark.parametrize("game", READINGS, ids=lambda game: f"{game.wind_from}-{game.keep_tack}")


def at(game, x, y, wind, tack, cost="0+0", then="sail"):
    """The state at a square counted from 0."""
    text = f"{x + 1},{y + 1} {NAMES[wind]} {('none', 'starboard', 'port')[tack]} {cost} {then}"
    return contract.parse_position(game, text)


def paid(state):
    """The cost so far as float64."""
    return (int(state.paid) & 0xFFFFFFFF) + (int(state.paid) >> 32) * math.sqrt(2)


@every_reading
def test_every_leg(game):
    """Legal legs, where they lead, what they cost, the tack they leave: everywhere, in every wind, on every tack."""
    seen = set()
    for square in range(24):
        x, y = square % 5, square // 5
        for wind in range(8):
            for tack in range(3):
                state = at(game, x, y, wind, tack)
                legal = {}
                for direction, (dx, dy) in enumerate(STEPS):
                    found = leg(direction, wind, tack, game.wind_from, game.keep_tack)
                    if found and 0 <= x + dx < 5 and 0 <= y + dy < 5:
                        legal[direction] = (x + dx, y + dy, wind, found[1]), found[0]
                assert legal_moves(game, state) == list(legal) and contract.mover(game, state) == 0
                for direction, (there, cost) in legal.items():
                    after = contract.play(game, state, direction)
                    assert tuple(map(int, parts(after.boat))) == there
                    assert paid(after) == pytest.approx(cost, abs=1e-12)
                    assert contract.mover(game, after) == CHANCE
                    seen.add(round(cost, 6))
    assert min(seen) == 1 and max(seen) == round(4 * math.sqrt(2) + 3, 6)  # the document's 1 and 8.6


@every_reading
def test_the_wind(game):
    for wind in range(8):
        for tack in range(3):
            state = at(game, 2, 3, wind, tack, then="wind")
            outcomes = legal_moves(game, state)
            weights = [int(contract.chance_weight(game, state, move)) for move in outcomes]
            assert dict(zip(outcomes, weights, strict=True)) == {w: p for w, p in enumerate(WINDS[wind]) if p}
            for move in outcomes:
                after = contract.play(game, state, move)
                assert tuple(map(int, parts(after.boat))) == (2, 3, move, tack) and after.paid == state.paid
                assert contract.mover(game, after) == 0


def test_readings_differ_as_they_say():
    state = at(Sailing(5), 2, 2, 0, 0)
    with_wind, against = (contract.play(Sailing(5, wind_from=w), state, d) for w, d in ((False, 0), (True, 4)))
    assert paid(with_wind) == paid(against) == 1
    for keep in (False, True):
        game = Sailing(5, keep_tack=keep)
        state = contract.play(game, at(game, 2, 2, 0, 1), 0)
        assert parts(state.boat)[3] == keep
        tacked = contract.play(game, contract.play(game, state, 0), 6)
        assert paid(tacked) == 1 + 3 + 3 * keep


def test_one_voyage_by_hand():
    game = Sailing(3)
    state = contract.start(game)
    for text in (
        "ne",
        "ne",
        "e",
        "n",
    ):  # down the wind on starboard, wind to north-east, away but for one square, wind to north
        state = contract.play(game, state, contract.parse_move(game, state, text))
    assert contract.position_text(game, state) == "3,2 n starboard 2+2 sail"
    state = contract.play(game, state, contract.parse_move(game, state, "n"))
    assert paid(state) == pytest.approx(2 * math.sqrt(2) + 2 + 1)
    assert contract.over(game, state) and legal_moves(game, state) == []
    assert contract.board_text(game, state).splitlines()[0] == ". . @"


@pytest.mark.parametrize("game", [Sailing(2, 8), Sailing(), Sailing(LARGEST, 32)])
def test_scores_are_linear_to_the_next_step(game):
    """score = SCORE_UNIT (1 - 2 cost / limit), off by less than one step, and -SCORE_UNIT from the limit on."""
    limit = game.patience * game.size
    last = game.size - 1
    for straight, diagonal in ((0, 0), (1, 0), (0, 1), (17, 5), (limit - 1, 0), (limit, 0), (limit + 3, 4), (3, limit)):
        state = at(game, last, last, 0, 0, f"{straight}+{diagonal}")
        exact = SCORE_UNIT * (1 - 2 * (straight + diagonal * math.sqrt(2)) / limit)
        score = int(contract.score(game, state))
        assert score == -SCORE_UNIT if exact <= -SCORE_UNIT else 0 <= score - exact < 1.000001


def test_a_voyage_that_costs_too_much_is_given_up():
    game = Sailing(5, 8)
    for cost, over in (("39+0", False), ("40+0", True), ("0+28", False), ("0+29", True), ("41+3", True)):
        for then in ("sail", "wind"):
            state = at(game, 1, 1, 0, 0, cost, then)
            assert bool(contract.over(game, state)) == over == (legal_moves(game, state) == [])
            if over:
                assert contract.score(game, state) == -SCORE_UNIT
                assert contract.play(game, state, 1) == state


def test_the_evaluation_is_on_the_scale_of_the_score():
    """A square left costs 3, a diagonal one sqrt 2 times as much."""
    game = Sailing(10)
    state = at(game, 4, 7, 2, 1, "6+3")
    exact = SCORE_UNIT * (1 - 2 * (6 + 3 * 3 + (3 + 2 * 3) * math.sqrt(2)) / 160)
    assert 0 <= contract.evaluation(game, state) - exact < 1.000001
    assert contract.evaluation(game, state) == contract.evaluation(game, at(game, 4, 7, 3, 1, "6+3", "wind"))


@every_reading
def test_optimal_voyages_cost_what_value_iteration_says(game):
    """500 voyages by the optimal actions, by the game's rules. A right program fails with a probability below 1e-6."""
    mdp = mdp_of(game)
    values = optimal_values(mdp)
    actions = np.argmin(action_values(mdp, values), axis=1)
    costs = []
    for number in range(500):
        state, stream = contract.start(game), key_of(31, number)
        while not contract.over(game, state):
            move = actions[int(number_of(game, *map(int, parts(state.boat))))]
            state = contract.play(game, state, move)
            if not contract.over(game, state):
                state = contract.play(game, state, contract.chance_move(game, state, stream))
            stream += PLY_STEP
        costs.append(paid(state))
    error = np.std(costs, ddof=1) / math.sqrt(len(costs))
    start = values[int(number_of(game, 0, 0, 0, 0))]
    assert abs(np.mean(costs) - start) < 5 * error < 1.5


@pytest.mark.parametrize(
    "text",
    [
        "6,1 n none 0+0 sail", "0,1 n none 0+0 sail", "1,1 x none 0+0 sail", "1,1 n left 0+0 sail",
        "1,1 n none 0 sail", "1,1 n none -1+0 sail", "1,1 n none 0+161 sail", "1,1 n none 0+0 chance",
        "1,1 n none 0+0", "1;1 n none 0+0 sail",
    ],
)  # fmt: skip
def test_positions_are_refused(text):
    with pytest.raises(BadInput, match="position: "):
        contract.parse_position(Sailing(5), text)


def test_a_state_is_two_words_of_its_parts():
    game = Sailing(LARGEST)
    state = at(game, 63, 62, 7, 2, "5+7", "wind")
    assert state == State(U(63 | 62 << 6 | 7 << 12 | 2 << 15 | 1 << 17), U(5 | 7 << 32))
