"""Searches and tallies from Python: a function of states, iterations and seed; several threads may ask at once."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import gpumcts as g
from gpumcts.api.search import bytes_of
from gpumcts.api.tally import _engine_of
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.options import compiled
from gpumcts.rng import key_of
from gpumcts.tree.search import Searcher
from tests.games.conformance import heap

BOXES = g.make("dots_and_boxes", rows=1, columns=2)
DUEL = g.make("dice_duel")


@pytest.fixture(scope="module")
def states():
    return g.random_positions(BOXES, 6, plies=2, seed=2)


@pytest.fixture(scope="module")
def search():
    return g.Search(BOXES, threads=2)


def _same(one, other):
    assert (one.best == other.best).all()
    for mine, theirs in zip(
        (one.moves, one.visits, one.values), (other.moves, other.visits, other.values), strict=True
    ):
        assert all((a == b).all() for a, b in zip(mine, theirs, strict=True))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((g.make("amazons", size=6), g.playouts.Uniform()), (g.make("amazons", size=6), g.playouts.Staged())),
        ((g.make("havannah", base=4), g.playouts.Uniform()), (g.make("havannah", base=5), g.playouts.Uniform())),
    ],
    ids=["policies", "games"],
)
def test_options_that_are_equal_as_tuples_are_told_apart_in_a_tally(one, other):
    one, other = (tuple(map(compiled, pair)) for pair in (one, other))
    assert one == other  # tuples of the same numbers, and of two classes
    made = [_engine_of("cpu", *pair, 1) for pair in (one, other, one)]
    assert made[0] is made[2] is not made[1]
    assert [type(engine.game) for engine in made[:2]] == [type(one[0]), type(other[0])]
    assert [type(engine.policy) for engine in made[:2]] == [type(one[1]), type(other[1])]


def test_what_is_found_is_the_searchers(search, states):
    result = search(states, iterations=300, seed=7)
    searcher = Searcher(BOXES, g.playouts.Uniform(), g.selection.Ucb1(), g.backup.Average())
    found = searcher.search(states, np.array([key_of(7, row, 0) for row in range(6)], np.uint64), 300)
    assert (result.best == found.decide()).all()
    for row in range(6):
        children = found.root_children(row)
        assert result.moves[row].tolist() == [child.move for child in children]
        assert result.visits[row].tolist() == [child.visits for child in children]
        assert result.values[row].tolist() == [child.value for child in children]
        assert result.principal_variation(row) == found.principal_variation(row)
    assert len(result) == 6 and result.iterations == 300
    assert repr(result) == "SearchResult(6 positions, 300 iterations each)"
    assert repr(search(states[:1], iterations=300)) == "SearchResult(1 position, 300 iterations each)"


def test_a_row_depends_on_its_number_alone(search, states):
    whole, part = search(states, iterations=200, seed=1), search(states[:3], iterations=200, seed=1)
    assert all((a == b).all() for a, b in zip(whole.visits, part.visits, strict=False))
    assert any((a != b).any() for a, b in zip(whole.visits, search(states, 200, seed=2).visits, strict=True))


def test_threads_change_nothing(search, states):
    _same(search(states, 200), g.Search(BOXES, threads=1, engine="cpu")(states, 200))


def test_a_search_shows_the_settings_that_are_not_the_defaults(search):
    assert repr(search).endswith("Average(), engine='auto', threads=2)")
    other = g.Search(BOXES, solve=True, roots=2, engine="cpu", threads=1)
    assert repr(other).endswith("Average(), roots=2, solve=True, engine='cpu', threads=1)")


@pytest.mark.parametrize("name", ["threads", "leaves_per_tree", "settings"])
def test_a_search_takes_no_attributes(search, name):
    """They would change nothing."""
    with pytest.raises(AttributeError, match=name):
        setattr(search, name, 1)


def test_values_are_for_the_player_to_move():
    """The last line but one closes a box and both lines are the mover's: whoever moves there wins."""
    game = g.make("dots_and_boxes", rows=1, columns=1)
    result = g.Search(game, threads=1)(g.random_positions(game, 4, plies=3), iterations=10)
    assert all(values.tolist() == [1.0] for values in result.values)


