"""Principal-variation search against plain minimax and exhaustive search, for every game that it takes."""

import threading

import numpy as np
import pytest

from gpumcts.alpha_beta import batch, ordering
from gpumcts.alpha_beta.batch import Deepening
from gpumcts.alpha_beta.leaves import FAR, WON, WON_LEAST
from gpumcts.alpha_beta.roots import DRAW, LOSS, UNKNOWN, WIN
from gpumcts.alpha_beta.search import LEFT, MOVES, TRIED
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.clobber import OPTION as Clobber
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.instances import instances
from gpumcts.games.othello import Othello
from gpumcts.games.pgame import PGame
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled
from gpumcts.players.game_checks import check_no_early_chance
from gpumcts.rng import mix
from tests.games.drivers import for_tests, keys_of, trace
from tests.reference.depth_limited import DepthLimited
from tests.reference.exact import Exact

MAX_LINES = 1500  # of plain minimax from a position, about
MAX_MOVES = 64  # of positions that plain minimax is asked about

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


class Declared(PGame):
    """P-games that claim to know the winner of every eighth position, here and there, and are wrong, so that it shows.

    It stands before anything is run: the index of compiled code names the classes that it was compiled for.
    """


@contract.decided.implements(Declared)
def declared(game, state):
    drawn = mix(state.key + state.node)
    known = state.size > np.uint64(1) and (drawn & np.uint64(7)) == np.uint64(0)
    return (np.int64(1) - np.int64((drawn >> np.uint64(3)) & np.uint64(2))) * np.int64(known)


def has_chance(game):
    """In plain Python: pytest asks while it collects, when nothing is compiled."""
    try:
        check_no_early_chance(game, "")
    except BadInput:
        return True
    return False


GAMES = for_tests()
SLOW = {"amazons", "chess", "clobber", "connect_four", "deceptive", "go", "gomoku", "havannah"}  # they compile long
TAKEN = [name for name, game in GAMES.items() if game.PLAYERS == 2 and not has_chance(game)]


