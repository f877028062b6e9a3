"""Figure 3 of Kocsis et al. 2006, worked out: a child that cannot be stored, and the sudden change of minimax update.

The drawing is lost with the pages; the trees are those of the text. Left (section 2.2): MAX moves in A, to B or to C,
which is worse; A and B are stored, C cannot be. Right (section 2.4): A is MAX with B and C, B is MIN with E and F, F is
MAX with G and H; E and H are worth 1, G is worth 0, and so B is worth 1. Nearly all samples have gone to E when G is
first sampled. Of C the text says that it is the less promising; here it loses, so that equal values leave the bias
alone to decide.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from experiments.papers.published import Worked
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.rng import TIE_STREAM, child_key, draw, key_of
from gpumcts.tree.backup.average import Average
from gpumcts.tree.backup.minimax import Minimax
from gpumcts.tree.forest import ROOT
from gpumcts.tree.hand_tree import HandTree
from gpumcts.tree.iteration.best_child import best_child
from gpumcts.tree.iteration.steps import Method
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.advance import Block, TableSteps, advance
from gpumcts.tree.tables.steps import ASKS, NEW, empty_frontier, empty_paths, pick, walk
from gpumcts.tree.tables.table import REWARD_UNIT, Replacement, empty_table, find, replacement_of, table_index
from gpumcts.tree.time_split import no_ticks

U = np.uint64
A, B, C = range(3)
INDICES = (0, 1, 3)
"""Table indices of A, B and C: in a table of two buckets of one, B and C share a bucket."""
RULE = Ucb1(2**0.5)  # Kocsis et al. 2006, eq. 2
SWITCHES = Settings(expansion="whole_path", ties="first", parent_count="children").compiled(False)
SAMPLES = 100
IN_E, IN_C = 99, 20
"""Samples on the right before G's: of B, all of them through E, and of C."""


class UnstorableChild(NamedTuple):
    """The left tree as a game: one move of MAX, to B, which wins, or to C, which loses."""

    WORDS = 1
    MAX_PLIES = 1
    MAX_MOVES = 2
    PLAYERS = 2
    LANES = False


class State(NamedTuple):
    """node: A, B or C."""

    node: np.uint64


@contract.mover.implements(UnstorableChild)
def tree_mover(game, state):
    return np.int64(state.node != U(A))


@contract.count_moves.implements(UnstorableChild)
def tree_count_moves(game, state):
    return np.int64(2 * (state.node == U(A)))


@contract.nth_move.implements(UnstorableChild)
def tree_nth_move(game, state, k):
    return np.int64(k)


@contract.play.implements(UnstorableChild)
def tree_play(game, state, move):
    return State(U(B + move))


@contract.score.implements(UnstorableChild)
def tree_score(game, state):
    return SCORE_UNIT if state.node == U(B) else -SCORE_UNIT


@contract.unpack.implements(UnstorableChild)
def tree_unpack(game, words, at, stride):
    return State(words[at])


@table_index.implements(UnstorableChild)
def tree_index(game, state):
    return U(INDICES[int(state.node)])


# ------------------------------------------------------------------------------------------------------- the left tree


def left() -> list[Worked]:
    """What A is worth after a hundred samples, B first: C taken for unvisited, and by the document's two remedies."""
    key = key_of(2006)
    random, _ = searched(replacement_of(2, "single"), key)
    above, stored = searched(replacement_of(2, "single", 0.5), key)
    return [
        Worked("A, C taken for unvisited", Fraction(1, SAMPLES), unvisited_forever(), "C is always preferred (2.2)"),
        Worked("A, random where C cannot be stored", share_of_b(key), random, "draws of the 99 samples after B"),
        Worked("A, stored moves above 1/2 preferred", Fraction(1), above, "B alone is (2.2, the alternative)"),
        Worked("C in the table", Fraction(0), stored, "its slot is kept for B: their parents' visits are equal"),
    ]


