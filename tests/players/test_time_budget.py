"""Time budgets: measured on a player whose cost is known, by a clock that only it moves; the file that binds."""

import json
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.gomoku import Gomoku
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.players import time_budget
from gpumcts.players.time_budget import Rate, TimedPlayer, bound_rates, calibrate, calibrate_all

RULES = Rules(Othello())


class Worker:
    """Plays at random; takes ``cost(empty squares)`` seconds an iteration and position, and a minute for its very first
    choice.
    """

    def __init__(self, cost):
        self.cost, self.now, self.calls = cost, 0.0, 0
        self.asked = set()  # numbers of positions

    def clock(self):
        return self.now

    def make(self, iterations):
        outer = self

        class Player:
            iterations = 0

            def choose(self, states, keys, games, stop=None):
                self.iterations += iterations * len(states)
                outer.calls += 1
                outer.asked.add(len(states))
                outer.now += 60.0 if outer.calls == 1 else 0.0
                empty = 64 - np.bitwise_count(states[:, 0] | states[:, 1])
                outer.now += float(iterations * sum(outer.cost(n) for n in empty.tolist()))
                return RULES.random_moves(states, keys)

            def forget(self, games):
                pass

        return Player()


def test_a_steady_player():
    worker = Worker(lambda empty: 2.0**-10)
    rate = calibrate(Othello(), worker.make, 0.5, trees=8, clock=worker.clock)
    assert rate.iterations == 512
    assert rate.iterations_per_second == pytest.approx(1024)
    assert rate.by_ply == pytest.approx([1024] * time_budget.STAGES)
    assert rate.plies == [5, 15, 25, 35, 45, 55]


def test_a_game_costs_what_it_should_where_late_moves_are_cheap():
    """Cost proportional to the empty squares: 60 moves take 60 budgets, within the 5 % that six stages allow."""
    worker = Worker(lambda empty: empty * 1e-6)
    rate = calibrate(Othello(), worker.make, 0.1, trees=8, clock=worker.clock)
    assert rate.by_ply == sorted(rate.by_ply)
    game = sum(empty * 1e-6 * rate.iterations for empty in range(60, 0, -1))
    assert game == pytest.approx(60 * 0.1, rel=0.05)


def test_the_budget_grows_until_it_can_be_measured():
    worker = Worker(lambda empty: 1e-9)
    calibrate(Othello(), worker.make, 0.1, trees=8, clock=worker.clock, measuring_seconds=1.5)
    assert 1 < worker.now - 60 < 15
    assert worker.calls < 200


def test_searches_that_end_before_their_budget_cost_what_they_do():
    """Ten iterations solve any position; the cost of one is that of those made, and the measurement ends."""
    worker = Worker(lambda empty: 2.0**-20)
    rate = calibrate(Othello(), lambda budget: worker.make(min(budget, 10)), 0.5, trees=8, clock=worker.clock)
    assert rate.iterations == 1 << 19
    assert worker.calls < 200


def test_stages_that_are_solved_do_not_count():
    """Late positions are solved by five iterations, and what a call costs by itself is no cost of iterations."""
    worker = Worker(lambda empty: 2.0**-10)

    def make(budget):
        player = worker.make(budget)
        choose = player.choose

        def solving(states, keys, games, stop=None):
            worker.now += 0.01
            late = (64 - np.bitwise_count(states[:, 0] | states[:, 1])).max() <= 20
            if not late:
                return choose(states, keys, games)
            player.iterations += min(budget, 5) * len(states)
            return RULES.random_moves(states, keys)

        player.choose = solving
        return player

    rate = calibrate(Othello(), make, 0.5, trees=8, clock=worker.clock, measuring_seconds=60)
    assert rate.plies == [5, 15, 25, 35]
    assert rate.iterations == pytest.approx(512, rel=0.05)


def test_games_are_as_long_as_the_player_plays_them():
    """The first player fills a row from the left, the second the last row from the right: five in a row at ply 9."""
    game, asked = Gomoku(size=9), []
    rules = Rules(game)

    class Filler:
        iterations = 0

        def __init__(self, budget):
            self.budget = budget

        def choose(self, states, keys, games, stop=None):
            clock.now += self.budget * len(states) * 2.0**-10
            self.iterations += self.budget * len(states)
            asked.append(len(states))
            ends = {0: 0, 1: -1}  # of the legal moves, by who moves
            return np.array([rules.legal_moves(s)[ends[m]] for s, m in zip(states, rules.movers(states), strict=True)])

        def forget(self, games):
            pass

    clock = SimpleNamespace(now=0.0)
    rate = calibrate(game, Filler, 0.5, trees=20, clock=lambda: clock.now)
    assert rate.plies == [0, 2, 3, 5, 6, 8] and rate.iterations == 512
    assert set(asked) == {2, 4, 20}  # games that are played, and trees that are measured


