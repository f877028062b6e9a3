"""The model of a warp that plays Go: its games are those of the rules, and what it counts is in order."""

import itertools

from benchmarks import go_warp
from gpumcts.games import contract
from gpumcts.games.go.eyes import own_eyes
from gpumcts.games.go.points import number_of, point_set
from gpumcts.games.go.rules import empty_points
from gpumcts.games.go.setup import opened
from tests.games import drivers
from tests.games.drivers import keys_of
from tests.games.go_drivers import GO, U


def test_a_stone_is_judged_as_by_the_rules():
    """Every empty point of random positions: suicide, captures, ko; and which are eyes."""
    game, refused, taken = GO[9], 0, 0
    words, _, plies = drivers.trace(game, keys_of(41, 9, count=1))
    for row in drivers.positions(words, plies)[40:-4:9]:
        state = contract.unpack(game, row, 0, 1)
        own, opp, banned = (number_of(x) for x in opened(game, state)[:3])
        empty = go_warp.BOARD & ~(own | opp)
        sets = opened(game, state)
        assert go_warp.eyes(own, opp, empty) == number_of(
            own_eyes(game, sets.own, sets.opp, empty_points(game, sets.own, sets.opp))
        )
        legal = {contract.nth_move(game, state, k) for k in range(contract.count_moves(game, state))}
        for point in range(go_warp.CELLS):
            stone = number_of(point_set(game, U(point)))
            if stone & empty & ~banned:
                _, after = go_warp.tried(own, opp, empty, stone)
                assert (after is not None) == (point in legal)
                if after is not None:
                    assert after == tuple(number_of(x) for x in opened(game, contract.play(game, state, point))[:3])
                    taken += opp.bit_count() - after[0].bit_count()
                refused += after is None
    assert refused and taken


def test_attempts_save_most():
    whole, threads = go_warp.ply_by_ply(range(32), 120, 0)
    known, more = go_warp.ply_by_ply(range(32), 120, 1)
    assert 1 < threads < more < 32 and go_warp.in_attempts(range(32), 180) < known < whole


def test_draws_of_a_ply():
    """A ply has 1.5 draws on average (docs/performance/go.md)."""
    draws = itertools.islice(go_warp.playouts(1), 20_000)
    plies = sum(draw.made for draw in draws)
    assert 1.3 < 20_000 / plies < 1.7
