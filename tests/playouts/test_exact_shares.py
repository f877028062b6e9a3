"""Results and lengths of uniform playouts near the end of a game, against their exact probabilities by enumeration.

Keys are fixed; each case fails right playouts with a probability below 1e-6.
"""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.playout_loop import LANE_COUNT
from gpumcts.playouts.uniform import Uniform
from tests.games import drivers
from tests.kernels.drivers import keys_for
from tests.playouts.drivers import GAMES, SLOW_TO_COMPILE
from tests.reference.playout import legal_moves

PLAYOUTS, MOST_STATES, SURE = 20_000, 400, 1e-6
LEAST_EXPECTED = 5
"""Rarer results count as one."""
PLAYED = ["amazons", "clobber", "connect_four", "dice_duel", "dots_and_boxes", "go", "gomoku", "havannah", "othello"]
ROOK_ENDING = "8/8/8/8/8/1k6/7r/K7 b - - 97 60"  # three plies before the fifty moves are over; mates are among them

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


class TooMany(Exception):
    """There are more states than can be enumerated."""


class Shares:
    """Exact probabilities of (score, plies) of a uniform playout, by all states that follow, at most so many."""

    def __init__(self, game: Any, most: int) -> None:
        self.game, self.most = game, most
        self.known: dict[Any, dict[tuple[int, int], float]] = {}

    def of(self, state: Any) -> dict[tuple[int, int], float]:
        """Those from a state. Raises TooMany."""
        if state not in self.known:
            if len(self.known) >= self.most:
                raise TooMany
            self.known[state] = {}  # takes its place in the count
            self.known[state] = self._found(state)
        return self.known[state]

    def _found(self, state: Any) -> dict[tuple[int, int], float]:
        moves = legal_moves(self.game, state)
        if not moves:
            return {(int(contract.score(self.game, state)), 0): 1.0}
        chance = int(contract.mover(self.game, state)) == CHANCE
        weight = contract.chance_weight if chance else contract.move_weight
        weights = [int(weight(self.game, state, move)) for move in moves]
        found: dict[tuple[int, int], float] = defaultdict(float)
        for move, share in zip(moves, weights, strict=True):
            if share:
                for (score, plies), p in self.of(contract.play(self.game, state, np.int64(move))).items():
                    found[score, plies + 1] += p * share / sum(weights)
        return dict(found)


def near_the_end(game: Any) -> tuple[Any, dict[tuple[int, int], float]]:
    """The earliest state of the longest of some random games that can be enumerated, and its shares."""
    words, _, plies = drivers.trace(game, drivers.keys_of(91, count=200))
    longest, found = int(plies.argmax()), None
    for ply in range(int(plies.max()) - 1, -1, -1):
        state = contract.unpack(game, words[longest, ply], 0, 1)
        try:
            found = state, Shares(game, MOST_STATES).of(state)
        except TooMany:
            break
    assert found is not None
    return found


def compare(game: Any, state: Any, shares: dict[tuple[int, int], float], lanes: int) -> None:
    """Playouts from a state against the shares."""
    assert sum(shares.values()) == pytest.approx(1) and len(shares) > 1
    states = np.broadcast_to(np.array(state, np.uint64), (PLAYOUTS, len(state)))
    columns = CpuPlayouts(game, Uniform(), lanes=lanes).columns(states, keys_for(PLAYOUTS, 92))
    results, counts = np.unique(columns[:, [0, 3]], axis=0, return_counts=True)
    found = dict(zip(map(tuple, results.tolist()), counts.tolist(), strict=True))
    assert set(found) <= set(shares)
    often = [result for result, p in shares.items() if p * PLAYOUTS >= LEAST_EXPECTED]
    expected = [shares[result] * PLAYOUTS for result in often]
    observed = [found.get(result, 0) for result in often]
    if PLAYOUTS - sum(expected) >= LEAST_EXPECTED:
        expected, observed = [*expected, PLAYOUTS - sum(expected)], [*observed, PLAYOUTS - sum(observed)]
    expected = np.array(expected) * (sum(observed) / sum(expected))
    assert chisquare(observed, expected).pvalue > SURE, (often, observed, expected)


@pytest.mark.parametrize("lanes", [1, pytest.param(LANE_COUNT, id="lanes")])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW_TO_COMPILE else []) for name in PLAYED]
)
def test_results_and_lengths(name, lanes):
    compare(GAMES[name], *near_the_end(GAMES[name]), lanes)


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, pytest.param(LANE_COUNT, id="lanes")])
def test_mates_before_fifty_moves_are_over(lanes):
    game = GAMES["chess"]
    state = contract.parse_position(game, ROOK_ENDING)
    compare(game, state, Shares(game, 5000).of(state), lanes)
