"""Deceptive trees: a losing move that looks good and a winning one that looks bad, until few moves far down are found.

Hashimoto et al. 2012, section 2 and Figure 1, where A -> B loses by its one refutation among three replies, and is won
in two of three playouts all the same, while A -> C wins by one of two moves and is won in every second playout. Here
that structure stands in a uniform tree of ``branching`` moves a node and ``depth`` plies, in which MAX (the first
player) and MIN take turns:

- One move of the root, drawn for the instance, is right, the others are wrong.
- Behind a wrong move every leaf is a win for MAX, unless MIN has found the only move at each of his last ``refutation``
  turns; then it is a loss. So a wrong move loses, and is won in 1 - branching^-refutation of the playouts.
- Behind the right move every leaf is a loss, unless MAX has found the only move at each of his last ``ladder`` turns;
  then it is a win. So the right move wins, and is won in branching^-ladder of the playouts.

The only move of a node is drawn for the instance as well. Where the side that needs only moves has missed one,
``noise`` per cent of the leaves are turned round, from won to lost or from lost to won; no value changes by that.

The value of the root and of its right move is +1, that of its wrong moves -1. ``refutation=1 branching=3`` is B of
Figure 1, ``ladder=1 branching=2`` is C. What decides stands at the last turns, so a deeper tree is refuted later.

Evaluation: what a position looks like, +1 behind a wrong move and -1 behind the right one, until the last turn decides.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT, mover
from gpumcts.games.instances import MOST, PLIES, check_nodes, flag, goes_on, instance_key, instance_of, parsed
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP, child_key, draw

U = np.uint64
KIND = U(3)  # of instance keys
ONLY_MOVE_DRAW = 1  # of a node
NOISE_KEY = 0  # child of the instance's key: draws of one key meet after 65,536 nodes (``rng.PLIES_PER_KEY``)
# State.progress: plies in the low bits, above them whether the root move was wrong and whether an only move was missed.
WRONG, MISSED = 8, 9


class Deceptive(NamedTuple):
    """A deceptive tree.

    branching : moves of every node
    depth : plies of every game
    refutation : only moves that MIN has to find behind a wrong root move, at his last turns
    ladder : only moves that MAX has to find behind the right one, at his last turns
    noise : per cent of the other leaves that are turned round
    instance : which tree; the number of a key
    """

    branching: Annotated[int, Interval(ge=2, le=64)] = 3
    depth: Annotated[int, Interval(ge=3, le=63)] = 8
    refutation: Annotated[int, Interval(ge=1, le=31)] = 1
    ladder: Annotated[int, Interval(ge=1, le=31)] = 1
    noise: Annotated[int, Interval(ge=0, le=99)] = 0
    instance: Annotated[int, Interval(ge=0, le=MOST)] = 0

    PLAYERS = 2
    LANES = True

    @property
    def MAX_PLIES(self) -> int:
        """All games are equally long."""
        return self.depth

    @property
    def MAX_MOVES(self) -> int:
        """All nodes have as many."""
        return self.branching

    def compiled(self) -> "Deceptive":
        """Itself; raises BadInput where there are too few turns or too many nodes."""
        check_nodes(self.branching, self.depth)
        min_turns, max_turns = self.depth // 2, (self.depth - 1) // 2
        if self.refutation > min_turns:
            raise BadInput(
                f"game.refutation={self.refutation}: must be at most {min_turns}, "
                f"MIN's turns with game.depth={self.depth}"
            )
        if self.ladder > max_turns:
            raise BadInput(
                f"game.ladder={self.ladder}: must be at most {max_turns}, MAX's turns after the first with "
                f"game.depth={self.depth}"
            )
        return self


OPTION = Deceptive


@contract.state_of(Deceptive)
class State(NamedTuple):
    """key: of the instance; node: its index, level by level, 0 at the root; progress: plies, and flags above them."""

    key: np.uint64
    node: np.uint64
    progress: np.uint64


@contract.start.implements(Deceptive)
def deceptive_start(game):
    shape = (U(game.branching) << U(6)) | U(game.depth)
    return State(instance_key(KIND, shape, U(game.instance)), U(0), U(0))


@contract.over.implements(Deceptive)
def deceptive_over(game, state):
    return (state.progress & PLIES) == U(game.depth)


@contract.mover.implements(Deceptive)
def deceptive_mover(game, state):
    return np.int64(state.progress & U(1))


@contract.count_moves.implements(Deceptive)
def deceptive_count_moves(game, state):
    return np.int64(game.branching) * np.int64(goes_on(game, state))


@contract.nth_move.implements(Deceptive)
def deceptive_nth_move(game, state, k):
    return np.int64(k)


@contract.next_move.implements(Deceptive)
def deceptive_next_move(game, state, move):
    more = goes_on(game, state) == U(1) and move + 1 < game.branching
    return np.int64(move + 1) if more else np.int64(NO_MOVE)


@contract.move_set.implements(Deceptive)
def deceptive_move_set(game, state):
    return (~U(0) >> U(64 - game.branching)) * goes_on(game, state)


@contract.random_move.implements(Deceptive)
def deceptive_random_move(game, state, stream):
    return np.int64(draw(stream, 0, game.branching))


@inlined
def only_move(game, state):
    """The move that counts at a node where only one does (uint64): at the root, and at the turns that decide."""
    return draw(state.key + state.node * PLY_STEP, ONLY_MOVE_DRAW, game.branching)


@inlined
def decides(game, state):
    """1 (uint64) where the side that needs only moves is at one of its last turns, 0 elsewhere."""
    depth, wrong = state.progress & PLIES, flag(state, WRONG)
    turns_after = (U(game.depth) - U(1) - depth) >> U(1)  # of the same side
    needed = U(game.refutation) if wrong == U(1) else U(game.ladder)
    return U(turns_after < needed) & U((depth & U(1)) == wrong) & U(depth != U(0))


@contract.play.implements(Deceptive)
def deceptive_play(game, state, move):
    goes = goes_on(game, state)
    misses = U(U(move) != only_move(game, state)) & goes
    at_root = U((state.progress & PLIES) == U(0))
    flags = ((misses & at_root) << U(WRONG)) | ((misses & decides(game, state)) << U(MISSED))
    below = state.node * U(game.branching) + U(1) + U(move)
    return State(state.key, below if goes else state.node, (state.progress + goes) | flags)


@inlined
def looks_won(game, state):
    """Whether a position looks won for MAX (uint64): as the line ends after its last turn, before it as most leaves."""
    depth, wrong = state.progress & PLIES, flag(state, WRONG)
    next_turn = depth + ((depth ^ wrong) & U(1))
    on_line = (U(1) ^ flag(state, MISSED)) & U(next_turn >= U(game.depth))
    return wrong ^ on_line


@contract.score.implements(Deceptive)
def deceptive_score(game, state):
    drawn = draw(child_key(state.key, NOISE_KEY) + state.node * PLY_STEP, 0, 100)
    turned = U(drawn < U(game.noise)) & flag(state, MISSED)
    return SCORE_UNIT * (2 * np.int64(looks_won(game, state) ^ turned) - 1)


@contract.evaluation.implements(Deceptive)
def deceptive_evaluation(game, state):
    looks = (2 * np.int64(looks_won(game, state)) - 1) * np.int64((state.progress & PLIES) != U(0))
    return looks * (1 - 2 * mover(game, state))


@contract.evaluation_limit.implements(Deceptive)
def deceptive_evaluation_limit(game):
    return np.int64(1)


@contract.remaining_plies.implements(Deceptive)
def deceptive_remaining_plies(game, state):
    return np.float64(U(game.depth) - (state.progress & PLIES))


# ------------------------------------------------------------------------------------------------------------- text


def path(game: Deceptive, state: State) -> list[int]:
    """The moves from the root to ``state``."""
    moves, node = [], int(state.node)
    while node:
        node, move = divmod(node - 1, game.branching)
        moves.append(move)
    return moves[::-1]


@contract.move_text.implements(Deceptive)
def deceptive_move_text(game, state, move):
    return str(int(move))


@contract.position_text.implements(Deceptive)
def deceptive_position_text(game, state):
    """The number of the instance, and the moves from the root joined by dots, ``-`` at the root: ``7 0.1.1``."""
    number = instance_of(KIND, (game.branching << 6) | game.depth, state.key)
    return f"{number} {'.'.join(map(str, path(game, state))) or '-'}"


@contract.parse_position.implements(Deceptive)
def deceptive_parse_position(game, text):
    return parsed(game, text)


@contract.board_text.implements(Deceptive)
def deceptive_board_text(game, state):
    number, moves = deceptive_position_text(game, state).split()
    plies = int(state.progress & PLIES)
    whose = f"{('MAX', 'MIN')[plies % 2]} to move" if plies < game.depth else "the game is over"
    lines = [f"instance {number}, ply {plies} of {game.depth}: {whose}", f"path {moves}"]
    if plies:
        side, line = ("MIN", "refutation") if flag(state, WRONG) else ("MAX", "ladder")
        missed = "has missed an only move" if flag(state, MISSED) else "has missed no only move"
        lines.append(f"the root move was {'wrong' if side == 'MIN' else 'right'}; {side} {missed} of the {line}")
    return "\n".join(lines)
