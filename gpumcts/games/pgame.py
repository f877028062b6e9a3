"""P-game trees: every move has a random value, and the sign of the sum along the path says who has won.

Kocsis et al. 2006, section 3.1, and Kocsis and Szepesvári 2006, section 3.1. A uniform tree of ``branching`` moves a
node and ``depth`` plies, in which MAX (the first player) and MIN take turns. The value of a move is drawn uniformly
from the integers 0 to 127 where MAX moves and from -127 to 0 where MIN does. Where the values along the path add up to
more than 0, MAX has won, below 0 MIN has, and 0 is a draw. With ``plus_minus_one`` every move of either side is worth
+1 or -1 with equal probability; so we read "1 and -1 was used only" (Kocsis et al. 2006, footnote 6), since with +1 for
each of MAX's moves and -1 for each of MIN's all leaves would be equal.

Nothing is stored: the value of a move is draw 0 of the stream ``key of the instance + node * PLY_STEP``, node being the
index of the node that the move leads to as the tree is traversed in preorder (the root is 0; Kocsis et al. 2006 hashes
nodes by it). So a shape is limited only by that its nodes are to have indices of 64 bits.

Evaluation: the sum so far as the mover sees it. The documents' players do not see it (Kocsis and Szepesvári 2006,
footnote 5), and their playouts go to the end; it is here for informed playouts.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.bits import trailing_zeros
from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT
from gpumcts.games.instances import MOST, check_nodes, instance_key, instance_of, nodes, parsed
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP, draw

U = np.uint64
KIND = U(1)  # of instance keys
MAX_VALUE = 127  # of a move of MAX
SUM = 32  # progress: the bit at which the sum begins
PLIES = U((1 << SUM) - 1)
MAX_PACKED = 64  # moves that fit the word of ``move_set``


class PGame(NamedTuple):
    """A P-game tree.

    branching : moves of every node
    depth : plies of every game
    instance : which tree; the number of a key
    plus_minus_one : whether every move is worth +1 or -1
    """

    branching: Annotated[int, Interval(ge=2, le=32_767)] = 2
    depth: Annotated[int, Interval(ge=2, le=63)] = 20
    instance: Annotated[int, Interval(ge=0, le=MOST)] = 0
    plus_minus_one: bool = False

    PLAYERS = 2

    @property
    def MAX_PLIES(self) -> int:
        """All games are equally long."""
        return self.depth

    @property
    def MAX_MOVES(self) -> int:
        """All nodes have as many."""
        return self.branching

    @property
    def LANES(self) -> bool:
        """Informed playouts in lanes need the moves in one word."""
        return self.branching <= MAX_PACKED

    def compiled(self) -> "PGame":
        """Itself; raises BadInput where the nodes of the tree are too many for indices of 64 bits."""
        check_nodes(self.branching, self.depth)
        return self


OPTION = PGame


@contract.state_of(PGame)
class State(NamedTuple):
    """key: of the instance; node: its preorder index; size: nodes of its subtree, itself included.

    progress: plies in the low half, the sum so far in the high half, in two's complement.
    """

    key: np.uint64
    node: np.uint64
    size: np.uint64
    progress: np.uint64


@inlined
def tree_size(branching, depth):
    """``nodes`` in a word (uint64); the whole of 2^64 - 1 fits."""
    total = U(1)
    for _ in range(depth):
        total = total * U(branching) + U(1)
    return total


@inlined
def child_size(game, size):
    """Nodes below a child of a node with ``size`` below it: (size - 1) / branching, without a division.

    The division is exact, so a shift takes the twos out of it and the inverse modulo 2^64 the odd factor. Newton's
    steps double the correct low bits of the inverse, 5 to begin with; they do not depend on the state and are done
    outside of loops.
    """
    twos = trailing_zeros(U(game.branching))
    odd = U(game.branching) >> twos
    inverse = (odd * U(3)) ^ U(2)
    for _ in range(4):
        inverse = inverse * (U(2) - odd * inverse)
    return ((size - U(1)) >> twos) * inverse


@contract.start.implements(PGame)
def pgame_start(game):
    shape = (U(game.branching) << U(7)) | (U(game.depth) << U(1)) | U(game.plus_minus_one)
    key = instance_key(KIND, shape, U(game.instance))
    return State(key, U(0), tree_size(game.branching, game.depth), U(0))


@contract.over.implements(PGame)
def pgame_over(game, state):
    return state.size == U(1)


@contract.mover.implements(PGame)
def pgame_mover(game, state):
    return np.int64(state.progress & U(1))


@contract.count_moves.implements(PGame)
def pgame_count_moves(game, state):
    return np.int64(game.branching) * np.int64(state.size != U(1))


@contract.nth_move.implements(PGame)
def pgame_nth_move(game, state, k):
    return np.int64(k)


@contract.next_move.implements(PGame)
def pgame_next_move(game, state, move):
    return np.int64(move + 1) if state.size != U(1) and move + 1 < game.branching else np.int64(NO_MOVE)


@contract.move_set.implements(PGame)
def pgame_move_set(game, state):
    return (~U(0) >> U(64 - game.branching)) * U(state.size != U(1))


@contract.random_move.implements(PGame)
def pgame_random_move(game, state, stream):
    return np.int64(draw(stream, 0, game.branching))


@inlined
def move_value(game, key, node, side):
    """The value of the move to ``node`` in two's complement (uint64), ``side`` being who makes it (uint64)."""
    drawn = draw(key + node * PLY_STEP, 0, U(2) if game.plus_minus_one else U(MAX_VALUE + 1))
    minus = U(0) - side  # all bits set for MIN
    return U(2) * drawn - U(1) if game.plus_minus_one else (drawn ^ minus) - minus


