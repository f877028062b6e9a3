"""Matches: the games are right, and the same however they are scheduled."""

import contextlib
import hashlib
import itertools
import json
import threading

import numpy as np
import pyspiel
import pytest

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.game_keys import keys_of
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.kernels.batch import Rules
from gpumcts.match.game_batch import GameBatch
from gpumcts.match.statistics import wilson
from gpumcts.players.contract import RESIGNED
from gpumcts.players.random import RandomPlayer
from gpumcts.rng import key_of


class Recorder(RandomPlayer):
    """A random mover that notes what it is asked."""

    def __init__(self, game, name):
        super().__init__(game, name)
        self.asked = []

    def choose(self, states, keys, games, stop=None):
        self.asked += zip(games.tolist(), keys.tolist(), map(tuple, states.tolist()), strict=True)
        return super().choose(states, keys, games, stop)


def test_keys_of_is_key_of_for_many():
    games, plies = np.array([0, 1, 5, 999_999]), np.array([0, 3, 59, 127])
    expected = [int(key_of(3, game, ply)) for game, ply in zip(games.tolist(), plies.tolist(), strict=True)]
    assert keys_of(key_of(3), games, plies).tolist() == expected


@pytest.mark.parametrize("game", [Othello(), DotsAndBoxes(), DiceDuel()], ids=lambda game: type(game).__name__)
def test_results_do_not_depend_on_games_in_flight(play, tmp_path, game):
    results = [play(tmp_path / str(n), 5, game, games_in_flight=n) for n in (1, 2, 3, 1000)]
    results += [play(tmp_path / f"at_once-{n}", 5, game, at_once=n) for n in (0, 1, 2)]
    assert len({result.digest for result in results}) == 1
    assert len({result[:4] for result in results}) == 1
    assert play(tmp_path / "other", 5, game, seed=8).digest != results[0].digest


def test_players_are_asked_with_the_key_of_game_and_ply_in_turn(play, tmp_path, games_of):
    """Dots and Boxes gives a player several moves in a row; Dice Duel has chance between the players."""
    for game in (DotsAndBoxes(), DiceDuel()):
        rules = Rules(game)
        players = Recorder(game, "a"), Recorder(game, "b")
        play(tmp_path / type(game).__name__, 4, game, seed=3, players=players, games_in_flight=2)
        asked = {(number, key): (index, state) for index in (0, 1) for number, key, state in players[index].asked}
        turns = 0
        for number in games_of(tmp_path / type(game).__name__):
            states, ply = rules.starts(1), 0
            while rules.count_moves(states)[0]:
                key = key_of(3, number, ply)
                mover = rules.movers(states)[0]
                if mover != CHANCE:
                    player = mover if number % 2 == 0 else 1 - mover
                    assert asked[number, int(key)] == (player, tuple(states[0].tolist()))
                    turns += 1
                states, ply = rules.play(states, rules.random_moves(states, np.array([key]))), ply + 1
        assert turns == len(players[0].asked) + len(players[1].asked)


def test_moves_that_each_player_chose_are_counted(play, tmp_path):
    """Those of this run: a match that is longer then counts its new games alone."""
    players = Recorder(Othello(), "a"), Recorder(Othello(), "b")
    result = play(tmp_path, 4, players=players)
    assert result.chosen == tuple(len(player.asked) for player in players) and min(result.chosen) > 80
    players = Recorder(Othello(), "a"), Recorder(Othello(), "b")
    assert play(tmp_path, 6, players=players).chosen == tuple(len(player.asked) for player in players)
    assert play(tmp_path, 6, players=players).chosen == (0, 0)


@pytest.mark.parametrize("name", sorted(options.names("game")))
def test_games_are_written_down_move_by_move(name):
    """Whether texts are looked up, where moves have names, or written for each position."""
    rules = Rules(options.option("game", name)())
    games, both = GameBatch(rules, 2), np.arange(2)
    told: dict[int, list[str]] = {0: [], 1: []}
    for ply in itertools.count():
        on = both[games.running(both)]
        if not len(on):
            break
        moves = rules.random_moves(games.states[on], keys_of(key_of(5), on, np.full(len(on), ply)))
        for game, move in zip(on.tolist(), moves.tolist(), strict=True):
            told[game].append(str(contract.move_text(rules.game, rules.state(games.states[game]), move)))
        games.play(on, moves)
    written = {game: json.loads(line) for game, line in games.lines.items()}
    assert {game: (record["moves"].split(), record["plies"]) for game, record in written.items()} == {
        game: (texts, len(texts)) for game, texts in told.items()
    }
    assert not games.moves


