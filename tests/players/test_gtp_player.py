"""External engines in a match: they are told the games as they are, and their failures end their own game alone."""

import json
import os
import re
import shutil
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.clobber import Clobber
from gpumcts.games.contract import mover, pack, parse_move, start
from gpumcts.games.contract import play as after
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.gtp.program import MAX_LOG, GtpProgram, Log, readable, words_of
from gpumcts.kernels.batch import Rules
from gpumcts.match.runner import play_match
from gpumcts.players.contract import fault_of
from gpumcts.players.gtp import GtpLaunch, GtpPlayer, GtpSession, probe
from gpumcts.players.random import RandomPlayer
from gpumcts.programs.process import EngineError

GAME = DotsAndBoxes()
FAKE = [sys.executable, "-I", str(Path(__file__).with_name("fake_program.py"))]


def installed(name: str) -> str:
    """The path of a program of Debian's, or the test is skipped by its name."""
    found = shutil.which(name) or shutil.which(name, path="/usr/games")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def play(folder, launch, games=4, game=GAME, processes=1, **options):
    """A match of a program against the random mover."""
    player = GtpPlayer(game, launch, processes, "fake")
    options = {"games_in_flight": processes, **options}
    try:
        return play_match(game, (RandomPlayer(game), player), games, 7, folder, {"of": "tests"}, **options)
    finally:
        player.close()


def records(folder):
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def test_a_program_that_does_not_read_counts_as_hanging():
    """Setup commands may be longer than a pipe has room for, and whoever writes into a full one waits."""
    program = GtpProgram([sys.executable, "-I", "-c", "import time; time.sleep(8)"], 0.3)
    stop = threading.Event()
    try:
        with pytest.raises(EngineError, match=r"hangs: did not read setup x*\.\.\. within 0\.3 s"):
            program.ask("setup " + "x" * 200_000)
        stop.set()
        with pytest.raises(KeyboardInterrupt):
            program.ask("setup " + "x" * 200_000, stop)
        begin = time.monotonic()
        program.close()
        assert time.monotonic() < begin + 4
    finally:
        program.kill()


def test_a_long_command_arrives_whole():
    """The pipe is full again and again while the program reads on."""
    reads = "import sys, time; time.sleep(0.3); print(f'= {len(sys.stdin.readline())}\\n', flush=True)"
    program = GtpProgram([sys.executable, "-I", "-c", reads], 60.0)
    try:
        assert program.ask("x" * 500_000) == "500001"
    finally:
        program.close()


REASONS = {
    "crash": "ended with exit code 3: out of luck",
    "killed": "was killed by signal 9",
    "hang": "hangs: no answer to genmove .* within 6 s",
    "garbage": "answered genmove .* with garbage: .1mI think",
    "illegal": r"made an illegal move: (\w{4}) \(move '\1' is not legal here; legal: ",
    "foreign": r"made an illegal move: \\xe9 \(move '\\xe9' is not legal here; legal: ",
    "empty": "named no move: nothing",
    "refuse": "refused to move: no idea",
    "flood": "with a line of more than 64 KiB",
    "chatter": "with more than 64 KiB",
    "unasked": "spoke unasked: by the way",
}


@pytest.mark.parametrize("mode", REASONS)
def test_a_failure_ends_its_game_alone(mode, tmp_path):
    """The first game in which it happens is lost, with the reason; a new process plays all others to their end."""
    patience = 6.0 if mode == "hang" else 60.0  # a program has to start within it, on a busy machine too
    result = play(tmp_path / "run", GtpLaunch([*FAKE, mode, str(tmp_path / "flag")], patience=patience))
    over = [record for record in records(tmp_path / "run") if "ended" in record]
    assert [record["ended"] for record in over] == ["forfeited"]
    assert over[0]["result"] == "win" and over[0]["score"] == 1.0 and over[0]["plies"] == len(over[0]["moves"].split())
    (reason,) = result.given_up[1].reasons
    assert reason == fault_of(over[0]["reason"])
    assert re.search(REASONS[mode], over[0]["reason"]), reason
    assert result.given_up[1][:2] == (0, 1) and result.given_up[0] == (0, 0, {})
    assert result.games == 4 and not result.interrupted and result.digest is None
    assert all(record["plies"] == 12 for record in records(tmp_path / "run") if "ended" not in record)


