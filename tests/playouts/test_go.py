"""Informed playouts of Go: stages by hand, patterns and playouts by a slow reference, chains against ply by ply."""

import itertools

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.go import Go
from gpumcts.games.go.chains import Chains, places, set_up
from gpumcts.games.go.eyes import own_eyes
from gpumcts.games.go.points import NO_POINTS, number_of
from gpumcts.games.go.rules import empty_points
from gpumcts.games.go.setup import SECOND, last_point, opened, point_before
from gpumcts.games.sets import difference, union
from gpumcts.kernels.cpu import CpuPlayouts, TallyColumns
from gpumcts.options import compiled
from gpumcts.playouts.contract import check_policy, has_traced_playout, has_whole_playout
from gpumcts.playouts.go import GoPolicy
from gpumcts.playouts.go.liberties import Floods, Linked, liberties_after
from gpumcts.playouts.go.patterns import matching
from gpumcts.playouts.go.playout import all_ataris
from gpumcts.playouts.go.stages import (
    ANY_CAPTURE,
    CAPTURE,
    DEFEND,
    LOW_LIBERTY,
    PATTERN,
    UNIFORM,
    around_last,
    candidates_of,
    corrected,
    informed_point,
)
from gpumcts.playouts.traces import Traced, TracedWhole, traced
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import child_key, key_of
from tests.games.drivers import keys_of
from tests.kernels.drivers import digest
from tests.playouts.drivers import playouts, starts
from tests.reference import go_policy
from tests.reference.go import GoGame

U = np.uint64
GO = {size: compiled(Go(size=size)) for size in (9, 13, 19)}
POLICY = GoPolicy()
PLY = 0x9E3779B97F4A7C15  # what a ply adds to a stream
OFF = GoPolicy(False, False, False, False, False, False, 0)

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def state_of(rows, last="-", before="-", side="b", banned="-"):
    """A position on 9x9 whose lowest rows are the given ones; ``last`` has been played by the other side."""
    lines = [row.ljust(9, ".") for row in rows]
    board = "/".join(["." * 9] * (9 - len(lines)) + lines)
    return contract.parse_position(GO[9], f"{board} {side} 20 0 {banned} {last},{before}")


def views(game, state):
    """Both views of a position, made in plain Python."""
    chains = Chains(*(np.zeros(places(game), dtype) for dtype in (np.uint16, np.uint16, np.uint16, np.uint64)))
    own, opp, _, turn = opened(game, state)
    sides = (opp, own) if turn & SECOND else (own, opp)
    set_up(game, chains, *sides)
    return Floods(), Linked(chains, all_ataris(game, chains, union(own, opp)), turn & SECOND)


def moves_of(game, view, state, stage, policy=POLICY):
    """The moves of a stage as a set of numbers."""
    position = opened(game, state)
    own, opp, banned, turn = position
    empty = empty_points(game, own, opp)
    allowed = difference(difference(empty, banned), own_eyes(game, own, opp, empty))
    local = around_last(view, game, own, opp, empty, last_point(game, turn))
    found, free = (number_of(x) for x in candidates_of(policy, stage, view, game, position, allowed, local))
    moves = set()
    for point in range(game.CELLS):
        if (found & number_of(allowed)) >> point & 1:
            after = liberties_after(view, game, own, opp, empty, U(point), U(2))
            if number_of(after).bit_count() > (0 if free >> point & 1 else 1):
                moves.add(point)
    return moves


def named(state, stage, policy=POLICY):
    """The same by name, from both views."""
    flooded, linked = (moves_of(GO[9], view, state, stage, policy) for view in views(GO[9], state))
    assert flooded == linked
    return {contract.move_text(GO[9], state, point) for point in flooded}


# --------------------------------------------------------------------------------------------------- stages by hand

ALONE = ("..X", ".XO.", "..X")  # White's C2 has the liberty D2


