"""Synthetic trees and planning on one CPU core: P-game searches, alpha-beta, searches in tables, sailing planners."""

from typing import Any

import numpy as np

from benchmarks.measure import Bench, Contender, Row, compare
from benchmarks.ours import keys
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.games.sailing import Sailing
from gpumcts.options import names, option
from gpumcts.planning import KIND, study
from gpumcts.planning.queries import Queries
from gpumcts.planning.sailing import mdp_of
from gpumcts.planning.value_iteration import optimal_values
from gpumcts.playouts.uniform import Uniform
from gpumcts.solver.alpha_beta import solve
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.search import TableSearcher

GAME = PGame(branching=2, depth=20)
WHOLE_PATH = Settings("whole_path", final="value", parent_count="children")  # as Kocsis et al. 2006 searches them
SEARCHES = {  # selection, backup, settings
    "UCT, whole path": ("depth_decayed", "average", WHOLE_PATH),
    "UCT, whole path, ucb1": ("ucb1", "average", WHOLE_PATH),
    "UCT, node": ("depth_decayed", "average", Settings()),
    "UCT, node, ucb1": ("ucb1", "average", Settings()),
    "MC": ("uniform", "average", Settings("root", final="value")),
    "MMMC, whole path": ("uniform", "minimax", WHOLE_PATH),
}
TREES, ITERATIONS = 64, 4000
TABLE_TREES, ENTRIES = 16, 1 << 16
EXACT = {(2, 20): 800, (8, 8): 200}  # roots by branching and depth
SAILING, STATES, SAMPLES, NOISE = Sailing(size=5), 200, 2000, 0.1


def suite(bench: Bench) -> list[Row]:
    """Iterations, leaves and samples a second; bars that were set stand in ``at``."""
    searches = [_search(what, *parts) for what, parts in SEARCHES.items()]
    rows = compare("trees", "iterations/s", [*searches, _in_a_table()], bench.repeats)
    rows += compare("trees", "leaves/s", [_exact(*shape, roots) for shape, roots in EXACT.items()], bench.repeats)
    return rows + compare("trees", "samples/s", [_planner(name) for name in names(KIND)], bench.repeats)


def _search(what: str, rule: str, operator: str, settings: Settings) -> Contender:
    parts = option("selection", rule)(), option("backup", operator)(), settings
    return _searching(what, Searcher(GAME, Uniform(), *parts), TREES)


def _in_a_table() -> Contender:
    parts = option("selection", "depth_decayed")(), option("backup", "average")(), WHOLE_PATH._replace(table=ENTRIES)
    return _searching(f"UCT, whole path, table of {ENTRIES}", TableSearcher(GAME, Uniform(), *parts), TABLE_TREES)


def _searching(what: str, searcher: Any, trees: int) -> Contender:
    """All trees together, each of an instance of its own; n is iterations of all of them."""
    roots, tree_keys = instances(GAME, range(trees)), keys(trees)
    at = {"trees": trees, "iterations": ITERATIONS, "bar": 1_000_000}
    name = f"P-game B = {GAME.branching}, D = {GAME.depth}, {what}"
    return Contender(name, lambda n: searcher.search(roots, tree_keys, max(2, n // trees)), trees * ITERATIONS, at)


def _exact(branching: int, depth: int, roots: int) -> Contender:
    """Alpha-beta for win, draw or loss; n is leaves, as many roots as have them on average."""
    game = PGame(branching=branching, depth=depth)
    states = instances(game, range(roots))
    leaves = int(solve(game, states).leaves.sum())
    name = f"P-game B = {branching}, D = {depth}, alpha-beta"
    run = lambda n: solve(game, states[: max(1, roots * n // leaves)])  # noqa: E731
    return Contender(name, run, leaves, {"roots": roots, "bar": 20_000_000})


def _planner(name: str) -> Contender:
    """So many queries from random states; n is samples of all of them."""
    mdp = mdp_of(SAILING)
    evaluations = study.perturbed(optimal_values(mdp), NOISE, 1, 1)
    roots, runs = study.random_states(mdp, STATES, 1), np.zeros(STATES, np.int64)
    queries = Queries(mdp, option(KIND, name)(), evaluations, roots, runs, study.query_keys(1, 0, STATES))
    run = lambda n: queries.answers(np.array([max(1, n // STATES)]))  # noqa: E731
    at = {"queries": STATES, "samples": SAMPLES}
    return Contender(f"sailing {SAILING.size} x {SAILING.size}, {name}", run, STATES * SAMPLES, at)