def test_resigning_is_a_loss_and_no_forfeit(tmp_path):
    result = play(tmp_path, GtpLaunch([*FAKE, "resign"]))
    assert result.given_up[1] == (4, 0, {}) and result.wins == 4
    assert {record["reason"] for record in records(tmp_path)} == {"resigned"}


def test_a_slow_program_is_waited_for(tmp_path):
    result = play(tmp_path, GtpLaunch([*FAKE, "slow"], patience=20.0), games=2)
    assert result.given_up[1] == (0, 0, {})


def test_moves_that_took_longer_than_was_granted_are_counted():
    """The way of an answer through the pipe does not count."""
    player = GtpPlayer(GAME, GtpLaunch(["program"], seconds=1))
    for seconds, limit in ((0.5, 1), (1.004, 1), (1.5, 1), (2.5, 1), (0.12, 0.1), (0.2, 0.1), (9.0, None)):
        player._took(seconds, limit)
    assert (player.over_time, player.longest) == (3, 9.0)


def test_a_program_that_fails_in_every_game_ends_no_match(tmp_path):
    result = play(tmp_path, GtpLaunch([*FAKE, "crash"]), games=6, processes=2, at_once=2)
    assert result.wins == result.given_up[1].forfeited == 6
    assert sum(result.given_up[1].reasons.values()) == 6


@pytest.mark.parametrize(("processes", "in_flight"), [(1, 3), (2, 2), (3, 3)])
def test_a_program_is_told_the_games_as_they_are(tmp_path, processes, in_flight):
    """Every game that was asked for a move had been told all moves before, by the colours that made them, in order."""
    log = tmp_path / "log"
    play(tmp_path / "run", GtpLaunch([*FAKE, "good", "", str(log)]), 5, processes=processes, games_in_flight=in_flight)
    told: dict[str, list[str]] = {}
    asked = Counter()
    for line in log.read_text().splitlines():
        process, command, *words = line.split()
        if command == "clear_board":
            told[process] = []
        elif command == "play":
            told[process].append(f"{words[0]} {words[1]}")
        elif command == "genmove":
            asked[" ".join(told[process])] += 1
            told[process].append(f"{words[0]} ?")
    assert len(told) == processes
    expected = Counter()
    for record in records(tmp_path / "run"):
        state, before = start(GAME), []
        with np.errstate(over="ignore"):
            for move in record["moves"].split():
                colour = int(mover(GAME, state))
                own = (colour ^ record["first"]) == 1
                if own:
                    expected[len(before)] += 1
                before.append(move)
                state = after(GAME, state, parse_move(GAME, state, move))
    plies = Counter(dict.fromkeys(expected, 0))
    for text, count in asked.items():
        plies[len(text.split()) // 2] += count
    assert plies == expected
    games = [record["moves"].split() for record in records(tmp_path / "run")]
    for text in asked:
        moves = text.split()[1::2]
        assert any(all(m in ("?", g) for m, g in zip(moves, game, strict=False)) for game in games)


ANSWERS = """
import sys
for line in sys.stdin:
    with open(sys.argv[1], "a") as file:
        file.write(line)
    print("= b2b1\\n" if line.startswith("genmove") else "=\\n", flush=True)
"""


def test_a_program_is_told_colours_as_the_game_has_them(tmp_path):
    """In Clobber White moves first."""
    game, log = Clobber(2, 2).compiled(), tmp_path / "log"
    session = GtpSession(game, GtpLaunch([sys.executable, "-I", "-c", ANSWERS, str(log)]))
    try:
        with np.errstate(over="ignore"):
            first = int(parse_move(game, start(game), "a1a2"))
            state = after(game, start(game), first)
        words = np.empty(game.WORDS, np.uint64)
        pack(game, state, words, 0, 1)
        session.follow([first], None)
        with pytest.raises(EngineError, match="made an illegal move: b2b1"):
            session.move(words, None)
    finally:
        session.close()
    assert log.read_text().splitlines()[-3:-1] == ["play white a1a2", "genmove black"]


def test_a_run_that_was_cut_off_keeps_its_forfeits_and_goes_on(tmp_path):
    stop, flag = threading.Event(), str(tmp_path / "flag")

    def on_progress(progress):
        if progress.finished >= 2:
            stop.set()

    first = play(
        tmp_path / "run",
        GtpLaunch([*FAKE, "crash", flag]),
        5,
        games_in_flight=2,
        stop=stop,
        on_progress=on_progress,
        at_once=0,
    )
    assert first.interrupted and first.given_up[1].forfeited == 1
    before = (tmp_path / "run" / "games.jsonl").read_text()
    second = play(tmp_path / "run", GtpLaunch([*FAKE, "crash", flag]), 5)
    assert second.games == 5 and second.given_up[1].forfeited == 1
    assert (tmp_path / "run" / "games.jsonl").read_text().startswith(before)
    journal = tmp_path / "run" / "moves.jsonl"
    assert '"reasons":[' in journal.read_text() and journal.read_text().count("out of luck") == 1
    journal.write_text(journal.read_text().replace("out of luck", "out of duck"))
    with pytest.raises(BadInput, match=r"moves.jsonl, line \d+: not the moves that were written here"):
        play(tmp_path / "run", GtpLaunch([*FAKE, "good"]), 5)


def test_the_games_file_is_made_again_from_the_journal(tmp_path):
    play(tmp_path, GtpLaunch([*FAKE, "resign"]), 3)
    games = (tmp_path / "games.jsonl").read_text()
    (tmp_path / "games.jsonl").write_text(games.splitlines(keepends=True)[0])
    play(tmp_path, GtpLaunch([*FAKE, "resign"]), 3)
    assert sorted((tmp_path / "games.jsonl").read_text().splitlines()) == sorted(games.splitlines())


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        (
            GtpLaunch(["no_such_program", "--mode", "gtp"]),
            "no_such_program cannot be started: no such file or directory",
        ),
        (GtpLaunch([*FAKE, "dies"]), "ended with exit code 1: no licence"),
        (GtpLaunch([*FAKE, "size"]), "refused boardsize 2: unacceptable size"),
        (GtpLaunch(["cat"]), "answered boardsize 2 with garbage: boardsize 2"),
        (GtpLaunch(["sleep", "60"], patience=0.2), "hangs: no answer to boardsize 2 within 0.2 s"),
    ],
)
def test_a_program_that_does_not_start_is_refused(launch, message):
    with pytest.raises(BadInput, match=message):
        probe(GAME, launch)