def test_the_last_chain_is_captured():
    state = state_of(ALONE, "C2")
    assert named(state, CAPTURE) == {"D2"}
    assert named(state, CAPTURE, POLICY._replace(capture=False)) == set()
    assert named(state_of(ALONE), CAPTURE) == set(), "it is not known as the last move"
    assert named(state_of(("..X", ".XO.", "..."), "C2"), CAPTURE) == set(), "two liberties"


def test_ko_is_not_taken_back():
    rows = ("..XO", ".XO.O", "..XO")
    assert named(state_of(rows, "C2"), CAPTURE) == {"D2"}
    assert named(state_of(rows, "C2", banned="D2"), CAPTURE) == set()


def test_an_own_chain_in_atari_is_extended():
    state = state_of(("..O", ".OX.", "..O"), "C1")
    assert named(state, DEFEND) == {"D2"}
    assert named(state, DEFEND, POLICY._replace(defend=False)) == set()
    assert named(state_of(("..O", ".OX.", "..O"), "B2"), DEFEND) == {"D2"}


def test_an_own_chain_elsewhere_is_not_defended():
    assert named(state_of(("....O", "..O", ".OX.", "..O"), "E4"), DEFEND) == set()


def test_no_extension_into_self_atari():
    """A1 in atari could go to A2, and would have the one liberty A3 there."""
    assert named(state_of((".O", "XO"), "B1"), DEFEND) == set()
    assert named(state_of(("..", "..", "XO"), "B1"), DEFEND) == {"A2"}


def test_a_chain_around_is_captured_in_defence():
    """C3 is in atari; C2 below it too, by C1."""
    state = state_of(("..O", ".OX.", ".XOX", "...."), "C4")
    assert named(state, DEFEND) == {"D3", "C1"}


def test_low_liberties():
    rows = ("....", "...XOX", "....")
    state = state_of(rows, "E2")
    assert named(state, LOW_LIBERTY) == {"E1", "E3"}
    assert named(state, LOW_LIBERTY, POLICY._replace(low_liberty=False)) == set()
    # On E1 White would have D1 and F1 taken, and E3 left: no gain.
    assert named(state_of(("....", "...XOX", "...X.X"), "E2"), LOW_LIBERTY) == {"E3"}


def test_own_low_liberties():
    """Black's B1 C1 after D1 has B2 and C2."""
    state = state_of(("....", "OXXOO"), "D1")
    assert named(state, LOW_LIBERTY) == {"B2", "C2"}
    # With White around, C2 would bring nothing.
    assert named(state_of(("..O.", "...O", "OXXOO"), "D1"), LOW_LIBERTY) == {"B2"}


def test_patterns_around_the_last_two_moves():
    rows = ("", "", "..XOX", "", "", "")
    state = state_of(rows, "D4")
    assert named(state, PATTERN) >= {"D3", "D5"}
    assert named(state, PATTERN, POLICY._replace(patterns=False)) == set()
    assert named(state_of(rows, "-", "D4"), PATTERN) == named(state, PATTERN)
    assert named(state_of(rows), PATTERN) == set()


def test_any_capture():
    state = state_of(ALONE)
    assert named(state, ANY_CAPTURE) == {"D2"}
    assert named(state, ANY_CAPTURE, POLICY._replace(any_capture=False)) == set()
    assert named(state_of(ALONE, side="w"), ANY_CAPTURE) == set(), "White's own chain"


def test_the_rest_is_what_uniform_playouts_draw():
    state = state_of((".XXX", "OX.X", "OXXX"), side="b")  # C2 is an eye
    weights = [contract.move_weight(GO[9], state, p) for p in range(81) if number_of(empty_of(state)) >> p & 1]
    assert len(named(state, UNIFORM)) == sum(weights) and "C2" not in named(state, UNIFORM)


def empty_of(state):
    position = opened(GO[9], state)
    return empty_points(GO[9], position.own, position.opp)


def replaced(state, name):
    """The point that the correction puts in place of one, from both views."""
    game, position = GO[9], opened(GO[9], state)
    own, opp, point = position.own, position.opp, U(contract.parse_move(game, state, name))
    found = set()
    for view in views(game, state):
        after = liberties_after(view, game, own, opp, empty_of(state), point, U(2))
        there = corrected(view, game, position, difference(empty_of(state), position.banned), point, after)
        found.add(contract.move_text(game, state, there))
    (name,) = found
    return name