def test_games_are_othello_to_another_program(play, tmp_path, games_of):
    """Every game replayed by OpenSpiel: legal moves, the end, and the result for the match's first player."""
    result = play(tmp_path, 10)
    points = 0.0
    for number, record in games_of(tmp_path).items():
        state = pyspiel.load_game("othello").new_initial_state()
        for move in record["moves"].split():
            state.apply_action(state.string_to_action(state.current_player(), move))
        assert state.is_terminal()
        assert record["first"] == number % 2
        assert record["score"] == state.returns()[record["first"]]
        assert record["result"] == {1: "win", 0: "draw", -1: "loss"}[record["score"]]
        assert record["plies"] == len(record["moves"].split())
        points += (1 + record["score"]) / 2
    assert points == result.wins + result.draws / 2
    assert result.games == result.wins + result.draws + result.losses == 10


def test_first_player_of_random_othello_scores_as_published(play, tmp_path, games_of):
    """45.4 % wins and 4.2 % draws for Black; the interval has a confidence of 1 - 1e-6, and the seed is fixed."""
    result = play(tmp_path, 1000)
    black = {"win": ("win", "loss"), "loss": ("loss", "win"), "draw": ("draw", "draw")}
    results = [black[record["result"]][record["first"]] for record in games_of(tmp_path).values()]
    low, high = wilson(results.count("win"), results.count("draw"), 1000, 1 - 1e-6)
    assert low < 0.454 + 0.042 / 2 < high
    low, high = wilson(result.wins, result.draws, 1000, 1 - 1e-6)
    assert low < 0.5 < high


def test_digest_is_that_of_the_sorted_file(play, tmp_path):
    digest = play(tmp_path, 7, games_in_flight=3, at_once=0).digest
    lines = (tmp_path / "games.jsonl").read_text().splitlines(keepends=True)
    ordered = sorted(lines, key=lambda line: json.loads(line)["game"])
    assert lines != ordered  # or the test says little
    assert digest == hashlib.sha256("".join(ordered).encode()).hexdigest()


def test_progress_and_stop(play, tmp_path):
    stop, seen = threading.Event(), []

    def on_progress(progress):
        seen.append(progress)
        if progress.moves >= 100:
            stop.set()

    result = play(tmp_path, 6, on_progress=on_progress, stop=stop, at_once=0)
    assert result.interrupted
    assert result.digest is None
    assert seen[-1].moves >= 100
    assert all(1 <= after.moves - before.moves <= 6 for before, after in itertools.pairwise(seen))
    assert result.games < seen[-1].games == 6 and seen[0].moves == 0
    resumed = []
    finished = play(tmp_path, 6, on_progress=resumed.append)
    assert resumed[0].earlier == seen[-1].moves and resumed[0].moves == seen[-1].earlier == 0
    assert not finished.interrupted
    assert finished.digest == play(tmp_path.with_name("whole"), 6).digest


class Interrupted(RandomPlayer):
    """A player in whose 20th choice Ctrl-C comes: it stops early with moves that do not count, or raises."""

    def __init__(self, game, stop, raises):
        super().__init__(game)
        self.stop, self.raises, self.left = stop, raises, 20

    def choose(self, states, keys, games, stop=None):
        moves = super().choose(states, keys, games, stop)
        self.left -= 1
        if self.left:
            return moves
        self.stop.set()
        if self.raises:
            raise KeyboardInterrupt
        return np.zeros_like(moves)


@pytest.mark.parametrize("raises", [True, False])
def test_a_choice_that_is_interrupted_does_not_count(play, tmp_path, raises):
    stop, game = threading.Event(), Othello()
    players = (RandomPlayer(game), Interrupted(game, stop, raises))
    assert play(tmp_path, 6, players=players, stop=stop).interrupted
    assert play(tmp_path, 6).digest == play(tmp_path.with_name("whole"), 6).digest


