"""Time budgets: a player's rate is measured once, and from then on its budget is a number of iterations.

Iterations are what players count: those of tree search, leaves of alpha-beta, nodes of principal-variation search.

``budget.seconds`` is core time a move. Wall-clock limits would make a game depend on the machine's mood, and a run
could not be resumed or replayed; so the rate is measured before the first game, written to ``rates.json`` in the run's
folder, and binds.
"""

import itertools
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.batch import Rules
from gpumcts.players.contract import Player
from gpumcts.rng import PLY_STEP, key_of
from gpumcts.whole_files import write_first

RATES = "rates.json"
STAGES = 6  # of a game, in each of which the rate is measured
RUNS = 3  # at each stage
SAMPLE_SEED = 0  # of the games whose positions are used
PLAYED_GAMES = 16  # at most, that are played for these positions; an even number: each side begins half of them
MIN_PLAYED_GAMES = 2
MAX_SHORTENED = 2  # times that the seconds of a move are cut in these games, before the games become fewer
PLAYING = (1, 6)  # times the measuring seconds that the games may take: by a first guess, and by what that came to
MIN_ROWS, MAX_ROWS = 4, 64  # positions of a stage, where fewer are searched together


class Rate(NamedTuple):
    """What a time budget comes to.

    seconds : the budget, core time a move; iterations : what it buys, a move
    iterations_per_second : of core time; the harmonic mean over the stages of a game, so that a game costs what it
        should
    plies : of the stages that count; by_ply : iterations per second of core time there
    """

    seconds: float
    iterations: int
    iterations_per_second: float
    plies: list[int]
    by_ply: list[float]


class TimedPlayer(NamedTuple):
    """A player with a budget in seconds.

    make : gives the player with a budget of so many iterations a move
    seconds : core time a move, above 0
    clock : seconds of core time; the processor time of this process, all threads together. For a player on a device
        take ``time.perf_counter``: its cores do not show in processor time
    trees : positions that it is asked for at once, as in a match: more are cheaper, where they share lanes
    stop : where it is set, the measurement ends by KeyboardInterrupt
    """

    make: Callable[[int], Player]
    seconds: float
    clock: Callable[[], float] = time.process_time
    trees: int = 64
    stop: threading.Event | None = None


def calibrate(
    game: Any,
    make: Callable[[int], Player],
    seconds: float,
    trees: int = 64,
    measuring_seconds: float = 1.5,
    clock: Callable[[], float] = time.process_time,
) -> Rate:
    """The rate of a player in games against itself, by ``calibrate_all``; the other arguments are of ``TimedPlayer``.

    Raises BadInput where not even one iteration fits.
    """
    (rate,) = calibrate_all(game, [TimedPlayer(make, seconds, clock, trees)], measuring_seconds)
    check_rate(rate)
    return rate


def calibrate_all(game: Any, players: Sequence[TimedPlayer], measuring_seconds: float = 1.5) -> list[Rate]:
    """Measure how many iterations a move players have in their core time, in the games that they play.

    One player plays against itself, two against each other: who wins early has no late positions, where iterations are
    cheap. The games are played twice, the second time with the budgets that the first ones came to, both as large as
    the time for them allows.

    Each player is run on positions from six stages of these games in which it is to move, and the median of three runs
    counts at each. Games that are played are not as long as random ones: in Havannah half as long. Playouts are shorter
    late in a game, so iterations are cheaper there: what ``seconds`` buys follows from the mean time of an iteration
    over the stages, and a whole game takes ``seconds`` a move, the first moves more, the last ones less. A stage whose
    positions are all solved before any budget is spent does not count: it costs less whatever the budget.

    Parameters
    ----------
    game : option value
    players : one, or the two of a match
    measuring_seconds : about what the runs take for each player, once it is compiled; the games take seven times as
        much at most

    Returns a rate for each; those of less than one iteration a move are for ``check_rate`` to refuse.
    """
    rules, enough, stop = Rules(game), measuring_seconds / STAGES / (RUNS + 1), players[0].stop
    played = _played(rules, PLAYED_GAMES, ())
    length, rates = len(played[0].plies) / PLAYED_GAMES, []
    first = np.flatnonzero(played[0].plies == played[0].plies[0])
    for player in players:
        starts = [(int(played[0].plies[0]), played[0].states[_spread(first, player.trees)])]
        _measure(player.make(1), starts[0][1], player)  # compiles, if need be
        rates.append(_rate(player, starts, enough, 1, None))
    for times, runs in zip(PLAYING, (1, RUNS), strict=True):
        games, budgets = _affordable(players, rates, times * measuring_seconds, length)
        if min(budgets) >= 1:
            made = [player.make(budget) for player, budget in zip(players, budgets, strict=True)]
            played = _played(rules, games, made, stop)
            length = sum(len(positions.plies) for positions in played) / games
        own = itertools.cycle(played)  # random games are both players'
        rates = [
            _rate(player, _stages(next(own), _rows(player, enough)), enough, runs, rate)
            for player, rate in zip(players, rates, strict=True)
        ]
    return rates