def test_the_rates_of_two_are_those_of_the_games_between_them():
    """Who fills a row wins soon, so the other one has no late positions, in which its iterations would cost nothing."""
    game, clock = Gomoku(size=9), SimpleNamespace(now=0.0)
    rules = Rules(game)

    class Random:
        iterations, fills = 0, False

        def __init__(self, budget):
            self.budget = budget

        def choose(self, states, keys, games, stop=None):
            late = np.bitwise_count(states).sum(axis=1) > 40
            clock.now += self.budget * float(np.where(late, 2.0**-12, 2.0**-10).sum())
            self.iterations += self.budget * len(states)
            return (
                np.array([rules.legal_moves(s)[0] for s in states]) if self.fills else rules.random_moves(states, keys)
            )

        def forget(self, games):
            pass

    class Filler(Random):
        fills = True

    filler, other = (TimedPlayer(make, 0.5, lambda: clock.now, 8) for make in (Filler, Random))
    alone, (_, rate) = calibrate_all(game, [other])[0], calibrate_all(game, [filler, other])
    assert max(rate.plies) < 20 < 40 < max(alone.plies)
    assert rate.iterations == 512 < alone.iterations


def test_one_tree_at_a_time_is_measured_on_many_games():
    """The length of a single game would decide; positions are searched one by one even so."""
    worker = Worker(lambda empty: 2.0**-20)
    calibrate(Othello(), worker.make, 0.01, trees=1, clock=worker.clock)
    assert {1, time_budget.PLAYED_GAMES} <= worker.asked
    assert worker.calls > time_budget.STAGES * time_budget.RUNS * time_budget.MIN_ROWS


def test_a_player_too_slow_to_play_games_is_measured_on_random_ones():
    worker = Worker(lambda empty: 0.25)
    assert calibrate(Othello(), worker.make, 10.0, trees=2, clock=worker.clock).plies == [5, 15, 25, 35, 45, 55]
    assert worker.calls < 60


def test_a_budget_shorter_than_an_iteration_is_refused():
    worker = Worker(lambda empty: 0.25)
    with pytest.raises(BadInput, match=r"budget.seconds=0.2 is too short: one iteration takes 0.25 s"):
        calibrate(Othello(), worker.make, 0.2, trees=2, clock=worker.clock)


def test_positions_where_players_move_in_a_game_with_chance():
    rules = Rules(DiceDuel())
    (positions,) = time_budget._played(rules, 40, ())
    stages = time_budget._stages(positions, 40)
    assert 1 < len(stages) <= time_budget.STAGES
    for _, states in stages:
        counts, movers = rules.describe(states)
        assert (counts > 0).all()
        assert (movers < 2).all()


RATE = Rate(0.1, 1234, 12340.0, [5, 15], [12000.0, 13000.0])


def test_what_was_measured_first_binds(tmp_path):
    assert bound_rates(tmp_path / "run", lambda: {"player": RATE}) == {"player": RATE}
    assert bound_rates(tmp_path / "run", lambda: pytest.fail("measured again")) == {"player": RATE}
    assert [file.name for file in (tmp_path / "run").iterdir()] == ["rates.json"]


def test_of_two_processes_the_first_to_write_binds(tmp_path):
    def measure():
        bound_rates(tmp_path, lambda: {"player": RATE})  # the other one, while we measure
        return {"player": RATE._replace(iterations=1)}

    assert bound_rates(tmp_path, measure) == {"player": RATE}
    assert [file.name for file in tmp_path.iterdir()] == ["rates.json"]


NO_ITERATIONS = json.dumps({"player": RATE._replace(iterations=0)._asdict()})
NO_COUNT = json.dumps({"player": RATE._replace(iterations=12.5)._asdict()})


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"player": 3}', '{"player": {"iterations": 3}}', NO_ITERATIONS, NO_COUNT]
)
def test_a_damaged_file_is_refused(tmp_path, text):
    (tmp_path / "rates.json").write_text(text)
    with pytest.raises(BadInput, match="rates.json is damaged"):
        bound_rates(tmp_path, lambda: {"player": RATE})


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="rates.json cannot be used: File exists"):
        bound_rates(tmp_path / "file", lambda: {"player": RATE})


@pytest.mark.parametrize("after", [1, 2, 30, 60])
def test_a_measurement_is_stopped(after):
    """In the midst of a stage as in the games that are played."""
    worker, stop = Worker(lambda empty: 2.0**-10), threading.Event()

    def make(iterations):
        player = worker.make(iterations)
        choose = player.choose

        def until(states, keys, games, asked=None):
            assert asked is stop
            if worker.calls + 1 == after:
                stop.set()
            return choose(states, keys, games)

        player.choose = until
        return player

    with pytest.raises(KeyboardInterrupt):
        calibrate_all(Othello(), [TimedPlayer(make, 0.5, worker.clock, 8, stop)])
    assert worker.calls == after
