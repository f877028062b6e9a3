"""Every game keeps the contract. A new game is tested here without new test code.

Statistical assertions fail a correct game with a probability below 1e-6 each; keys are fixed, so that none is flaky.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, NO_MOVE, SCORE_UNIT
from gpumcts.rng import PLIES_PER_KEY, PLY_STEP
from tests.games import drivers
from tests.games.drivers import GAMES

GAMES_PLAYED, REPLAYED = 2000, 4
DRAWS, SURE = 6000, 1e-6

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
every_game = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if drivers.is_large(name) else []) for name in GAMES]
)


@pytest.fixture(scope="module")
def traced():
    """Traces of random games, made once: name -> (words, moves, plies)."""
    made = {}

    def of(name):
        if name not in made:
            count = drivers.FEWER.get(name.split("-")[0], GAMES_PLAYED)
            made[name] = drivers.trace(GAMES[name], drivers.keys_of(1, count=count))
        return made[name]

    return of


def plain_states(game, words, plies, games=REPLAYED):
    """The states of the first few games of a trace as NamedTuples."""
    states = drivers.positions(words[:games], plies[:games])
    return [contract.unpack(game, row, 0, 1) for row in states]


@every_game
def test_class_attributes(name):
    game = GAMES[name]
    state = contract.start(game)
    assert len(state) == game.WORDS and all(isinstance(word, np.uint64) for word in state)
    assert 1 <= game.MAX_PLIES < PLIES_PER_KEY
    assert 1 <= game.MAX_MOVES <= 32_767
    assert game.PLAYERS in (1, 2)
    assert isinstance(game.LANES, bool)
    assert hash(game) == hash(type(game)(*game)), "an option is a key"


@every_game
def test_random_games_keep_the_rules(name, traced):
    game = GAMES[name]
    words, _, plies = traced(name)
    states = drivers.positions(words, plies)
    assert drivers.first_fault(game, states, drivers.keys_of(2, count=997)) == (-1, "none")


@every_game
def test_finished_games_stay_finished(name, traced):
    game = GAMES[name]
    words, _, plies = traced(name)
    ends = words[np.arange(len(plies)), plies]
    assert drivers.first_bad_ending(game, ends, drivers.keys_of(3, count=len(ends)), SCORE_UNIT) == (-1, "none")


@every_game
def test_no_game_exceeds_its_bound(name, traced):
    game = GAMES[name]
    words, _, plies = traced(name)
    ends = words[np.arange(len(plies)), plies]
    numbers, _, _ = drivers.described(game, ends, drivers.keys_of(3, count=len(ends)))
    assert plies.max() <= game.MAX_PLIES
    assert (numbers[:, 0] == 0).all(), "a game was not over after MAX_PLIES"


@every_game
def test_movers_are_the_declared_players(name, traced):
    game = GAMES[name]
    words, _, plies = traced(name)
    states = drivers.positions(words, plies, ends=False)
    numbers, _, _ = drivers.described(game, states, np.zeros(len(states), np.uint64))
    assert set(numbers[:, 1]) - {CHANCE} == set(range(game.PLAYERS))


@every_game
def test_plain_python_gives_the_states_of_compiled_code(name, traced):
    game = GAMES[name]
    words, moves, plies = traced(name)
    keys = drivers.keys_of(1, count=REPLAYED)
    for g in range(REPLAYED):
        state, stream = contract.start(game), keys[g]
        for ply in range(plies[g]):
            assert np.array_equal(np.array(state, np.uint64), words[g, ply])
            drawn = contract.chance_move if contract.mover(game, state) == CHANCE else contract.random_move
            assert drawn(game, state, stream) == moves[g, ply]
            state = contract.play(game, state, moves[g, ply])
            assert all(isinstance(word, np.uint64) for word in state)
            stream += PLY_STEP
        assert np.array_equal(np.array(state, np.uint64), words[g, plies[g]])


@every_game
def test_plain_python_says_of_states_what_compiled_code_says(name, traced):
    game = GAMES[name]
    words, _, plies = traced(name)
    states = drivers.positions(words[:REPLAYED], plies[:REPLAYED])
    streams = drivers.keys_of(4, count=len(states))
    numbers, moves, remaining = drivers.described(game, states, streams)
    for s, state in enumerate(plain_states(game, words, plies)):
        count = contract.count_moves(game, state)
        assert numbers[s, :3].tolist() == [count, contract.mover(game, state), contract.over(game, state)]
        if count > drivers.most_in_plain_python(name) or not drivers.gone_through(name, s):
            continue
        legal, move = [], contract.next_move(game, state, NO_MOVE)
        while move != NO_MOVE:
            legal.append(move)
            move = contract.next_move(game, state, move)
        assert [contract.nth_move(game, state, k) for k in range(count)] == legal == moves[s, :count].tolist()
        if count == 0:
            assert contract.score(game, state) == numbers[s, 3]
        else:
            assert contract.evaluation(game, state) == numbers[s, 3]
            assert contract.remaining_plies(game, state) == remaining[s]


def draws_of(game, state, salt):
    """How often each legal move was drawn: (moves, counts)."""
    words = np.array([state], np.uint64).repeat(DRAWS, axis=0)
    numbers, moves, _ = drivers.described(game, words, drivers.keys_of(5, salt, count=DRAWS))
    legal = moves[0, : numbers[0, 0]]
    return legal, np.array([(numbers[:, 4] == move).sum() for move in legal])


def different_states(game, words, plies, chance, count=5):
    """A few states of random games with a choice, spread over the game."""
    states = [s for s in plain_states(game, words, plies) if contract.count_moves(game, s) > 1]
    states = [s for s in dict.fromkeys(states) if (contract.mover(game, s) == CHANCE) == chance]
    return states[:: max(1, len(states) // count)]


@every_game
def test_random_moves_keep_their_weights(name, traced):
    """All weigh the same where the game does not say otherwise."""
    game = GAMES[name]
    for salt, state in enumerate(different_states(game, *traced(name)[::2], chance=False)):
        moves, counts = draws_of(game, state, salt)
        weights = np.array([contract.move_weight(game, state, move) for move in moves])
        assert (weights >= 0).all() and weights.any() and counts.sum() == DRAWS
        assert not counts[weights == 0].any()
        counts, weights = counts[weights > 0], weights[weights > 0]
        expected = DRAWS * weights / weights.sum()
        if len(counts) > 1:
            assert chisquare(counts, expected).pvalue > SURE, f"{contract.position_text(game, state)}: {counts}"


@every_game
def test_chance_keeps_its_probabilities(name, traced):
    game = GAMES[name]
    for salt, state in enumerate(different_states(game, *traced(name)[::2], chance=True)):
        outcomes, counts = draws_of(game, state, salt)
        weights = np.array([contract.chance_weight(game, state, move) for move in outcomes])
        assert (weights > 0).all() and counts.sum() == DRAWS
        expected = DRAWS * weights / weights.sum()
        assert chisquare(counts, expected).pvalue > SURE, f"{contract.position_text(game, state)}: {counts}"


@every_game
def test_moves_as_text(name, traced):
    game = GAMES[name]
    words, _, plies = traced(name)
    for number, state in enumerate(plain_states(game, words, plies, games=1)):
        if not drivers.gone_through(name, number):
            continue
        if contract.count_moves(game, state) > drivers.most_in_plain_python(name):
            continue
        legal = [int(contract.nth_move(game, state, k)) for k in range(contract.count_moves(game, state))]
        texts = [contract.move_text(game, state, move) for move in legal]
        assert len(set(texts)) == len(texts) and all(text and text.split() == [text] for text in texts)
        assert [contract.parse_move(game, state, text) for text in texts] == legal
        for bad in ("", "no such move", "-1", "99", "é"):
            with pytest.raises(BadInput):
                contract.parse_move(game, state, bad)


@every_game
def test_positions_as_text(name, traced):
    game = GAMES[name]
    words, _, plies = traced(name)
    for state in plain_states(game, words, plies):
        text = contract.position_text(game, state)
        again = contract.parse_position(game, text)
        assert again == state and all(isinstance(word, np.uint64) for word in again)
        assert "\n" not in text and len(contract.board_text(game, state)) > 0


@every_game
def test_texts_that_are_no_position_are_refused(name):
    game = GAMES[name]
    text = contract.position_text(game, contract.start(game))
    for bad in ("", " ", "no such position", "0", text + " and more", text.split()[0][:-1] or "?", "?" + text):
        with pytest.raises(BadInput) as refusal:
            contract.parse_position(game, bad)
        assert "\n" not in str(refusal.value) and "position" in str(refusal.value)


@pytest.mark.parametrize(
    "name", [name for name in GAMES if name.endswith(("default", "6-split")) and not drivers.is_large(name)]
)
def test_any_text_is_a_position_or_refused(name, traced):
    """A damaged position is refused with BadInput, or is another position that keeps the contract."""
    game = GAMES[name]
    words, _, plies = traced(name)
    texts = [contract.position_text(game, state) for state in plain_states(game, words, plies)]
    keys = drivers.keys_of(6, count=1)

    @settings(max_examples=150, deadline=None, database=None, derandomize=True)
    @given(st.sampled_from(texts), st.integers(0, 200), st.sampled_from(["", " ", *"0123459-.|/XOABxoabce"]))
    def damage(text, at, put):
        at %= len(text)
        try:
            state = contract.parse_position(game, text[:at] + put + text[at + 1 :])
        except BadInput:
            return
        row = np.array([state], np.uint64)
        assert drivers.first_fault(game, row, keys) == (-1, "none")
        if contract.count_moves(game, state) == 0:
            assert drivers.first_bad_ending(game, row, keys, SCORE_UNIT) == (-1, "none")

    damage()


def test_games_are_found_by_name():
    assert {name.split("-")[0] for name in GAMES} >= {"othello", "dots_and_boxes", "shortest_path", "dice_duel"}
