"""Go: its playouts with chains against play by ply, positions by hand, superko, eyes, evaluation and text."""

import json
import threading

import numpy as np
import pytest
from numba import njit

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.go import Go
from gpumcts.games.go.evaluation import REACH, control
from gpumcts.games.go.points import number_of, points_of
from gpumcts.games.go.rules import areas
from gpumcts.games.go.setup import opened
from gpumcts.jit import SEPARATE
from gpumcts.kernels.batch import Rules
from gpumcts.match.game_batch import GameBatch
from gpumcts.match.runner import play_match
from gpumcts.options import compiled
from gpumcts.players.random import RandomPlayer
from gpumcts.playouts.contract import has_whole_playout, ply_by_ply, whole_playout
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.forest import ROOT
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import WIN
from tests.games import drivers
from tests.games.drivers import keys_of
from tests.games.go_drivers import GO, SIZES, after, board, legal, rows_of, state_of, traced_with_any_move
from tests.reference.go import random_playout
from tests.tree.drivers import keys_for, operator_of, searcher_of

U = np.uint64

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


# ------------------------------------------------------------------------------------------------- playouts with chains


@njit(**SEPARATE)
def _both_ways(policy, game, states, keys, found):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        state = contract.unpack(game, flat, s * width, 1)
        found[s, 0], found[s, 1] = whole_playout(policy, game, state, keys[s])
        found[s, 2], found[s, 3] = ply_by_ply(policy, game, state, keys[s])


@pytest.mark.parametrize("size", SIZES)
def test_whole_playouts_are_those_ply_by_ply(size):
    """From the start and from the middle, with ko and after passes, cut and not."""
    game = GO[size]
    assert has_whole_playout(Uniform(), game)
    words, _, plies = traced_with_any_move(game, keys_of(12, count=12))
    states = drivers.positions(words, plies)
    keys, found = keys_of(13, count=len(states)), np.zeros((len(states), 4), np.int64)
    for truncate in (0, 1, 7):
        _both_ways(Uniform(truncate), game, states, keys, found)
        assert np.array_equal(found[:, :2], found[:, 2:])
        assert len(np.unique(found[:, 0])) > 1


def test_playouts_against_the_reference():
    """Length and Black's lead of uniform playouts: within five standard errors of the two means (below 1e-6)."""
    lead, plies = np.array([random_playout(9, seed) for seed in range(60)]).T
    game = GO[9]
    words, _, lengths = drivers.trace(game, keys_of(14, count=2000))
    ends = [contract.unpack(game, words[g, lengths[g]], 0, 1) for g in range(len(lengths))]
    leads = np.array([black_lead(game, state) for state in ends])
    for theirs, ours in ((plies, lengths), (lead, leads)):
        error = np.hypot(theirs.std() / np.sqrt(len(theirs)), ours.std() / np.sqrt(len(ours)))
        assert abs(theirs.mean() - ours.mean()) < 5 * error


def black_lead(game, state):
    position = opened(game, state)
    own, opp = (number_of(area).bit_count() for area in areas(game, position.own, position.opp))
    return opp - own if contract.mover(game, state) else own - opp


# --------------------------------------------------------------------------------------------------- positions by hand


def test_a_capture_in_the_corner():
    state = after(GO[9], state_of(board("", "OX") + " b"), "A2")
    assert rows_of(GO[9], state) == board("X", ".X")


def test_suicide_of_one_stone():
    white, black = (state_of(f"{board('X', '.X')} {side}") for side in "wb")
    assert "A1" not in legal(GO[9], white) and "A1" in legal(GO[9], black)
    with pytest.raises(BadInput, match="A1 would have no liberty"):
        contract.parse_move(GO[9], white, "a1")


def test_suicide_of_a_chain_and_its_capture():
    rows = board("XX", "OOX", ".OX")
    assert "A1" not in legal(GO[9], state_of(rows + " w"))
    assert rows_of(GO[9], after(GO[9], state_of(rows + " b"), "A1")) == board("XX", "..X", "X.X")


def test_ko():
    state = after(GO[9], state_of(board(".XO", "X.XO", ".XO") + " w"), "B2")
    assert rows_of(GO[9], state) == board(".XO", "XO.O", ".XO")
    assert "C2" not in legal(GO[9], state)
    with pytest.raises(BadInput, match="by ko, C2"):
        contract.parse_move(GO[9], state, "C2")
    assert "C2" in legal(GO[9], after(GO[9], state, "J9", "J8"))
    assert "C2" in legal(GO[9], after(GO[9], state, "pass", "J8"))


def test_snapback_is_no_ko():
    state = after(GO[9], state_of(board("XXXXX", "XOOOX", "XO..X") + " b"), "C1", "D1", "C1")
    assert rows_of(GO[9], state) == board("XXXXX", "X...X", "X.X.X")


