"""The legal moves of a position as seventeen sets of squares, found without branches or a look at single pieces.

Sets 0 to 7 are the squares that a piece other than a knight goes to in that direction, sets 8 to 15 those that knights
jump to; who goes is the first piece back along the direction. So pawns, kings and castling need no set of their own,
and a pawn that comes to the last rank in sets 0, 1 or 7 becomes a queen. Set 16 has the other promotions, a byte a
direction (north, north-east, north-west), each of which stands for a rook, a bishop and a knight: classes of moves 16,
17 and 18.

A move is the number ``64 * class + bit``, the bit being that of its set.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import nth_set_bit, popcount
from gpumcts.games.chess.pieces import OWN_KING, OWN_QUEEN, occupied, passant, pieces_of
from gpumcts.games.chess.squares import (
    ALL,
    NO_SQUARES,
    NOT_A,
    NOT_H,
    RANK_3,
    RANK_8,
    S7,
    S8,
    S9,
    back_along,
    jump_back,
    jumps,
    sights,
    steps,
    union,
)
from gpumcts.jit import inlined
from gpumcts.verbs import noinline

U = np.uint64
SETS, CLASSES, PROMOTIONS = 17, 19, 16
BETWEEN_KING, BETWEEN_QUEEN = U(0x60), U(0x0E)  # squares that must be empty to castle
PATH_KING, PATH_QUEEN = U(0x60), U(0x0C)  # those that must not be attacked, the king's own apart
G1, C1 = U(1 << 6), U(1 << 2)


class View(NamedTuple):
    """What limits the moves of a position.

    own, other : the pieces of both sides; empty : squares without one
    danger : squares that the king may not go to; checked : whether he is in check
    targets : squares where a move of another piece ends a check, or all
    north, rising, east, falling : pieces pinned on files, lines from south-west to north-east, ranks, and the others
    sees_east, sees_west : the king's lines of sight
    from_east, from_west : those of the other side's pieces that look his way
    """

    own: np.uint64
    other: np.uint64
    empty: np.uint64
    danger: np.uint64
    checked: np.bool_
    targets: np.uint64
    north: np.uint64
    rising: np.uint64
    east: np.uint64
    falling: np.uint64
    sees_east: np.uint64
    sees_west: np.uint64
    from_east: np.uint64
    from_west: np.uint64


@inlined
def pawn_attacks_down(pawns):
    """What pawns that move downwards attack."""
    return ((pawns >> S7) & NOT_A) | ((pawns >> S9) & NOT_H)


@inlined
def pawn_attacks_up(pawns):
    """What pawns that move upwards attack."""
    return ((pawns << S9) & NOT_A) | ((pawns << S7) & NOT_H)


@inlined
def lines_of(king, empty):
    """The king's lines of sight."""
    return sights(king, king, king, king, empty)


@inlined
def checkers_of(king, theirs, lines):
    """Pieces that attack the king; ``lines``: his lines of sight."""
    straight = lines[0] | lines[2] | lines[4] | lines[6]
    diagonal = lines[1] | lines[3] | lines[5] | lines[7]
    checkers = (straight & theirs.straight) | (diagonal & theirs.diagonal)
    return checkers | (union(jumps(king)) & theirs.knights) | (pawn_attacks_up(king) & theirs.pawns)


@inlined
def in_check(state):
    """Whether the king of the player to move is attacked."""
    king, theirs = pieces_of(state, state.own).king, pieces_of(state, ~state.own)
    return checkers_of(king, theirs, lines_of(king, ~occupied(state))) != NO_SQUARES


@inlined
def seen_past(king, theirs, empty):
    """What the other side's sliding pieces see, by direction: through the king, who cannot hide behind himself."""
    return sights(theirs.straight, theirs.diagonal, theirs.straight, theirs.diagonal, empty | king)


@inlined
def attacked(theirs, met):
    """What the other side attacks; ``met``: what its sliding pieces see."""
    return union(met) | union(jumps(theirs.knights)) | union(steps(theirs.king)) | pawn_attacks_down(theirs.pawns)


@inlined
def king_can_step(state):
    """Whether the king of the player to move has a legal step: less work than all moves, and mostly enough to know."""
    king, theirs = pieces_of(state, state.own).king, pieces_of(state, ~state.own)
    danger = attacked(theirs, seen_past(king, theirs, ~occupied(state)))
    return union(steps(king)) & ~state.own & ~danger != NO_SQUARES


@inlined
def line_to(line, checkers):
    """A line of sight of the king where it ends at a piece that gives check."""
    return line if line & checkers != NO_SQUARES else NO_SQUARES


