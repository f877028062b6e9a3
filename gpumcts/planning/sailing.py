"""Sailing as a Markov decision problem, from the rules of the game itself (Kocsis and Szepesvári 2006, section 3.2)."""

import math
from typing import Any

import numpy as np

from gpumcts.games.sailing import DIRECTIONS, TENTHS, Sailing, arrival, at_goal, leg, legs, wind_weight
from gpumcts.jit import entry
from gpumcts.planning.mdp import Mdp, problem

U = np.uint64
TACKS = 3
OUTCOMES = 3  # the wind turns back, stays, or turns on


def number_of(game: Sailing, x: Any, y: Any, wind: Any, tack: Any) -> Any:
    """The number of a state: by row from the south, column from the west, wind, tack; arrays or integers."""
    return ((y * game.size + x) * DIRECTIONS + wind) * TACKS + tack


@entry
def _fill(game, actions, costs, successors, probabilities):
    n = game.size
    for state in range(actions.shape[0]):
        square, tack, wind = state // (TACKS * DIRECTIONS), U(state % TACKS), U(state // TACKS % DIRECTIONS)
        x, y = U(square % n), U(square // n)
        if at_goal(game, x, y):
            continue
        actions[state] = legs(game, x, y, wind)
        for direction in range(DIRECTIONS):
            if not (actions[state] >> U(direction)) & U(1):
                continue
            paid, new = leg(game, wind, tack, U(direction))
            costs[state, direction] = np.float64(paid & U(0xFFFFFFFF)) + np.float64(paid >> U(32)) * math.sqrt(2.0)
            to_x, to_y = arrival(x, y, U(direction))
            for k in range(OUTCOMES):
                next_wind = (wind + U(7) + U(k)) & U(7)
                number = (np.int64(to_y * U(n) + to_x) * DIRECTIONS + np.int64(next_wind)) * TACKS + np.int64(new)
                successors[state, direction, k] = number
                probabilities[state, direction, k] = np.float64(wind_weight(wind, next_wind)) / TENTHS


def mdp_of(game: Sailing, discount: float = 1.0) -> Mdp:
    """The problem of ``game``: 24 n^2 states (``number_of``), legs as actions, 3 outcomes each; without ``patience``.

    A voyage has no limit here. Costs are float64.
    """
    states = game.size**2 * DIRECTIONS * TACKS
    actions, costs = np.zeros(states, np.uint64), np.zeros((states, DIRECTIONS))
    successors = np.zeros((states, DIRECTIONS, OUTCOMES), np.int32)
    probabilities = np.zeros((states, DIRECTIONS, OUTCOMES))
    _fill(game, actions, costs, successors, probabilities)
    return problem(actions, costs, successors, probabilities, discount)
