"""What every selection rule makes of a node, one child at a time, from the formulas as they are written down."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from gpumcts.tree.deterministic_math import ln_of_count
from tests.reference.nodes import Node
from tests.reference.operator import Operator

NODE_DRAW, CHILD_DRAWS = 2**32, 2**32 + 1  # draws of a ply of the stream of ties


class Choice(NamedTuple):
    """A node whose children are to be chosen among, what it counts as, and its draws: 64 bits by number."""

    operator: Operator
    node: Node
    total: float
    depth: int
    horizon: float
    word: Callable[[int], int]
    selection: int = 0  # how many-th visit of the node this is


def unit(word: int) -> float:
    """The 53 high bits of a word as a number in [0, 1)."""
    return (word >> 11) / 2**53


def ucb1(rule, at, child):
    """Hashimoto et al. 2012, eq. 1; with rewards in [-1, 1] the formula is halved, since values here are in [0, 1]."""
    constant = rule.exploration / 2.0 if rule.lowest_reward == -1 else rule.exploration
    visits = at.operator.count(child) + rule.extra_visits
    return at.operator.shown(child) + constant * math.sqrt(math.log(at.total) / visits)


def sensei(rule, at, child):
    """Sensei's Library: winrate + UCTK sqrt(ln(parent.visits) / (5 child.visits))."""
    return at.operator.shown(child) + rule.uctk * math.sqrt(math.log(at.total) / (5.0 * at.operator.count(child)))


def depth_decayed(rule, at, child):
    """Kocsis et al. 2006, section 2.1: (ln t / s)^((D + d) / (2 D + d)); at least one ply is taken to remain."""
    remaining = max((rule.length or at.horizon) - at.depth, 1.0)
    exponent = (remaining + at.depth) / (2.0 * remaining + at.depth)
    ratio = max(math.log(at.total), 0.0) / at.operator.count(child)
    return at.operator.shown(child) + rule.exploration * ratio**exponent


def ucb1_tuned(rule, at, child):
    """Auer et al. 2002: sqrt(ln n / n_j min(1/4, V_j)), V_j = variance + sqrt(2 ln n / n_j)."""
    ratio = math.log(at.total) / at.operator.count(child)
    return at.operator.shown(child) + math.sqrt(ratio * min(0.25, at.operator.variance(child) + math.sqrt(2.0 * ratio)))


def uniform(rule, at, child):
    """MC of Kocsis et al. 2006, and Kocsis and Szepesvári 2006: any of them."""
    return unit(at.word(CHILD_DRAWS + child.move))


def boltzmann(rule, at, child):
    """Kocsis et al. 2006, section 2.4: p ~ exp(value / temperature), as value / temperature plus Gumbel's noise."""
    u = ((at.word(CHILD_DRAWS + child.move) >> 12) + 0.5) / 2**52
    return at.operator.shown(child) / rule.temperature - math.log(-math.log(u))


def bast(rule, at, child):
    """Coquelin and Munos 2007: the bound."""
    return at.operator.bounds(child)[1] if child.history else 0.0


def epsilon_greedy(rule, at, child):
    """Ramanujan et al. 2010, section 6.2.

    A round while one is due; else the best with probability 1 - epsilon, one of the others with epsilon.
    """
    open_children = [c for c in at.node.children if c.proof is None]
    best = max((at.operator.shown(c) for c in open_children), default=-1.0)
    owed = at.operator.owed(at.node)
    if any(c in owed for c in open_children):
        return 1.0 / at.operator.count(child) if child in owed else 0.0
    if unit(at.word(NODE_DRAW)) >= rule.epsilon:
        return float(at.operator.shown(child) == best)
    return -1.0 if at.operator.shown(child) == best else unit(at.word(CHILD_DRAWS + child.move))


def best_or_random(rule, at, child):
    """The simple rule of Sensei's Library.

    "select the node with the highest winrate 50% of the time and select a random move otherwise".
    """
    if unit(at.word(NODE_DRAW)) >= rule.share:
        return unit(at.word(CHILD_DRAWS + child.move))
    best = max((at.operator.shown(c) for c in at.node.children if c.proof is None), default=-1.0)
    return float(at.operator.shown(child) == best)


class Unvisited(NamedTuple):
    """A move that has not been taken yet."""

    move: int


def rave(rule, at, child):
    """Hashimoto et al. 2012, eq. 8, with Fuego's weight; None where nothing is known of a move.

    The node has RAVE's sums, by move. The bias takes the library's logarithm, in its order: many moves are known
    equally well, and its last bit would decide.
    """
    heeds = rule.ignore_every == 0 or at.selection % rule.ignore_every != 0
    playouts, rewards = at.node.rave.get(child.move, (0, 0.0)) if heeds else (0, 0.0)
    visited = not isinstance(child, Unvisited)
    if not visited and playouts == 0:
        return None
    n = at.operator.observed_count(child) if visited else 0.0
    selected = at.operator.count(child) if visited else 0.0
    weighted = n * at.operator.shown(child) if visited else 0.0
    weight = 0.0
    if playouts > 0:
        weight = playouts / (1.0 / rule.initial + playouts / rule.final)
        weighted += weight * (rewards / playouts)
    squared = rule.exploration * rule.exploration * ln_of_count(at.total)
    return at.operator.mean(weighted, n + weight) + math.sqrt(squared / (selected + 1.0))


RULES = {
    "Bast": bast,
    "BestOrRandom": best_or_random,
    "Boltzmann": boltzmann,
    "DepthDecayed": depth_decayed,
    "EpsilonGreedy": epsilon_greedy,
    "Rave": rave,
    "Sensei": sensei,
    "Ucb1": ucb1,
    "Ucb1Tuned": ucb1_tuned,
    "Uniform": uniform,
}


def tries_unvisited(rule: Any, word: Callable[[int], int], untried: int, moves: int) -> bool:
    """Whether an untried move is tried before any score is looked at; MC draws among all moves, tried or not.

    So does Sensei's Library's simple rule in the share of selections that are not the best move's.
    """
    if type(rule).__name__ == "BestOrRandom":
        return unit(word(NODE_DRAW)) >= 1.0 - (1.0 - rule.share) * (untried / moves)
    return type(rule).__name__ != "Uniform" or (word(NODE_DRAW) >> 32) * moves >> 32 < untried