def test_seki():
    """Who plays one of the two common liberties is taken, and may do so; at the end neither side counts them."""
    rows = board("OOOOOO", "XXXXXO", ".OO.XO")  # O on B1 C1 has the liberties A1 and D1, and so has X around it
    for side in "bw":
        assert {"A1", "D1"} <= set(legal(GO[9], state_of(f"{rows} {side}")))
    taken = after(GO[9], state_of(rows + " w"), "A1", "D1")
    assert rows_of(GO[9], taken) == board("OOOOOO", "XXXXXO", "...XXO")
    assert black_lead(GO[9], state_of(rows + " b")) == 6 - (81 - 6 - 2)


def test_two_passes_end_the_game():
    state = after(GO[9], contract.start(GO[9]), "E5", "pass")
    assert not contract.over(GO[9], state)
    assert not contract.over(GO[9], after(GO[9], state, "A1", "pass"))
    state = after(GO[9], state, "pass")
    assert contract.over(GO[9], state) and legal(GO[9], state) == []


def test_the_length_cap():
    state = state_of(f"{board('X', '.X')} w {GO[9].MAX_PLIES - 1} 0")
    assert len(legal(GO[9], state)) > 1
    state = after(GO[9], state, "J9")
    assert contract.over(GO[9], state) and contract.count_moves(GO[9], state) == 0
    assert contract.score(GO[9], state) == -SCORE_UNIT  # as it stands: three points against one, and komi


@pytest.mark.parametrize(
    "row, komi, score",
    [
        ("...XO....", 7.5, -1),  # 36 points against 45
        ("...XO....", -9, 0),
        ("...XO....", -9.5, 1),
        ("...X.O...", 0, 0),  # a column that is nobody's
        ("...X.O...", 0.5, -1),
        ("...X.....", 80.5, 1),  # what only Black touches is his, all of it
        (".........", 0, 0),
    ],
)
def test_area(row, komi, score):
    game = compiled(Go(komi=komi))
    for side in "bw":
        state = contract.parse_position(game, f"{'/'.join([row] * 9)} {side} 20 2")
        assert contract.score(game, state) == score * SCORE_UNIT


# ------------------------------------------------------------------------------------------------------------ superko

SENT_TWO = board("XXO", ".O.O") + " w"  # White gives two stones, A1 and B1, and takes one back on B1


def test_superko_forbids_what_simple_ko_does_not():
    rules = Rules(GO[9])
    states = [state_of(SENT_TWO)]
    states += [after(GO[9], states[0], "A1"), after(GO[9], states[0], "A1", "C1")]
    words = np.array(states, np.uint64)
    assert rows_of(GO[9], states[2]) == board("XXO", "..XO") and "B1" in legal(GO[9], states[2])
    found = rules.state(rules.with_history(words[2], words[:2]))
    assert "B1" not in legal(GO[9], found) and "A1" in legal(GO[9], found)
    assert rules.state(rules.with_history(words[2], words[1:2])) == states[2], "that position was not there"
    assert contract.with_history(GO[9], states[2], words[:2]) == found, "plain Python"


def test_superko_counts_positions_before_a_capture():
    """A stone that captures nothing repeats a position, whoever was to move then."""
    for side in "bw":
        earlier = np.array([state_of(f"{board('', '', '....X')} {side}")], np.uint64)
        found = contract.with_history(GO[9], contract.start(GO[9]), earlier)
        assert set(legal(GO[9], contract.start(GO[9]))) - set(legal(GO[9], found)) == {"E1"}
        white = contract.with_history(GO[9], after(GO[9], contract.start(GO[9]), "pass"), earlier)
        assert "E1" in legal(GO[9], white)


def test_a_match_keeps_superko():
    """And trees below its root go on with simple ko."""
    game, table = GO[9], GameBatch(Rules(GO[9]), 3)
    games = np.array([2])
    for text in ["A2", "C2", "B2", "D1", "J9", "B1", "J8", "A1", "C1"]:
        move = contract.parse_move(game, table.rules.state(table.states[2]), text)
        assert table.first_illegal(games, np.array([move])) is None
        table.play(games, np.array([move]))
    state = table.rules.state(table.states[2])
    assert table.first_illegal(games, np.array([1])) == 0 and "B1" not in legal(game, state)
    assert "B1" in legal(game, after(game, state, "H1", "H2"))


