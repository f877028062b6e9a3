"""How much is measured: all that a device is asked for, what fits some minutes of one, or little, for an emulator."""

from typing import NamedTuple

from benchmarks.device.names import SIZES
from benchmarks.measure import Grid

INFORMED = ("minimax:depth=1", "minimax:depth=2")


class Sizes(NamedTuple):
    """What the steps go through.

    game : of the suites
    cells : games and policies, each played in every way that there is, as ``kernels.game_and_policy`` reads them
    only : options by name that suites measure, all if there are none; repeats : turns of each contender at most
    searches : kernels ``rule/operator/playout/game`` of whole searches, with every cap on registers
    caps : registers of a thread at most, 0 for no cap
    games : whose playout kernels are compiled beforehand; searches_first : how many usual search kernels are
    turn : seconds of a turn; leaves, playouts : of a batch of uniform playouts, leaves for informed ones are fewer
    trees, iterations : of a search
    batches : games and leaves a batch of one tree that has one or two batches in flight
    batch_playouts : playouts a leaf of these
    grid : of the crossover
    tests : words for pytest that choose fewer tests
    documents : words for ``experiments.reproduce`` that choose the runs of papers; none for no run
    rehearse : whether suites are gone through once with little work, side by side, so that all is compiled
    profiled : leaves of a kernel that ncu looks at
    """

    game: str
    cells: tuple[tuple[str, str], ...]
    searches: tuple[str, ...]
    caps: tuple[int, ...]
    games: tuple[str, ...]
    searches_first: int
    turn: float
    leaves: int
    playouts: tuple[int, ...]
    trees: int
    iterations: int
    batches: tuple[tuple[str, int], ...]
    batch_playouts: tuple[int, ...]
    grid: Grid
    tests: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    repeats: int = 5
    rehearse: bool = True
    profiled: int = 1 << 16


FULL = Sizes(
    game="othello",
    cells=(
        ("othello", "uniform"),
        ("go", "uniform"),
        ("havannah", "uniform"),
        ("clobber", "uniform"),
        ("amazons", "uniform"),
        ("chess", "uniform"),
        ("go", "go"),
        ("connect_four", "uniform"),
        ("gomoku", "uniform"),
        *(("othello", policy) for policy in INFORMED),
        *(("clobber", policy) for policy in INFORMED),
        *(("chess", policy) for policy in INFORMED),
    ),
    searches=("ucb1/average/uniform/othello", "ucb1/accelerated/uniform/othello", "ucb1/average/uniform/go"),
    caps=(0, 168, 128),
    games=("othello", "go", "havannah", "clobber", "chess", "dots_and_boxes", "dice_duel", "shortest_path", "sailing"),
    searches_first=100,
    turn=0.5,
    leaves=1 << 20,
    playouts=(1, 16),
    trees=50_000,
    iterations=100,
    batches=(("othello", 1024), ("othello", 4096), ("chess", 256)),
    batch_playouts=(1, 16, 64, 1024),
    grid=Grid(trees=(1, 30, 300, 3000, 30_000), playouts=(1, 4, 16, 64), iterations=30),
    documents=("--all",),
)
BRIEF = FULL._replace(  # a campaign in ten to thirteen minutes of sixteen cores and a device
    turn=0.15,
    trees=30_000,
    grid=Grid(trees=(1, 30, 300, 3000, 30_000), playouts=(1, 16, 64), iterations=30),
    documents=(),
    only=("uniform", "minimax", "average", "accelerated"),
    repeats=3,
)
SMALL = Sizes(
    game="dots_and_boxes",
    cells=(("dots_and_boxes", "uniform"), ("dots_and_boxes", "minimax:depth=1")),
    searches=("ucb1/average/uniform/dots_and_boxes",),
    caps=(0, 168),
    games=(),
    searches_first=0,
    turn=0.05,
    leaves=64,
    playouts=(1, 2),
    trees=40,
    iterations=4,
    batches=(("dots_and_boxes", 8),),
    batch_playouts=(1, 2),
    grid=Grid(trees=(1, 4), playouts=(1, 2), iterations=2),
    tests=("tests/kernels/test_gpu.py", "-k", "first_kernel or no_memory or test_stop"),
    only=("uniform", "minimax", "average"),
    rehearse=False,
    profiled=40,
)
NAMED = dict(zip(SIZES, (FULL, BRIEF, SMALL), strict=True))
REHEARSED = "rehearsed"


def rehearsed(chosen: Sizes) -> Sizes:
    """The same games, policies and engines with as little work as has them compiled."""
    grid = Grid(trees=(1, 30), playouts=(1,), iterations=2)
    small = {"turn": 0.0, "leaves": 1 << 10, "trees": 40, "iterations": 4, "grid": grid, "repeats": 1}
    return chosen._replace(**small, batch_playouts=chosen.batch_playouts[:1])