def test_a_frame_has_a_row_a_move(search, states):
    result = search(states, 100)
    frame = result.to_frame()
    assert frame.columns == ["position", "move", "text", "visits", "value", "proof"]
    assert len(frame) == sum(map(len, result.moves))
    assert frame["visits"].to_list() == np.concatenate(result.visits).tolist()
    assert frame["proof"].null_count() == len(frame)
    first = frame.row(0, named=True)
    assert first["text"] == g.move_text(BOXES, states[0], first["move"])


def test_proofs_stand_in_the_frame(states):
    frame = g.Search(BOXES, threads=1, solve=True)(states, 2000).to_frame()
    assert set(frame["proof"].drop_nulls()) <= {"win", "draw", "loss"}
    assert frame["proof"].null_count() < len(frame)


def test_iterations_are_told_as_they_were_made(search, states):
    plain = search(states, 300)
    assert plain.iterations_made.tolist() == [300] * len(states)
    solved = g.Search(BOXES, threads=1, solve=True)(states, 100_000)
    made = solved.iterations_made
    assert solved.iterations == 100_000 > made.min() and made.dtype == np.int64
    assert all(n - 1 == visits.sum() for n, visits in zip(made, solved.visits, strict=True))
    assert repr(solved) == f"SearchResult({len(states)} positions, at most 100000 iterations each)"


def test_a_line_has_a_text(search):
    start = g.start(BOXES)
    result = search(start, 300)
    state = start
    for move, text in zip(result.principal_variation(0), result.variation_text(0).split(), strict=True):
        assert g.move_text(BOXES, state, move) == text
        state = g.play(BOXES, state, [move])
    second = int(result.moves[0][1])
    assert result.principal_variation(0, first_move=second)[0] == second
    few = search(start, 3)
    unvisited = set(g.legal_moves(BOXES, start).tolist()) - set(few.moves[0].tolist())
    assert [few.principal_variation(0, first_move=move) for move in unvisited] == [[]] * 5


def test_states_may_change_afterwards(search, states):
    given = states.copy()
    result = search(given, 100)
    given[:] = 0
    assert result.to_frame().equals(search(states, 100).to_frame())


@pytest.mark.parametrize("threads", [1, 2])
def test_several_threads_use_one_search(threads, states):
    search = g.Search(BOXES, threads=threads)
    expected = [search(states, 500, seed=seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda seed: search(states, 500, seed=seed), range(8)))
    for one, other in zip(found, expected, strict=True):
        _same(one, other)


