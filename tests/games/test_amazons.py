"""Amazons against OpenSpiel, known counts and statistics, its kinds of plies against each other, positions by hand."""

import numpy as np
import pytest
from numba import njit

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.amazons import Amazons
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT
from gpumcts.jit import SEPARATE
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.options import compiled
from gpumcts.playouts.contract import choose
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.staged import Staged
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import PLY_STEP, child_key, key_of
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import LOSS, WIN
from tests.games import drivers
from tests.games.openspiel import follow, keys_from
from tests.kernels.drivers import digest, keys_for, positions
from tests.tree.drivers import operator_of, searcher_of

FULL = {size: compiled(Amazons(size=size)) for size in (6, 8, 10)}
SPLIT = {size: compiled(Amazons(size=size, turn="split")) for size in (6, 8, 10)}
START = (
    "...B..B.../........../........../B........B/........../........../W........W/........../........../...W..W... w"
)
SMALL = ".B..B./B....B/....../....../W....W/.W..W."
GAMES_TO_COMPARE = {6: 8, 8: 10, 10: 6}

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def legal(game, state):
    """The legal moves as numbers."""
    return [int(contract.nth_move(game, state, k)) for k in range(contract.count_moves(game, state))]


def after(game, state, *texts):
    """The state after moves given as text."""
    for text in texts:
        state = contract.play(game, state, contract.parse_move(game, state, text))
    return state


# ------------------------------------------------------------------------------------------------------- by others


def squares_of(game, moves):
    """(from, to, arrow) of turns in OpenSpiel's numbers, which go row by row from the top: int64[N, 3]."""
    width = game.SIZE + 1
    strides = np.array([1, width - 1, width, width + 1, -1, 1 - width, -width, -width - 1])
    found = [moves >> 14]
    for code in (moves >> 7 & 127, moves & 127):
        found.append(found[-1] + strides[code >> 4] * (code & 15))
    squares = np.stack(found, axis=1)
    return (game.SIZE - 1 - squares // width) * game.SIZE + squares % width


def compare_with_openspiel(size, first, games):
    """Random games move by move; a turn is three stages there."""
    game = FULL[size]
    keys = keys_from(first, games)
    follow(game, f"amazons(board_size={size})", lambda moves, earlier: squares_of(game, moves), keys)


@pytest.mark.parametrize("size", [6, pytest.param(8, marks=pytest.mark.slow), pytest.param(10, marks=pytest.mark.slow)])
def test_move_by_move_against_openspiel(size):
    compare_with_openspiel(size, 0, GAMES_TO_COMPARE[size])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 500))
@pytest.mark.parametrize("size", FULL)
def test_ten_thousand_games_against_openspiel(size, first):
    compare_with_openspiel(size, first, 500)


@pytest.mark.parametrize("game, counts", [(FULL[6], [544, 238_532]), (SPLIT[6], [40, 544])])
def test_perft_of_the_smallest_board(game, counts):
    rules = Rules(game)
    assert [rules.perft(rules.words(contract.start(game)), depth) for depth in (1, 2)] == counts


def test_perft():
    rules = Rules(FULL[10])
    assert [rules.perft(rules.words(contract.start(FULL[10])), depth) for depth in (1, 2)] == [2176, 4_307_152]


@pytest.mark.slow
def test_deep_perft():
    rules = Rules(FULL[10])
    assert rules.perft(rules.words(contract.start(FULL[10])), 3) == 8_350_439_170


@njit(**SEPARATE)
def _random_games(game, staged, key, count, plies, branching):
    for number in range(count):
        state, stream, ply = contract.start(game), child_key(key, number), 0
        moves = contract.count_moves(game, state)
        while moves > 0:
            branching[number, ply] = moves
            move = contract.staged_move(game, state, stream) if staged else contract.random_move(game, state, stream)
            state = contract.play(game, state, move)
            moves = contract.count_moves(game, state)
            stream += PLY_STEP
            ply += 1
        plies[number] = ply


def random_games(game, staged, count):
    """Plies int64[G], and legal moves by ply int64[G, P], 0 after the end."""
    plies, branching = np.zeros(count, np.int64), np.zeros((count, game.MAX_PLIES), np.int64)
    _random_games(game, staged, key_of(11), count, plies, branching)
    return plies, branching


