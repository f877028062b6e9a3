"""Iterations a second of whole searches, every backup operator, beside another program's."""

from contextlib import ExitStack

from experiments.benchmarks.measure import Bench, Contender, Row, compare
from experiments.benchmarks.ours import keys, uct
from experiments.benchmarks.peers import of_searches
from gpumcts.kernels.batch import Rules
from gpumcts.options import names

TREES, ITERATIONS = 1000, 500


def suite(bench: Bench) -> list[Row]:
    """UCT iterations a second, 1000 trees of 500 iterations from the start of the game."""
    contenders = [_ours(bench, operator) for operator in names("backup")]
    with ExitStack() as stack:
        peers = [stack.enter_context(peer) for peer in of_searches(bench.peers, bench.game, bench.game_name)]
        against = [peer.what for peer in peers] or ["UCT, average"]
        return compare("search", "iterations/s", contenders + peers, bench.repeats, against)


def _ours(bench: Bench, operator: str) -> Contender:
    searcher = uct(bench, operator)
    states, tree_keys = Rules(bench.game).starts(TREES), keys(TREES)

    def run(n: int) -> None:
        trees = max(1, n // ITERATIONS)
        searcher.search(states[:trees], tree_keys[:trees], ITERATIONS)

    return Contender(f"UCT, {operator}", run, TREES * ITERATIONS, {"trees": TREES, "iterations": ITERATIONS})
