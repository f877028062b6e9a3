"""Three ways to find what rooks, bishops and queens attack, on positions of random games.

Kogge and Stone's doubling, as the rules have it (``gpumcts.games.chess.squares``); hyperbola quintessence, o - 2r on
each line and on the line turned round; magic multiplication into tables, with numbers that are looked for here, from a
fixed seed. The first takes any set of pieces at once, the others take a piece at a time.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from benchmarks.measure import Bench, Contender, Row, compare
from benchmarks.ours import keys
from gpumcts.bits import bit_reverse, byte_swap, popcount, trailing_zeros
from gpumcts.games import contract
from gpumcts.games.chess.moves import slider_moves, view_of
from gpumcts.games.chess.pieces import occupied, pieces_of
from gpumcts.games.chess.squares import ALL, NO_SQUARES, NOT_A, NOT_H, S1, S7, S8, S9, sight_down, sight_up, sights
from gpumcts.jit import SEPARATE, inlined
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled
from gpumcts.rng import mix
from gpumcts.scratch import scratch

U = np.uint64
POSITIONS, GAMES, SEED = 4096, 64, 12
UNITS = 2_000_000  # positions a turn
LANES = 8
FILES, RANKS, RISING, FALLING = range(4)
OURS = "all pieces at once, Kogge-Stone"


class Tables(NamedTuple):
    """What the ways look up.

    lines : uint64[4, 64], the other squares of a square's file, rank and diagonals
    masks, magics : uint64[2, 64], squares whose pieces count, and factors, for rooks and for bishops
    shifts, begins : uint64[2, 64], what is left of a product, and where a square's attacks stand in ``attacks``
    """

    lines: np.ndarray
    masks: np.ndarray
    magics: np.ndarray
    shifts: np.ndarray
    begins: np.ndarray
    attacks: np.ndarray


class Positions(NamedTuple):
    """Positions of random games.

    following : the number of the position that is next, int64[P]; as it is read from memory, no compiler takes several
        positions at once where one by one is meant
    straight, diagonal, taken : sliding pieces of both sides, and all pieces, uint64[P]
    states : uint64[P, W]
    """

    following: np.ndarray
    straight: np.ndarray
    diagonal: np.ndarray
    taken: np.ndarray
    states: np.ndarray


def suite(bench: Bench) -> Iterator[Row]:
    """Positions a second: attacks one piece at a time, all at once, in lanes; legal moves of the sliding pieces."""
    game, positions, tables = compiled(bench.game), positions_of(bench.game), tables_of()
    for what, contenders in kernels().items():
        totals = {name: int(run(game, positions, tables, POSITIONS)) for name, run in contenders.items()}
        if len(set(totals.values())) != 1:
            raise RuntimeError(f"{what}: they do not count the same: {totals}")
        timed = [
            Contender(f"{what}: {name}", lambda n, run=run: run(game, positions, tables, n), UNITS)
            for name, run in contenders.items()
        ]
        yield from compare("chess_attacks", "positions/s", timed, bench.repeats, [timed[0].what])


def kernels() -> dict[str, dict[str, Callable]]:
    """By what is counted, the ways to count it: ``run(game, positions, tables, n)``, n positions in a circle."""
    ways = {
        "Kogge-Stone": (stone_rook, stone_bishop),
        "hyperbola": (hyperbola_rook, hyperbola_bishop),
        "magics": (magic_rook, magic_bishop),
    }
    return {
        "attacks": {OURS: all_at_once} | {f"each piece, {name}": by_piece(*way) for name, way in ways.items()},
        f"attacks in {LANES} lanes": {OURS: all_at_once_in_lanes}
        | {f"each piece, {name}": by_piece_in_lanes(*way) for name, way in ways.items()},
        "legal moves": {OURS: legal_at_once}
        | {f"each piece, {name}": legal_by_piece(*way) for name, way in ways.items()},
    }


# ------------------------------------------------------------------------------------------------------ one at a time


@inlined
def stone_rook(tables, square, taken):
    """What a rook on ``square`` (uint64) attacks, ``taken`` being all pieces."""
    piece, empty = U(1) << square, ~taken
    upwards = sight_up(piece, empty, S8, ALL) | sight_up(piece, empty, S1, NOT_A)
    return upwards | sight_down(piece, empty, S8, ALL) | sight_down(piece, empty, S1, NOT_H)


@inlined
def stone_bishop(tables, square, taken):
    """The same for a bishop."""
    piece, empty = U(1) << square, ~taken
    upwards = sight_up(piece, empty, S9, NOT_A) | sight_up(piece, empty, S7, NOT_H)
    return upwards | sight_down(piece, empty, S9, NOT_H) | sight_down(piece, empty, S7, NOT_A)


@inlined
def hyperbola(line, piece, taken):
    """Along a line that has a square on each rank at most."""
    met, turned = taken & line, byte_swap(taken & line)
    return ((met - (piece << U(1))) ^ byte_swap(turned - (byte_swap(piece) << U(1)))) & line


@inlined
def hyperbola_rook(tables, square, taken):
    piece, rank = U(1) << square, tables.lines[RANKS, square]
    met, turned = taken & rank, bit_reverse(taken & rank)
    along = ((met - (piece << U(1))) ^ bit_reverse(turned - (bit_reverse(piece) << U(1)))) & rank
    return along | hyperbola(tables.lines[FILES, square], piece, taken)


@inlined
def hyperbola_bishop(tables, square, taken):
    piece = U(1) << square
    rising, falling = tables.lines[RISING, square], tables.lines[FALLING, square]
    return hyperbola(rising, piece, taken) | hyperbola(falling, piece, taken)


@inlined
def magic(tables, kind, square, taken):
    """By a product whose high bits are a place in a table."""
    product = (taken & tables.masks[kind, square]) * tables.magics[kind, square]
    return tables.attacks[tables.begins[kind, square] + (product >> tables.shifts[kind, square])]


@inlined
def magic_rook(tables, square, taken):
    return magic(tables, 0, square, taken)


@inlined
def magic_bishop(tables, square, taken):
    return magic(tables, 1, square, taken)


# ------------------------------------------------------------------------------------------------------------- attacks


@inlined
def seen_by_all(straight, diagonal, taken):
    """Squares that sliding pieces attack, each as often as it is attacked."""
    far = sights(straight, diagonal, straight, diagonal, ~taken)
    upper = popcount(far[0]) + popcount(far[1]) + popcount(far[2]) + popcount(far[3])
    return upper + popcount(far[4]) + popcount(far[5]) + popcount(far[6]) + popcount(far[7])


@njit(**SEPARATE)
def all_at_once(game, positions, tables, n):
    total, p = U(0), 0
    for _ in range(n):
        p = positions.following[p]
        total += seen_by_all(positions.straight[p], positions.diagonal[p], positions.taken[p])
    return total


def by_piece(rook: Callable, bishop: Callable) -> Callable:
    """A loop over the pieces of a position."""

    @njit(**uncached())
    def run(game, positions, tables, n):
        total, p = U(0), 0
        for _ in range(n):
            p = positions.following[p]
            left, taken = positions.straight[p], positions.taken[p]
            while left != NO_SQUARES:
                total += popcount(rook(tables, trailing_zeros(left), taken))
                left &= left - U(1)
            left = positions.diagonal[p]
            while left != NO_SQUARES:
                total += popcount(bishop(tables, trailing_zeros(left), taken))
                left &= left - U(1)
        return total

    return run


@njit(**SEPARATE)
def all_at_once_in_lanes(game, positions, tables, n):
    totals, total = scratch(LANES, np.uint64), U(0)
    for i in range(0, n, LANES):
        here = slice(i % POSITIONS, i % POSITIONS + LANES)
        straight, diagonal, taken = positions.straight[here], positions.diagonal[here], positions.taken[here]
        for lane in range(LANES):
            totals[lane] += seen_by_all(straight[lane], diagonal[lane], taken[lane])
    for lane in range(LANES):
        total += totals[lane]
    return total


def by_piece_in_lanes(rook: Callable, bishop: Callable) -> Callable:
    """The loop over pieces in lockstep, until no lane has a piece left."""

    @inlined
    def step(attack, tables, left, taken, totals):
        more = U(0)
        for lane in range(LANES):
            seen = popcount(attack(tables, trailing_zeros(left[lane]) & U(63), taken[lane]))
            totals[lane] += seen if left[lane] != NO_SQUARES else NO_SQUARES
            left[lane] &= left[lane] - U(1)
            more |= left[lane]
        return more

    @njit(**uncached())
    def run(game, positions, tables, n):
        totals, total = scratch(LANES, np.uint64), U(0)
        left = scratch(LANES, np.uint64)
        for i in range(0, n, LANES):
            here = slice(i % POSITIONS, i % POSITIONS + LANES)
            straight, diagonal, taken = positions.straight[here], positions.diagonal[here], positions.taken[here]
            for lane in range(LANES):
                left[lane] = straight[lane]
            while step(rook, tables, left, taken, totals) != NO_SQUARES:
                pass
            for lane in range(LANES):
                left[lane] = diagonal[lane]
            while step(bishop, tables, left, taken, totals) != NO_SQUARES:
                pass
        for lane in range(LANES):
            total += totals[lane]
        return total

    return run


# --------------------------------------------------------------------------------------------------------- legal moves


@njit(**SEPARATE)
def legal_at_once(game, positions, tables, n):
    """Legal moves of the sliding pieces of who is to move; pins and checks are found as the rules find them."""
    words, width, total, p = positions.states.reshape(-1), positions.states.shape[1], U(0), 0
    for _ in range(n):
        p = positions.following[p]
        state = contract.unpack(game, words, p * width, 1)
        mine, theirs = pieces_of(state, state.own), pieces_of(state, ~state.own)
        view = view_of(state, mine.king, theirs)
        far, targets = slider_moves(view, mine), ~view.own & view.targets
        for k in range(8):
            total += popcount(far[k] & targets)
    return total


@inlined
def pin_line(tables, view, square):
    """Squares that a piece may go to for the sake of a pin."""
    piece, line = U(1) << square, ALL
    line = tables.lines[FILES, square] if view.north & piece != NO_SQUARES else line
    line = tables.lines[RANKS, square] if view.east & piece != NO_SQUARES else line
    line = tables.lines[RISING, square] if view.rising & piece != NO_SQUARES else line
    return tables.lines[FALLING, square] if view.falling & piece != NO_SQUARES else line


def legal_by_piece(rook: Callable, bishop: Callable) -> Callable:
    """The same, a piece at a time."""

    @njit(**uncached())
    def run(game, positions, tables, n):
        words, width, total, p = positions.states.reshape(-1), positions.states.shape[1], U(0), 0
        for _ in range(n):
            p = positions.following[p]
            state = contract.unpack(game, words, p * width, 1)
            mine, theirs = pieces_of(state, state.own), pieces_of(state, ~state.own)
            view, taken = view_of(state, mine.king, theirs), occupied(state)
            targets = ~view.own & view.targets
            left = mine.straight
            while left != NO_SQUARES:
                square = trailing_zeros(left)
                total += popcount(rook(tables, square, taken) & targets & pin_line(tables, view, square))
                left &= left - U(1)
            left = mine.diagonal
            while left != NO_SQUARES:
                square = trailing_zeros(left)
                total += popcount(bishop(tables, square, taken) & targets & pin_line(tables, view, square))
                left &= left - U(1)
        return total

    return run


def uncached() -> dict[str, Any]:
    """Options of code made for a function that is passed in, which the disk cache cannot tell from another one."""
    return {key: value for key, value in SEPARATE.items() if key != "cache"}


# ------------------------------------------------------------------------------------------------- positions and tables


def positions_of(game: Any) -> Positions:
    """Positions spread over random games."""
    rules = Rules(game)
    states, ply_keys, found = rules.starts(GAMES), keys(GAMES), []
    for ply in range(2 * POSITIONS // GAMES):
        on = rules.count_moves(states) > 0
        states[~on] = rules.starts(int((~on).sum()))
        states = rules.play(states, rules.random_moves(states, ply_keys + U(ply) * U(1 << 20)))
        found.append(states)
    rows = np.ascontiguousarray(np.concatenate(found)[::2][:POSITIONS])
    low, middle, high = rows[:, 1], rows[:, 2], rows[:, 3]
    straight, diagonal = high & middle, high & low
    return Positions(np.roll(np.arange(POSITIONS), -1), straight, diagonal, low | middle | high, rows)


STEPS = (((1, 0), (-1, 0)), ((0, 1), (0, -1)), ((1, 1), (-1, -1)), ((1, -1), (-1, 1)))  # by line: ranks, files


def walk(square: int, ways: tuple[tuple[int, int], ...], taken: int, short: bool = False) -> int:
    """Squares seen along ways, step by step; ``short`` leaves out the last one before the edge."""
    seen = 0
    for up, right in ways:
        rank, file = divmod(square, 8)
        while 0 <= rank + up < 8 and 0 <= file + right < 8:
            rank, file = rank + up, file + right
            if short and not (0 <= rank + up < 8 and 0 <= file + right < 8):
                break
            seen |= 1 << (8 * rank + file)
            if taken >> (8 * rank + file) & 1:
                break
    return seen


def tables_of() -> Tables:
    """Lines, and magic numbers for every square with the attacks that they lead to."""
    lines = np.array([[walk(square, ways, 0) for square in range(64)] for ways in STEPS], np.uint64)
    masks, magics, shifts, begins = (np.zeros((2, 64), np.uint64) for _ in range(4))
    attacks: list[np.ndarray] = []
    begin = 0
    for kind, ways in enumerate((STEPS[0] + STEPS[1], STEPS[2] + STEPS[3])):
        for square in range(64):
            mask = walk(square, ways, 0, short=True)
            subsets = [0]
            while (following := (subsets[-1] - mask) & mask) != 0:
                subsets.append(following)
            seen = np.array([walk(square, ways, subset) for subset in subsets], np.uint64)
            table, shift = np.zeros(len(subsets), np.uint64), 64 - mask.bit_count()
            masks[kind, square], shifts[kind, square], begins[kind, square] = mask, shift, begin
            seed = np.uint64(SEED + 64 * kind + square)
            magics[kind, square] = find_magic(seed, np.array(subsets, np.uint64), seen, np.uint64(shift), table)
            attacks.append(table)
            begin += len(subsets)
    return Tables(lines, masks, magics, shifts, begins, np.concatenate(attacks))


@njit(**SEPARATE)
def find_magic(seed, subsets, seen, shift, table):
    """The first factor of a random sequence, few bits set, that sends no two subsets with other attacks to a place."""
    factor, counter = U(0), U(0)
    while True:
        factor = mix(seed + counter) & mix(seed + counter + U(1 << 40)) & mix(seed + counter + U(1 << 41))
        counter += U(1 << 16)
        table[:] = U(0)
        good = True
        for k in range(subsets.shape[0]):
            place = (subsets[k] * factor) >> shift
            if table[place] != U(0) and table[place] != seen[k]:
                good = False
                break
            table[place] = seen[k]
        if good:
            return factor
