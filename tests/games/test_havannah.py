"""Havannah against OpenSpiel, published counts and shares, a search of chains by sets, and positions by hand.

Keys are fixed; the statistical tests fail right rules with a probability below 1e-6.
"""

import numpy as np
import pytest
from numba import njit

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT
from gpumcts.games.havannah.board import AROUND, Havannah, cells_of
from gpumcts.games.havannah.chains import ROWS, fill, put
from gpumcts.games.havannah.rules import WON, WON_AT, State1
from gpumcts.jit import SEPARATE
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.options import compiled
from gpumcts.playouts.contract import choose
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import PLY_STEP, child_key, key_of
from gpumcts.scratch import scratch
from gpumcts.tree.forest import ROOT
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import WIN
from tests.games import drivers
from tests.games.openspiel import follow
from tests.tree.drivers import keys_for, operator_of, searcher_of

BASES = range(4, 11)
GAME = Havannah(4).compiled()
SWAP = Havannah(5, swap=True).compiled()
PERFT = (1, 37, 1332, 46_620, 1_585_080)
PLIES = {4: 27.95, 5: 46.56, 6: 68.7, 7: 93.4, 8: 120.5, 9: 149.3}
SHARES = {5: (0.512, 0.295, 0.193), 8: (0.232, 0.048, 0.720)}  # ended by fork, bridge, ring; about, at 8: see the test
FORK, BRIDGE, RING = 1, 2, 3

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
quick_bases = pytest.mark.parametrize(
    "base", [pytest.param(b, marks=[pytest.mark.slow] if b != 4 else []) for b in BASES]
)


def after(game, state, texts):
    """The state after moves given as text."""
    for text in texts.split():
        state = contract.play(game, state, contract.parse_move(game, state, text))
    return state


def won_by(state):
    """How the game was won: FORK, BRIDGE, RING, or 0."""
    return int(state.turn & WON) >> int(WON_AT)


# ------------------------------------------------------------------------------------------------------- by others


def compare_with_openspiel(game, first, games):
    """Random games move by move; who takes a stone over names its cell there. Chains are kept as sets would say."""
    cells = np.array([r * (2 * game.BASE - 1) + c for r, c in cells_of(game.BASE)])

    def numbers_there(moves, earlier):
        return cells[np.where(moves == game.CELLS, earlier[0], moves) if game.swap and len(earlier) == 1 else moves]

    theirs = f"havannah(board_size={game.BASE},swap={game.swap})"
    words, plies, _ = follow(game, theirs, numbers_there, drivers.keys_of(20, first // 1000, count=games))
    for g in range(games):
        last = contract.unpack(game, words[g, plies[g]], 0, 1)
        assert contract.parse_position(game, contract.position_text(game, last)) == last, "chains by sets say the same"


@quick_bases
def test_move_by_move_against_openspiel(base):
    compare_with_openspiel(Havannah(base).compiled(), 0, 30)


@pytest.mark.slow
def test_taking_over_against_openspiel():
    """Of 62 first moves of the second player one takes over: of 400 games none does with a probability of 0.0015."""
    compare_with_openspiel(SWAP, 7000, 400)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 1000))
@pytest.mark.parametrize("base", BASES)
def test_many_games_move_by_move_against_openspiel(base, first):
    compare_with_openspiel(Havannah(base).compiled(), first, 1000)


@pytest.mark.parametrize("base", [4, 8, 10])
def test_names_of_cells_against_openspiel(base):
    pyspiel = pytest.importorskip("pyspiel")
    game, other = Havannah(base).compiled(), pyspiel.load_game(f"havannah(board_size={base})").new_initial_state()
    ours = [contract.move_text(game, contract.start(game), move) for move in range(game.CELLS)]
    assert ours == [other.action_to_string(action) for action in other.legal_actions()]
    drawn = [line.split() for line in contract.board_text(game, contract.start(game)).splitlines()[:-1]]
    assert drawn == [line.split() for line in str(other).splitlines() if line.strip()]


@pytest.mark.parametrize("depth", range(5))
def test_perft(depth):
    rules = Rules(GAME)
    assert rules.perft(rules.words(contract.start(GAME)), depth) == PERFT[depth]


@pytest.mark.slow
@pytest.mark.parametrize("base", PLIES)
def test_random_games_last_as_others_found(base):
    """Mean plies within five standard errors and half a unit of the last digit given."""
    game, count = Havannah(base).compiled(), 100_000
    keys = drivers.keys_of(21, count=1).repeat(count) + np.arange(count, dtype=np.uint64)
    plies = CpuPlayouts(game, Uniform()).tally(Rules(game).starts(count), keys).plies
    digit = 0.01 if base < 6 else 0.1
    assert abs(plies.mean() - PLIES[base]) < 5 * plies.std() * np.sqrt(1 / count + 1 / 10_000) + digit / 2


