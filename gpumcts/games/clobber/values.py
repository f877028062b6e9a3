"""Values of small components of Clobber as combinatorial games: plain Python, run while code that needs them compiles.

A component is a set of stones connected along rows and columns. No move joins two, so a position is the sum of its
components, and what each is worth decides it (Conway 1976, *On Numbers and Games*; Berlekamp, Conway, Guy 1982,
*Winning Ways*). Clobber is all-small, and most components of up to six stones are k ups and a nimber, whose sums are
known.
"""

import functools
from collections.abc import Iterable, Iterator

import numpy as np

Id = int
Stones = tuple[tuple[int, int, bool], ...]
"""(row, column, whether it is Left's) of each stone of a component, in the order of rows and columns."""

LARGEST = 6  # stones of a component in the table
MAX_UPS, STARS = 6, 4  # values k ups + *n are told by name for |k| up to MAX_UPS, n below STARS


class Values:
    """Canonical forms of short games, each with a number; 0 is the game 0."""

    def __init__(self) -> None:
        self._options: list[tuple[frozenset[Id], frozenset[Id]]] = []
        self._ids: dict[tuple[frozenset[Id], frozenset[Id]], Id] = {}
        self._at_most: dict[tuple[Id, Id], bool] = {}
        self._sums: dict[tuple[Id, Id], Id] = {}
        self.of((), ())

    def of(self, left: Iterable[Id], right: Iterable[Id]) -> Id:
        """The value {left | right} in canonical form."""
        lefts, rights = set(left), set(right)
        while (fewer := self._bypassed(lefts, rights)) is not None:
            lefts, rights = fewer
        lefts = {a for a in lefts if not any(a != b and self.at_most(a, b) for b in lefts)}
        rights = {a for a in rights if not any(a != b and self.at_most(b, a) for b in rights)}
        key = frozenset(lefts), frozenset(rights)
        if key not in self._ids:
            self._ids[key] = len(self._options)
            self._options.append(key)
        return self._ids[key]

    def _bypassed(self, lefts: set[Id], rights: set[Id]) -> tuple[set[Id], set[Id]] | None:
        """The options with a reversible one replaced by what lies behind it; None where there is none."""
        for option in lefts:
            for back in self._options[option][1]:
                if self._below(back, lefts, rights):
                    return (lefts - {option}) | self._options[back][0], rights
        for option in rights:
            for back in self._options[option][0]:
                if self._above(back, lefts, rights):
                    return lefts, (rights - {option}) | self._options[back][1]
        return None

    def _below(self, value: Id, lefts: set[Id], rights: set[Id]) -> bool:
        """Whether value <= {lefts | rights}."""
        if any(self.at_most(option, value) for option in rights):
            return False
        return not any(self._above(option, lefts, rights) for option in self._options[value][0])

    def _above(self, value: Id, lefts: set[Id], rights: set[Id]) -> bool:
        """Whether value >= {lefts | rights}."""
        if any(self.at_most(value, option) for option in lefts):
            return False
        return not any(self._below(option, lefts, rights) for option in self._options[value][1])

    def at_most(self, a: Id, b: Id) -> bool:
        """Whether a <= b."""
        if (a, b) not in self._at_most:
            beaten = any(self.at_most(b, option) for option in self._options[a][0])
            self._at_most[a, b] = not (beaten or any(self.at_most(option, a) for option in self._options[b][1]))
        return self._at_most[a, b]

    def sum(self, a: Id, b: Id) -> Id:
        """a + b."""
        a, b = min(a, b), max(a, b)
        if a == 0:
            return b
        if (a, b) not in self._sums:
            sides = (
                {self.sum(x, b) for x in self._options[a][side]} | {self.sum(a, x) for x in self._options[b][side]}
                for side in (0, 1)
            )
            self._sums[a, b] = self.of(*sides)
        return self._sums[a, b]

    def negative(self, a: Id) -> Id:
        """-a."""
        left, right = self._options[a]
        return self.of({self.negative(option) for option in right}, {self.negative(option) for option in left})

    def ups_and_stars(self) -> dict[Id, tuple[int, int]]:
        """The ids of k ups + *n as (k, n)."""
        stars = [0]
        while len(stars) < STARS:
            stars.append(self.of(stars, stars))
        up = self.of([0], [stars[1]])
        found, ups = {}, 0
        for k in range(MAX_UPS + 1):
            for n, star in enumerate(stars):
                value = self.sum(ups, star)
                found[value], found[self.negative(value)] = (k, n), (-k, n)
            ups = self.sum(ups, up)
        return found


