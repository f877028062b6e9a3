"""What the tests of trees share: positions to search, searches, and a forest compared with the reference tree."""

import functools
from typing import Any

import numpy as np

from gpumcts import options
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.go import Go
from gpumcts.games.havannah import Havannah
from gpumcts.games.othello import PASS, Othello
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.tree.backup.contract import value
from gpumcts.tree.forest import ROOT, UNSETTLED, Forest
from gpumcts.tree.search import Searcher, TreeSearchResult
from gpumcts.tree.selection import contract as selection
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import DRAW, LOSS, WIN
from tests.reference.nodes import Node
from tests.reference.playout import legal_moves, number_below
from tests.reference.rave import RaveUct
from tests.reference.rave import compiled_playouts as compiled_traces
from tests.reference.uct import NearTie, Uct, compiled_playouts

OTHELLO, UNIFORM, UCB1 = Othello(), Uniform(), Ucb1()
HAVANNAH, GO = Havannah(4, swap=True).compiled(), Go().compiled()
GO_MIDDLE = ".OO.O.OX./.XO..O.O./X...X..../.OXXO.OO./XXX..O.OX/......OXX/OXOO...../X.XO.O..O/X...X.X.X b 40 0 -"
GO_END = ".OOOOOOOO/O.OO.OOOX/OOOOOO.OX/XO..OOOOX/.....O.OX/.OOO.OOXX/OOOOOOXXX/OOXO.OX.X/.O.OOOXXX w 101 1 -"
TOY_GAMES = {"dots": DotsAndBoxes(2, 2), "dice": DiceDuel(2), "path": ShortestPath()}
MIN_ITERATIONS = 20  # a comparison of less is none
SAME_VALUE = 1e-12  # how far values may lie apart where the reference does its sums in another order
OPERATORS = options.names("backup")
RULES = options.names("selection")
NEEDY = {"ucb1_tuned": "average_variance", "bast": "bast", "epsilon_greedy": "average_rounds"}
"""Rules that ask more of an operator than a value and counts, and one that has it."""


def operator_of(name: str) -> Any:
    """A backup operator with parameters under which all its branches are taken within a few hundred iterations."""
    small = {
        "accelerated": {"decay": 0.9},
        "accelerated_adaptive": {"least": 5.0, "disagreement": 4.0, "window": 8.0, "root": 0.01},
        "accelerated_root_first": {"decay": 0.9},
        "discounted": {"decay": 0.9},
        "max": {"from_visits": 8},
        "robust_max": {"from_visits": 8},
        "mix": {"mean_weight": 10.0, "growth_from": 20},
        "power_mean": {"exponent": 4.0},
        "bast": {"delta": 0.2, "gamma": 0.7, "nodes": 2.0, "risk": 0.5},
    }
    return options.option("backup", name)(**small.get(name, {}))


def rule_of(name: str) -> Any:
    """A selection rule, with parameters under which all its branches are taken within a few hundred iterations."""
    often = {"epsilon_greedy": {"epsilon": 0.3}, "boltzmann": {"temperature": 0.3}}
    return options.option("selection", name)(**often.get(name, {}))


def fits(operator: str, rule: str) -> bool:
    """Whether the operator has what the rule asks of it."""
    return selection.fits(rule_of(rule), operator_of(operator))


@functools.cache
@np.errstate(over="ignore")
def othello_states() -> tuple[Any, ...]:
    """The start, the middle of a game, a position in which the mover must pass, and one near the end."""
    found: dict[str, Any] = {"start": contract.start(OTHELLO)}
    for game in range(100):
        state, ply = contract.start(OTHELLO), 0
        while moves := legal_moves(OTHELLO, state):
            if ply == 25:
                found.setdefault("middle", state)
            if moves == [PASS] and ply < 57:
                found.setdefault("pass", state)
            if ply == 54 and len(moves) > 2:
                found.setdefault("end", state)
            state = contract.play(OTHELLO, state, moves[number_below(len(moves), game, ply, 0)])
            ply += 1
        if len(found) == 4:
            return tuple(found[name] for name in ("start", "middle", "pass", "end"))
    raise AssertionError("no such positions")


@functools.cache
@np.errstate(over="ignore")
def havannah_states() -> tuple[Any, ...]:
    """The start, the choice whether to take over the first stone, and the middle of a game."""
    first = contract.play(HAVANNAH, contract.start(HAVANNAH), 18)
    middle = first
    for ply in range(12):
        moves = legal_moves(HAVANNAH, middle)
        middle = contract.play(HAVANNAH, middle, moves[number_below(len(moves), 1, ply, 0)])
    assert HAVANNAH.CELLS in legal_moves(HAVANNAH, first) and legal_moves(HAVANNAH, middle)
    return contract.start(HAVANNAH), first, middle