@inlined
def view_of(state, king, theirs):
    """The View of a position."""
    own, empty = state.own, ~occupied(state)
    seen = lines_of(king, empty)
    met = seen_past(king, theirs, empty)
    checkers = checkers_of(king, theirs, seen)
    ends = checkers | line_to(seen[0], checkers) | line_to(seen[1], checkers) | line_to(seen[2], checkers)
    ends |= line_to(seen[3], checkers) | line_to(seen[4], checkers) | line_to(seen[5], checkers)
    ends |= line_to(seen[6], checkers) | line_to(seen[7], checkers)
    one_checker = checkers & (checkers - U(1)) == NO_SQUARES  # against two only the king helps
    ends = ends if one_checker else NO_SQUARES
    return View(
        own,
        ~(empty | own),
        empty,
        attacked(theirs, met),
        checkers != NO_SQUARES,
        ends if checkers != NO_SQUARES else ALL,
        own & ((met[0] & seen[4]) | (met[4] & seen[0])),
        own & ((met[1] & seen[5]) | (met[5] & seen[1])),
        own & ((met[2] & seen[6]) | (met[6] & seen[2])),
        own & ((met[3] & seen[7]) | (met[7] & seen[3])),
        seen[2],
        seen[6],
        met[6],
        met[2],
    )


@inlined
def taking_pawns(view, pawns):
    """(to the north-east, to the north-west): the pawns that no pin keeps from taking there."""
    return pawns & ~(view.north | view.east | view.falling), pawns & ~(view.north | view.east | view.rising)


@inlined
def passant_move(view, pawns, target, s, entered):
    """``target`` (a set of one, or empty) where one of ``pawns`` ``s`` below may take en passant.

    A check ends by it where it takes the pawn that gives it, or blocks. Both pawns leave their rank at once, which may
    open it: they are neighbours, so the king sees one of them, and a straight piece from the other side the other.
    """
    pawn, taken = (target >> s) & pawns, target >> S8
    pair = pawn | taken
    opens_east = (view.sees_east & pair != NO_SQUARES) & (view.from_east & pair != NO_SQUARES)
    opens_west = (view.sees_west & pair != NO_SQUARES) & (view.from_west & pair != NO_SQUARES)
    allowed = (view.targets & (target | taken) != NO_SQUARES) & ~(opens_east | opens_west)
    return (pawn << s) & entered if allowed else NO_SQUARES


@inlined
def castling(state, view):
    """(G1 or nothing, C1 or nothing): where the king may castle to."""
    king = (
        (state.turn & OWN_KING != NO_SQUARES)
        & (~view.empty & BETWEEN_KING == NO_SQUARES)
        & (view.danger & PATH_KING == NO_SQUARES)
    )
    queen = (
        (state.turn & OWN_QUEEN != NO_SQUARES)
        & (~view.empty & BETWEEN_QUEEN == NO_SQUARES)
        & (view.danger & PATH_QUEEN == NO_SQUARES)
    )
    free = ~view.checked
    return (G1 if king & free else NO_SQUARES), (C1 if queen & free else NO_SQUARES)


@inlined
def pawn_moves(state, view, pawns):
    """Where pawns go: (north, north-east, north-west, and the promotions of set 16)."""
    rising, falling = taking_pawns(view, pawns)
    pushed = ((pawns & ~(view.rising | view.east | view.falling)) << S8) & view.empty
    pushed |= ((pushed & RANK_3) << S8) & view.empty
    pushed &= view.targets
    east, west = ((rising << S9) & NOT_A) & view.other, ((falling << S7) & NOT_H) & view.other
    east, west = east & view.targets, west & view.targets
    promotions = (pushed >> U(56)) | ((east & RANK_8) >> U(48)) | ((west & RANK_8) >> U(40))
    east |= passant_move(view, rising, passant(state), S9, NOT_A)
    west |= passant_move(view, falling, passant(state), S7, NOT_H)
    return pushed, east, west, promotions


@inlined
def passant_is_legal(state):
    """Whether a pawn may take en passant."""
    mine, theirs = pieces_of(state, state.own), pieces_of(state, ~state.own)
    view, target = view_of(state, mine.king, theirs), passant(state)
    rising, falling = taking_pawns(view, mine.pawns)
    east = passant_move(view, rising, target, S9, NOT_A)
    return east | passant_move(view, falling, target, S7, NOT_H) != NO_SQUARES


@inlined
def slider_moves(view, mine):
    """Where bishops, rooks and queens see, by direction: pinned ones along their line alone."""
    straight, diagonal = mine.straight & ~(view.rising | view.falling), mine.diagonal & ~(view.north | view.east)
    return sights(
        straight & ~view.east, diagonal & ~view.falling, straight & ~view.north, diagonal & ~view.rising, view.empty
    )