def test_an_interrupt_without_stop_goes_through_and_frees_the_folder(play, tmp_path):
    game = Othello()
    players = (RandomPlayer(game), Interrupted(game, threading.Event(), True))
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path, 6, players=players)
    assert play(tmp_path, 6).digest == play(tmp_path.with_name("whole"), 6).digest


class Scribbler(RandomPlayer):
    """Uses its arguments as room for its own numbers."""

    trusted = False

    def choose(self, states, keys, games, stop=None):
        moves = super().choose(states, keys, games, stop)
        for given in (states, keys, games):
            given[:] = 0
        return moves


def test_what_a_player_does_with_its_arguments_changes_no_game(play, tmp_path):
    game = Othello()
    found = play(tmp_path, 6, players=(RandomPlayer(game), Scribbler(game)))
    assert found.digest == play(tmp_path.with_name("whole"), 6).digest


class Stranger(RandomPlayer):
    """Plays the square a1 always."""

    trusted = False

    def choose(self, states, keys, games, stop=None):
        return np.zeros(len(states), np.int64)


def test_an_illegal_move_of_a_stranger_is_refused(play, tmp_path):
    game = Othello()
    with pytest.raises(BadInput, match="stranger made an illegal move in game 1, ply 0"):
        play(tmp_path, 2, players=(RandomPlayer(game), Stranger(game, "stranger")), at_once=0)
    assert len((tmp_path / "moves.jsonl").read_text().splitlines()) == 1  # game 0's first move, nothing else


@pytest.mark.parametrize(
    "options, message",
    [
        ({"games": 0}, "games=0 is not between 1 and"),
        ({"games": -1}, "games=-1"),
        ({"seed": -1}, "seed=-1 is not between 0 and"),
        ({"seed": 1 << 64}, "seed=18446744073709551616"),
        ({"games_in_flight": 0}, "games_in_flight=0 is not at least 1"),
        ({"at_once": 3}, "at_once=3 is not 0, 1 or 2"),
        ({"game": ShortestPath()}, "game=ShortestPath is for one player"),
    ],
)
def test_bad_numbers_are_refused_and_nothing_is_created(play, tmp_path, options, message):
    with pytest.raises(BadInput, match=message):
        play(tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


def test_at_most_as_many_batches_are_thought_about_as_was_said(play, tmp_path):
    """One at a time, or two where both players can; the two meet, each waiting for the other as long as a test may."""

    class Counting(RandomPlayer):
        inside, most, together = 0, 0, threading.Barrier(2)

        def choose(self, states, keys, games, stop=None):
            with lock:
                Counting.inside += 1
                Counting.most = max(Counting.most, Counting.inside)
            if meeting and not Counting.together.broken:
                with contextlib.suppress(threading.BrokenBarrierError):
                    Counting.together.wait(10)  # the last batches have nobody to meet
                    Counting.together.abort()
            with lock:
                Counting.inside -= 1
            return super().choose(states, keys, games, stop)

    class Alone(Counting):
        concurrent = False

    lock, game = threading.Lock(), Othello()
    for number, (second, at_once, most) in enumerate(((Counting, 1, 1), (Alone, 2, 1), (Counting, 2, 2))):
        Counting.most, meeting = 0, most == 2
        play(tmp_path / str(number), 4, players=(Counting(game), second(game)), at_once=at_once)
        assert Counting.most == most


def test_a_worker_that_fails_ends_the_match(play, tmp_path):
    """The error of one worker comes out, the other one stops, and the run can go on."""

    class Failing(RandomPlayer):
        def choose(self, states, keys, games, stop=None):
            if games[0] % 2 and len(seen) > 10:
                raise OSError("gone")
            seen.extend(games.tolist())
            return super().choose(states, keys, games, stop)

    seen, game = [], Othello()
    with pytest.raises(OSError, match="gone"):
        play(tmp_path, 6, players=(Failing(game), Failing(game)), at_once=2)
    assert play(tmp_path, 6).digest == play(tmp_path.with_name("whole"), 6).digest


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda moves: moves[1:], r"lazy chose int64\[2\] for 3 positions; must be int64\[3\]"),
        (lambda moves: moves.astype(float), r"lazy chose float64\[3\] for 3 positions"),
        (lambda moves: moves.tolist(), r"lazy chose \[.*\] for 3 positions"),
        (lambda moves: None, "lazy chose None for 3 positions"),
    ],
)
def test_a_player_that_chooses_no_moves_leaves_the_journal_whole(play, tmp_path, spoil, said):
    class Lazy(RandomPlayer):
        def choose(self, states, keys, games, stop=None):
            return spoil(super().choose(states, keys, games, stop))

    with pytest.raises(BadInput, match=f"^{said}"):
        play(tmp_path, 6, players=(Lazy(Othello(), "lazy"), RandomPlayer(Othello())))
    assert play(tmp_path, 6).digest == play(tmp_path.with_name("whole"), 6).digest


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda moves: moves,
            r"lazy: choose_and_tell returns .*; must be a tuple of the moves and their win rates$",
        ),
        (lambda moves: (moves[1:], None), r"lazy chose int64\[2\] for 3 positions"),
        (lambda moves: (moves, [500] * 3), r"lazy reported \[500, 500, 500\] for 3 positions; must be int64\[3\]$"),
        (lambda moves: (moves, np.array([500])), r"lazy reported int64\[1\] for 3 positions"),
        (lambda moves: (moves, np.full(3, 0.5)), r"lazy reported float64\[3\] for 3 positions"),
        (lambda moves: (moves, np.array([500, 1001, 0])), r"lazy reported 1001; must be thousandths in \[0, 1000\], "),
        (lambda moves: (moves, np.array([500, 0, -2])), "lazy reported -2; must be thousandths"),
    ],
)
def test_a_player_that_reports_no_win_rates_leaves_the_journal_whole(play, tmp_path, spoil, said):
    class Lazy(RandomPlayer):
        def choose_and_tell(self, states, keys, games, stop=None):
            return spoil(self.choose(states, keys, games, stop))

    with pytest.raises(BadInput, match=f"^{said}"):
        play(tmp_path, 6, players=(Lazy(Othello(), "lazy"), RandomPlayer(Othello())))
    assert play(tmp_path, 6).digest == play(tmp_path.with_name("whole"), 6).digest