def go_states() -> tuple[Any, ...]:
    """The middle of a random game, and its end, where Black has passed and a pass of White decides it."""
    return tuple(contract.parse_position(GO, text) for text in (GO_MIDDLE, GO_END))


def packed(game: Any, states: Any) -> np.ndarray:
    """States as uint64[T, W]."""
    words = np.zeros((len(states), game.WORDS), np.uint64)
    for row, state in zip(words, states, strict=True):
        contract.pack(game, state, row, 0, 1)
    return words


def keys_for(count: int, seed: int = 1) -> np.ndarray:
    """A key for each of ``count`` trees."""
    return np.array([key_of(seed, game, 0) for game in range(count)], np.uint64)


def searcher_of(
    operator: Any, settings: Settings = Settings(), game: Any = OTHELLO, rule: Any = UCB1, **more: Any
) -> Any:
    """A searcher with uniformly random playouts."""
    return Searcher(game, UNIFORM, rule, operator, settings, **more)


def reference_of(searcher: Searcher, operator: Any = None, play: Any = None) -> Uct:
    """The slow UCT of the same configuration."""
    learns = selection.learns_from_traces(searcher.parts.rule)
    play = play or (compiled_traces if learns else compiled_playouts)(searcher.game, UNIFORM)
    return (RaveUct if learns else Uct)(
        searcher.game, searcher.parts.rule, operator or searcher.parts.operator, searcher.settings, play
    )


def assert_same_tree(
    forest: Forest, tree: int, operator: Any, reference: Uct, root: Node, tolerance: float = 0.0
) -> int:
    """A tree's nodes against the reference's: moves, order, visits, proofs, values to ``tolerance``; how many nodes."""
    pending, nodes, proofs = [(ROOT, root)], 0, {None: 0, -1: LOSS, 0: DRAW, 1: WIN}
    reference.operator.forget()
    while pending:
        slot, node = pending.pop()
        nodes += 1
        assert forest.visits[tree, slot] == node.visits
        moves = -len(node.moves) if node.mover == CHANCE else len(node.moves)
        assert forest.move_count[tree, slot] == moves
        first = int(forest.first_child[tree, slot])
        block = list(range(first, first + int(forest.child_count[tree, slot])))
        if isinstance(reference, RaveUct):
            assert_same_rave(forest, tree, block, node)
            block = [child for child in block if forest.visits[tree, child] > 0]
        assert [int(forest.action[tree, child]) for child in block] == [child.move for child in node.children]
        assert (forest.proof[tree, slot] if forest.proof.shape[1] else 0) == proofs[node.proof]
        if slot != ROOT:  # no operator uses the root's own value
            assert abs(value(operator, forest, tree, slot) - reference.operator.value(node)) <= tolerance
        pending += zip(block, node.children, strict=True)
    return nodes


def assert_same_rave(forest: Forest, tree: int, block: list[int], node: Node) -> None:
    """A child for every move of a node with children; those without visits are open, all have the reference's sums."""
    if not block:
        assert not node.children
        return
    assert forest.action[tree, block].tolist() == node.moves
    sums = [node.rave.get(move, (0, 0.0)) for move in node.moves]
    assert forest.columns[tree, block, -2:].tolist() == [[float(n), rewards] for n, rewards in sums]
    unvisited = [child for child in block if forest.visits[tree, child] == 0]
    assert all(forest.move_count[tree, child] == UNSETTLED for child in unvisited)


def searched_by_both(
    searcher: Searcher, state: Any, key: int, iterations: int, play: Any = None
) -> tuple[TreeSearchResult, Uct, Node]:
    """What a searcher found from one state, the reference, and the reference's root.

    Where two scores come within 1e-12 without being equal, both are as they were before that iteration.
    """
    reference = reference_of(searcher, play=play)
    try:
        root = reference.search(state, key, iterations)
    except NearTie as tie:
        assert tie.iterations >= MIN_ITERATIONS
        iterations = tie.iterations
        root = reference.search(state, key, iterations)
    found = searcher.search(packed(searcher.game, [state]), np.array([key], np.uint64), iterations)
    return found, reference, root


def assert_like_reference(
    searcher: Searcher, states: Any, iterations: int, seed: int = 1, tolerance: float = 0.0, play: Any = None
) -> None:
    """Search from each of ``states`` and compare the whole trees, and the moves decided on, with the reference."""
    for state, key in zip(states, keys_for(len(states), seed), strict=True):
        found, reference, root = searched_by_both(searcher, state, int(key), iterations, play)
        assert_same_tree(found.forest, 0, searcher.parts.operator, reference, root, tolerance)
        assert found.decide()[0] == reference.decide(root, int(key))