def test_a_program_says_who_it_is_and_is_told_its_setup(tmp_path):
    log = tmp_path / "log"
    assert probe(GAME, GtpLaunch([*FAKE, "good", "", str(log)], ["level 1"], seconds=3)) == "Fake 1"
    commands = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    start = ["level 1", "boardsize 2", "time_settings 0 3 1", "known_command time_left", "clear_board"]
    assert commands == [*start, "name", "version", "quit"]


def test_an_interrupt_is_no_forfeit(tmp_path):
    """Ctrl-C while the program thinks: the game is not over, and goes on in the next run."""
    stop = threading.Event()
    timer = threading.Timer(1.0, stop.set)
    timer.start()
    result = play(tmp_path / "run", GtpLaunch([*FAKE, "hang", str(tmp_path / "flag")]), 2, stop=stop)
    timer.join()
    assert result.interrupted and result.given_up[1] == (0, 0, {})
    assert play(tmp_path / "run", GtpLaunch([*FAKE, "good"]), 2).given_up[1] == (0, 0, {})


SILENT = """
import os, sys, time
at, often, log, *answers = sys.argv[1:]
often, answers = int(often), dict(answer.split(":") for answer in answers)
for line in sys.stdin:
    word = line.split()[0]
    often -= word == at
    if often < 0:
        with open(log + ".new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(log + ".new", log)
        time.sleep(600)
    print(answers.get(word, answers["else"]), end="\\n" * int(answers["ends"]), flush=True)
"""


def silent(at, often, log, *answers):
    """A program that falls silent when it is told ``at`` once more after ``often`` times; its id is in ``log`` then."""
    return [sys.executable, "-I", "-c", SILENT, at, str(often), str(log), *answers]


def test_a_program_without_a_version_is_its_name(tmp_path):
    assert probe(GAME, GtpLaunch(silent("never", 1, tmp_path / "log", "name:= Lone", "else:=", "ends:2"))) == "Lone"


