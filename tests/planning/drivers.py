"""What the tests of planning share: small problems, planners, and one query looked into."""

import functools
from typing import Any

import numpy as np

from gpumcts import options
from gpumcts.games.sailing import Sailing
from gpumcts.planning import KIND, study
from gpumcts.planning.contract import PROGRESS, memory
from gpumcts.planning.mdp import Mdp, problem
from gpumcts.planning.queries import Queries, _answer
from gpumcts.planning.sailing import mdp_of
from gpumcts.planning.value_iteration import action_values, optimal_values

PLANNERS = {name: options.option(KIND, name)() for name in options.names(KIND)}
VARIANTS = {
    **PLANNERS,
    "uct, new": options.option(KIND, "uct")(stop="new"),
    "uct, fixed": options.option(KIND, "uct")(exploration=3.0, stop="fixed", depth=4),
    "uct, growing": options.option(KIND, "uct")(stop="growing", depth=1),
    "uct, times depth": options.option(KIND, "uct")(exploration=1.0, times_depth=True),
    "uct, fixed, times depth": options.option(KIND, "uct")(1.0, True, "fixed", 3),
    "artdp, from 0": options.option(KIND, "artdp")(temperature=2.0, initial_values=False),
    "pg_id, boltzmann": options.option(KIND, "pg_id")(explore="boltzmann"),
    "pg_id, uniform": options.option(KIND, "pg_id")(explore="uniform"),
    "pg_id, tolerant": options.option(KIND, "pg_id")(confidence=1.0, spread=0.5, unknown=4.0, tolerance=3.0, longest=6),
}


def chain(discount: float = 1.0) -> Mdp:
    """Four states in a row and a goal. Action 0 goes on for 3; action 1 costs 1 and goes on with 1/2, else stays.

    Action 2 exists in state 0 alone: to the goal for 7. Undiscounted it is best there, action 1 elsewhere: 2 a step.
    """
    states, actions, outcomes = 5, 3, 2
    legal = np.array([0b111, 0b011, 0b011, 0b011, 0], np.uint64)
    costs, successors = np.zeros((states, actions)), np.zeros((states, actions, outcomes), np.int32)
    probabilities = np.zeros((states, actions, outcomes))
    for state in range(4):
        costs[state] = 3.0, 1.0, 7.0
        successors[state] = [state + 1, 0], [state, state + 1], [4, 0]
        probabilities[state] = [1, 0], [0.5, 0.5], [1, 0]
    return problem(legal, costs, successors, probabilities, discount)


class Setting:
    """A problem with its values, perturbed evaluations and random queries."""

    def __init__(self, mdp: Mdp, queries: int, noise: float = 0.1, runs: int = 1, seed: int = 1) -> None:
        self.mdp, self.values = mdp, optimal_values(mdp)
        self.costs = action_values(mdp, self.values)
        self.evaluations = study.perturbed(self.values, noise, seed, runs)
        self.roots = study.random_states(mdp, queries, seed)
        self.runs = np.arange(queries) % runs
        self.keys = study.query_keys(seed, 0, queries)

    def queries(self, planner: Any, threads: int = 1) -> Queries:
        """All of them."""
        return Queries(self.mdp, planner, self.evaluations, self.roots, self.runs, self.keys, threads)

    def errors(self, planner: Any, points: np.ndarray) -> np.ndarray:
        """float64[Q, C]."""
        return study.errors(self.queries(planner).answers(points), self.roots, self.costs, self.values)


@functools.cache
def sea(size: int, queries: int = 50, runs: int = 1) -> Setting:
    """Sailing on a small grid."""
    return Setting(mdp_of(Sailing(size)), queries, runs=runs)


def asked(setting: Setting, planner: Any, query: int, samples: int, room: int = 64) -> tuple[Any, int]:
    """One query in a memory that begins with ``room`` nodes: what the planner remembers at the end, and names."""
    compiled = options.compiled(planner)
    kept, progress = memory(compiled, setting.mdp, room), np.zeros(PROGRESS, np.int64)
    chosen = np.full((len(setting.roots), 1), -1, np.int8)
    queries = setting.evaluations, setting.roots, setting.runs, setting.keys
    while _answer(
        compiled, setting.mdp, *queries, np.array([samples]), chosen, kept, progress, query, query + 1
    ) == query:  # fmt: skip
        kept = setting.queries(planner)._larger(kept)
    return kept, int(chosen[query, 0])