def some_positions(game, count, games=6, last=None):
    """Positions spread over random games (over the ``last`` plies before the end), none over: uint64[count, W]."""
    words, _, plies = trace(game, keys_of(52, count=games))
    first = [0 if last is None else max(0, ply - last) for ply in plies]
    states = np.concatenate([words[g, first[g] : plies[g]] for g in range(games)])
    return np.ascontiguousarray(states[:: max(1, len(states) // count)][:count])


def plain(game, words):
    return contract.unpack(game, words, 0, 1)


def affordable_depth(game, words):
    """Plies that plain minimax has time for, at least 1."""
    moves = max(2, Rules(game).count_moves(words.reshape(1, -1))[0])
    return max(1, min(4, int(np.log(MAX_LINES) / np.log(moves))))


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in TAKEN])
def test_a_fixed_depth_is_worth_what_plain_minimax_says(name):
    """The same value, and a move that has it; where nothing is proven earlier, to the depth that was asked for."""
    game = GAMES[name]
    states = some_positions(game, 24)
    states = states[Rules(game).count_moves(states) <= MAX_MOVES][-12:]
    assert len(states) > 3
    reference, searches = DepthLimited(game), Deepening(game, entries=1 << 8)
    depths = [affordable_depth(game, words) for words in states]
    for depth in sorted(set(depths)):
        batch_of = states[[d == depth for d in depths]]
        found = searches.search(batch_of, keys_of(53, count=len(batch_of)), depth=depth)
        for row, words in enumerate(batch_of):
            state, searched = plain(game, words), int(found.depths[row])
            assert found.values[row] == reference.value(state, searched)
            assert reference.of_move(state, int(found.moves[row]), searched) == found.values[row]
            assert searched == depth or found.proven[row] != UNKNOWN


def is_right(game, exact, words, found, row):
    """Whether what is proven of a position is its exact value, and the move one that keeps it."""
    state = plain(game, words)
    value = exact.value(state) * (-1 if contract.mover(game, state) == 1 else 1)
    proof = WIN if value > 0 else LOSS if value < 0 else DRAW
    signs = {m: np.sign(exact.value(contract.play(game, state, m))) for m in Rules(game).legal_moves(words).tolist()}
    return found.proven[row] == proof and signs[int(found.moves[row])] == np.sign(exact.value(state))


SOLVED = {
    "dots and boxes 2 x 2": (DotsAndBoxes(2, 2), lambda: some_positions(DotsAndBoxes(2, 2), 70, 8)),
    "dots and boxes 1 x 2": (DotsAndBoxes(1, 2), lambda: some_positions(DotsAndBoxes(1, 2), 40, 8)),
    "p-games": (PGame(2, 8), lambda: instances(PGame(2, 8), range(40))),
    "p-games of 0 and draws": (PGame(3, 5, plus_minus_one=True), lambda: instances(PGame(3, 5, 0, True), range(40))),
    "othello": (Othello(), lambda: some_positions(Othello(), 24, 8, last=7)),
}


@pytest.mark.parametrize("entries", [2, 1 << 14])
@pytest.mark.parametrize("name", SOLVED)
def test_without_a_limit_positions_are_solved(name, entries):
    """Wins, losses and draws, with a table of all or next to nothing: two moves in a row, passes, ends on the way."""
    game, make = SOLVED[name]
    states = make()
    found = Deepening(game, entries).search(states, keys_of(54, count=len(states)))
    exact = Exact(game)
    assert all(is_right(game, exact, words, found, row) for row, words in enumerate(states))
    assert (found.proven == WIN).any() and (found.proven == LOSS).any()
    assert ((found.values >= WON_LEAST) == (found.proven == WIN)).all()
    assert (found.values[found.proven == DRAW] == 0).all()


def test_draws_are_proven():
    """On 1 x 2 boxes best play is a draw, which the line in the middle alone holds (see the game)."""
    game = DotsAndBoxes(1, 2)
    found = Deepening(game, 1 << 10).search(Rules(game).starts(8), keys_of(55, count=8))
    assert set(found.proven) == {DRAW} and set(found.values) == {0}
    assert len(set(found.moves)) == 1


def test_wins_come_soon_and_losses_late():
    """The distance to the end is that of plain minimax to the end of the game."""
    game = Othello()
    states = some_positions(game, 16, 8, last=6)
    reference = DepthLimited(game)
    found = Deepening(game, 1 << 10).search(states, keys_of(56, count=len(states)))
    for row, words in enumerate(states):
        assert found.values[row] == reference.value(plain(game, words), 8)
    assert (abs(found.values) < WON - 2).any()


def test_what_the_game_decides_is_taken_for_proven():
    """At nodes, but not at the root, which must have a move.

    Wins that a deeper search finds sooner are told as they are.
    """
    game = Declared(2, 7)
    states, reference = instances(game, range(60)), DepthLimited(game)
    found = Deepening(game, 1 << 10).search(states, keys_of(57, count=60), depth=7)
    expected = [
        reference.value(plain(game, words), int(depth)) for words, depth in zip(states, found.depths, strict=True)
    ]
    assert found.values.tolist() == expected and (found.proven != UNKNOWN).all()
    by_the_end = abs(found.values) > WON - FAR
    assert by_the_end.any() and not by_the_end.all() and len(set(found.depths)) > 1
    known = [contract.decided(game, plain(game, words)) != 0 for words in states]
    at_root = Deepening(game, 1 << 10).search(states[known], keys_of(58, count=sum(known)), depth=1)
    assert at_root.values.tolist() == [reference.value(plain(game, words), 1) for words in states[known]]
    assert 0 < sum(known) < 60 and (at_root.moves >= 0).all()


# --------------------------------------------------------------------------------------------------------- budgets


@pytest.fixture(scope="module")
def middle():
    """Sixteen positions of Othello after 20 random plies, with keys."""
    game, count = Othello(), 16
    rules = Rules(game)
    states = rules.starts(count)
    for ply in range(20):
        states = rules.play(states, rules.random_moves(states, keys_of(59, ply, count=count)))
    return states, keys_of(60, count=count)


@pytest.mark.parametrize("nodes", [1, 2, 17, 300, 4000])
def test_a_budget_of_nodes_is_kept(middle, nodes):
    """To the last node, since nothing is proven here; with a legal move even after one."""
    states, keys = middle
    found = Deepening(Othello(), 1 << 12).search(states, keys, nodes=nodes)
    assert (found.nodes == nodes).all() and (found.proven == UNKNOWN).all()
    assert all(move in Rules(Othello()).legal_moves(state) for move, state in zip(found.moves, states, strict=True))
    deeper = Deepening(Othello(), 1 << 12).search(states, keys, nodes=16 * nodes)
    assert (deeper.depths >= found.depths).all() and deeper.depths.sum() > found.depths.sum()


def test_a_stopped_iteration_counts_as_far_as_it_went(middle):
    """The moves of the last whole iteration, or better ones of the one that was stopped."""
    states, keys = middle
    searches = Deepening(Othello(), 1 << 12)
    whole = searches.search(states, keys, depth=4)
    for row in range(len(states)):
        again = searches.search(states[row : row + 1], keys[row : row + 1], nodes=int(whole.nodes[row]))
        assert [field[0] for field in again] == [field[row] for field in whole]
        one_more = searches.search(states[row : row + 1], keys[row : row + 1], nodes=int(whole.nodes[row]) + 1)
        assert (one_more.moves[0], one_more.values[0], one_more.depths[0]) == (whole.moves[row], whole.values[row], 4)


TIGHT = ("xx.o/x..x/oooo/.x.o x", "o.xo/.oo./..ox/xxxx x")
"""Positions of Clobber in which the first moves of many orders lose."""


def stopped(searches, words, key, nodes):
    """What a search of so many nodes finds; the list of its root, how many of it are begun, the iteration's plies."""
    found = searches.search(words[None], key[None], nodes=nodes)
    stack, table = searches._room()
    searches._free.put((stack, table))
    root = stack.nodes[0]
    return found, stack.lists[: root[MOVES]].copy(), int(root[TRIED]), int(root[LEFT])


def wide(text):
    """A position of 4 x 4 on the board of 4 x 8, so that nothing is compiled for it alone."""
    board, side = text.split()
    return "/".join(row + "...." for row in board.split("/")) + " " + side


@pytest.mark.parametrize("name", [pytest.param("clobber", marks=pytest.mark.slow), "dots and boxes 2 x 2"])
def test_no_budget_makes_it_play_what_it_knows_to_lose(name):
    """With any number of nodes, while the list has a move that is not known to lose; and what it believes lost is lost.

    The next node goes to another move of the root just where the one at hand is done, which tells all known to lose.
    """
    if name == "clobber":
        game = compiled(Clobber(4, 8))
        states = np.array([Rules(game).words(contract.parse_position(game, wide(text))) for text in TIGHT])
    else:
        game = DotsAndBoxes(2, 2)
        states = some_positions(game, 40, 12, last=7)
    searches, avoided = Deepening(game, 1 << 12), 0
    for b, key in enumerate(keys_of(63, count=40)):
        words = states[b % len(states)]
        lost, nodes = losing_moves(game, searches, words), 1
        now = stopped(searches, words, key, nodes)
        while now[0].proven[0] == UNKNOWN and nodes < 700:
            nodes += 1
            found, moves, begun, depth = now
            now = stopped(searches, words, key, nodes)
            done = moves[: begun if (now[2], now[3]) == (begun + 1, depth) else begun - 1]
            known = {int(ordering.move_of(entry)) for entry in moves if ordering.is_lost(entry)}
            if found.values[0] <= -WON_LEAST:
                known |= {int(ordering.move_of(entry)) for entry in done}
                avoided += 1
            assert known <= lost and int(found.moves[0]) not in known
    assert avoided > 30


def losing_moves(game, searches, words):
    """The moves after which who moves loses, by searches without a limit."""
    rules = Rules(game)
    moves = rules.legal_moves(words)
    after = rules.play(np.tile(words, (len(moves), 1)), moves)
    counts, movers = rules.describe(after)
    goes_on = counts > 0
    proven = searches.search(after[goes_on], keys_of(64, count=int(goes_on.sum()))).proven
    same = movers[goes_on] == rules.movers(words[None])[0]
    lost = set(moves[goes_on][(proven == np.where(same, LOSS, WIN))].tolist())
    own = 1 - 2 * rules.movers(words[None])[0]
    return lost | set(moves[~goes_on][own * rules.scores(after[~goes_on]) < 0].tolist())


def test_threads_batches_slices_and_earlier_searches_change_nothing(middle, monkeypatch):
    """A table so small that what is kept in it decides what is visited."""
    states, keys = middle
    whole = Deepening(Othello(), 64).search(states, keys, nodes=3000)
    searches = Deepening(Othello(), 64, threads=3)
    for quota in (1, 1000):
        monkeypatch.setattr(batch, "FIRST_QUOTA", quota)
        monkeypatch.setattr(batch, "CALL_SECONDS", 1e-4 if quota == 1000 else 0.1)
        assert np.array_equal(np.stack(searches.search(states, keys, nodes=3000)), np.stack(whole))
    part = searches.search(states[9:4:-1], keys[9:4:-1], nodes=3000)
    assert np.array_equal(np.stack(part), np.stack(whole)[:, 9:4:-1])
    small, large = (Deepening(Othello(), entries).search(states, keys, depth=6) for entries in (64, 1 << 12))
    assert np.array_equal(small.values, large.values) and not np.array_equal(small.nodes, large.nodes)


def test_the_key_decides_among_equal_moves():
    """The four first moves of Othello are one by symmetry: each comes for 100 of 400 keys within 5.5 errors."""
    found = Deepening(Othello(), 1 << 10).search(Rules(Othello()).starts(400), keys_of(61, count=400), depth=2)
    moves, counts = np.unique(found.moves, return_counts=True)
    assert len(moves) == 4 and len(set(found.values)) == 1
    assert np.abs(counts - 100).max() < 5.5 * (400 * 0.25 * 0.75) ** 0.5


def test_the_generations_of_a_table_wrap_around(middle):
    states, keys = middle
    searches = Deepening(Othello(), 64)
    first = searches.search(states, keys, depth=5)
    stack, table = searches._room()
    table.generation[0] = (1 << 16) - 3
    searches._free.put((stack, table))
    assert np.array_equal(np.stack(searches.search(states, keys, depth=5)), np.stack(first))
    assert 0 < table.generation[0] < len(states)


# ------------------------------------------------------------------------------------------------- what is refused


def test_what_is_refused(middle):
    states, keys = middle
    for entries in (0, 1, 3, 1000):
        with pytest.raises(BadInput, match=f"^entries={entries}: must be a power of two"):
            Deepening(Othello(), entries)
    with pytest.raises(BadInput, match="is for one player"):
        Deepening(ShortestPath())
    with pytest.raises(BadInput, match="^threads=0 is not at least 1$"):
        Deepening(Othello(), 64, threads=0)
    searches = Deepening(Othello(), 64)
    with pytest.raises(
        BadInput, match=rf"^keys: must be uint64\[{len(states)}\], one for each of the states, not uint64\[2\]$"
    ):
        searches.search(states, keys[:2], depth=1)
    with pytest.raises(BadInput, match=r"^states: must be uint64\[B, 3\], positions of Othello, not uint64\[2, 2\]$"):
        searches.search(np.zeros((2, 2), np.uint64), keys[:2], depth=1)
    for name in ("nodes", "depth"):
        with pytest.raises(BadInput, match=f"^budget.{name}=0 is not at least 1$"):
            searches.search(states, keys, **{name: 0})
    over = np.array([contract.parse_position(Othello(), "X" * 64 + " X")], np.uint64)
    with pytest.raises(BadInput, match="a game is over"):
        searches.search(over, keys[:1], depth=1)
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        searches.search(states, keys, stop=stop)


def test_what_fails_on_a_thread_ends_the_search_of_the_others():
    """A search without a budget, and beside it one that ends at once and is told to somebody who fails."""
    game, stop = Othello(), threading.Event()
    end = contract.parse_position(game, "X" * 8 * 7 + "OOOOOOX. X")
    start = contract.start(game)
    states = np.array([[*start], [*end]], np.uint64)
    timer = threading.Timer(20, stop.set)  # where the first search goes on
    timer.start()
    with pytest.raises(ZeroDivisionError):
        Deepening(game, 64, 2).search(states, keys_of(62, count=2), stop=stop, on_done=lambda done: 1 // (1 - done))
    timer.cancel()
    assert not stop.is_set()


@pytest.mark.parametrize("threads", [1, 2])
def test_chance_is_refused(threads):
    game = DiceDuel(1)
    start = Rules(game).starts(2)
    for states in (start, Rules(game).play(start, np.array([1, 3]))):  # at the root, and below it
        with pytest.raises(BadInput, match="takes games without chance; in DiceDuel chance moves"):
            Deepening(game, 64, threads).search(states, keys_of(62, count=2), depth=3)


def test_no_positions():
    none = Deepening(Othello(), 64).search(np.empty((0, 3), np.uint64), np.empty(0, np.uint64), depth=2)
    assert all(field.shape == (0,) for field in none)