def check_rate(rate: Rate, fewest: int = 1, counted: str = "iterations") -> None:
    """Raise BadInput where ``fewest`` iterations, or what is ``counted``, do not fit; a move takes at least those."""
    if rate.iterations < fewest:
        cost, least = 1 / rate.iterations_per_second, f", and a move {fewest} {counted}" if fewest > 1 else ""
        one = {"leaves": "leaf"}.get(counted, counted.removesuffix("s"))
        raise BadInput(f"budget.seconds={rate.seconds} is too short: one {one} takes {cost:.2g} s of core time{least}")


def bound_rates(folder: Path, measure: Callable[[], dict[str, Rate]]) -> dict[str, Rate]:
    """The rates that bind in ``folder``, by player: those of its ``rates.json``, or what ``measure`` gives, written
    there.

    Raises BadInput where the file cannot be read, is damaged, or cannot be written.
    """
    path = Path(folder) / RATES
    try:
        if not path.exists():
            measured = {name: rate._asdict() for name, rate in measure().items()}
            path.parent.mkdir(parents=True, exist_ok=True)
            write_first(path, json.dumps(measured, indent=2).encode())
        rates = {name: Rate(**rate) for name, rate in json.loads(path.read_text("utf-8")).items()}
    except BadInput:  # of the measurement: a ValueError, which below means a damaged file
        raise
    except OSError as error:
        raise BadInput(f"{path} cannot be used: {error.strerror}") from error
    except (ValueError, TypeError, AttributeError):
        rates = {}
    if not rates or not all(type(rate.iterations) is int and rate.iterations >= 1 for rate in rates.values()):
        raise BadInput(f"{path} is damaged; start in another folder")
    return rates


def check_stop(stop: threading.Event | None) -> None:
    """Raise KeyboardInterrupt where ``stop`` is set: moves that a player gave since then may be any."""
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt


class _Positions(NamedTuple):
    """Positions in which a player moves, in order of plies.

    plies : int64[K]; states : uint64[K, W]
    """

    plies: np.ndarray
    states: np.ndarray


Stages = list[tuple[int, np.ndarray]]
"""The ply and the positions (uint64[K, W]) of each."""


def _affordable(
    players: Sequence[TimedPlayer], rates: Sequence[Rate], seconds: float, length: float
) -> tuple[int, list[int]]:
    """How many games of ``length`` moves are played in ``seconds``, and the iterations a move of each player.

    All players have the same part of their seconds, so that they are as strong against each other as they will be.
    """
    a_game = length * max(player.seconds for player in players)
    games = int(np.clip(MAX_SHORTENED * seconds / a_game, MIN_PLAYED_GAMES, PLAYED_GAMES)) // 2 * 2
    part = min(seconds / (games * a_game), 1.0)
    return games, [int(part * rate.seconds * rate.iterations_per_second) for rate in rates]


