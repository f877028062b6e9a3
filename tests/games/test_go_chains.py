"""Eyes and chains of Go against a slow reference."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.go.chains import Chains, last_liberty, one_liberty, place_of, places, point_of, put, set_up
from gpumcts.games.go.eyes import own_eyes
from gpumcts.games.go.points import number_of
from gpumcts.games.go.rules import empty_points
from gpumcts.games.go.setup import opened
from tests.games import drivers
from tests.games.drivers import keys_of
from tests.games.go_drivers import GO, U, board, rows_of, state_of
from tests.reference.go import BLACK, WHITE, GoGame

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


# ------------------------------------------------------------------------------------------------------ eyes and chains


def some_states(size, games=3):
    """States of random games."""
    words, _, plies = drivers.trace(GO[size], keys_of(16, size, count=games))
    return [contract.unpack(GO[size], row, 0, 1) for row in drivers.positions(words, plies)]


def reference_of(game, state):
    """The slow reference in the same position."""
    rows = rows_of(game, state).split("/")
    return GoGame(game.SIZE, False, "".join(reversed(rows)), WHITE if contract.mover(game, state) else BLACK)


@pytest.mark.parametrize("size", [9, pytest.param(19, marks=pytest.mark.slow)])
def test_eyes_are_those_of_the_reference(size):
    found = 0
    for state in some_states(size, 2 if size == 9 else 1)[:: 3 if size == 9 else 40]:
        game, position, theirs = GO[size], opened(GO[size], state), reference_of(GO[size], state)
        eyes = number_of(own_eyes(game, position.own, position.opp, empty_points(game, position.own, position.opp)))
        assert eyes == sum(1 << p for p in range(game.CELLS) if theirs.is_eye(p))
        found += eyes.bit_count()
    assert found > 20


@pytest.mark.parametrize(
    "rows, point, weight",
    [
        (("X", ".X"), "A1", 0),
        (("XO", ".X"), "A1", 1),  # on the rim one stone on the diagonal is too many
        ((".XXX", "OX.X", "OXXX"), "C2", 0),
        ((".XXO", "OX.X", "OXXX"), "C2", 0),
        ((".OXO", "OX.X", "OXXX"), "C2", 1),
    ],
)
def test_what_is_an_eye(rows, point, weight):
    state = state_of(f"{board(*rows)} b")
    assert contract.move_weight(GO[9], state, contract.parse_move(GO[9], state, point)) == weight


def test_a_pass_is_drawn_where_there_is_nothing_else():
    rows = "/".join(["XXXXXXXXX"] * 4 + ["XXXX.XXXX"] + ["XXXXXXXXX"] * 3 + ["XXXXXXX.X"])
    black, white = state_of(rows + " b"), state_of(rows + " w")
    keys = keys_of(17, count=20)
    assert {int(contract.random_move(GO[9], black, key)) for key in keys} == {81}
    assert [contract.move_weight(GO[9], black, m) for m in (7, 40, 81)] == [0, 0, 1]
    assert {int(contract.random_move(GO[9], white, key)) for key in keys} == {81}, "both are suicide"


def chains_of(game, state):
    """The Chains of a position, made in plain Python, and its stones by colour."""
    room, position = places(game), opened(game, state)
    chains = Chains(*(np.zeros(room, dtype) for dtype in (np.uint16, np.uint16, np.uint16, np.uint64)))
    white = contract.mover(game, state) == 1
    black_stones, white_stones = (position.opp, position.own) if white else (position.own, position.opp)
    set_up(game, chains, black_stones, white_stones)
    return chains


@pytest.mark.parametrize("size", [9, pytest.param(19, marks=pytest.mark.slow)])
def test_chains_know_their_liberties(size):
    """Whether a chain is in atari and where its last liberty is, how many stones it has, and which."""
    game, ataris = GO[size], 0
    for state in some_states(size, 1)[5 :: 20 if size == 9 else 150]:
        chains, theirs = chains_of(game, state), reference_of(game, state)
        for p in range(game.CELLS):
            found = int(chains.at[place_of(game, U(p))])
            assert point_of(game, place_of(game, U(p))) == p
            if theirs.board[p] == ".":
                assert found == 0
                continue
            stones, liberties = theirs.chain(theirs.board, p)
            head, colour = divmod(found, 2)
            assert colour == "XO".index(theirs.board[p]) and chains.stones[head] == len(stones)
            assert int(point_of(game, U(head))) in stones
            sums, ring, place = chains.liberties[head], set(), head
            while not ring or place != head:
                ring.add(int(point_of(game, U(place))))
                place = int(chains.following[place])
            assert ring == stones
            assert one_liberty(sums) == (len(liberties) == 1)
            if len(liberties) == 1:
                ataris += 1
                assert int(point_of(game, last_liberty(sums))) in liberties
    assert ataris > 3


def test_stones_put_keep_the_chains():
    """Along a random game the chains are those of the position, whatever was captured and joined."""
    game = GO[9]
    states = some_states(9, 1)
    chains = chains_of(game, states[0])
    for before, state in zip(states, states[1:], strict=False):
        black = [opened(game, s)[contract.mover(game, s)] for s in (before, state)]
        white = [opened(game, s)[1 - contract.mover(game, s)] for s in (before, state)]
        mover = contract.mover(game, before)
        old, new = (number_of(x) for x in (white if mover else black))
        if new == old:
            continue
        done, captured = put(game, chains, U((new ^ old).bit_length() - 1), U(mover))
        lost = number_of((black if mover else white)[0]) ^ number_of((black if mover else white)[1])
        assert done and number_of(captured) == lost
        fresh = chains_of(game, state)
        assert np.array_equal(chains.at & 1, fresh.at & 1) and np.array_equal(chains.at > 1, fresh.at > 1)
        heads = {(int(a) >> 1, int(b) >> 1) for a, b in zip(chains.at, fresh.at, strict=True) if b > 1}
        assert len(heads) == len({a for a, _ in heads}) == len({b for _, b in heads})
        assert all(chains.liberties[a] == fresh.liberties[b] and chains.stones[a] == fresh.stones[b] for a, b in heads)
