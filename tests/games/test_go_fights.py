"""Superko where captures follow captures: nearly full boards against the slow reference, which keeps all positions."""

import random

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.kernels.batch import Rules
from tests.games.go_drivers import GO
from tests.reference.go import BLACK, EMPTY, WHITE, GoGame

PLIES = 60
ALIVE = (4, 6)  # rows in which both sides have an eye

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def fight(size, pick):
    """(text of a position, its state): Black has the left half, White the right one, and the corner is disputed."""
    while True:
        half, rows = size // 2, []
        for row in range(size):
            disputed = 0 if row > 2 else 5 if row == 0 else 4
            rows.append([pick.choice("XXOO.") if c < disputed else "X" if c < half else "O" for c in range(size)])
        for row in ALIVE:
            rows[row][1] = rows[row][size - 2] = EMPTY
        text = "/".join("".join(row) for row in reversed(rows)) + " " + pick.choice("bw")
        try:
            return text, contract.parse_position(GO[size], text)
        except BadInput:  # a chain without liberties
            continue


def moves_of_fight(game, legal, pick):
    """The legal move to play: mostly a capture, never into one of the four eyes, or a pass."""
    eyes = {row * game.size + column for row in ALIVE for column in (1, game.size - 2)}
    points = [p for p in legal[:-1] if p not in eyes]
    captures = [p for p in points if game.after(p)[1]]
    if captures and pick.random() < 0.9:
        return pick.choice(captures)
    return pick.choice(points) if points and pick.random() < 0.9 else legal[-1]


def compare_with_reference(size, seed, games):
    """Legal moves at every ply; how many points superko forbade that simple ko did not."""
    rules, pick, forbidden = Rules(GO[size]), random.Random(seed), 0
    for _ in range(games):
        text, state = fight(size, pick)
        rows, side = text.split()
        theirs = GoGame(size, True, "".join(reversed(rows.split("/"))), BLACK if side == "b" else WHITE)
        row, earlier = rules.words(state), np.zeros((0, GO[size].WORDS), np.uint64)
        for _ in range(PLIES):
            legal = theirs.legal()
            assert rules.legal_moves(row).tolist() == legal, contract.position_text(GO[size], rules.state(row))
            if not legal:
                break
            free = {p for p, sign in enumerate(theirs.board) if sign == EMPTY and p != theirs.ko}
            forbidden += sum(theirs.after(p)[2] for p in free - set(legal))
            move = moves_of_fight(theirs, legal, pick)
            earlier = np.vstack([earlier, row[None]])
            row = rules.with_history(rules.play(row[None], np.array([move]))[0], earlier)
            theirs.play(move)
    return forbidden


def test_superko_in_fights():
    assert compare_with_reference(9, 9, 50) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("size", "games"), [(9, 1500), (13, 800), (19, 500)])
def test_superko_in_more_fights(size, games):
    assert compare_with_reference(size, 1, games) > 5