@contract.play.implements(PGame)
def pgame_play(game, state, move):
    goes = U(state.size != U(1))  # 0 where the game is over
    size = child_size(game, state.size)
    node = state.node + U(1) + U(move) * size
    value = move_value(game, state.key, node, state.progress & U(1))
    return State(
        state.key,
        node if goes else state.node,
        size if goes else state.size,
        state.progress + goes * (U(1) + (value << U(SUM))),
    )


@inlined
def sum_so_far(state):
    """The sum of the move values for MAX, int64."""
    return np.int64(state.progress) >> SUM


@contract.score.implements(PGame)
def pgame_score(game, state):
    total = sum_so_far(state)
    return SCORE_UNIT * (np.int64(total > 0) - np.int64(total < 0))


@contract.evaluation.implements(PGame)
def pgame_evaluation(game, state):
    return sum_so_far(state) * (1 - 2 * np.int64(state.progress & U(1)))


@contract.evaluation_limit.implements(PGame)
def pgame_evaluation_limit(game):
    most = MAX_VALUE * ((np.int64(game.depth) + 1) // 2)
    return np.int64(game.depth) if game.plus_minus_one else most


@contract.remaining_plies.implements(PGame)
def pgame_remaining_plies(game, state):
    return np.float64(U(game.depth) - (state.progress & PLIES))


# ------------------------------------------------------------------------------------------------------------- text


def path(game: PGame, state: State) -> list[int]:
    """The moves from the root to ``state``."""
    moves, left = [], int(state.node)
    for level in range(game.depth - 1, game.depth - 1 - int(state.progress & PLIES), -1):
        move, left = divmod(left - 1, nodes(game.branching, level))
        moves.append(move)
    return moves


@contract.move_text.implements(PGame)
def pgame_move_text(game, state, move):
    return str(int(move))


@contract.position_text.implements(PGame)
def pgame_position_text(game, state):
    """The number of the instance, and the moves from the root joined by dots, ``-`` at the root: ``7 0.1.1``."""
    shape = (game.branching << 7) | (game.depth << 1) | game.plus_minus_one
    number = instance_of(KIND, shape, state.key)
    return f"{number} {'.'.join(map(str, path(game, state))) or '-'}"


@contract.parse_position.implements(PGame)
def pgame_parse_position(game, text):
    return parsed(game, text)


@contract.board_text.implements(PGame)
def pgame_board_text(game, state):
    number, moves = pgame_position_text(game, state).split()
    plies, total = int(state.progress & PLIES), int(sum_so_far(state))
    whose = "the game is over" if plies == game.depth else f"{('MAX', 'MIN')[plies % 2]} to move"
    return f"instance {number}, ply {plies} of {game.depth}: {whose}\npath {moves}\nsum of the move values {total}"