def test_several_threads_use_one_search_in_a_table(states):
    search = g.Search(BOXES, threads=1, table=1024)
    expected = [search(states, 200, seed=seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for one, other in zip(pool.map(lambda seed: search(states, 200, seed=seed), range(4)), expected, strict=True):
            _same(one, other)


def test_a_tally_counts_the_playouts_of_its_keys(states):
    tally = g.play_out(BOXES, "uniform", states, playouts=50, seed=3, threads=2)
    assert tally.wins.shape == tally.scores.shape == (6,)
    assert (tally.wins + tally.draws + tally.losses == 50).all()
    assert (tally.scores == (tally.wins - tally.losses) << 20).all()  # a game of win, draw and loss
    keys = np.array([key_of(3, p, 4) for p in range(50)], np.uint64)
    alone = CpuPlayouts(BOXES, g.playouts.Uniform()).tally(np.repeat(states[4:5], 50, axis=0), keys)
    assert (alone.wins.sum(), alone.draws.sum(), alone.plies.sum()) == (tally.wins[4], tally.draws[4], tally.plies[4])


def test_a_tally_is_that_of_its_parts(states, monkeypatch):
    whole = g.play_out(BOXES, "uniform", states, playouts=50, seed=3)
    monkeypatch.setattr("gpumcts.api.tally.WORDS_A_CALL", 2 * 7)
    parts = g.play_out(BOXES, "uniform", states, playouts=50, seed=3)
    assert whole.digest == parts.digest and (whole.scores == parts.scores).all()
    assert g.play_out(BOXES, "uniform", states, playouts=50, seed=4).digest != whole.digest


REFUSED = {
    r"playout=unifrm is not known \(did you mean uniform\?\); there are: evaluation, ": lambda: g.Search(
        BOXES, playout="unifrm"
    ),
    r"selection.exploration=-1: must be a number in \[0, ": lambda: g.Search(
        BOXES, selection=g.selection.Ucb1(exploration=-1)
    ),
    r"backup=Ucb1\(.*: must be a backup or its name": lambda: g.Search(BOXES, backup=g.selection.Ucb1()),
    "search.nope: unknown parameter; a Search has game, playout, ": lambda: g.Search(BOXES, nope=1),  # type: ignore[call-arg]
    r"search.playuot: unknown parameter \(did you mean playout\?\)": lambda: g.Search(BOXES, playuot=1),  # type: ignore[call-arg]
    r"backup=Average: a class; take a value of it, Average\(": lambda: g.Search(BOXES, backup=g.backup.Average),  # type: ignore[arg-type]
    r"game=DotsAndBoxes: a class; take a value of it": lambda: g.Search(type(BOXES)),  # type: ignore[arg-type]
    "search.expansion='leaf': must be node, threshold, whole_path or root": lambda: g.Search(
        BOXES,
        expansion="leaf",  # type: ignore[arg-type]
    ),
    "search.threshold=3: counts with search.expansion='threshold' alone": lambda: g.Search(BOXES, threshold=3),
    "search.stored_above=0.5: counts with search.table alone": lambda: g.Search(BOXES, stored_above=0.5),
    "engine='gpu': must be one of auto, cpu, cuda": lambda: g.Search(BOXES, engine="gpu"),
    r"engine=array\(\[1, 2\]\): must be one of auto, cpu, cuda": lambda: g.Search(
        BOXES,
        engine=np.array([1, 2]),  # type: ignore[arg-type]
    ),
    "engine=.too many digits to show.: must be one of": lambda: g.Search(BOXES, engine=10**5000),  # type: ignore[arg-type]
    "playout=.too many digits to show.: must be a playout or": lambda: g.Search(BOXES, playout=10**5000),  # type: ignore[arg-type]
    "game=.too many digits to show. is not a name; there are": lambda: g.make(10**5000),  # type: ignore[arg-type]
    r"search.threshold=array\(\[1, 2\]\): must be an integer in \[1, ": lambda: g.Search(
        BOXES, threshold=np.array([1, 2])
    ),
    r"game.rows=array\(\[\[1\], \[2\]\]\): must be an integer in \[1, 4\]": lambda: g.make(
        "dots_and_boxes", rows=np.array([[1], [2]])
    ),
    r"game.rows=.too many digits to show.: must be an integer in \[1, 4\]": lambda: g.make(
        "dots_and_boxes", rows=10**5000
    ),
    r"threads=0: must be an integer in \[1, 4096\]": lambda: g.Search(BOXES, threads=0),
    "memory_gb='1': must be a number of at least 1e-9 and below 1e9, or None": (
        lambda: g.Search(BOXES, memory_gb="1")  # type: ignore[arg-type]
    ),
    "memory_gb=.too many digits to show.: must be a number of": lambda: g.Search(BOXES, memory_gb=10**5000),
    "memory_gb=1e-10: must be a number of at least 1e-9 and below 1e9": lambda: g.Search(BOXES, memory_gb=1e-10),
    "memory_gb=10000000000.0: must be a number of at least 1e-9 and below 1e9": (
        lambda: g.Search(BOXES, memory_gb=1e10)
    ),
    "playout=go is not for game=": lambda: g.Search(BOXES, playout="go"),
    r"states\[1\]: the game is over there": lambda: g.Search(BOXES)(_ending(), 10),
    r"states\[1\]: chance is to move there, and a search decides for a player": lambda: g.Search(DUEL)(_thrown(), 10),
    r"iterations=0: must be an integer in \[1, ": lambda: g.Search(BOXES)(g.start(BOXES), iterations=0),
    "iterations=1: must be more than 1, or no move is tried at all": lambda: g.Search(BOXES)(
        g.start(BOXES), iterations=1
    ),
    "iterations=7: must be more than 7 with search.roots=4": lambda: g.Search(BOXES, roots=4)(
        g.start(BOXES), iterations=7
    ),
    "iterations=2148: with playouts_per_leaf=1000000 a tree would have 2,148,000,000 visits, and they": lambda: (
        g.Search(BOXES, playouts_per_leaf=1_000_000, threads=1)(g.start(BOXES), iterations=2148)
    ),
    "iterations=3000: with playouts_per_leaf=1000000 a tree would have 3,000,000,000 visits, and they": lambda: (
        g.Search(BOXES, playouts_per_leaf=1_000_000, table=16)(g.start(BOXES), iterations=3000)
    ),
    "iterations=1: must be more than 1": lambda: g.Search(BOXES).player(iterations=1),
    "iterations=100000: a tree takes .* MiB may be used; fewer iterations, or more memory_gb$": lambda: g.Search(
        BOXES, memory_gb=0.001, threads=1
    )(g.start(BOXES), iterations=100_000),
    "iterations=2: a tree takes .* MiB may be used; fewer iterations, or more memory_gb$": lambda: g.Search(
        BOXES, memory_gb=1e-9, threads=1
    ),
    "search.reuse=true: positions that are searched belong to no game": lambda: g.Search(BOXES, reuse=True)(
        g.start(BOXES)
    ),
    r"row=1: must be an integer in \[0, 0\]": lambda: g.Search(BOXES)(g.start(BOXES), 10).principal_variation(1),
    "first_move=99: not legal in position 0; legal are 0, 1, ": lambda: g.Search(BOXES)(
        g.start(BOXES), 10
    ).variation_text(0, first_move=99),
    r"playouts=0: must be an integer in \[1, ": lambda: g.play_out(BOXES, "uniform", g.start(BOXES), playouts=0),
    r"states\[1\]: the game is over": lambda: g.play_out(BOXES, "uniform", _ending()),
}


def _thrown():
    """A throw to be decided on, and the start, where the die is thrown."""
    start = g.start(DUEL)
    return np.concatenate((g.play(DUEL, start, [1]), start))


def _ending():
    """The start, and a game that is over."""
    state = g.random_positions(BOXES, 1, plies=6)
    return np.concatenate((g.start(BOXES), g.play(BOXES, state, g.legal_moves(BOXES, state)[:1])))


def test_memory_is_any_real_number():
    assert g.Search(BOXES, memory_gb=np.int64(2), threads=1)(g.start(BOXES), 20).iterations == 20
    for number in (np.int8(3), np.int32(3), np.uint16(3), np.float16(3), 3.0, Fraction(3)):
        assert bytes_of(number) == bytes_of(3) == 3 << 30


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_wrong_is_one_line(message):
    with pytest.raises(g.BadInput, match=f"^{message}") as caught:
        REFUSED[message]()
    assert "\n" not in str(caught.value)


def test_tallies_are_equal_where_all_of_them_is():
    states = g.start(BOXES, batch=3)
    one, other, more = (g.play_out(BOXES, "uniform", states, playouts, seed=1) for playouts in (20, 20, 21))
    assert one == other and hash(one) == hash(other) and len({one, other, more}) == 2
    assert one != more and one != 3 and one != g.play_out(BOXES, "uniform", states, 20, seed=2)


def test_a_throw_is_decided_on_and_chance_is_played_out():
    assert g.Search(DUEL, threads=1)(_thrown()[:1], 50).best[0] in g.legal_moves(DUEL, _thrown()[0])
    tally = g.play_out(DUEL, "uniform", g.start(DUEL), playouts=200)
    assert 0 < tally.wins[0] < 200


def test_a_game_of_ones_own_is_asked_as_a_value(tmp_path, monkeypatch):
    """Whether it keeps the contract, as one given by its module is: one line with file and line."""
    monkeypatch.syspath_prepend(str(tmp_path))
    heap.write(tmp_path, "lab_value.heap", ("@contract.score.implements(Heap)\n", ""))
    importlib.invalidate_caches()
    for ask in (g.Search, g.start, lambda game: g.play_match(game, (g.players.Random(), g.players.Random()), 2)):
        with pytest.raises(g.BadInput, match=r"lab_value/heap\.py:\d+: Heap has no body of score: write one") as caught:
            ask(importlib.import_module("lab_value.heap").Heap())
        assert "\n" not in str(caught.value)
    heap.forget("lab_value.heap")


def test_lines_of_trees_that_are_gone_are_refused():
    result = g.Search(BOXES, threads=1, memory_gb=2e-5)(g.start(BOXES, batch=40), 50)
    with pytest.raises(g.BadInput, match="principal_variation: .*; search fewer positions at once"):
        result.principal_variation(0)
