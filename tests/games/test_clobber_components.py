"""What combinatorial game theory says of Clobber, against exhaustive search, published values, and laws of sums."""

import itertools

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.clobber import values
from gpumcts.games.clobber.board import Clobber
from gpumcts.games.clobber.values import Clobbered, Values
from gpumcts.games.othello import Othello
from gpumcts.jit import entry
from gpumcts.kernels.batch import Rules
from gpumcts.solver.alpha_beta import solve
from tests.games import drivers

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@entry
def _decided(game, states, found):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        found[s] = contract.decided(game, contract.unpack(game, flat, s * width, 1))


def decided(game, states):
    """What ``decided`` says of states (uint64[S, W]), int64[S]."""
    found = np.zeros(len(states), np.int64)
    _decided(game, states, found)
    return found


def ends_of_games(game, games, most):
    """The states of random games from ``most`` plies before the end, and how many plies were left, each state once."""
    words, _, plies = drivers.trace(game, drivers.keys_of(31, count=games))
    states, left = drivers.positions(words, plies), np.concatenate([np.arange(p, -1, -1) for p in plies])
    states, once = np.unique(states[left <= most], axis=0, return_index=True)
    return states, left[left <= most][once]


def assert_right(game, states, least):
    """Every answer is that of exhaustive search; there are ``least`` of either kind."""
    found = decided(game, states)
    known = states[found != 0]
    for_first = np.sign(solve(game, known).score)
    assert (found[found != 0] == np.where(Rules(game).movers(known) == 1, -for_first, for_first)).all()
    assert (found == 1).sum() >= least and (found == -1).sum() >= least


@pytest.mark.parametrize(
    "size, games, most", [pytest.param((4, 4), 400, 12, marks=pytest.mark.slow), ((10, 10), 100, 9)]
)
def test_answers_are_those_of_exhaustive_search(size, games, most):
    game = Clobber(*size).compiled()
    assert_right(game, ends_of_games(game, games, most)[0], 100)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(4, 4), (5, 6), (8, 8), (10, 10), (1, 10)])
def test_many_answers_are_those_of_exhaustive_search(size):
    game = Clobber(*size).compiled()
    assert_right(game, ends_of_games(game, 5000, 10)[0], 20 if size == (1, 10) else 1000)


@pytest.mark.slow
@pytest.mark.parametrize("signs", ["ox.", "oxox..", "oox."])
def test_answers_on_any_board(signs):
    """Boards that no game reaches, of stones thrown at random."""
    game, random = Clobber(4, 5).compiled(), np.random.default_rng(5)
    texts = [
        "/".join("".join(row) for row in random.choice(list(signs), (4, 5))) + f" {mover}"
        for mover in "ox"
        for _ in range(5000)
    ]
    states = np.array([contract.parse_position(game, text) for text in texts], np.uint64)
    assert_right(game, states, 100)


def test_how_often_the_end_of_a_random_game_is_decided():
    """All finished games, and on 8x8 about half of the positions five plies before the end, none at the start."""
    game = Clobber().compiled()
    states, left = ends_of_games(game, 300, 41)
    found = decided(game, states) != 0
    assert found[left == 0].all() and 0.4 < found[left == 5].mean() < 0.7 and not found[left > 25].any()


def test_plain_python_answers_as_compiled_code_does():
    game = Clobber(10, 10).compiled()
    states, _ = ends_of_games(game, 5, 12)
    plain = [contract.decided(game, contract.unpack(game, row, 0, 1)) for row in states]
    assert plain == decided(game, states).tolist() and {-1, 0, 1} == set(plain)


def test_another_game_knows_nothing():
    assert contract.decided(Othello(), contract.start(Othello())) == 0


@pytest.mark.parametrize(
    "board, answer",
    [
        ("ox......../..........", 1),  # *: whoever moves
        ("ox.xo...../..........", -1),  # * + * = 0
        ("oox......./..........", 1),  # up, for the player to move
        ("xxo......./..........", -1),  # down
        ("oox.xxo.../..........", -1),  # up + down = 0
        ("oox.ox..../..........", 1),  # up + * is fuzzy
        ("xxo.ox..../..........", 1),  # so is down + *
        ("oox.oox.ox/..........", 1),  # two ups are above *
        ("xxo.xxo.ox/..........", -1),
        ("o.x.o.x.o./..........", -1),  # no move at all
        ("oxox....../..........", 1),
    ],
)
def test_sums_by_hand(board, answer):
    """The components' values are those of Albert, Grossman, Nowakowski, Wolfe, *An introduction to Clobber* (2005)."""
    game = Clobber(2, 10).compiled()
    assert contract.decided(game, contract.parse_position(game, board + " o")) == answer


def test_order_of_ups_and_stars():
    v = Values()
    star = v.of([0], [0])
    star2 = v.of([0, star], [0, star])
    up = v.of([0], [star])
    double = v.sum(up, up)
    assert v.sum(star, star) == 0 and v.sum(up, v.negative(up)) == 0 and v.sum(star, star2) != 0
    assert v.at_most(0, up) and not v.at_most(up, 0)
    assert not v.at_most(up, star) and not v.at_most(star, up)
    assert v.at_most(star2, up) and v.at_most(star, double) and not v.at_most(double, star)
    assert v.ups_and_stars()[v.sum(double, star)] == (2, 1) and v.ups_and_stars()[0] == (0, 0)


def test_components_and_their_mirror_images():
    """Turned, mirrored, and with the colours exchanged: the same value, and its negative."""
    clobbered = Clobbered()
    for shape, colours in itertools.product(sorted(values.shapes(4)), range(16)):
        stones = [(r, c, bool(colours >> i & 1)) for i, (r, c) in enumerate(shape)]
        value = clobbered.value(stones)
        assert clobbered.value([(c, -r, mine) for r, c, mine in stones]) == value
        assert clobbered.value([(r, -c, mine) for r, c, mine in stones]) == value
        assert clobbered.value([(r, c, not mine) for r, c, mine in stones]) == clobbered.values.negative(value)


def test_the_table_has_every_component():
    """1, 2, 6, 19, 63 and 216 sets of squares, of two colours each and not all of one."""
    assert [len(values.shapes(size)) for size in range(1, 7)] == [1, 2, 6, 19, 63, 216]
    filled = values.table()[values.table() > 0]
    keys = filled & np.uint64((1 << values.KEY_BITS) - 1)
    assert len(filled) == len(np.unique(keys)) == sum(len(values.shapes(n)) * (2**n - 2) for n in range(2, 7))