@pytest.mark.parametrize("staged, published, digit", [(False, 71.5, 0.1), (True, 69.1, 0.1)])
def test_lengths_of_random_games(staged, published, digit):
    """Uniform over turns, and in stages: five standard errors and half a unit of the last digit given (below 1e-6)."""
    plies, _ = random_games(FULL[10], staged, 8000)
    assert abs(plies.mean() - published) < 5 * plies.std() / np.sqrt(len(plies)) + digit / 2


def test_branching_of_random_games():
    """Of the games that last so long; the same interval."""
    _, branching = random_games(FULL[10], False, 4000)
    for ply, published in zip(range(0, 60, 10), (2176, 1135, 566, 276, 131, 59), strict=True):
        there = branching[branching[:, ply] > 0, ply]
        assert abs(there.mean() - published) <= 5 * there.std() / np.sqrt(len(there)) + 0.5


@njit(**SEPARATE)
def _won(game, key, games, informed, other):
    """Games that ``informed`` wins of ``other``, as the first player and as the second by turns."""
    won = 0
    for number in range(games):
        state, stream, side = contract.start(game), child_key(key, number), number % 2
        while contract.count_moves(game, state) > 0:
            ours = contract.mover(game, state) == side
            move = choose(informed, game, state, stream) if ours else choose(other, game, state, stream)
            state, stream = contract.play(game, state, move), stream + PLY_STEP
        won += (contract.score(game, state) > 0) == (side == 0)
    return won


@pytest.mark.slow
@pytest.mark.parametrize("game, least", [(FULL[6], 0.99), (SPLIT[6], 0.985)], ids=["full", "split"])
def test_the_evaluation_informs(game, least):
    """MM-1 wins 99.97 and 99.4 % against random moves: below ``least`` in 4,000 games is five standard errors away."""
    policy, games = compiled(Minimax(depth=1)), 4000
    assert _won(game, key_of(14), games, policy, compiled(Uniform())) > least * games


# --------------------------------------------------------------------------------------------- two kinds of plies


def half_turns(game, state):
    """The turns of a state as two plies each, numbered as whole ones, and the number of arrows by first ply."""
    turns, arrows = [], {}
    for walk in legal(game, state):
        waiting = contract.play(game, state, walk)
        assert contract.mover(game, waiting) == contract.mover(game, state)
        shots = legal(game, waiting)
        turns += [walk << 7 | shot for shot in shots]
        arrows[walk] = len(shots)
    return turns, arrows