@pytest.mark.slow
@pytest.mark.parametrize("base", SHARES)
def test_random_games_end_as_others_found(base):
    """Shares of fork, bridge and ring, in that order, within five standard errors of 20,000 games and of theirs."""
    game, count = Havannah(base).compiled(), 20_000
    words, _, plies = drivers.trace(game, drivers.keys_of(22, count=count))
    turns = words[np.arange(count), plies, -1]
    for way, share in zip((FORK, BRIDGE, RING), SHARES[base], strict=True):
        found = (((turns & WON) >> WON_AT) == way).mean()
        assert abs(found - share) < 5 * np.sqrt(share * (1 - share) * (1 / count + 1 / 10_000)) + 0.0005


@njit(**SEPARATE)
def _won(game, key, games, informed, other):
    """Games that ``informed`` wins of ``other``, the first move alternating."""
    won = 0
    for number in range(games):
        state, stream, ours = contract.start(game), child_key(key, number), number % 2 == 0
        while contract.count_moves(game, state) > 0:
            move = choose(informed, game, state, stream) if ours else choose(other, game, state, stream)
            state, stream, ours = contract.play(game, state, move), stream + PLY_STEP, not ours
        won += (contract.score(game, state) != 0) and not ours
    return won


# --------------------------------------------------------------------------------------------------------- by hand

FIVE = Havannah(5).compiled()
STAR = "e4 e3 d2 d1 d5 c5 b5 a4 f5 g5 h5"  # from the middle to two sides, and towards a corner between two more
SIX, EIGHT = "d4 e4 f5 f6 e6 d5", "d4 e4 f4 g5 g6 f6 e6 d5"  # around e5; around e5 and f5
MADE: dict[str, tuple[str, str, int]] = {
    "a bridge along a side": ("a1 b1 c1 d1", "e1", BRIDGE),
    "a bridge closed in the middle of a side": ("a1 b1 d1 e1", "c1", BRIDGE),
    "a bridge through the middle": ("a1 b2 c3 d4 f6 g7 h8 i9", "e5", BRIDGE),
    "one corner": ("b1 c1 d1", "e1", 0),
    "a fork": (f"{STAR} i6", "e5", FORK),
    "a fork closed on the rim": (f"{STAR} e5", "i6", FORK),
    "corners belong to no side": (f"{STAR} i5", "e5", 0),
    "two sides": (STAR, "e5", 0),
    "fork and bridge count as a fork": ("a4 a5 b5 c5 d5 f5 g5 h5 i5 i6 h4", "e5", FORK),
    "a ring of six about the corner": ("b1 c2 c3 b3 a2", "a1", RING),
    "a ring closed on a side": ("a1 a2 b3 c3 c2", "b1", RING),
    "cells between stones and the rim": ("b1 c2 d2", "d1", 0),
    "a corner cut off": ("a2 b2", "b1", 0),
    "stones apart joined": ("d4 f6", "e5", 0),
    "three arcs joined": ("d4 f5 e6", "e5", 0),
    "five of six": ("d4 e4 f5 f6", "e6", 0),
    "five of six around an own stone": ("d4 e4 f5 f6 e5", "e6", 0),
    "a stone between five": ("d4 e4 f5 f6 e6", "e5", 0),
    **{f"a ring closed on {last}": (SIX.replace(last, ""), last, RING) for last in SIX.split()},
    **{f"a block closed on {last}": (SIX.replace(last, "e5"), last, RING) for last in SIX.split()},
    **{f"a large ring closed on {last}": (EIGHT.replace(last, ""), last, RING) for last in EIGHT.split()},
    **{f"a large block closed on {last}": (EIGHT.replace(last, "e5 f5"), last, RING) for last in ("e4", "f6")},
}


def cell_named(text):
    return int(text[1:]) - 1, ord(text[0]) - ord("a")


def turned(cell, times):
    """A cell of base 5 after turns of the board by 60 degrees."""
    y, x = cell[0] - 4, cell[1] - 4
    for _ in range(times):
        y, x = x, x - y
    return y + 4, x + 4