def components(stones: Iterable[tuple[int, int, bool]]) -> Iterator[Stones]:
    """The components of a position."""
    left = {(row, column): mine for row, column, mine in stones}
    while left:
        pending, found = [min(left)], []
        while pending:
            row, column = at = pending.pop()
            if at in left:
                found.append((row, column, left.pop(at)))
                pending += [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        yield tuple(sorted(found))


def after_moves(stones: Stones, mine: bool) -> Iterator[list[tuple[int, int, bool]]]:
    """The stones that are left after each move of Left (``mine``), or of Right."""
    board = {(row, column): owner for row, column, owner in stones}
    for (row, column), owner in board.items():
        for target in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if owner == mine and board.get(target, mine) != mine:
                after = {**board, target: mine}
                del after[row, column]
                yield [(*at, whose) for at, whose in after.items()]


class Clobbered:
    """Values of components, worked out once each."""

    def __init__(self) -> None:
        self.values = Values()
        self._known: dict[Stones, Id] = {}

    def value(self, stones: Iterable[tuple[int, int, bool]]) -> Id:
        """Of any position: the sum of its components."""
        return functools.reduce(self.values.sum, (self._component(part) for part in components(stones)), 0)

    def _component(self, stones: Stones) -> Id:
        key = _moved_to_the_corner(stones)
        if key not in self._known:
            lefts, rights = ([self.value(after) for after in after_moves(key, mine)] for mine in (True, False))
            self._known[key] = self.values.of(lefts, rights)
        return self._known[key]


def _moved_to_the_corner(stones: Stones) -> Stones:
    """The same component with its first row and its first column 0."""
    row, column = min(stone[0] for stone in stones), min(stone[1] for stone in stones)
    return tuple((r - row, c - column, mine) for r, c, mine in stones)


def shapes(size: int) -> set[tuple[tuple[int, int], ...]]:
    """All connected sets of so many squares, the first row and the first column being 0."""
    if size == 1:
        return {((0, 0),)}
    found = set()
    for shape in shapes(size - 1):
        for row, column in shape:
            for at in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if at not in shape:
                    grown = _moved_to_the_corner(tuple((*square, True) for square in sorted((*shape, at))))
                    found.add(tuple((r, c) for r, c, _ in grown))
    return found


# ---------------------------------------------------------------------------------------------------------- the table

KEY_BITS, SLOT_BITS = 48, 15
HASH = 0x9E3779B97F4A7C15
NAMED = 1 << 15  # code of k ups + *n: NAMED | n << STAR_AT | k + UPS_ZERO
STAR_AT, UPS_ZERO = 8, 64
CLASS_AT = 13  # code of another value: its class, and a number from 1 that it shares with its negative
ITS_OWN_NEGATIVE, POSITIVE, NEGATIVE, FUZZY = range(4)  # the classes; the first one is fuzzy as well
WIDEST = 2 * LARGEST - 1  # columns that a component may span, counted from that of its first stone to either side


def stone_code(row: int, column: int, mine: bool) -> int:
    """A stone of a component's key, rows and columns counted from its first stone: one byte."""
    return (row * WIDEST + column + LARGEST - 1) << 1 | mine


def key_of(stones: Stones) -> int:
    """The key of a component: a byte a stone, the first one lowest."""
    row, column, _ = stones[0]
    return sum(stone_code(r - row, c - column, mine) << 8 * i for i, (r, c, mine) in enumerate(stones))


def codes() -> dict[int, int]:
    """{key: code} of all components of 2 to LARGEST stones in which there is a move."""
    clobbered, found, numbers = Clobbered(), {}, {}
    named = clobbered.values.ups_and_stars()
    for size in range(2, LARGEST + 1):
        for shape in shapes(size):
            for colours in range(1, 2**size - 1):
                stones = tuple((*square, bool(colours >> i & 1)) for i, square in enumerate(shape))
                value = clobbered.value(stones)
                if value in named:
                    k, n = named[value]
                    found[key_of(stones)] = NAMED | n << STAR_AT | k + UPS_ZERO
                else:
                    found[key_of(stones)] = _unnamed(clobbered.values, value, numbers)
    return found


def _unnamed(values: Values, value: Id, numbers: dict[Id, int]) -> int:
    """The code of a value that is not k ups + *n; ``numbers`` are those given so far."""
    opposite = values.negative(value)
    number = numbers.setdefault(min(value, opposite), len(numbers) + 1) << 1
    if value == opposite:
        return ITS_OWN_NEGATIVE << CLASS_AT | number
    if values.at_most(0, value):
        return POSITIVE << CLASS_AT | number
    if values.at_most(value, 0):
        return NEGATIVE << CLASS_AT | number
    return FUZZY << CLASS_AT | number | (value > opposite)


@functools.cache
def table() -> np.ndarray:
    """uint64[2^SLOT_BITS], open addressing: code << KEY_BITS | key, 0 where none is. Made when first asked for."""
    slots, mask = np.zeros(1 << SLOT_BITS, np.uint64), (1 << SLOT_BITS) - 1
    for key, code in sorted(codes().items()):
        slot = (key * HASH & 2**64 - 1) >> 64 - SLOT_BITS
        while slots[slot]:
            slot = slot + 1 & mask
        slots[slot] = np.uint64(code << KEY_BITS | key)
    return slots