def unvisited_forever() -> float:
    """A's average where selection takes the child that cannot be stored for one that has not been visited."""
    frontier, paths = empty_frontier(1, 2), empty_paths(1, 1, 1)
    forest, wins = frontier.forest, 0
    forest.move_count[0, ROOT] = 2
    for _ in range(SAMPLES):
        paths.codes[0] = ASKS
        if forest.child_count[0, ROOT] > 0:
            pick(RULE, Average(), forest, SWITCHES, paths.streams, paths.depths, paths.codes)
        if forest.child_count[0, ROOT] > 0 and paths.codes[0] == NEW:
            forest.visits[0, ROOT] += 1
            continue  # C: sampled, lost, and not stored
        wins += 1
        forest.child_count[0, ROOT] = 1
        forest.visits[0, [ROOT, 1]] += 1
        forest.columns[0, 1, 0] += 1.0
    return wins / SAMPLES


def searched(kept: Replacement, key: np.uint64) -> tuple[float, float]:
    """A's average after a search in a table of two entries, and whether C is in it."""
    game, table, frontier, paths = UnstorableChild(), empty_table(1, 2), empty_frontier(1, 2), empty_paths(1, 1, 1)
    roots, keys = np.array([[A]], np.uint64), np.array([key], np.uint64)
    steps, method = TableSteps(walk, pick, None), Method(RULE, Average(), game, None, SWITCHES)
    advance(steps, method, Block(table, frontier, paths), kept, roots, keys, (0, SAMPLES), no_ticks())
    rewards, visits = (int(word) for word in table.roots[0])
    return rewards / REWARD_UNIT / visits, float(find(table, 0, kept, U(INDICES[C])) >= 0)


def share_of_b(key: np.uint64) -> Fraction:
    """The share of the samples that goes to B: the first one, and of the others those whose draw says so."""
    ties = child_key(key, TIE_STREAM)
    return Fraction(1 + sum(draw(child_key(ties, U(n)), 0, 2) == U(0) for n in range(1, SAMPLES)), SAMPLES)


# ------------------------------------------------------------------------------------------------------ the right tree


def right() -> list[Worked]:
    """What B is worth before and after the sample of G, and who is sampled then."""
    rows = []
    for operator, after, waiting, with_h in (
        (Average(), Fraction(IN_E, IN_E + 1), 0, Fraction(IN_E + 1, IN_E + 2)),
        (Minimax(), Fraction(0), IN_E + 1 - IN_C, Fraction(1)),
    ):
        name, tree = type(operator).__name__.lower(), HandTree(operator, 2)
        for line, won, samples in (("BE", 1, IN_E), ("C", 0, IN_C)):
            for _ in range(samples):
                tree.playouts(line, won)
        rows.append(Worked(f"B before G is sampled, {name}", Fraction(1), tree.value("B"), "printed, section 2.4"))
        tree.playouts("BFG", 0)
        source = "printed, section 2.4" if after == 0 else f"{IN_E} of {IN_E + 1} won"
        rows.append(Worked(f"B after G is sampled, {name}", after, tree.value("B"), source))
        samples = 0
        while (line := next_sample(tree)) == "C":
            tree.playouts(line, 0)
            samples += 1
        source = "as many as of B, less those before (2.4)" if waiting else "B goes on"
        rows.append(Worked(f"samples of C until B is sampled again, {name}", Fraction(waiting), float(samples), source))
        rows.append(Worked(f"then H comes next, {name}", Fraction(1), float(line == "BFH"), "printed, section 2.4"))
        tree.playouts("BFH", 1)
        rows.append(Worked(f"B after H is sampled, {name}", with_h, tree.value("B"), "its value is 1"))
    return rows


def next_sample(tree: HandTree) -> str:
    """The moves that UCT makes next: by the rule, and H where F has not seen it."""
    node, line, forest = ROOT, "", tree.forest
    while forest.child_count[0, node] > 0:
        if forest.child_count[0, node] < forest.move_count[0, node]:
            return f"{line}H"
        node = int(best_child(RULE, tree.operator, forest, SWITCHES, 0, node, len(line), U(0))[0])
        line += chr(forest.action[0, node])
    return line


def fig3() -> list[Worked]:
    """Both trees of Figure 3."""
    with np.errstate(over="ignore"):
        return left() + right()
