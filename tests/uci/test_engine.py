"""Our engine: every request, the form of its answers, clock, searches without an end, and what it makes of noise."""

import io
import random
import re
import threading
import time

import numpy as np
import pytest

from gpumcts.games.contract import position_text
from gpumcts.playouts.uniform import Uniform
from gpumcts.programs.clock import Limits
from gpumcts.programs.position import Position
from gpumcts.programs.rehearsal import NOBODY, rehearse
from gpumcts.rng import key_of
from gpumcts.tree.backup.average import Average
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.uci.info import centipawns
from tests.uci.drivers import FIRST, OTHELLO, moves, talk

LAST_DISC = "XO".ljust(64, "-")
INFO = re.compile(
    r"info depth (\d+)(?: multipv (\d+))? nodes (\d+) nps (\d+) time (\d+) score cp (-?\d+) pv (\w+(?: \w+)*)"
)


class Steps(io.RawIOBase):
    """A source of (sign, part), and the sink: a part comes once the sign has gone out."""

    def __init__(self, *parts):
        super().__init__()
        self.parts, self.told, self.changed = list(parts), b"", threading.Condition()

    def write(self, data):
        with self.changed:
            self.told += bytes(data)
            self.changed.notify_all()
        return len(data)

    def writable(self):
        return True

    def read(self, size=-1):
        if not self.parts:
            return b""
        sign, part = self.parts.pop(0)
        with self.changed:
            self.changed.wait_for(lambda: sign in self.told, 60)
        return part


def test_it_introduces_itself_before_the_search_is_made(engine, searcher):
    """``uci`` is answered at once, ``isready`` when it is: nothing more is asked before the first is answered."""
    ready = threading.Event()

    class Source(Steps):
        def read(self, size=-1):
            if len(self.parts) == 1:
                ready.set()
            return super().read(size)

    source = Source((b"", b"uci\nisready\n"), (b"uciok\n", b"quit\n"))
    fresh = engine(search=lambda: (ready.wait(60), searcher)[1])
    fresh.serve(source, source)
    lines = source.told.decode().splitlines()
    assert re.fullmatch(r"id name gpumcts \S+", lines[0]) and lines[1].startswith("id author ")
    options = [line for line in lines if line.startswith("option ")]
    assert options[-1] == "option name UCI_Variant type combo default othello var othello"
    assert options[-2] == "option name Ponder type check default false"
    assert all(re.fullmatch(r"option name [\w ]+ type spin default \d+ min \d+ max \d+", line) for line in options[:-2])
    assert lines[2 + len(options)] == "uciok" and options


# ------------------------------------------------------------------------------------------------------ the search


def test_a_game_that_is_over_is_let_go_of(engine, searcher, monkeypatch):
    """With ``search.reuse`` every game of a long session would leave a tree."""
    gone = []
    monkeypatch.setattr(searcher, "forget", lambda games: gone.extend(games.tolist()))
    talk(engine(), "position startpos", "go nodes 30", "ucinewgame", "position startpos", "go nodes 30", "ucinewgame")
    assert gone == [0, 1]


def test_go_is_the_search_of_that_many_iterations(engine, searcher):
    """Whatever the slices: the move is that of one search under the key of game and ply, of which ``info`` tells."""
    position = Position(OTHELLO, 2)
    position.push(position.parse("f5"))
    found = searcher.search(position.words()[None], np.array([key_of(1, 2, 1)], np.uint64), 300)
    best = int(found.decide()[0])
    lines = talk(engine(), "ucinewgame", "ucinewgame", "position startpos moves f5", "go nodes 300")
    assert moves(lines) == [position.text(best)]
    depth, number, nodes, _, _, score, line = INFO.fullmatch(lines[-2]).groups()
    assert (int(nodes), number) == (300, None)
    assert line.split() == position.line(found.principal_variation(0, best)) and int(depth) == len(line.split())
    assert int(score) == centipawns(float(found.worth(np.array([best]))[0][0]))


def test_a_proven_end_has_its_moves(engine):
    """Black takes White's only disc, at once or after White has passed: ``mate`` in moves, negative for who loses."""
    searcher = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), Settings(solve=True))
    fresh = engine(search=lambda: searcher)
    for text, score, plies in ((f"{LAST_DISC} X", "mate 1", 1), (f"{LAST_DISC} O", "mate -1", 2)):
        lines = talk(fresh, f"position fen {text}", "go nodes 400")
        told = next(line for line in reversed(lines) if " pv " in line)
        assert f" score {score} pv " in told and len(told.partition(" pv ")[2].split()) == plies