def late_states(size, games=2):
    """States of random games by whole turns, from the middle on."""
    words, _, plies = drivers.trace(FULL[size], drivers.keys_of(12, count=games))
    rows = [row for g in range(games) for row in words[g, plies[g] // 2 : plies[g] + 1]]
    return [contract.unpack(FULL[size], row, 0, 1) for row in rows]


@pytest.mark.parametrize("size", [6, pytest.param(8, marks=pytest.mark.slow), pytest.param(10, marks=pytest.mark.slow)])
def test_half_turns_are_the_whole_ones(size):
    """The same turns to the same states, and the first half weighs as much as there are second ones."""
    for state in late_states(size):
        turns, arrows = half_turns(SPLIT[size], state)
        assert turns == legal(FULL[size], state)
        for turn in turns[::7]:
            waiting = contract.play(SPLIT[size], state, turn >> 7)
            assert contract.play(SPLIT[size], waiting, turn & 127) == contract.play(FULL[size], state, turn)
        assert {walk: contract.move_weight(SPLIT[size], state, walk) for walk in arrows} == arrows


@pytest.mark.slow
def test_random_playouts_are_the_same_in_halves():
    """Lengths and results of uniform playouts on 6x6, 40,000 each way, within five errors of the difference."""
    keys, found = keys_for(40_000), []
    for game, halves in ((FULL[6], 1), (SPLIT[6], 2)):
        tally = CpuPlayouts(game, Uniform()).tally(Rules(game).starts(len(keys)), keys)
        assert not (tally.plies % halves).any()
        found.append((tally.plies / halves, tally.wins))
    for whole, half in zip(*found, strict=True):
        error = np.sqrt((whole.var() + half.var()) / len(keys))
        assert abs(whole.mean() - half.mean()) < 5 * error


@pytest.mark.slow
@pytest.mark.parametrize("game", [FULL[6], FULL[10], SPLIT[10]])
def test_stages_in_lanes(game):
    """Whole turns in lockstep come out as one by one (half turns are in the suites over all games)."""
    states, keys = positions(game, 300), keys_for(300)
    one, many = (CpuPlayouts(game, Staged(), lanes=lanes).tally(states, keys, 3) for lanes in (1, 16))
    assert digest(one) == digest(many)


def test_stages_are_uniform_each():
    """Two amazons can move, to one square and to two: each makes half of the turns, within five standard errors."""
    state = contract.parse_position(FULL[6], "xWxxxx/x.xxxx/xxxxxx/xxxWxx/xWBx.x/WBBB.. w")
    origins = {contract.move_text(FULL[6], state, move)[:2] for move in legal(FULL[6], state)}
    draws = [contract.staged_move(FULL[6], state, key) for key in drivers.keys_of(13, count=1500)]
    for origin in origins:
        share = np.mean([contract.move_text(FULL[6], state, move)[:2] == origin for move in draws])
        assert abs(share - 1 / len(origins)) < 5 * np.sqrt(0.25 / len(draws))
    assert set(draws) == set(legal(FULL[6], state))


# ------------------------------------------------------------------------------------------------------ solved nodes


def value(game, state, known):
    """Whether the player to move wins, by exhaustive search."""
    if state not in known:
        known[state] = any(not value(game, contract.play(game, state, move), known) for move in legal(game, state))
    return known[state]


@pytest.mark.slow
def test_a_late_position_is_solved():
    """The search proves what exhaustive search finds, for both players to move."""
    game = FULL[6]
    rows = "xWxxBx/x.xx.x/x..x.B/Wxxxxx/x.xBxW/xxBx.W"
    searcher = searcher_of(operator_of("minimax"), Settings(solve=True), game)
    for mover in "wb":
        state = contract.parse_position(game, f"{rows} {mover}")
        assert contract.count_moves(game, state) > 3
        wins = value(game, state, {})
        root = searcher.search(np.array([state], np.uint64), keys_for(1), 3000)
        assert root.forest.proof[0, 0] == (WIN if wins else LOSS)


# --------------------------------------------------------------------------------------------------------- by hand


def test_start():
    start = contract.start(FULL[10])
    assert contract.position_text(FULL[10], start) == START
    assert contract.parse_position(FULL[10], START) == start
    assert contract.count_moves(FULL[10], start) == 2176 and contract.mover(FULL[10], start) == 0
    assert contract.position_text(FULL[6], contract.start(FULL[6])) == SMALL + " w"


def test_board_text():
    state = after(SPLIT[6], contract.start(SPLIT[6]), "a2-a4")
    assert contract.board_text(SPLIT[6], state).splitlines() == [
        " 6 . B . . B .",
        " 5 B . . . . B",
        " 4 W . . . . .",
        " 3 . . . . . .",
        " 2 . . . . . W",
        " 1 . W . . W .",
        "   a b c d e f",
        "White (W) to shoot from a4",
    ]
    assert contract.position_text(SPLIT[6], state).endswith(" w a4")


def test_an_arrow_may_go_where_the_amazon_came_from_and_beyond():
    state = after(FULL[10], contract.start(FULL[10]), "d1-d7/d1")
    assert contract.position_text(FULL[10], state).split("/")[-1] == "...x..W... b"
    state = after(FULL[10], contract.start(FULL[10]), "d1-d7/d2", "G10-G9/G10")
    assert contract.position_text(FULL[10], state) == (
        "...B..x.../......B.../........../B..W.....B/........../........../W........W/........../"
        "...x....../......W... w"
    )


def test_who_cannot_move_has_lost():
    rows = "Wx..../xxx.../WWx.../xxx.../WxBBBB/xx...."
    state = contract.parse_position(FULL[6], f"{rows} w")
    assert contract.count_moves(FULL[6], state) == 0 and contract.next_move(FULL[6], state, NO_MOVE) == NO_MOVE
    assert contract.score(FULL[6], state) == -SCORE_UNIT
    assert contract.count_moves(FULL[6], contract.parse_position(FULL[6], f"{rows} b")) > 0
    swapped = rows.translate(str.maketrans("WB", "BW"))
    assert contract.score(FULL[6], contract.parse_position(FULL[6], f"{swapped} b")) == SCORE_UNIT


def test_an_evaluation_by_hand():
    """White's four are shut in but for a6: she has a move there, Black has the board's other free squares alone."""
    state = contract.parse_position(FULL[6], "..xxxx/WWxxxx/WWxxxx/xxxxxx/BBxxxx/BB.xxx w")
    game = FULL[6]
    # Both free squares of the top row are White's, c1 is Black's; White has moves b5-b6, a5-a6, b5-a6 and a5-b6, Black
    # b1-c1 and b2-c1.
    assert contract.evaluation(game, state) == (8 + 2) * (2 - 1) + 1 * (4 - 2)
    both = contract.parse_position(game, "xxxxxx/WW.BBx/xxxxxx/xxxxxx/WWxBBx/xxxxxx w")
    assert contract.evaluation(game, both) == 1, "c5, which both reach in one move"


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "a turn is written d1-d7/g7"),
        ("d1-d7", "a turn is written d1-d7/g7"),
        ("d1-d11/d2", "d11 is not on the board, a1 to j10"),
        ("k1-d1/d2", "k1 is not on the board"),
        ("a1-a2/a3", r"there is no amazon of White \(W\) on a1"),
        ("d10-d9/d10", r"there is no amazon of White \(W\) on d10"),
        ("d1-j1/j2", "the way from d1 to j1 is blocked by an amazon on g1"),
        ("d1-e3/e4", "no queen goes from d1 to e3"),
        ("d1-d1/d2", "no queen goes from d1 to d1"),
        ("d1-d7/a7", "the way from d7 to a7 is blocked by an amazon on a7"),
        ("d1-d7/d" + "1" * 5000, "a turn is written d1-d7/g7"),
        ("d1-d\N{ARABIC-INDIC DIGIT SEVEN}/d8", "a turn is written d1-d7/g7"),
        ("d1-d07/d8", "a turn is written d1-d7/g7"),
        ("d1-d0/d8", "a turn is written d1-d7/g7"),
    ],
)
def test_moves_refused(text, complaint):
    with pytest.raises(BadInput, match=complaint) as refusal:
        contract.parse_move(FULL[10], contract.start(FULL[10]), text)
    assert "\n" not in str(refusal.value)