def position(own, move, player):
    """The text of a position of base 5 in which ``player``, o or x, is to move and has the cells ``own``.

    The stones of the other side stand on cells apart from each other, and not on ``move``.
    """
    apart: list[tuple[int, int]] = []
    for r, c in cells_of(5):
        if (r, c) not in (*own, move) and not {(r + down, c + right) for down, right in AROUND} & {*apart}:
            apart.append((r, c))
    other = apart[-len(own) - (player == "x") :]
    signs = {**dict.fromkeys(own, player), **dict.fromkeys(other, "ox"[player == "o"])}
    rows = ["".join(signs.get(cell, ".") for cell in cells_of(5) if cell[0] == r) for r in range(9)]
    return f"{'/'.join(rows)} {player}"


@njit(**SEPARATE)
def _kept(game, state, move):
    """Whether the move wins by chains that are kept."""
    rows, parent, chain = scratch(ROWS, np.uint64), scratch(256, np.uint16), scratch(256, np.uint32)
    fill(game, state, rows, parent, chain)
    return put(game, rows, parent, chain, np.uint64(contract.mover(game, state)), np.uint64(move))


@pytest.mark.parametrize("own, move, way", MADE.values(), ids=MADE)
def test_what_a_stone_makes(own, move, way):
    """On the board turned in six ways, for both players: by the rules, by chains kept in playouts, and by sets."""
    for times in range(6):
        stones, cell = [turned(cell_named(name), times) for name in own.split()], turned(cell_named(move), times)
        for player in "ox":
            state = contract.parse_position(FIVE, position(stones, cell, player))
            number = cells_of(5).index(cell)
            last = contract.play(FIVE, state, number)
            assert won_by(last) == way
            assert _kept(FIVE, state, number) == (way != 0)
            assert contract.parse_position(FIVE, contract.position_text(FIVE, last)) == last
            if way:
                assert contract.score(FIVE, last) == (SCORE_UNIT if player == "o" else -SCORE_UNIT)
                assert contract.count_moves(FIVE, last) == 0


def test_board_text():
    state = after(GAME, contract.start(GAME), "d4 a1 e4")
    assert contract.board_text(GAME, state).splitlines() == [
        "      a b c d",
        "    1 x . . . e",
        "   2 . . . . . f",
        "  3 . . . . . . g",
        " 4 . . . o o . .",
        "  5 . . . . . .",
        "   6 . . . . .",
        "    7 . . . .",
        "Second player (x) to move",
    ]
    assert contract.position_text(GAME, state) == "x.../...../....../...oo../....../...../.... x"


def test_taking_the_first_stone_over():
    start = contract.start(SWAP)
    state = after(SWAP, start, "c4")
    assert contract.count_moves(SWAP, state) == 61 and contract.nth_move(SWAP, state, 60) == 61 == SWAP.CELLS
    assert contract.next_move(SWAP, state, 60) == 61 and contract.next_move(SWAP, state, 61) == NO_MOVE
    taken = after(SWAP, state, "swap")
    assert contract.position_text(SWAP, taken) == contract.position_text(SWAP, state).replace("o", "x")[:-1] + "o"
    assert contract.count_moves(SWAP, taken) == 60
    for game, moves in ((SWAP, ""), (SWAP, "a1 a2"), (SWAP, "c4 swap"), (SWAP, "c4 swap a1"), (FIVE, "a1")):
        state = after(game, contract.start(game), moves)
        assert contract.next_move(game, state, 60) == NO_MOVE
        with pytest.raises(BadInput, match="only the second player's first move, with game.swap=true"):
            contract.parse_move(game, state, "swap")


def test_a_full_board_is_a_draw():
    """Found among random games; no chain wins by the search with sets."""
    count = 50_000
    keys = drivers.keys_of(24, count=1).repeat(count) + np.arange(count, dtype=np.uint64)
    tally = CpuPlayouts(GAME, Uniform()).tally(Rules(GAME).starts(count), keys)
    draws = np.flatnonzero(tally.draws)
    assert len(draws) > 0 and (tally.plies[draws] == GAME.CELLS).all()
    words, _, plies = drivers.trace(GAME, child_key(keys[draws[:5]], np.uint64(0)))
    for game, length in zip(words, plies, strict=True):
        last = contract.unpack(GAME, game[length], 0, 1)
        assert length == GAME.CELLS and contract.score(GAME, last) == 0 and contract.over(GAME, last)
        assert contract.board_text(GAME, last).endswith("Draw")
        assert contract.parse_position(GAME, contract.position_text(GAME, last)) == last


@pytest.mark.parametrize(
    "text, said",
    [
        ("a1", "x stands on a1"),
        ("e1", "there is no cell e1 on a board of game.base=4"),
        ("a0", "takes a cell, a column and a row, such as c4"),
        ("a", "takes a cell"),
        ("a" + "1" * 5000, "takes a cell"),
        ("a\N{ARABIC-INDIC DIGIT ONE}", "takes a cell"),
        ("swap", "with game.swap=true"),
        ("h8", "there is no cell h8"),
    ],
)
def test_moves_refused(text, said):
    state = after(GAME, contract.start(GAME), "d4 a1")
    with pytest.raises(BadInput, match=said) as refusal:
        contract.parse_move(GAME, state, text)
    assert "\n" not in str(refusal.value)