def test_limits(engine):
    """What ``go`` names, else the engine's own; a depth is told to be none."""
    fresh = engine(iterations=25)

    def nodes(go):
        lines = talk(fresh, go)
        assert moves(lines)[0] in FIRST and len(moves(lines)) == 1
        return int(INFO.fullmatch(lines[-2])[3]), lines[0]

    assert nodes("go")[0] == nodes("go wtime 100000 btime 100000")[0] == nodes("go movestogo 3")[0] == 25
    assert nodes("go nodes 40")[0] == 40 and nodes("go nodes 0")[0] == 2
    assert nodes("go nodes 40 movetime 60000")[0] == 40
    assert nodes("go nodes 40 wtime 60000 btime 60000")[0] == 40
    assert nodes("go nodes 1000000 wtime 300 btime 300")[0] < 1_000_000  # who runs out of time has lost
    assert nodes("go movetime 70")[0] > 0 and nodes("go movetime 1")[0] > 0
    told = "info string depth: not for a search by playouts, whose limits are nodes and time"
    assert nodes("go depth 7") == (25, told)
    least = "must be a number of at least 0, of 15 digits at most; it counts as not said"
    assert nodes("go movetime abc nodes -5") == (25, f"info string movetime abc, nodes -5: {least}")
    assert nodes(f"go nodes {10**15}") == (25, f"info string nodes {10**15}: {least}")
    assert nodes("go wtime 1 btime 1")[0] <= 25


def test_positions_are_followed_from_where_they_were(engine, monkeypatch):
    """A game that goes on is told its new moves alone; one taken back, or another, is played anew; all are the same."""
    pushed = []
    push = Position.push
    monkeypatch.setattr(Position, "push", lambda self, move: (pushed.append(move), push(self, move))[1])
    fresh, text = engine(), position_text(OTHELLO, Position(OTHELLO).state)
    for line, pushes in (
        ("startpos moves f5 d6", 2),
        ("startpos moves f5 d6 c3", 1),
        ("startpos moves f5 d6", 2),
        (f"fen {text} moves f5 d6", 2),
        (f"fen {text} moves f5 d6", 0),
        ("startpos moves f5 f4", 2),
    ):
        pushed.clear()
        assert talk(fresh, f"position {line}") == [] and len(pushed) == pushes
    assert (
        len({*moves(talk(fresh, "position startpos moves f5 d6", "go", f"position fen {text} moves f5 d6", "go"))}) == 1
    )


def test_what_is_no_position_is_refused_and_not_played_from(engine):
    fresh = engine()
    for line, told in (
        ("position startpos moves f5 f5", "position: move number 2: move 'f5' is not legal here"),
        ("position fen X", ""),
        ("position", "position: it takes 'startpos'"),
    ):
        lines = talk(fresh, "position startpos", line, "go")
        assert lines[0].startswith(f"info string {told}")
        assert lines[1:] == ["info string go: the last position was refused", "bestmove (none)"]
    assert moves(talk(fresh, "position startpos", "go"))[0] in FIRST


def test_a_game_that_is_over_and_an_only_move(engine):
    rng, fresh, position, only = random.Random(4), engine(), Position(OTHELLO), 0
    played = []
    while legal := position.legal:
        if len(legal) == 1:
            only += 1
            lines = talk(fresh, f"position startpos moves {' '.join(played)}", "go wtime 9 btime 9", "go nodes 5")
            assert moves(lines) == [position.text(legal[0])] * 2 and len(lines) == 3
        played.append(position.text(move := rng.choice(legal)))
        position.push(move)
    game = f"position startpos moves {' '.join(played)}"
    first, second = talk(fresh, game, "go"), talk(fresh, game, "go infinite", "stop")
    assert first == second and first[0] in ("info depth 0 score mate 0", "info depth 0 score cp 0")
    assert first[1] == "bestmove (none)" and only
    for words in ("infinite", "ponder infinite"):
        asked = f"{game}\ngo {words}\nponderhit\nisready\n".encode()
        source = Steps((b"", asked), (b"readyok", b"stop\n"), (b"bestmove", b""))
        fresh.serve(source, source)
        assert source.told.endswith(b"readyok\nbestmove (none)\n"), "an infinite search ends by stop alone"
    lines = talk(fresh, game, "go ponder", "ponderhit", "isready")
    assert lines[1:] == ["bestmove (none)", "readyok"]