def test_a_self_atari_is_moved():
    """Black on A1 would have the liberty A2 alone; on A2 he has three."""
    assert replaced(state_of(("", "", ".O")), "A1") == "A2"
    assert replaced(state_of(("O", ".O", ".O")), "A1") == "A1", "A2 is no better"
    assert replaced(state_of(("", "", "")), "A1") == "A1", "no self-atari"
    assert replaced(state_of(("XO", ".XO", "..O")), "B1") == "B1", "A1, and A2 of the chain that it joins"


def test_mercy():
    """From 24.3 stones on, both pass; the board is scored as it stands."""
    game, rows = GO[9], ["XXXXXXXXX", ".........", "XXXXXXXXX", "........."]
    stream = key_of(1)
    for more, passes in (("XXXXXX", False), ("XXXXXXX", True)):
        for side in "bw":
            state = state_of([more, "", *rows], side=side)
            point = informed_point(POLICY, Floods(), game, opened(game, state), stream)
            assert (point == game.CELLS) == passes
            point = informed_point(POLICY._replace(mercy=0), Floods(), game, opened(game, state), stream)
            assert point != game.CELLS


@pytest.mark.parametrize("game", ["othello", "amazons"])
def test_other_games_are_refused(game):
    from gpumcts.options import option

    with pytest.raises(BadInput, match=f"playout=go is not for game={game}"):
        CpuPlayouts(option("game", game)(), POLICY)
    check_policy(POLICY, Go())


# ---------------------------------------------------------------------------------------------------------- patterns


def grid_of(signs):
    """A grid of the reference from the eight signs of a code, which begin with the lowest row."""
    a, b, c, d, e, f, g, h = signs
    return [[f, g, h], [d, ".", e], [a, b, c]]


def code_of(signs):
    """The code of eight signs, X being the player to move."""
    bits = [({"X": 1, "O": 2, ".": 0, "#": 3}[sign], k) for k, sign in enumerate(signs)]
    return sum((bit & 1) << k | (bit >> 1) << 8 + k for bit, k in bits)


EDGES = ["###.....", "#..#.#..", "..#.#..#", ".....###"]  # below, left, right, above


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.slow)])
def test_patterns_of_the_middle(step):
    found = matching()
    for signs in itertools.islice(itertools.product(".XO", repeat=8), 0, None, step):
        assert (code_of(signs) in found) == go_policy.matches(grid_of(signs), "X"), signs


@pytest.mark.parametrize("edge", EDGES)
def test_patterns_of_the_edge(edge):
    count = 0
    for signs in itertools.product(".XO", repeat=5):
        left = iter(signs)
        around = [sign if sign == "#" else next(left) for sign in edge]
        expected = go_policy.matches(grid_of(around), "X")
        assert (code_of(around) in matching()) == expected, around
        count += expected
    assert 0 < count < 243


def test_no_pattern_in_a_corner():
    for signs in itertools.product(".XO", repeat=3):
        a, b, c = signs
        assert code_of(["#", "#", "#", "#", a, "#", b, c]) not in matching()


def test_colours_change_sides():
    """What X to move matches, O matches with the colours changed."""
    swap = str.maketrans("XO", "OX")
    for signs in itertools.islice(itertools.product(".XO", repeat=8), 0, None, 97):
        other = "".join(signs).translate(swap)
        assert go_policy.matches(grid_of(signs), "X") == go_policy.matches(grid_of(other), "O")


# ---------------------------------------------------------------------------------------------------- whole playouts


