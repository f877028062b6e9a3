"""What a warp of 32 uniform playouts of Go 9 x 9 executes, counted in a model: ply by ply, and in attempts.

    python -m benchmarks.go_warp

Boards are integers, a bit a point. At every step each part costs its instructions times the most that one of the 32
playouts needs of it. Playouts that end are followed by new ones. Costs are instructions of PTX for sm_90a, read off the
blocks of the kernels (docs/performance/go.md).
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

SIZE, LANES = 9, 32
CELLS = SIZE * SIZE
BOARD = (1 << CELLS) - 1
FIRST_COLUMN = sum(1 << SIZE * row for row in range(SIZE))
NOT_FIRST, NOT_LAST = BOARD & ~FIRST_COLUMN, BOARD & ~(FIRST_COLUMN << SIZE - 1)
LOWEST_ROW = (1 << SIZE) - 1
RIM = FIRST_COLUMN | FIRST_COLUMN << SIZE - 1 | LOWEST_ROW | LOWEST_ROW << CELLS - SIZE
EYES, DRAW, FLOOD, PUT = 115, 180, 46, 161  # ply by ply
LOOK, FIRST, SECOND, DECIDE = 308, 77, 60, 135  # in attempts


class Draw(NamedTuple):
    """A point that was drawn: steps of floods to the end, and until the answer is known; whether a move was made.

    own : of the player's chains; opponent : of the opponent's stones, to find captures; two numbers each
    put : of the opponent's stones when the stone is put, ply by ply
    """

    own: tuple[int, int]
    opponent: tuple[int, int]
    put: tuple[int, int]
    made: bool


def neighbours(x: int) -> int:
    """The points next to those of a set."""
    return (x << SIZE & BOARD) | x >> SIZE | (x << 1 & NOT_FIRST) | (x >> 1 & NOT_LAST)


def eyes(own: int, opp: int, empty: int) -> int:
    """The eyes of the owner of ``own``, as random playouts take them."""
    right, left = opp << 1 & NOT_FIRST, opp >> 1 & NOT_LAST
    over, under = (right | left) << SIZE, (right | left) >> SIZE
    both = right & left
    false = both << SIZE | both >> SIZE | over & under | (over | under) & RIM
    return empty & ~neighbours(BOARD & ~own) & ~false


def flood(seeds: int, through: int, known: int, wants_all: bool) -> tuple[int, int, int]:
    """(reached, steps to the end, steps until all of ``known``, or one point of it, is reached)."""
    reached, steps, until = seeds & through, 0, -1
    while True:
        if until < 0 and (not known & ~reached if wants_all else known & reached):
            until = steps
        steps += 1
        more = reached | neighbours(reached) & through
        if more == reached:
            return reached, steps, steps if until < 0 else until
        reached = more


def playouts(seed: int) -> Iterator[Draw]:
    """The draws of playouts one after another; a pass is one without floods."""
    generator = random.Random(seed)
    while True:
        own, opp, banned, passes, plies = 0, 0, 0, 0, 0
        while passes < 2 and plies < 2 * CELLS:
            empty = BOARD & ~(own | opp)
            left, after = empty & ~banned & ~eyes(own, opp, empty), None
            while left and after is None:
                stone = nth(left, generator.randrange(left.bit_count()))
                left &= ~stone
                draw, after = tried(own, opp, empty, stone)
                yield draw
            if after is None:
                yield Draw((0, 0), (0, 0), (0, 0), True)
            plies, passes = plies + 1, passes + 1 if after is None else 0
            own, opp, banned = after or (opp, own, 0)


def nth(points: int, n: int) -> int:
    """The n-th point of a set, as a set of one."""
    for _ in range(n):
        points &= points - 1
    return points & -points


def tried(own: int, opp: int, empty: int, stone: int) -> tuple[Draw, tuple[int, int, int] | None]:
    """What a stone on an empty point takes to be judged; the position after it, None where it is suicide."""
    near, others = neighbours(stone), empty & ~stone
    air, mine, touched = neighbours(others), near & own, near & opp
    is_open, choked = bool(near & others), bool(touched & ~(neighbours(others)))
    nothing = (0, 0)
    _, all_own, until_own = flood(mine, own, air, False) if mine else (0, 1, 0)
    breathes = is_open or bool(mine and flood(mine, own, air, False)[0] & air)
    reached, all_opp, until_opp = flood(air, opp, touched, True) if choked else (0, 0, 0)
    captured = opp & ~reached if choked and touched & ~reached else 0
    asks_own = nothing if is_open else (all_own, until_own)
    asks_opp = nothing if breathes else (all_opp, until_opp)
    made = breathes or captured != 0
    draw = Draw(asks_own, asks_opp, (all_opp, until_opp) if made else nothing, made)
    if not made:
        return draw, None
    opp &= ~captured
    ko = captured if captured.bit_count() == 1 and near & ~opp == captured else 0
    return draw, (opp, own | stone, ko)


def ply_by_ply(seeds: range, plies: int, which: int) -> tuple[float, float]:
    """(instructions of a warp for a ply of all, threads at work); ``which`` : 0 floods to the end, 1 until known."""
    lanes, spent, used = [playouts(seed) for seed in seeds], 0, 0
    for _ in range(plies):
        rows = [draws_of_a_ply(lane) for lane in lanes]
        spent, used = spent + EYES + PUT, used + (EYES + PUT) * len(lanes)
        for number in range(max(map(len, rows))):
            there = [row[number] for row in rows if len(row) > number]
            steps = [[draw.own[which], draw.opponent[which], draw.put[which]] for draw in there]
            spent += DRAW + FLOOD * sum(map(max, zip(*steps, strict=True)))
            used += DRAW * len(there) + FLOOD * sum(map(sum, steps))
    return spent / plies, used / spent


def draws_of_a_ply(lane: Iterator[Draw]) -> list[Draw]:
    """The draws up to one with which a move is made."""
    found = [next(lane)]
    while not found[-1].made:
        found.append(next(lane))
    return found


def in_attempts(seeds: range, attempts: int) -> float:
    """Instructions of a warp for a ply of all playouts, which make an attempt each at a time."""
    lanes, spent, plies = [playouts(seed) for seed in seeds], 0, 0
    for _ in range(attempts):
        row = [next(lane) for lane in lanes]
        plies += sum(draw.made for draw in row)
        first, second = max(draw.own[1] for draw in row), max(max(draw.opponent[1], draw.put[1]) for draw in row)
        spent += LOOK + DECIDE + FIRST * first + SECOND * second
    return spent * len(lanes) / plies


def main() -> None:
    """Print the table of docs/performance/go.md, of six warps."""
    for which, name in enumerate(("ply by ply, floods to the end", "ply by ply, until the answer is known")):
        found = [ply_by_ply(range(w * LANES, (w + 1) * LANES), 333, which) for w in range(6)]
        spent, threads = (sum(values) / len(found) for values in zip(*found, strict=True))
        print(f"{name}: {spent:,.0f} instructions, {threads:.1f} threads at work")
    warps = [in_attempts(range(w * LANES, (w + 1) * LANES), 500) for w in range(6)]
    print(f"in attempts: {sum(warps) / len(warps):,.0f} instructions")


if __name__ == "__main__":
    main()