def test_an_endless_search_ends_when_it_is_told_to(engine):
    """It answers ``isready`` meanwhile, and tells nothing of a move before ``stop``."""
    source = Steps(
        (b"", b"go infinite\n"), (b" pv ", b"isready\n"), (b"readyok", b"stop\nisready\n"), (b"bestmove", b"")
    )
    engine().serve(source, source)
    before, after = source.told.split(b"readyok\n", 1)
    assert b"bestmove" not in before and b"info depth" in before
    assert re.search(rb"bestmove \w\d\nreadyok\n$", after)


@pytest.mark.parametrize("end", ["stop", "ponderhit", "quit", "go nodes 9", "position startpos", ""])
@pytest.mark.parametrize("go", ["go infinite", "go ponder wtime 9 btime 9"])
def test_what_ends_an_endless_search(engine, go, end):
    """Any request that would wait for its end does, and so does the end of input; a request is done then."""
    lines = talk(engine(), go, end)
    assert len(moves(lines)) == 1 + end.startswith("go")


def test_stop_counts_behind_other_requests_and_before_the_next_go(engine):
    lines = talk(engine(), "go nodes 5000000", "setoption name MultiPV value 2", "stop", "go nodes 40")
    told = [
        int(INFO.fullmatch(line)[3]) for before, line in zip(lines[1:], lines, strict=False) if "bestmove" in before
    ]
    assert told[0] < 5_000_000 and told[1] == 40


def test_after_ponderhit_a_search_has_its_limits(engine):
    lines = talk(engine(), "go ponder nodes 3000", "ponderhit")
    assert int(INFO.fullmatch(lines[-2])[3]) == 3000


@pytest.mark.parametrize("moves_named", ["c4", "e6 c4", "c4 zz9"])
def test_one_of_searchmoves_is_played(engine, moves_named):
    lines = talk(engine(), f"go searchmoves {moves_named} nodes 300")
    assert moves(lines)[0] in moves_named.split() and moves(lines)[0] != "zz9"
    assert "info string searchmoves: all moves are searched, the best of those named is played" in lines
    assert INFO.fullmatch(lines[-2])[7].split()[0] == moves(lines)[0]


@pytest.mark.parametrize("named", sorted(FIRST))
def test_a_move_of_searchmoves_that_was_not_searched_says_so(engine, named):
    """Of so few iterations three moves of the start have none."""
    lines = talk(engine(), f"go searchmoves {named} nodes 2")
    told = f"info string {named} is a legal move that no search has chosen" in lines
    assert moves(lines) == [named] and told == (not any(line.startswith("info depth") for line in lines))


def test_of_searchmoves_alone_is_told(engine):
    lines = talk(engine(), "setoption name MultiPV value 4", "go searchmoves e6 c4 nodes 300")
    told = [INFO.fullmatch(line)[7].split()[0] for line in lines if " pv " in line]
    assert told[0] == moves(lines)[0] and sorted(told) == ["c4", "e6"]


def test_a_tree_that_is_full_is_told(engine):
    small = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), memory_limit=200_000)
    lines = talk(engine(search=lambda: small), "go nodes 100000")
    nodes = int(INFO.fullmatch(lines[-2])[3])
    assert 100 < nodes < 10_000
    begins = f"info string the search ends after {int(nodes):,} iterations: budget.iterations="
    ends = "may be used; fewer iterations, or more memory_gb"
    assert any(line.startswith(begins) and line.endswith(ends) for line in lines)


def test_time_counts_from_before_a_tree_is_planted(engine, monkeypatch):
    """One that was kept takes a while to be handed on: with half a second for a move it is not half a second more."""
    plant = Searcher.plant

    def slowly(self, *arguments):
        time.sleep(0.4)
        return plant(self, *arguments)

    monkeypatch.setattr(Searcher, "plant", slowly)
    lines = talk(engine(), "setoption name Move Overhead value 0", "go movetime 450")
    assert int(INFO.fullmatch(lines[-2])[5]) >= 400
    begin = time.monotonic() - 0.4
    assert Limits(7, 0.45).less(begin).seconds < 0.06 and Limits(7, None).less(begin) == Limits(7, None)


