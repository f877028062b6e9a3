"""Programs that speak UCI in a match: they are told games as they are, and what they do ends their own game alone."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.chess import Chess
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.kernels.batch import Rules
from gpumcts.match.runner import play_match
from gpumcts.players.contract import fault_of
from gpumcts.players.random import RandomPlayer
from gpumcts.players.uci import UciLaunch, UciPlayer, UciSession, probe
from gpumcts.programs.position import Position
from gpumcts.programs.process import EngineError
from gpumcts.uci.options import Option, command_of, parse_option
from tests.players.test_gtp_player import interrupt, records, silent

GAME = DotsAndBoxes()
FAKE = [sys.executable, "-I", str(Path(__file__).with_name("fake_uci_program.py"))]


def launch(*words, patience=60.0, **options):
    return UciLaunch([*FAKE, *map(str, words)], "depth 1", options, patience)


def play(folder, launch, games=4, processes=1, game=GAME):
    """A match of a program against the random mover."""
    player = UciPlayer(game, launch, processes, "fake")
    try:
        players = (RandomPlayer(game), player)
        return play_match(game, players, games, 7, folder, {"of": "tests"}, games_in_flight=processes)
    finally:
        player.close()


REASONS = {
    "crash": "ended with exit code 3: out of luck",
    "killed": "was killed by signal 9",
    "hang": "hangs: no answer to go depth 1 within 6 s, nor to stop within 2 s",
    "garbage": r"made an illegal move: \[1mI",
    "illegal": "made an illegal move: ",
    "none": r"named no move: \(none\)",
    "null": "named no move: 0000",
    "empty": "named no move: nothing",
    "flood": "answered go depth 1 with a line of more than 64 KiB",
    "chatter": "answered go depth 1 with more than 64 KiB",
    "infos": "answered go depth 1 with more than 16 MiB of info",
}


@pytest.mark.parametrize("mode", [pytest.param(m, marks=pytest.mark.slow if m == "hang" else ()) for m in REASONS])
def test_a_failure_ends_its_game_alone(mode, tmp_path):
    """The first game in which it happens is lost, with the reason; a new process plays all others to their end."""
    patience = 6.0 if mode == "hang" else 60.0  # a program has to start within it, on a busy machine too
    result = play(tmp_path / "run", launch(mode, tmp_path / "flag", patience=patience))
    over = [record for record in records(tmp_path / "run") if "ended" in record]
    assert [record["ended"] for record in over] == ["forfeited"]
    assert over[0]["result"] == "win" and over[0]["score"] == 1.0 and over[0]["plies"] == len(over[0]["moves"].split())
    (reason,) = result.given_up[1].reasons
    assert reason == fault_of(over[0]["reason"])
    assert re.fullmatch(REASONS[mode] + ".*", reason), reason
    assert result.given_up[1][:2] == (0, 1) and result.given_up[0] == (0, 0, {})
    assert result.games == 4 and not result.interrupted and result.digest is None
    assert all(record["plies"] == 12 for record in records(tmp_path / "run") if "ended" not in record)


def test_a_late_program_is_told_to_stop_once_and_plays_on(tmp_path):
    result = play(tmp_path, launch("late", tmp_path / "flag", patience=6.0), games=2)
    assert result.given_up[1] == (0, 0, {})


def test_what_nobody_asked_for_is_no_answer(tmp_path):
    """A second bestmove, illegal, comes before the next question."""
    result = play(tmp_path, launch("twice"))
    assert result.given_up[1] == (0, 0, {})


def test_a_program_is_told_the_games_as_they_are(tmp_path):
    """Every question follows its game's moves to that ply; a new game is announced, each question is ready first."""
    log = tmp_path / "log"
    play(tmp_path / "run", launch("good", "", log), 5)
    lines = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    variant = "setoption name UCI_Variant value dots_and_boxes"
    assert lines[:5] == ["uci", variant, "isready", "ucinewgame", "isready"] and lines[-1] == "quit"
    games = [record["moves"].split() for record in records(tmp_path / "run")]
    asked = [place for place, line in enumerate(lines) if line.startswith("go")]
    assert {lines[place] for place in asked} == {"go depth 1"}
    for place in asked:
        position, ready = lines[place - 2 : place]
        moves = position.removeprefix("position startpos").removeprefix(" moves").split()
        assert ready == "isready" and any(moves == game[: len(moves)] for game in games)
    assert lines.count("ucinewgame") == 5 and len(asked) >= 5 * 3  # at the start it is in its first game


@pytest.mark.parametrize(
    ("at", "often", "game"), [("uci", 0, 0), ("isready", 0, 0), ("isready", 1, 0), ("isready", 3, 1), ("isready", 3, 0)]
)
def test_an_interrupt_counts_at_the_start_of_a_game(at, often, game, tmp_path):
    """While a process is made, takes options, is told of its first game, of another, and of the same one anew."""
    log = tmp_path / "log"
    variant = "option name UCI_Variant type combo var dots_and_boxes\nuciok"
    command = silent(at, often, log, f"uci:{variant}", "isready:readyok", "go:bestmove a1b1", "else:info", "ends:1")
    interrupt(UciPlayer(GAME, UciLaunch(command, "depth 1", {}, 20.0)), game, log)


ANSWERS = """
import sys, time
VARIANT = "option name UCI_Variant type combo var dots_and_boxes\\nuciok"
for line in sys.stdin:
    word = line.split()[0]
    if word == "go":
        time.sleep(float(sys.argv[2]))
    print({"uci": VARIANT, "isready": "readyok", "go": "bestmove " + sys.argv[1]}.get(word, "info"), flush=True)
"""