def test_a_match_that_is_cut_off_goes_on_the_same(tmp_path):
    """Every game is what it would have been, and no position of the board comes twice in it."""
    game = GO[9]
    played = []
    for name, stops in (("whole", []), ("cut", [300, 700])):
        for most in [*stops, None]:
            stop = threading.Event()

            def watch(progress, most=most, stop=stop):
                if most is not None and progress.moves >= most:
                    stop.set()

            players = (RandomPlayer(game), RandomPlayer(game))
            play_match(game, players, 12, 5, tmp_path / name, {}, 6, watch, stop, at_once=0)
        played.append((tmp_path / name / "games.jsonl").read_text().splitlines())
    assert sorted(played[0]) == sorted(played[1]) and len(played[0]) == 12
    for line in played[0]:
        state, seen = contract.start(game), [rows_of(game, contract.start(game))]
        for text in json.loads(line)["moves"].split():
            state = contract.play(game, state, contract.parse_move(game, state, text))
            seen += [rows_of(game, state)] if text != "pass" else []
        assert len(seen) == len(set(seen))


# --------------------------------------------------------------------------------------------------------- evaluation


def test_control():
    black, white = (points_of(1 << p) for p in (2 * 9 + 2, 6 * 9 + 6))  # C3 and G7
    mine, other = control(GO[9], black, white)
    assert number_of(mine).bit_count() == number_of(other).bit_count()
    assert (
        number_of(mine) >> 0 & 1 and number_of(other) >> 80 & 1 and not (number_of(mine) | number_of(other)) >> 40 & 1
    )
    near = sum(abs(column - 2) + abs(row - 2) <= REACH for row in range(9) for column in range(9))
    assert number_of(control(GO[9], black, points_of(0))[0]).bit_count() == near


def test_evaluation_by_hand():
    """Two half points a point controlled and two a liberty, for who moves; komi is 15 half points."""
    game = compiled(Go(area_weight=1, liberty_weight=1))
    state = contract.parse_position(game, board("", "", "....X") + " w")
    area = 1 + 3 + 5 + 7 + 9
    assert contract.evaluation(game, state) == -(2 * area) + 15 - 2 * 3
    black = contract.parse_position(game, board("", "", "....X") + " b")
    assert contract.evaluation(game, black) == 2 * area - 15 + 2 * 3


# --------------------------------------------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    "options, named",
    [({"size": 5}, "game.size=5"), ({"size": 10}, "9, 13 or 19"), ({"komi": 7.3}, "game.komi=7.3")],
)
def test_bad_options(options, named):
    with pytest.raises(BadInput, match=named):
        compiled(Go(**options))


@pytest.mark.parametrize("text", ["I5", "K1", "A10", "E0", "E", "5E", "tenuki"])
def test_bad_points(text):
    with pytest.raises(BadInput, match="is no point of this board, A1 to J9"):
        contract.parse_move(GO[9], contract.start(GO[9]), text)


@pytest.mark.parametrize(
    "text, named",
    [
        (f"{board('X', 'OX')} b", "chain of A1 has no liberty"),
        (f"{board('', 'I')} b", "'I' is no point"),
        (f"{board()} x", "b or w"),
        (f"{board()} b 163", "plies is a number from 0 to 162"),
        (f"{board()} b 1 2", "passes just made is a number from 0 to 1"),
        (f"{board('', 'O')} b 3 1 - A1,-", "passes just made are 1, but the last moves are A1,-: a pass is -"),
        (f"{board('', 'X')} b 3 2 - -,A1", "passes just made are 2, but the last moves are -,A1: a pass is -"),
        (f"{board('', 'X')} b 1 0 A1", "no empty point"),
        ("/".join(["." * 19] * 19) + " b", "Go takes 9 rows .*; rows given: 19$"),
        ("/".join(["." * 9] * 8 + ["." * 8]) + " b", "; one of them has not 9 points$"),
    ],
)
def test_bad_positions(text, named):
    with pytest.raises(BadInput, match=named):
        contract.parse_position(GO[9], text)


def test_names_of_points():
    assert [contract.move_text(GO[19], contract.start(GO[19]), m) for m in (0, 7, 8, 18, 360, 361)] == [
        "A1", "H1", "J1", "T1", "T19", "pass",
    ]  # fmt: skip
    assert contract.parse_move(GO[19], contract.start(GO[19]), "q16") == 15 * 19 + 15


@pytest.mark.slow
@pytest.mark.parametrize("komi, proof", [(7.5, WIN), (-7.5, None)])
def test_a_second_pass_that_wins_is_proven(komi, proof):
    """White answers a pass on the empty board with the pass that ends the game, and komi decides it."""
    game = compiled(Go(komi=komi))
    states, keys = Rules(game).words(after(game, contract.start(game), "pass"))[None], keys_for(1)
    found = searcher_of(operator_of("average"), Settings(solve=True), game).search(states, keys, 400)
    if proof is None:
        assert found.forest.proof[0, ROOT] == 0, "no proof: the pass loses, and 81 other moves are open"
    else:
        assert found.forest.proof[0, ROOT] == proof
        assert contract.move_text(game, contract.start(game), found.decide()[0]) == "pass"