def interrupt(player, game, log):
    """Ask for the first move of game 0, then of ``game``; Ctrl-C once the program is silent, which ends it at once."""
    stop, words, at = threading.Event(), Rules(GAME).starts(1), []

    def watch():
        end = time.monotonic() + 60
        while not log.exists() and time.monotonic() < end:
            time.sleep(0.01)
        at.append(time.monotonic())
        stop.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for number in (0, game):
                player.choose_after([[]], words, np.zeros(1, np.uint64), np.array([number]), stop)
        assert time.monotonic() - at[0] < 5
        assert player._free == [None], "its place is free, for a new process"
        with pytest.raises(ProcessLookupError):
            os.kill(int(log.read_text()), 0)
    finally:
        watcher.join()
        player.close()


@pytest.mark.parametrize(
    ("at", "often", "game"),
    [("boardsize", 0, 0), ("known_command", 0, 0), ("clear_board", 0, 0), ("clear_board", 1, 1), ("clear_board", 1, 0)],
)
def test_an_interrupt_counts_at_the_start_of_a_game(at, often, game, tmp_path):
    """While a process is made, while it is told of a new game, and while it is told the same one anew."""
    log = tmp_path / "log"
    command = silent(at, often, log, "genmove:= a1b1", "known_command:= true", "else:=", "ends:2")
    interrupt(GtpPlayer(GAME, GtpLaunch(command, seconds=1, patience=20.0)), game, log)


def test_stderr_goes_to_a_bounded_file(tmp_path):
    log = Log(tmp_path / "log")
    chatter = (
        "import sys; [sys.stderr.write('x' * 1000 + '\\n') for _ in range(3000)]; print('=\\n', flush=True); input()"
    )
    program = GtpProgram([sys.executable, "-I", "-c", chatter], 20.0, log)
    assert program.ask("name") == ""
    program.close()
    size = (tmp_path / "log").stat().st_size
    assert MAX_LOG <= size <= MAX_LOG + 100


def test_a_crash_is_told_by_the_last_line_of_stderr_alone():
    """However the lines come in: Python's last words are written piece by piece."""
    pieces = ["Traceback\n", "  File x\n", "Error: no ", "luck\n", "\n"]
    write = "import sys, time; [(sys.stderr.write(p), sys.stderr.flush(), time.sleep(0.2)) for p in {}]; sys.exit(3)"
    program = GtpProgram([sys.executable, "-I", "-c", write.format(pieces)], 20.0)
    with pytest.raises(EngineError) as caught:
        program.ask("name")
    program.kill()
    assert str(caught.value) == "ended with exit code 3: Error: no luck"


def test_an_answer_without_an_empty_line_says_so():
    """Its author would look for a hang in the search."""
    answers = "import sys; [print('= a1b1', flush=True) for line in sys.stdin]"
    program = GtpProgram([sys.executable, "-I", "-c", answers], 1.5)
    with pytest.raises(EngineError) as caught:
        program.ask("genmove black")
    program.kill()
    assert str(caught.value) == "hangs: its answer to genmove black did not end in an empty line within 1.5 s"


def test_words_and_lines():
    assert words_of("gnugo --mode 'g t p'") == ["gnugo", "--mode", "g t p"]
    for command, message in (("", "name a program"), ("a 'b", "no closing quotation")):
        with pytest.raises(BadInput, match=message):
            words_of(command)
    assert readable("z\u00fcg \ufffd") == r"z\xfcg \ufffd"
    assert readable("a\x1b[2J\tb\nc" + "d" * 200) == "a [2J b c" + "d" * 108 + "..."


# ------------------------------------------------------------------------------------------------- real programs


def test_a_match_against_rhino(tmp_path):
    """Whole games of Othello with passes forced on either side; no move is refused."""
    rhino = installed("gtp-rhino")
    result = play(tmp_path, GtpLaunch([rhino, "-l", "1"]), 12, Othello(), 2)
    assert result.games == 12 and result.given_up[1] == (0, 0, {})
    assert any("pass" in record["moves"] for record in records(tmp_path))
    assert result.losses >= 11  # of 12; a coin would do that with a probability of 0.3 %


def test_gnugo_at_othello_forfeits(tmp_path):
    """A program of another game: it starts, and its first move or ours is refused."""
    gnugo = installed("gnugo")
    launch = GtpLaunch([gnugo, "--mode", "gtp"], ["level 1"])
    assert "GNU Go" in probe(Othello(), launch)
    result = play(tmp_path, launch, 2, Othello())
    assert result.given_up[1].forfeited == 2
    assert all("made an illegal move" in r or "refused play" in r for r in result.given_up[1].reasons)