def test_a_rehearsal_leaves_nothing():
    """Both searches of it are told; the second goes on from the first, and neither is kept."""
    searcher, told = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), Settings(reuse=True)), []
    rehearse(searcher, OTHELLO, lambda position, found: told.append((len(position.moves), found.root_children(0))))
    assert [plies for plies, _ in told] == [0, 1] and all(children for _, children in told)
    assert sum(child.visits for child in told[1][1]) > sum(child.visits for child in told[0][1])
    assert searcher.kept.most_used(np.array([NOBODY])) == 0


def test_searchmoves_without_a_legal_one_are_told(engine):
    lines = talk(engine(), "go searchmoves a1 zz9 nodes 300")
    assert "info string searchmoves: none of them is legal" in lines and moves(lines)[0] in FIRST


def test_requests_wait_for_the_end_of_a_search_that_has_one(engine):
    lines = talk(engine(), "go nodes 3000", "position startpos moves f5", "go nodes 40", "isready", "uci")
    told = [
        int(INFO.fullmatch(line)[3]) for before, line in zip(lines[1:], lines, strict=False) if "bestmove" in before
    ]
    assert told == [3000, 40]


@pytest.mark.parametrize(("roots", "fewest"), [(1, 2), (4, 8)])
def test_nodes_that_try_no_move_are_raised(engine, roots, fewest):
    """A single node would play from the root alone, and no move would be found."""
    searcher = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), Settings(roots=roots))
    *_, info, best = talk(engine(search=lambda: searcher), "go nodes 1")
    assert moves([best])[0] in FIRST and f" nodes {fewest} " in info


def test_a_game_goes_on_in_its_tree_at_many_playouts_a_leaf(engine):
    """What is counted are the visits that are made, not those that there is room for."""
    searcher = Searcher(OTHELLO, Uniform(), Ucb1(), Average(), Settings(reuse=True, playouts_per_leaf=1000))
    lines = talk(engine(search=lambda: searcher), "go nodes 20", "position startpos moves f5", "go nodes 20")
    assert moves(lines)[0] in FIRST and "(none)" not in moves(lines)


def test_options(engine):
    fresh = engine()
    lines = talk(fresh, "setoption name MultiPV value 3", "position startpos moves f5", "go nodes 200")
    found = [INFO.fullmatch(line) for line in lines[-4:-1]]
    assert [each[2] for each in found] == ["1", "2", "3"] and len({each[7].split()[0] for each in found}) == 3
    assert found[0][7].split()[0] == moves(lines)[0]
    refused = talk(
        fresh,
        "setoption name multipv value 0",
        "setoption name Hash value 16",
        "setoption",
        "setoption name MultiPV value",
    )
    assert [line.startswith("info string ") for line in refused] == [True] * 4
    assert refused[0] == refused[3] == "info string option MultiPV takes an integer in [1, 20]"
    assert talk(fresh, "setoption name Move Overhead value 5000", "go movetime 5000")  # and 5 s less 5 s is little
    assert fresh._options == {"multipv": 3, "move overhead": 5000}


def test_a_gui_that_ponders_is_told_the_expected_reply(engine):
    fresh = engine()
    assert " ponder " not in moves(talk(fresh, "go nodes 300"))[0]
    lines = talk(fresh, "setoption name ponder value true", "go nodes 300")
    move, reply = INFO.fullmatch(lines[-2])[7].split()[:2]
    assert moves(lines) == [f"{move} ponder {reply}"]
    asked = talk(fresh, f"position startpos moves {move} {reply}", "go ponder nodes 300", "ponderhit")
    assert not any(line.startswith("info string") for line in asked) and len(moves(asked)) == 1
    assert talk(fresh, "go nodes 2", "setoption name Ponder value on")[-1] == (
        "info string option Ponder takes true or false"
    )
    assert " ponder " not in moves(talk(fresh, "setoption name Ponder value false", "go nodes 300"))[0]


def test_a_tree_of_one_move_tells_no_reply(engine):
    lines = talk(engine(), "setoption name Ponder value true", "go nodes 2")
    assert moves(lines)[0] in FIRST


def test_a_fault_of_ours_costs_no_more_than_the_move(engine, monkeypatch):
    fresh = engine()
    with monkeypatch.context() as patch:
        patch.setattr("gpumcts.uci.engine.IncrementalSearch", lambda *_: 1 / 0)
        lines = talk(fresh, "go")
        assert lines[0] == "info string internal error" and moves(lines)[0] in FIRST
    assert fresh.said == ["go: ZeroDivisionError: division by zero"]
    assert moves(talk(fresh, "go"))[0] in FIRST