@inlined
def legal(state):
    """The legal moves, uint64[17] as a tuple. Where the game is drawn by a rule they are those that the pieces had."""
    mine, theirs = pieces_of(state, state.own), pieces_of(state, ~state.own)
    view = view_of(state, mine.king, theirs)
    targets, safe = ~view.own & view.targets, ~view.own & ~view.danger
    far, king = slider_moves(view, mine), steps(mine.king)
    leaps = jumps(mine.knights & ~(view.north | view.rising | view.east | view.falling))
    pushed, east, west, promotions = pawn_moves(state, view, mine.pawns)
    castles_east, castles_west = castling(state, view)
    return (
        (far[0] & targets) | (king[0] & safe) | pushed,
        (far[1] & targets) | (king[1] & safe) | east,
        (far[2] & targets) | (king[2] & safe) | castles_east,
        (far[3] & targets) | (king[3] & safe),
        (far[4] & targets) | (king[4] & safe),
        (far[5] & targets) | (king[5] & safe),
        (far[6] & targets) | (king[6] & safe) | castles_west,
        (far[7] & targets) | (king[7] & safe) | west,
        leaps[0] & targets,
        leaps[1] & targets,
        leaps[2] & targets,
        leaps[3] & targets,
        leaps[4] & targets,
        leaps[5] & targets,
        leaps[6] & targets,
        leaps[7] & targets,
        promotions,
    )


@noinline
def legal_noinline(state):
    """``legal``, called where it is needed."""
    return legal(state)


@inlined
def size(sets):
    """How many moves the seventeen sets hold, as uint64."""
    rays = popcount(sets[0]) + popcount(sets[1]) + popcount(sets[2]) + popcount(sets[3])
    rays += popcount(sets[4]) + popcount(sets[5]) + popcount(sets[6]) + popcount(sets[7])
    leaps = popcount(sets[8]) + popcount(sets[9]) + popcount(sets[10]) + popcount(sets[11])
    leaps += popcount(sets[12]) + popcount(sets[13]) + popcount(sets[14]) + popcount(sets[15])
    return rays + leaps + U(3) * popcount(sets[PROMOTIONS])


class Pick(NamedTuple):
    """Where move number ``k`` may be: the last class seen that does not begin beyond it.

    kind : the class; moves : its set; before : moves of the classes before it; seen : moves of all classes seen
    """

    k: np.uint64
    kind: np.uint64
    moves: np.uint64
    before: np.uint64
    seen: np.uint64


@inlined
def pick_in(pick, kind, moves):
    """``pick`` after one more class."""
    here = pick.k >= pick.seen
    return Pick(
        pick.k,
        U(kind) if here else pick.kind,
        moves if here else pick.moves,
        pick.seen if here else pick.before,
        pick.seen + popcount(moves),
    )


@inlined
def pick(sets, k):
    """Move number ``k`` (uint64) of the seventeen sets: (class, bit), uint64 both. Without a branch, for lanes."""
    found = pick_in(Pick(k, U(0), NO_SQUARES, U(0), U(0)), 0, sets[0])
    found = pick_in(pick_in(pick_in(pick_in(found, 1, sets[1]), 2, sets[2]), 3, sets[3]), 4, sets[4])
    found = pick_in(pick_in(pick_in(pick_in(found, 5, sets[5]), 6, sets[6]), 7, sets[7]), 8, sets[8])
    found = pick_in(pick_in(pick_in(pick_in(found, 9, sets[9]), 10, sets[10]), 11, sets[11]), 12, sets[12])
    found = pick_in(pick_in(pick_in(found, 13, sets[13]), 14, sets[14]), 15, sets[15])
    found = pick_in(pick_in(pick_in(found, 16, sets[16]), 17, sets[16]), 18, sets[16])
    return found.kind, nth_set_bit(found.moves, k - found.before)


@inlined
def target_of(kind, bit):
    """The square, uint64, that a move of a class goes to."""
    return bit if kind < U(PROMOTIONS) else U(56) | (bit & U(7))


@inlined
def source_of(state, kind, bit):
    """The square, as a set of one, that the legal move of a class with that bit of its set comes from."""
    promoting = kind >= U(PROMOTIONS)
    direction = bit >> U(3) if promoting else kind & U(7)
    direction = U(7) if promoting & (direction == U(2)) else direction  # north-west is the third byte of set 16
    target = U(1) << target_of(kind, bit)
    jumps_there = (kind & U(8) != NO_SQUARES) & ~promoting
    return jump_back(target, direction) if jumps_there else back_along(target, direction, ~occupied(state))