def compare_with_reference(size, count, sets_at=0):
    """Playouts move by move against the reference: draws and moves; at some plies all stages' sets in both views."""
    game, keys = GO[size], keys_of(40, size, count=count)
    theirs, states = [GoGame(size, superko=False) for _ in keys], starts(game, count)
    step, stages_seen, ply = POLICY._replace(truncate=1), np.zeros(6, int), 0
    going = np.arange(count)
    while len(going):
        with np.errstate(over="ignore"):
            streams = keys[going] + U(ply * PLY % 2**64)
        after, _ = playouts(game, step, states[going], streams)
        for row, g in zip(after, going, strict=True):
            before, now = (contract.unpack(game, words, 0, 1) for words in (states[g], row))
            last, earlier = (
                point_of(points) for points in (last_point(game, before.turn), point_before(game, before.turn))
            )
            if sets_at and ply % sets_at == g % sets_at:
                found = go_policy.stages(theirs[g], last, earlier)
                for view in views(game, before):
                    assert [moves_of(game, view, before, stage) for stage in range(6)] == found
                stages_seen += [bool(moves) for moves in found]
            played = point_of(last_point(game, now.turn))
            move = go_policy.chosen(theirs[g], last, earlier, int(keys[g]), ply)
            assert move == (game.CELLS if played is None else played)
            theirs[g].play(move)
            states[g] = row
        going = np.array([g for g in going if not theirs[g].over()], int)
        ply += 1
    return stages_seen


def point_of(points):
    """The point of a set of one; None of none."""
    return number_of(points).bit_length() - 1 if points != NO_POINTS else None


def test_against_the_reference():
    assert compare_with_reference(9, 6, sets_at=60)[-1] > 0


@pytest.mark.slow
@pytest.mark.parametrize("size, count, sets_at", [(9, 60, 3), (13, 4, 10), (19, 2, 20)])
def test_more_against_the_reference(size, count, sets_at):
    assert (compare_with_reference(size, count, sets_at) > 0).all()


def compare_whole_playouts(size, policy, count=300):
    """Whole playouts with chains from the middle of games on, against ply by ply."""
    game, keys = GO[size], keys_of(41, size, count=count)
    assert has_whole_playout(policy, game) and has_traced_playout(policy, game)
    cut = (np.arange(count) * 7) % 90
    states = starts(game, count)
    for plies in np.unique(cut)[1:]:
        some = cut == plies
        states[some], _ = playouts(
            game, POLICY._replace(truncate=int(plies)), states[some], keys_of(42, count=some.sum())
        )
    with np.errstate(over="ignore"):
        found = playouts(game, policy, states, np.array([child_key(key, U(0)) for key in keys], U))[1]
    scores, plies = found[:, 0], found[:, 1] - found[:, 2]
    expected = TallyColumns(scores, (scores > 0).astype(int), (scores == 0).astype(int), plies)
    assert len(np.unique(scores)) > 1
    assert digest(CpuPlayouts(game, policy).tally(states, keys)) == digest(expected)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [POLICY, POLICY._replace(truncate=5), POLICY._replace(mercy=0, correction=False)])
def test_whole_playouts_are_those_ply_by_ply(policy):
    compare_whole_playouts(9, policy)


@pytest.mark.slow
@pytest.mark.parametrize("size", [13, 19])
def test_whole_playouts_of_other_sizes(size):
    compare_whole_playouts(size, POLICY)


@pytest.mark.slow
def test_traces_are_those_ply_by_ply():
    whole = traced(GO[9], POLICY)
    assert isinstance(whole, TracedWhole)
    states = np.zeros((50, whole.WORDS), U)  # of a traced game a state ends in its trace
    states[:, : GO[9].WORDS] = starts(GO[9], 50)
    batch = states, keys_of(44, count=50), 3
    by_steps = CpuPlayouts(Traced(GO[9], whole.nothing), POLICY).columns(*batch)
    assert np.array_equal(CpuPlayouts(whole, POLICY).columns(*batch), by_steps)


@pytest.mark.slow
def test_without_stages_it_is_the_uniform_policy():
    keys = keys_of(43, count=100)
    ours, theirs = (CpuPlayouts(GO[9], policy).tally(starts(GO[9], 100), keys, 5) for policy in (OFF, Uniform()))
    assert digest(ours) == digest(theirs)
