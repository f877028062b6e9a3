"""Our engine: every command, the form of its answers, clock, analysis, and lines that are none (see ``test_noise``)."""

import math
import random
import re
import time

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.contract import count_moves, play, start
from gpumcts.games.othello import Othello
from gpumcts.gtp.clock import MIN_SECONDS, Clock
from gpumcts.gtp.engine import GtpEngine, Limits
from gpumcts.gtp.position import GtpPosition
from gpumcts.gtp.stream import MAX_LINE, Request, answer, parse
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.tree.backup.average import Average
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import WIN
from tests.gtp.drivers import OTHELLO, talk, texts

# ---------------------------------------------------------------------------------------------------- the form


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        (b"name", Request("", "name", [])),
        (b"  12   play\tblack d3 # a comment", Request("12", "play", ["black", "d3"])),
        (b"\x01na\x7fme\r", Request("", "name", [])),
        (b"# nothing", None),
        (b"   \t ", None),
        (b"7", Request("7", "", [])),
        (b"7name", Request("", "7name", [])),
    ],
)
def test_lines(line, request_):
    assert parse(line) == request_


def test_answers():
    assert answer("=", Request("3", "x", []), "") == b"=3\n\n"
    assert answer("=", Request("", "x", []), "a") == b"= a\n\n"
    assert answer("?", Request("3", "x", []), "no\n\nway\x1b\u00e9") == b"?3 no\n \nway??\n\n"


def test_the_commands_about_itself(engine):
    fresh = engine()
    assert talk(fresh, "1 protocol_version", "2 name", "known_command play", "known_command jump", "known_command") == [
        ("=", "1", "2"), ("=", "2", "gpumcts"), ("=", "", "true"), ("=", "", "false"), ("=", "", "false"),
    ]  # fmt: skip
    ((_, _, names),) = talk(fresh, "list_commands")
    required = """protocol_version name version known_command list_commands quit boardsize clear_board komi play
        genmove undo time_settings time_left final_score showboard reg_genmove lz-analyze gogui-analyze_commands"""
    assert set(required.split()) <= set(names.splitlines())
    for name in names.splitlines():
        assert texts(fresh, f"known_command {name}") == ["=true"]
    assert texts(fresh, "loadsgf a.sgf", "9 jump") == ["?unknown command", "?unknown command"]
    assert talk(fresh, "quit", "name") == [("=", "", "")]  # nothing after quit


def test_the_board(engine):
    fresh = engine()
    assert texts(fresh, "boardsize 8", "boardsize 9", "boardsize x", "boardsize") == [
        "=", "?unacceptable size", "?boardsize not an integer", "?syntax error",
    ]  # fmt: skip
    assert texts(fresh, "play b F5", "play white a1", "play green d6", "play w", "play black d6") == [
        "=", "?illegal move", "?syntax error", "?syntax error", "?illegal move",
    ]  # fmt: skip
    assert fresh.position.line([]) == [] and len(fresh.position.moves) == 1
    assert texts(fresh, "undo", "undo", "play WHITE d3", "komi 0", "komi six", "komi nan") == [
        "=", "?cannot undo", "?illegal move", "=", "?syntax error", "?syntax error",
    ]  # fmt: skip
    ((status, _, board),) = talk(fresh, "showboard")
    assert status == "=" and board.startswith("  a b c") and "\n\n" not in board
    assert texts(fresh, "final_score") == ["?cannot score: the game is not over"]


def test_a_whole_game_with_passes_that_gtp_leaves_out(engine):
    """Random games: passes are not told, moves are; the score is the discs', and undo goes back to the start."""
    rng, passed = random.Random(5), 0
    with np.errstate(over="ignore"):
        for _ in range(6):
            fresh, state, told = engine(), start(OTHELLO), 0
            while legal := fresh.position.legal:
                move = rng.choice(legal)
                colour = "bw"[fresh.position.mover]
                if move == 64:
                    passed += 1
                    state = play(OTHELLO, state, move)
                    others = fresh.position.of(OTHELLO)
                    others.turn_to(1 - fresh.position.mover)
                    move, colour = rng.choice(others.legal), "bw"[others.mover]
                    assert texts(fresh, f"play {colour} {others.text(move)}") == ["="]
                else:
                    assert texts(fresh, f"play {colour} {fresh.position.text(move)}") == ["="]
                state, told = play(OTHELLO, state, move), told + 1
            assert fresh.position.state == state and count_moves(OTHELLO, state) == 0
            rows = fresh.position.board().rpartition("\n")[0]
            lead = rows.count("X") - rows.count("O")
            expected = f"={'B' if lead > 0 else 'W'}+{abs(lead)}" if lead else "=0"
            assert texts(fresh, "final_score", "genmove b", "play b a1") == [
                expected,
                "?the game is over",
                "?illegal move",
            ]
            assert texts(fresh, *["undo"] * (told + 1)) == ["="] * told + ["?cannot undo"]
            assert fresh.position.state == start(OTHELLO)
    assert passed > 0