def answers(text, pause=0.0):
    """A program that has one answer, whatever it is asked, after ``pause`` seconds."""
    return [sys.executable, "-I", "-c", ANSWERS, text, str(pause)]


@pytest.mark.parametrize(("granted", "over"), [(0.1, 1), (60.0, 0), (None, 0)])
def test_moves_that_took_longer_than_was_granted_are_counted(granted, over):
    player = UciPlayer(GAME, UciLaunch(answers("a1b1", 0.4), "movetime 100", seconds=granted))
    try:
        moves, _ = player.choose_after([[]], Rules(GAME).starts(1), np.zeros(1, np.uint64), np.zeros(1, np.int64))
    finally:
        player.close()
    assert moves[0] >= 0 and player.longest >= 0.4 and player.over_time == over


PROMOTES = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 b8c6"


@pytest.mark.parametrize(
    ("before", "answer", "legal"),
    [
        ("", "g1f3", True),
        ("", "Nf3", False),
        ("", "g1f3!?", False),
        ("", "e4", False),
        ("", "G1F3", False),
        ("", "g1f6", False),
        ("e2e4 e7e5 g1f3 b8c6 f1b5 g8f6", "e1g1", True),
        ("e2e4 e7e5 g1f3 b8c6 f1b5 g8f6", "O-O", False),
        (PROMOTES, "b7a8q", True),
        (PROMOTES, "b7a8N", True),
        (PROMOTES, "b7a8=Q", False),
        (PROMOTES, "b7a8", False),
    ],
)
def test_an_answer_is_a_move_of_uci(before, answer, legal):
    """What people may write besides is no answer of a program."""
    played = Position(Chess().compiled())
    for text in before.split():
        played.push(played.parse(text))
    session = UciSession(played.game, UciLaunch(answers(answer), "depth 1"))
    try:
        session.follow(played.moves, None)
        if legal:
            assert session.move(played.words(), None) == played.parse(answer)
        else:
            with pytest.raises(EngineError, match=f"^made an illegal move: {re.escape(answer)} "):
                session.move(played.words(), None)
    finally:
        session.close()


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (UciLaunch(["no_such_program"], "depth 1"), "no_such_program cannot be started: no such file or directory"),
        (launch("dies"), "ended with exit code 1: no licence"),
        (launch("mute", patience=0.5), "hangs: no answer to uci within 0.5 s"),
        (UciLaunch(["cat"], "depth 1", {}, 0.5), "hangs: no answer to uci within 0.5 s"),
        (UciLaunch(["yes"], "depth 1"), "answered uci with more than 64 KiB"),
        (launch("good", Threads=1), "option Threads: the program has none such; it lists Hash, Own Book, Style, Clear"),
        (launch("good", hash=65), r"option Hash=65: must be an integer in \[1, 64\]"),
    ],
)
def test_a_program_that_does_not_start_is_refused(made, message):
    with pytest.raises(BadInput, match=message) as error:
        probe(GAME, made)
    assert len(str(error.value).splitlines()) == 1


def test_a_program_says_who_it_is_and_is_told_its_options(tmp_path):
    log, options = (
        tmp_path / "log",
        {"hash": 8, "own book": True, "Clear Hash": None, "File": "a b", "style": "Wild play"},
    )
    made = UciLaunch([*FAKE, "good", "", str(log)], "depth 1", options)
    assert probe(GAME, made) == "Fake 1"
    told = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    assert told[1:8] == [
        "setoption name UCI_Variant value dots_and_boxes",
        "setoption name Hash value 8",
        "setoption name Own Book value true",
        "setoption name Clear Hash",
        "setoption name File value a b",
        "setoption name Style value Wild play",
        "isready",
    ]


def test_reasons_are_counted_by_their_fault():
    """Legal moves differ from game to game, and stay with the game."""
    assert fault_of("made an illegal move: e2e5 (not legal; legal: a2a3 (a) b2b3)") == "made an illegal move: e2e5"
    for reason in ("named no move: (none)", "hangs: no answer to go depth 1 within 6 s", "was killed by signal 9"):
        assert fault_of(reason) == reason


def test_options_are_read_and_held_against_their_bounds():
    assert parse_option("option name Ha sh type spin default 1 min -2 max 3") == Option("Ha sh", "spin", "-2", "3")
    assert parse_option("option name S type combo default a b var a b var c") == Option(
        "S", "combo", choices=("a b", "c")
    )
    assert parse_option("option name F type string default") == Option("F", "string")
    for line in ("option", "option name", "options name a type spin", "id name option name"):
        assert parse_option(line) is None
    listed = {
        "n": Option("N", "spin", "-2", "3"),
        "b": Option("B", "check"),
        "c": Option("C", "combo", choices=("Up", "Down")),
        "x": Option("X", "button"),
        "s": Option("S", "string"),
    }
    for name, value, message in (
        ("n", 4, r"option N=4: must be an integer in \[-2, 3\]"),
        ("n", 1.5, "an integer"),
        ("b", 1, "option B=1: must be true or false"),
        ("c", "left", "option C=left: must be one of Up, Down"),
        ("x", 1, "option X=1: must be null: it is a button"),
        ("s", "a\nquit", "a value is one line"),
        ("z", 1, "option z: the program has none such; it lists N, B, C, X, S"),
    ):
        with pytest.raises(BadInput, match=message):
            command_of(listed, name, value)
    assert command_of(listed, "n", -2) == "setoption name N value -2"
    assert command_of(listed, "s", "") == "setoption name S value <empty>"