def test_half_moves_refused():
    start = contract.start(SPLIT[10])
    with pytest.raises(BadInput, match=r"her arrow is the next ply"):
        contract.parse_move(SPLIT[10], start, "d1-d7/g7")
    waiting = after(SPLIT[10], start, "d1-d7")
    with pytest.raises(BadInput, match=r"an arrow of the amazon on d7 is written /g7 or g7"):
        contract.parse_move(SPLIT[10], waiting, "d7-d8")
    for bad in ("/g" + "1" * 5000, "g\N{ARABIC-INDIC DIGIT SEVEN}"):
        with pytest.raises(BadInput, match="is written /g7 or g7"):
            contract.parse_move(SPLIT[10], waiting, bad)
    assert contract.parse_move(SPLIT[10], waiting, "/G7") == contract.parse_move(SPLIT[10], waiting, "g7")


@pytest.mark.parametrize(
    "text, complaint",
    [
        (SMALL, "the player to move, w or b"),
        (SMALL + " x", "the player to move, w or b"),
        (SMALL + " w a2", "nothing comes after the rows and the player to move"),
        (SMALL.replace("W....W", "W....x") + " w", r"White \(W\) has 4 amazons, not 3"),
        (SMALL.replace("......", "...B..", 1) + " w", r"Black \(B\) has 4 amazons, not 5"),
        (SMALL.replace("......", ".....", 1) + " w", "6 rows of 6 squares"),
        (SMALL[7:] + " w", "6 rows of 6 squares"),
        (SMALL.replace("......", "...Q..", 1) + " w", "'Q' is no square"),
    ],
)
def test_positions_refused(text, complaint):
    with pytest.raises(BadInput, match=f"position: .*{complaint}"):
        contract.parse_position(FULL[6], text)


@pytest.mark.parametrize(
    "text, complaint",
    [
        (SMALL + " w c1", "the amazon to shoot is one of the mover's"),
        (SMALL + " w b6", "the amazon to shoot is one of the mover's"),
        ("xWWxxx/xWxxxx/xxxxxx/xxxxxW/xxxxxx/BBBB.. w b5", "no square to shoot at"),
    ],
)
def test_positions_before_an_arrow_refused(text, complaint):
    with pytest.raises(BadInput, match=complaint):
        contract.parse_position(SPLIT[6], text)


@pytest.mark.parametrize("size", [7, 9])
def test_other_sizes_are_refused(size):
    with pytest.raises(BadInput, match=f"game.size={size}: Amazons is played on 6, 8 or 10 squares a side"):
        Amazons(size=size).compiled()