def test_komi_makes_another_game(engine):
    """Where the game has one: the position stays, its terms change."""
    games = {0.5: Othello(corner_weight=1), 6.5: Othello(corner_weight=2)}

    def with_terms(terms):
        komi = terms["komi"]
        if komi not in games:
            raise BadInput(f"komi={komi:g} is not offered")
        return games[komi]

    fresh = engine(terms={"komi": 0.5}, with_terms=with_terms)
    assert texts(fresh, "play b f5", "komi 6.5", "komi 7", "undo") == ["=", "=", "?komi=7 is not offered", "="]
    assert fresh.position.game == games[6.5]


# ----------------------------------------------------------------------------------------------------- the search


def test_genmove_is_the_search_of_that_many_iterations(engine, searcher):
    """Whatever the slices: the move, and the table of visits, are those of one search under the key of game and ply."""
    fresh = engine(iterations=300)
    assert texts(fresh, "clear_board", "play b f5") == ["=", "="]
    position = GtpPosition(OTHELLO, 1)
    position.play(0, "f5")
    keys = np.array([key_of(1, 1, 1)], np.uint64)
    found = searcher.search(position.words()[None], keys, 300)
    expected = position.text(int(found.decide()[0]))
    assert texts(fresh, "reg_genmove w", "reg_genmove w", "genmove w") == [f"={expected}"] * 3
    assert len(fresh.position.moves) == 2
    search = IncrementalSearch(searcher, position.words(), keys[0])
    for step in (7, 1, 150, 142):
        search.go_on(step)
    assert search.iterations == 300
    assert search.found().root_children(0) == found.root_children(0)


def test_a_tree_that_outgrows_its_room_goes_on(searcher, monkeypatch):
    monkeypatch.setattr("gpumcts.tree.incremental_search.ROOM", 2)
    words, key = GtpPosition(OTHELLO).words(), key_of(3)
    search = IncrementalSearch(searcher, words, key)
    for _ in search.slices(2000, None):
        pass
    found = searcher.search(words[None], np.array([key]), 2000)
    assert search.found().root_children(0) == found.root_children(0)


def test_slices_are_those_of_one_search_with_several_leaves_a_step():
    """However fast the machine is: a slice that is cut within a step would select by other virtual losses."""
    searcher = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), Settings(leaves_per_tree=4))
    words, key = GtpPosition(OTHELLO).words(), key_of(3)
    expected = searcher.search(words[None], np.array([key]), 601).root_children(0)
    for pace in (1.0, 70.0, 1100.0):  # slices of 1, 3 and 55 iterations, where the pace decided alone
        search = IncrementalSearch(searcher, words, key)
        for _ in search.slices(601, None):
            search._pace = pace
        assert search.iterations == 601
        assert search.found().root_children(0) == expected


def test_a_game_that_is_over_is_let_go_of(engine, searcher, monkeypatch):
    """With ``search.reuse`` every game of a long session would leave a tree."""
    gone, fresh = [], engine()
    monkeypatch.setattr(searcher, "forget", lambda games: gone.extend(games.tolist()))
    fresh._searcher.result()
    number = fresh.position.number
    texts(fresh, "clear_board", "play b f5", "clear_board")
    assert gone == [number, number + 1]


def test_a_search_without_memory_ends_and_one_that_never_fits_is_refused(monkeypatch):
    monkeypatch.setattr("gpumcts.tree.incremental_search.SECONDS_A_SLICE", 1e-4)  # short, on fast machines too
    words = GtpPosition(OTHELLO).words()
    small = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), memory_limit=200_000)
    search = IncrementalSearch(small, words, key_of(3))
    for _ in search.slices(None, None):
        pass
    assert 100 < search.iterations < 10_000 and "may be used" in search.stopped_by
    none = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), memory_limit=1000)
    with pytest.raises(BadInput, match="a tree takes"):
        next(IncrementalSearch(none, words, key_of(3)).slices(None, None))


def test_a_proven_win_is_not_resigned(searcher):
    """Seven plies before the end a proven win is played, although the mean of its playouts is low enough to resign."""
    proving, played = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), Settings(solve=True)), random.Random(11)
    spared = 0
    for _ in range(20):
        position = GtpPosition(OTHELLO)
        while len(position.moves) < 53 and not position.over:
            position.push(played.choice(position.legal))
        if position.over or position.only_move is not None:
            continue
        search = IncrementalSearch(proving, position.words(), key_of(5))
        search.go_on(2000)
        found = search.found()
        if found.worth(found.decide()[:1])[1][0] != WIN:
            continue
        answers = [resigning(search, position) for search in (proving, searcher)]
        assert re.fullmatch("=[a-hA-H][1-8]", answers[0])
        spared += answers[1] == "=resign"
    assert spared >= 3


