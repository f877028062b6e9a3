"""Solved nodes (Sensei's Library; MCTS-Solver of Winands, Björnsson, Saito 2008), worked out from the nodes below."""

from typing import Any

from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, SCORE_UNIT
from tests.reference.nodes import Node
from tests.reference.operator import Operator


def proof_of(game: Any, node: Node) -> int | None:
    """-1, 0 or 1 for the node's owner where the game is over or children settle it; None where nothing is proven."""
    if not node.moves:
        score = int(contract.score(game, node.state))
        if score not in (-SCORE_UNIT, 0, SCORE_UNIT):
            return None
        return score // SCORE_UNIT * (1 if node.owner == 0 else -1)
    if node.mover == CHANCE:
        return None
    proofs = [child.proof for child in node.children]
    if 1 in proofs:
        best = 1
    elif None in proofs or len(proofs) < len(node.moves):
        return None
    else:
        best = max(proofs)
    return best if node.owner == node.chooser else -best


def prove(game: Any, path: list[Node]) -> None:
    """Enter what a visit of the last node of ``path`` has proven, from there up to the root; below chance nothing."""
    if path[-1].moves or any(node.mover == CHANCE for node in path):
        return
    for node in reversed(path):
        if node.proof is None:
            node.proof = proof_of(game, node)
            if node.proof is not None and node.parent is not None:
                node.proven_after = len(node.parent.history)


def playable(children: list[Node], operator: Operator) -> list[Node]:
    """The moves that may be played: all proven wins; else no proven loss, and no draw or what looks worse than one."""
    wins = [child for child in children if child.proof == 1]
    draws = [child for child in children if child.proof == 0]
    unproven = [child for child in children if child.proof is None]
    if draws:
        unproven = [child for child in unproven if operator.value(child) >= 0.5]
    return wins or unproven or draws or children