EMPTY = "..../...../....../......./....../...../...."


@pytest.mark.parametrize(
    "text, said",
    [
        (EMPTY, "takes rows of o, x and . joined by /"),
        (EMPTY[5:] + " o", "6 rows; a board of game.base=4 has 7"),
        ("." + EMPTY + " o", "row '.....', number 1, has 5 cells, not 4 as on game.base=4"),
        ("w" + EMPTY[1:] + " o", "row 'w...' takes o"),
        (EMPTY + " w", "who moves, o or x, not 'w'"),
        (EMPTY + " ox", "who moves, o or x, not 'ox'"),
        (EMPTY + " x", "0 o and 0 x with x to move cannot be"),
        ("o" + EMPTY[1:] + " o", "1 o and 0 x with o to move cannot be"),
        ("oo" + EMPTY[2:] + " x", "2 o and 0 x with x to move cannot be"),
        ("oooo" + EMPTY[4:-10] + "x..../xx.x o", "o, who is to move, has a bridge already"),
    ],
)
def test_positions_refused(text, said):
    with pytest.raises(BadInput, match=said) as refusal:
        contract.parse_position(GAME, text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("base", [2, 3, 11])
def test_other_bases_are_refused(base):
    with pytest.raises(BadInput, match=f"game.base={base}: Havannah is played with 4 to 10 cells a side"):
        Havannah(base).compiled()


def test_the_evaluation_is_for_the_player_to_move():
    """A chain on a side, one on two, one in a corner, and links: each by its weight."""
    game = Havannah(5, side_weight=3, two_sides_weight=50, corner_weight=700, link_weight=10_000).compiled()
    for own, value in (("e5", 0), ("c1", 3), ("a1", 700), ("e5 f6", 10_000), ("a1 b1 b2 a2", 756 + 5 * 10_000)):
        stones = [cell_named(name) for name in own.split()]
        text = "/".join("".join("o" if c in stones else "." for c in cells_of(5) if c[0] == r) for r in range(9))
        first = contract.evaluation(game, unchecked(game, text, 0))
        assert first == value == -contract.evaluation(game, unchecked(game, text, 1))


def unchecked(game, rows, mover):
    """The state of a board with any number of first player's stones."""
    cells = "".join(rows.split("/"))
    word = np.uint64(sum(1 << i for i, sign in enumerate(cells) if sign == "o"))
    return State1(word, np.uint64(0), np.uint64(cells.count("o") << 8 | mover))


@pytest.mark.parametrize("base", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_the_scale_of_the_evaluation_is_what_random_games_reach(base):
    """So that UCT-H tells positions apart (Ramanujan et al. 2010, section 4: largest non-terminal value observed)."""
    game = Havannah(base).compiled()
    words, _, plies = drivers.trace(game, drivers.keys_of(24, count=1000))
    states = drivers.positions(words, plies, ends=False)
    numbers, _, _ = drivers.described(game, states, np.zeros(len(states), np.uint64))
    largest = int(np.abs(numbers[:, 3]).max())
    assert 0.7 * contract.evaluation_limit(game) < largest < 1.1 * contract.evaluation_limit(game)


def test_the_scale_of_the_evaluation_grows_with_the_base():
    """Half of what a chain may be worth, 68 in all, and three links a cell of a side."""
    limits = [contract.evaluation_limit(Havannah(base).compiled()) for base in range(4, 11)]
    assert limits == [80, 83, 86, 89, 92, 95, 98]


@pytest.mark.slow
def test_the_evaluation_informs():
    """MM-1 against random moves."""
    policy, games = compiled(Minimax(depth=1)), 400
    assert _won(FIVE, key_of(23), games, policy, compiled(Uniform())) > 0.8 * games


@pytest.mark.slow
def test_a_win_in_one_is_proven():
    """A search that solves proves the bridge of the next stone, and for the other player the loss that follows."""
    start = contract.parse_position(GAME, "oo.o/...../....../......./....../...../xx.x o")
    states, count = Rules(GAME).words(start)[None].repeat(2, axis=0), 400
    found = searcher_of(operator_of("average"), Settings(solve=True), GAME).search(states, keys_for(2), count)
    for tree, move in enumerate(found.decide()):
        assert found.forest.proof[tree, ROOT] == WIN
        assert contract.move_text(GAME, start, move) == "c1"