def _played(
    rules: Rules, games: int, players: Sequence[Player], stop: threading.Event | None = None
) -> list[_Positions]:
    """The positions of games against itself, or between two that begin in turns, by player; of random ones for none."""
    states, numbers, sides = rules.starts(games), np.arange(games), max(1, len(players))
    keys = np.array([key_of(SAMPLE_SEED, number) for number in range(games)], np.uint64)
    found: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in range(sides)]
    for ply in range(rules.game.MAX_PLIES + 1):
        counts, movers = rules.describe(states)
        on = counts > 0
        if not on.any():
            break
        states, numbers, movers, keys = states[on], numbers[on], movers[on], keys[on] + PLY_STEP
        moves = rules.random_moves(states, keys)
        for side in range(sides):
            mine = np.flatnonzero((movers != CHANCE) & ((movers + numbers) % sides == side))
            if not len(mine):
                continue
            found[side].append((np.full(len(mine), ply), states[mine]))
            if players:
                moves[mine] = players[side].choose(states[mine], keys[mine], numbers[mine], stop)
                check_stop(stop)
        states = rules.play(states, moves)
    for player in players:
        player.forget(np.arange(games))
    return [_Positions(*(np.concatenate(arrays) for arrays in zip(*own, strict=True))) for own in found]


def _rows(player: TimedPlayer, enough: float) -> int:
    """Positions of a stage: those that are searched together, or several times as many where these are few."""
    return player.trees * -(-int(np.clip(enough / player.seconds, MIN_ROWS, MAX_ROWS)) // player.trees)


def _spread(among: np.ndarray, rows: int) -> np.ndarray:
    """So many of ``among`` (int64[K]), evenly; some several times where there are fewer. int64[rows]."""
    return among[np.arange(rows) * len(among) // rows]


def _stages(positions: _Positions, rows: int) -> Stages:
    """As many moves are in each stage; so many of their positions, spread over it, and the ply of the one midway."""
    parts = [part for part in np.array_split(np.arange(len(positions.plies)), STAGES) if len(part)]
    return [(int(positions.plies[part[len(part) // 2]]), positions.states[_spread(part, rows)]) for part in parts]


def _rate(player: TimedPlayer, stages: Stages, enough: float, runs: int, guess: Rate | None) -> Rate:
    """The rate at these stages; ``guess`` is about what it will be, None for no idea."""
    found = []
    for ply, states in stages:
        budget = max(1, int(enough / len(states) * guess.iterations_per_second)) if guess is not None else 1
        found.append((ply, *_cost(player, states, enough, runs, budget)))
    counting = [(ply, cost) for ply, cost, spent in found if spent] or [(ply, cost) for ply, cost, _ in found]
    plies, costs = [ply for ply, _ in counting], [cost for _, cost in counting]
    cost = float(np.mean(costs))
    return Rate(player.seconds, int(player.seconds / cost), 1 / cost, plies, [1 / c for c in costs])


def _cost(player: TimedPlayer, states: np.ndarray, enough: float, runs: int, budget: int) -> tuple[float, bool]:
    """Seconds of one iteration of a tree, the median of runs whose budget takes about ``enough`` seconds, and True.

    By the iterations that were made: a search that solves its position ends before its budget does. Where all do, a
    greater budget would take no longer, and the second is False.

    budget : iterations of each tree to begin with
    """
    spent = True
    took, made = _measure(player.make(budget), states, player)
    while took < enough / 2:
        budget = int(budget * min(max(enough / took if took > 0 else 16, 2), 16))
        before = made
        took, made = _measure(player.make(budget), states, player)
        spent = not made == before < budget * len(states)
        if not spent:
            break
    times = [took, *(_measure(player.make(budget), states, player)[0] for _ in range(runs - 1))]
    return float(np.median(times)) / made, spent


def _measure(made: Player, states: np.ndarray, player: TimedPlayer) -> tuple[float, int]:
    """Seconds of choices in all of ``states`` by a player that was ``made``, and the iterations it took for them."""
    keys = np.array([key_of(SAMPLE_SEED, number) for number in range(len(states))], np.uint64)
    games = np.arange(len(states))
    begin, before = player.clock(), made.iterations
    for first in range(0, len(states), player.trees):
        some = slice(first, first + player.trees)
        made.choose(states[some], keys[some], games[some], player.stop)
        check_stop(player.stop)
    took, iterations = player.clock() - begin, made.iterations - before
    made.forget(games)  # each measurement starts from nothing
    return took, iterations