def resigning(search, position):
    """What an engine that resigns below 98 % does in a position."""
    engine = GtpEngine(OTHELLO, lambda game: search, Limits(2000, None), resign=0.98)
    for move in position.moves:
        engine.position.push(move)
    (answer,) = texts(engine, f"genmove {'bw'[position.mover]}")
    engine.close()
    return answer


@pytest.mark.slow  # another tree to compile
def test_a_proven_position_is_not_searched_on():
    from gpumcts.games.dots_and_boxes import DotsAndBoxes

    game = DotsAndBoxes(1, 1)
    searcher = Searcher(game, Uniform(), Ucb1(), Average(), Settings(solve=True, reuse=True))
    search = IncrementalSearch(searcher, GtpPosition(game).words(), key_of(3))
    for _ in search.slices(None, 60.0):
        pass
    assert search.proven
    search.keep()
    after = GtpPosition(game)
    after.play(0, after.legal[0])
    more = IncrementalSearch(searcher, after.words(), key_of(3, 0, 1))
    assert more.found().root_children(0), "what was kept of the game is there before the first iteration"


def test_a_clock_ends_a_search(engine):
    """With a second a move and no end of iterations a move is made, and it takes its time."""
    fresh = engine(iterations=2**31 - 1)
    assert texts(fresh, "time_settings 0 1 4", "time_left b 1 4")[0] == "="
    assert texts(fresh, "genmove b")[0].startswith("=")
    assert any(re.match(r"ply 0: \w\d, 0\.[1-9]", line) for line in fresh.said)
    refused = [
        "time_settings 1 2",
        "time_settings -1 0 0",
        "time_settings a b c",
        "time_left b",
        "time_settings inf 0 0",
    ]
    assert texts(fresh, *refused) == ["?syntax error"] * 5


def test_the_wait_for_the_search_does_not_count(searcher):
    """Neither of the clock's time nor of the seconds that are told: the search takes two to be made."""
    said = []

    def make(game):
        time.sleep(2)
        return searcher

    fresh = GtpEngine(OTHELLO, make, Limits(5, None), say=said.append)
    assert texts(fresh, "time_settings 100 0 0", "genmove b")[1] in ("=d3", "=c4", "=f5", "=e6")
    (told,) = re.findall(r"ply 0: \w\d, (.*) s", "\n".join(said))
    assert float(told) < 1
    left, _ = fresh.clock._left[0]
    assert 99 < left < 100, "what it took does count"
    fresh.close()


def test_a_search_beside_the_game_takes_nothing_of_the_clock(engine):
    """README has it warm the engine up."""
    fresh = engine()
    assert [text[0] for text in texts(fresh, "time_settings 100 0 0", "reg_genmove b")] == ["=", "="]
    assert fresh.clock._left[0] == (100, 0) and fresh.position.moves == []


def test_the_clock():
    clock = Clock()
    assert clock.seconds(0, 30) == math.inf
    for settings in ((0, 5, 0), (0, 0, 0)):
        clock.set(*settings)
        assert clock.seconds(0, 30) == math.inf
    clock.set(0, 10, 5)
    assert 1 < clock.seconds(0, 30) < 2
    clock.tell(0, 1, 5)
    assert 0.1 < clock.seconds(0, 30) < 0.2 and 1 < clock.seconds(1, 30) < 2
    clock.set(300, 0, 0)
    assert 9 * 0.8 < clock.seconds(0, 30) < 10 and clock.seconds(0, 1) < 300 / 4
    clock.used(0, 290)
    assert clock.seconds(0, 30) < 0.5 < clock.seconds(1, 30)
    clock.used(0, 290)
    assert clock.seconds(0, 30) == MIN_SECONDS
    clock.set(1, 10, 2)
    clock.used(0, 2)
    assert 4 < clock.seconds(0, 30) < 5
    clock.restart()
    assert clock.seconds(0, 30) == clock.seconds(1, 30)


def test_the_time_of_one_player_says_nothing_of_the_others():
    clock = Clock()
    clock.tell(0, 60, 0)
    assert clock.seconds(0, 30) < 60 and clock.seconds(1, 30) == math.inf
    clock.used(1, 5)
    assert clock.seconds(1, 30) == math.inf


@pytest.mark.parametrize("command", ["clear_board", "boardsize 8"])
def test_a_new_game_has_its_time_again(engine, command):
    fresh = engine()
    texts(fresh, "time_settings 30 0 0", "time_left b 1 0")
    assert fresh.clock.seconds(0, 10) < 1
    texts(fresh, command)
    assert fresh.clock.seconds(0, 10) > 1


# ----------------------------------------------------------------------------------------------------------- noise


def test_a_line_without_end_is_one_refusal(engine):
    replies = talk(engine(), raw=b"x" * (5 * MAX_LINE) + b"\nname\n")
    assert replies == [("?", "", "line too long"), ("=", "", "gpumcts")]


def test_the_end_of_input_without_a_newline_still_counts(engine):
    assert talk(engine(), raw=b"name") == [("=", "", "gpumcts")]