class Quitter(RandomPlayer):
    """An external player whose moves the match checks; what it answers is told by ``spoil``."""

    trusted = False

    def __init__(self, spoil):
        super().__init__(Othello(), "quitter")
        self.spoil = spoil

    def choose_after(self, moves, states, keys, games, stop=None):
        return self.spoil(self.choose(states, keys, games, stop))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda moves: moves,
            r"quitter: choose_after returns .*; must be a tuple of the moves and their reasons$",
        ),
        (lambda moves: (moves, ["", "x"]), r"quitter gave the reasons \['', 'x'\]; must be a list of 3 texts$"),
        (lambda moves: (moves, [1, 2, 3]), r"quitter gave the reasons \[1, 2, 3\]; must be a list of 3 texts$"),
        (
            lambda moves: (moves, ["", "x", ""]),
            "quitter gave a reason with a move; must be with RESIGNED",
        ),
        (lambda moves: (moves * 0 + RESIGNED, ["", "", ""]), "quitter made an illegal move in game 0, ply 0$"),
    ],
)
def test_reasons_that_are_none_leave_the_journal_whole(play, tmp_path, spoil, said):
    with pytest.raises(BadInput, match=f"^{said}"):
        play(tmp_path, 6, players=(Quitter(spoil), RandomPlayer(Othello())))
    assert play(tmp_path, 6).digest == play(tmp_path.with_name("whole"), 6).digest


def test_a_player_whose_moves_are_checked_may_resign(play, tmp_path):
    def resigns(moves):
        return np.full_like(moves, RESIGNED), ["no hope"] * len(moves)

    result = play(tmp_path, 4, players=(Quitter(resigns), RandomPlayer(Othello())))
    assert (result.losses, result.given_up[0].resigned) == (4, 4)
