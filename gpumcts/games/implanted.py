"""Binary trees with implanted winning strategies (Ramanujan et al. 2010, sections 6.1 and 6.2, figures 4 and 5).

Max (the first player) and Min take turns on a tree of ``depth`` plies; with ``single_agent`` Max makes every move. At
the depths ``critical`` the left move (move 0) is the right one. Who has made it at all of them has played Max's plan,
and every leaf behind it is +1, whatever else was played; so the value of the root is +1. Other leaves are drawn, once
for an instance:

``thirds``   -1, 0 and +1 alike (6.1, the first experiment and Figure 3)
``biased``   -1 and +1, so that all leaves behind the right first move average 0 and all behind the wrong one 0.5 (6.1,
             Figure 4, Tables 2 and 3): those off the plans are -1 there and +1 here where each side has two critical
             moves
``shares``   +1 with probability ``first_share`` behind a wrong move at the first critical depth, with ``later_share``
             behind a wrong one at a later depth, else -1 (6.2, Figure 5: ``critical=[0]`` is scenario A, and its p is
             ``first_share``; ``critical=[0,2]`` is scenario B, its q is ``first_share`` and its p ``later_share``)

``trap`` gives Min a plan as well: behind Max's wrong move at the first critical depth all leaves are -1 if Min moves
left at all of these depths. Subtrees A and B of Figure 4 are what lies behind the right and the wrong move at depth 0.

The trees of one instance and one depth draw the same number for the same leaf, wherever the critical depths are.

Evaluation: +1 or -1 once a plan is complete, before that 0: nothing is seen of a plan until it is played.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT, mover
from gpumcts.games.instances import MOST, PLIES, flag, goes_on, instance_key, instance_of, parsed
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP, bits

U = np.uint64
KIND = U(2)  # of instance keys
ONE = 1 << 32  # thresholds are of 32 random bits
# State.progress: plies in the low bits, and above them what Max has missed and whether Min has.
MISSED_FIRST, MISSED_LATER, ESCAPED = 8, 9, 10


class Implanted(NamedTuple):
    """A binary tree with implanted winning strategies, as it is configured.

    depth : plies of every game
    critical : depths at which Max must move left; even ones, unless ``single_agent``
    trap : depths at which Min must move left to win after Max's first wrong move; none for no such plan
    single_agent : whether Max makes every move
    leaves : the law of leaves off the plans, thirds, biased or shares
    first_share, later_share : probabilities of +1 with ``leaves=shares``
    instance : which tree; the number of a key
    """

    depth: Annotated[int, Interval(ge=1, le=63)] = 24
    critical: list[int] = [0, 12]
    trap: list[int] = []
    single_agent: bool = False
    leaves: Literal["thirds", "biased", "shares"] = "thirds"
    first_share: Annotated[float, Interval(ge=0, le=1)] = 0.5
    later_share: Annotated[float, Interval(ge=0, le=1)] = 0.5
    instance: Annotated[int, Interval(ge=0, le=MOST)] = 0

    def compiled(self) -> "ImplantedTree":
        """The tree as rules and searches take it; raises BadInput where the depths or the leaves do not fit."""
        critical = _depths("critical", self.critical, self.depth, None if self.single_agent else 0)
        if not critical:
            raise BadInput("game.critical=[]: must name at least one depth")
        if self.trap and self.single_agent:
            raise BadInput(f"game.trap={list(self.trap)}: Min has no move with game.single_agent=true")
        trap = _depths("trap", self.trap, self.depth, 1)
        if self.trap and self.trap[0] < self.critical[0]:
            raise BadInput(f"game.trap={list(self.trap)}: must begin after game.critical, at {self.critical[0] + 1}")
        first, later = self._thresholds()
        return ImplantedTree(
            self.depth, critical, trap, self.critical[0], *first, *later, self.single_agent, self.instance
        )

    def _thresholds(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Thresholds in 2^32 (loss, loss or draw) of leaves behind a wrong first move, and behind a wrong later one."""
        if self.leaves != "shares":
            for field in ("first_share", "later_share"):
                if getattr(self, field) != Implanted._field_defaults[field]:
                    raise BadInput(f"game.{field}={getattr(self, field)} counts with game.leaves=shares alone")
        if self.leaves == "thirds":
            return (ONE // 3, 2 * ONE // 3), (ONE // 3, 2 * ONE // 3)
        if self.leaves == "shares":
            first, later = (ONE - round(share * ONE) for share in (self.first_share, self.later_share))
            return (first, first), (later, later)
        if len(self.critical) < 2 or len(self.trap) < 2:
            raise BadInput("game.leaves=biased takes game.critical and game.trap of two depths or more each")
        # Of the leaves of A the share 2^-a is +1 by the plan, of those of B 2^-b is -1: what is left must balance.
        a, b = len(self.critical) - 1, len(self.trap)
        first, later = ONE - ONE * 3 * 2 ** (b - 2) // (2**b - 1), ONE - ONE * (2 ** (a - 1) - 1) // (2**a - 1)
        return (first, first), (later, later)


OPTION = Implanted


def _depths(field: str, depths: Sequence[int], depth: int, parity: int | None) -> int:
    """Critical depths as a set of bits; ``parity`` is that of the turns of the side that moves there, if it matters."""
    text = f"game.{field}={list(depths)}"
    if any(below >= above for below, above in zip(depths, depths[1:], strict=False)):
        raise BadInput(f"{text}: must be in increasing order, each depth once")
    for critical in depths:
        if not 0 <= critical < depth:
            raise BadInput(f"{text}: must be depths of 0 to {depth - 1}, below game.depth={depth}")
        if parity is not None and critical % 2 != parity:
            turns = ("Max moves at even depths", "Min moves at odd depths")[parity]
            raise BadInput(f"{text}: {turns}, not at {critical}")
    return sum(1 << critical for critical in depths)


class ImplantedTree(NamedTuple):
    """A tree with implanted strategies as it travels into compiled code.

    critical, trap : sets of depths, bit d for depth d; first : the first critical depth
    *_loss, *_draw : leaves off the plans, behind a wrong move at the first critical depth and behind a later one, are
    -1 where 32 random bits are below ``loss``, else 0 where they are below ``draw``, else +1
    """

    depth: int
    critical: int
    trap: int
    first: int
    first_loss: int
    first_draw: int
    later_loss: int
    later_draw: int
    single_agent: bool
    instance: int

    TITLE = "Implanted"
    MAX_MOVES = 2
    LANES = True

    @property
    def MAX_PLIES(self) -> int:
        """All games are equally long."""
        return self.depth

    @property
    def PLAYERS(self) -> int:
        """Max alone, or Max and Min."""
        return 1 if self.single_agent else 2


@contract.state_of(ImplantedTree)
class State(NamedTuple):
    """key: of the instance; node: 1 at the root, 2 * node + move below; progress: plies, flags of the plans above."""

    key: np.uint64
    node: np.uint64
    progress: np.uint64


@contract.start.implements(ImplantedTree)
def implanted_start(game):
    return State(instance_key(KIND, U(game.depth), U(game.instance)), U(1), U(0))


@contract.over.implements(ImplantedTree)
def implanted_over(game, state):
    return (state.progress & PLIES) == U(game.depth)


@contract.mover.implements(ImplantedTree)
def implanted_mover(game, state):
    return np.int64(state.progress & U(1) & U(not game.single_agent))


@contract.count_moves.implements(ImplantedTree)
def implanted_count_moves(game, state):
    return np.int64(U(2) * goes_on(game, state))


@contract.nth_move.implements(ImplantedTree)
def implanted_nth_move(game, state, k):
    return np.int64(k)


@contract.next_move.implements(ImplantedTree)
def implanted_next_move(game, state, move):
    return np.int64(move + 1) if move < 1 and goes_on(game, state) == U(1) else np.int64(NO_MOVE)


@contract.move_set.implements(ImplantedTree)
def implanted_move_set(game, state):
    return U(3) * goes_on(game, state)


@contract.random_move.implements(ImplantedTree)
def implanted_random_move(game, state, stream):
    return np.int64(bits(stream, 0) >> U(63))


@contract.play.implements(ImplantedTree)
def implanted_play(game, state, move):
    goes, depth = goes_on(game, state), state.progress & PLIES
    right_turn = U(move & 1) & goes
    on_plan = U(1) ^ (flag(state, MISSED_FIRST) | flag(state, MISSED_LATER))
    misses = right_turn & on_plan & (U(game.critical) >> depth)
    at_first = U(depth == U(game.first))
    escapes = right_turn & flag(state, MISSED_FIRST) & (U(game.trap) >> depth)
    flags = ((misses & at_first) << U(MISSED_FIRST)) | ((misses & (U(1) ^ at_first)) << U(MISSED_LATER))
    node = (state.node << goes) | right_turn
    return State(state.key, node, (state.progress + goes) | flags | (escapes << U(ESCAPED)))


@inlined
def trapped(game, state):
    """1 (uint64) where Max has missed the first critical move and Min has not yet missed one of his."""
    return flag(state, MISSED_FIRST) & (U(1) ^ flag(state, ESCAPED)) & U(game.trap != 0)


@inlined
def decided(game, state):
    """+1 or -1 (int64) where all critical moves of a plan have been made, 0 elsewhere."""
    depth = state.progress & PLIES
    on_plan = U(1) ^ (flag(state, MISSED_FIRST) | flag(state, MISSED_LATER))
    won = on_plan & U((U(game.critical) >> depth) == U(0))
    lost = trapped(game, state) & U((U(game.trap) >> depth) == U(0))
    return np.int64(won) - np.int64(lost)


@contract.score.implements(ImplantedTree)
def implanted_score(game, state):
    drawn = bits(state.key + state.node * PLY_STEP, 0) >> U(32)
    later = flag(state, MISSED_LATER) == U(1)
    loss = U(game.later_loss) if later else U(game.first_loss)
    draw = U(game.later_draw) if later else U(game.first_draw)
    off_plan = np.int64(drawn >= loss) + np.int64(drawn >= draw) - 1
    by_plan = decided(game, state)
    return SCORE_UNIT * (by_plan if by_plan != 0 else off_plan)


@contract.evaluation.implements(ImplantedTree)
def implanted_evaluation(game, state):
    return decided(game, state) * (1 - 2 * mover(game, state))


@contract.evaluation_limit.implements(ImplantedTree)
def implanted_evaluation_limit(game):
    return np.int64(1)


@contract.remaining_plies.implements(ImplantedTree)
def implanted_remaining_plies(game, state):
    return np.float64(U(game.depth) - (state.progress & PLIES))


# ------------------------------------------------------------------------------------------------------------- text


@contract.move_text.implements(ImplantedTree)
def implanted_move_text(game, state, move):
    return ("left", "right")[move]


@contract.position_text.implements(ImplantedTree)
def implanted_position_text(game, state):
    """The number of the instance, and the moves from the root joined by dots, 0 left and 1 right, ``-`` at the root."""
    return f"{instance_of(KIND, U(game.depth), state.key)} {'.'.join(bin(int(state.node))[3:]) or '-'}"


@contract.parse_position.implements(ImplantedTree)
def implanted_parse_position(game, text):
    return parsed(game, text)


@contract.board_text.implements(ImplantedTree)
def implanted_board_text(game, state):
    number, moves = implanted_position_text(game, state).split()
    plies = int(state.progress & PLIES)
    whose = f"{('Max', 'Min')[mover(game, state)]} to move" if plies < game.depth else "the game is over"
    missed = flag(state, MISSED_FIRST) or flag(state, MISSED_LATER)
    lines = [
        f"instance {number}, ply {plies} of {game.depth}: {whose}",
        f"path {moves}",
        f"Max's plan, left at {_listed(game.critical)}: {'missed' if missed else 'kept'}",
    ]
    if game.trap:
        how = ("open", "kept", "missed")[int(flag(state, MISSED_FIRST)) * (1 + int(flag(state, ESCAPED)))]
        lines.append(f"Min's plan, left at {_listed(game.trap)} once Max has missed {game.first}: {how}")
    return "\n".join(lines)


def _listed(depths: int) -> str:
    return ", ".join(str(depth) for depth in range(64) if depths >> depth & 1)
