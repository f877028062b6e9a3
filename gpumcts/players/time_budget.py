"""Time budgets: a player's rate is measured once, and from then on its budget is a number of iterations.

Iterations are what players count: those of tree search, leaves of alpha-beta, nodes of principal-variation search.

``budget.seconds`` is core time a move. Wall-clock limits would make a game depend on the machine's mood, and a run
could not be resumed or replayed; so the rate is measured before the first game, written to ``rates.json`` in the run's
folder, and binds.
"""

import json
import time
from collections.abc import Callable
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
STAGES = 6  # of a game, in the middle of which the rate is measured
RUNS = 3  # at each stage
SAMPLE_SEED = 0  # of the games whose positions are used
PLAYED_GAMES = 16  # at most, which the player plays against itself for these positions


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


def calibrate(
    game: Any,
    make: Callable[[int], Player],
    seconds: float,
    trees: int = 64,
    measuring_seconds: float = 1.5,
    clock: Callable[[], float] = time.process_time,
) -> Rate:
    """Measure how many iterations a move a player has in ``seconds`` of core time.

    It is run on positions from six stages of games that it plays against itself, with as large a budget as
    ``measuring_seconds`` allow, and the median of three runs counts at each. Games that are played are not as long as
    random ones: in Havannah half as long. Playouts are shorter late in a game, so iterations are cheaper there: what
    ``seconds`` buys follows from the mean time of an iteration over the stages, and a whole game takes ``seconds`` a
    move, the first moves more, the last ones less. A stage whose positions are all solved before any budget is spent
    does not count: it costs less whatever the budget.

    Parameters
    ----------
    game : option value
    make : gives the player with a budget of so many iterations a move
    seconds : core time a move, above 0
    trees : positions a player is asked for at once, as in a match
    measuring_seconds : about half of what all this takes, once the player is compiled
    clock : seconds of core time; the processor time of this process, all threads together. For a player on a device
        take ``time.perf_counter``: its cores do not show in processor time

    Raises BadInput where not even one iteration fits.
    """
    rules = Rules(game)
    positions = _played(rules, trees, None)
    _measure(make(1), positions[0][1], clock)  # compiles, if need be
    enough = measuring_seconds / STAGES / (RUNS + 1)
    games, at_first = min(trees, PLAYED_GAMES), _cost(make, positions[0][1], clock, enough)[0]
    moves = games * _mean_length(positions, trees)
    budget = int(min(measuring_seconds / moves, seconds) / at_first)
    if budget >= 1:
        stages = _stages(_played(rules, games, make(budget)), games, trees)
    else:
        stages = _stages(positions, trees, trees)
    found = [(ply, *_cost(make, states, clock, enough)) for ply, states in stages]
    counting = [(ply, cost) for ply, cost, spent in found if spent] or [(ply, cost) for ply, cost, _ in found]
    plies, costs = [ply for ply, _ in counting], [cost for _, cost in counting]
    cost = float(np.mean(costs))
    iterations = int(seconds / cost)
    if iterations < 1:
        raise BadInput(f"budget.seconds={seconds} is too short: one iteration takes {cost:.2g} s of core time")
    return Rate(seconds, iterations, 1 / cost, plies, [1 / c for c in costs])


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


Positions = list[tuple[int, np.ndarray]]


def _played(rules: Rules, games: int, player: Player | None) -> Positions:
    """(ply, positions uint64[K, W] in which a player moves) of games against itself, of random ones if None."""
    states, numbers = rules.starts(games), np.arange(games)
    keys = np.array([key_of(SAMPLE_SEED, number) for number in range(games)], np.uint64)
    positions: Positions = []
    for ply in range(rules.game.MAX_PLIES + 1):
        counts, movers = rules.describe(states)
        if not counts.any():
            break
        decides = (counts > 0) & (movers != CHANCE)
        if decides.any():
            positions.append((ply, states[decides]))
        on = counts > 0
        states, numbers, decides, keys = states[on], numbers[on], decides[on], keys[on] + PLY_STEP
        moves = rules.random_moves(states, keys)
        if player is not None and decides.any():
            moves[decides] = player.choose(states[decides], keys[decides], numbers[decides])
        states = rules.play(states, moves)
    if player is not None:
        player.forget(np.arange(games))
    return positions


def _mean_length(positions: Positions, games: int) -> float:
    return sum(len(there) for _, there in positions) / games


def _stages(positions: Positions, games: int, trees: int) -> Positions:
    """Those at the stages of games of mean length, as many rows of each as there are trees: some are there twice."""
    mean = _mean_length(positions, games)
    chosen = [positions[i] for i in sorted({int((stage + 0.5) * mean / STAGES) for stage in range(STAGES)})]
    return [(ply, there if games == trees else there[np.arange(trees) % len(there)]) for ply, there in chosen]


def _cost(
    make: Callable[[int], Player], states: np.ndarray, clock: Callable[[], float], enough: float
) -> tuple[float, bool]:
    """Seconds of one iteration of a tree, the median of runs whose budget takes about ``enough`` seconds, and True.

    By the iterations that were made: a search that solves its position ends before its budget does. Where all do, a
    greater budget would take no longer, and the second is False.
    """
    budget, spent = 1, True
    took, made = _measure(make(budget), states, clock)
    while took < enough / 2:
        budget = int(budget * min(max(enough / took if took > 0 else 16, 2), 16))
        before = made
        took, made = _measure(make(budget), states, clock)
        spent = not made == before < budget * len(states)
        if not spent:
            break
    times = [took, *(_measure(make(budget), states, clock)[0] for _ in range(RUNS - 1))]
    return float(np.median(times)) / made, spent


def _measure(player: Player, states: np.ndarray, clock: Callable[[], float]) -> tuple[float, int]:
    """Seconds of a choice in all of ``states``, and the iterations it made."""
    keys = np.array([key_of(SAMPLE_SEED, number) for number in range(len(states))], np.uint64)
    games = np.arange(len(states))
    begin, before = clock(), player.iterations
    player.choose(states, keys, games)
    took, made = clock() - begin, player.iterations - before
    player.forget(games)  # each measurement starts from nothing
    return took, made
