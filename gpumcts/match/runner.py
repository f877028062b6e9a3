"""Games between two players, many in flight together; on disk move by move, so that a run can be killed and go on.

Games in which the same player moves form a batch (``batches``): the player chooses, the moves go to the journal, and
only then are they played and the games ready for the next batch. Two workers (host threads) take batches in turns, so
that one batch is written down while the other is searched. Every choice is a function of the position and of the key
(seed, game, ply), so neither the number of games in flight, nor what is done at once, nor an interruption changes a
result.
"""

import contextlib
import hashlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpumcts.class_names import title
from gpumcts.errors import BadInput
from gpumcts.game_keys import keys_of
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.batch import Rules
from gpumcts.match.batches import Batches
from gpumcts.match.game_batch import GameBatch, GivenUp
from gpumcts.match.journal import Journal
from gpumcts.match.progress import Expectations, Progress
from gpumcts.match.resume import restore
from gpumcts.players.contract import AnyPlayer, ExternalPlayer, WinRateReporter
from gpumcts.rng import key_of
from gpumcts.stop_event import StopEvent

MAX_GAMES = 10_000_000  # about a kilobyte of memory each
BATCHES_AT_ONCE = 2


class ReportedWins(NamedTuple):
    """Won games whose winner reported the win, and the mean ply (from 0) of the first report."""

    games: int
    mean_ply: float | None


class MatchResult(NamedTuple):
    """What a match came to.

    games : finished games among those asked for; wins, draws, losses : of those, for ``players[0]``
    seconds : wall-clock time of this run, without what earlier runs in the folder took
    digest : sha256 over the lines of ``games.jsonl`` in order of game number; None unless all games are finished, and
        where an ``ExternalPlayer`` plays, whose games nobody can repeat
    interrupted : whether ``stop`` ended the run before the last game
    reported_wins : of both players (see ``GameBatch.reported_wins``)
    given_up : of both players
    chosen : moves that each player chose in this run, repeated ones included (``Player.remembers``); the player's
        ``iterations`` grew by the work for these
    """

    games: int
    wins: int
    draws: int
    losses: int
    seconds: float
    digest: str | None
    interrupted: bool
    reported_wins: tuple["ReportedWins", "ReportedWins"]
    given_up: tuple["GivenUp", "GivenUp"]
    chosen: tuple[int, int]


def play_match(
    game: Any,
    players: tuple[AnyPlayer, AnyPlayer],
    games: int,
    seed: int,
    folder: Path,
    identity: dict[str, Any],
    games_in_flight: int = 1000,
    on_progress: Callable[[Progress], None] | None = None,
    stop: threading.Event | None = None,
    at_once: int = 1,
) -> MatchResult:
    """Play games 0 to ``games - 1``, or what is left of them in ``folder``.

    ``players[0]`` moves first in even games, ``players[1]`` in odd ones. Games that the folder holds beyond ``games``
    stay there and do not count.

    Parameters
    ----------
    game : option value of a game for two
    seed : 0 to 2^64 - 1
    folder : made where it is missing; a run that was cut off there goes on
    identity : JSON values that decide the results, without the number of games; ``game`` and ``seed`` are added where
        the caller does not name them. A folder with another identity is refused
    games_in_flight : games that advance together at most; decides speed and memory, never results
    on_progress : called at the beginning and after every batch of moves, from any thread, one call at a time
    stop : set it to end cleanly; searches in flight are lost
    at_once : batches that are searched at the same time, 1 or 2; 2 for players that are ``concurrent``. 0 plays in
        the calling thread alone, for players that are bound to it

    Raises
    ------
    BadInput : a number out of range, a game not for two, a folder in use, not writable, damaged or of another identity,
        an illegal move of a player who is not trusted
    """
    _check(game, games, seed, games_in_flight, at_once)
    begin = time.perf_counter()
    with Journal(folder, {"game": repr(game), "seed": seed, **identity}) as journal:
        game_batch = restore(Rules(game), games, journal)
        match = _Match(game_batch, players, games, seed, journal, stop, at_once)
        match.play(games_in_flight, on_progress or (lambda progress: None))
    finished, wins, draws, losses = match.progress()[1:5]
    repeatable = not any(isinstance(player, ExternalPlayer) for player in players)
    digest = _digest(game_batch, games) if finished == games and repeatable else None
    seconds = time.perf_counter() - begin
    ends = (game_batch.given_up(games, 0), game_batch.given_up(games, 1))
    interrupted, reported_wins = finished < games, _reported_wins(game_batch, games)
    return MatchResult(finished, wins, draws, losses, seconds, digest, interrupted, reported_wins, ends, match.chosen)


def _check(game: Any, games: int, seed: int, games_in_flight: int, at_once: int) -> None:
    if game.PLAYERS != 2:
        raise BadInput(f"game={title(game)} is for one player; a match takes a game for two")
    if not 1 <= games <= MAX_GAMES:
        raise BadInput(f"games={games} is not between 1 and {MAX_GAMES}")
    if not 0 <= seed < 1 << 64:
        raise BadInput(f"seed={seed} is not between 0 and 2^64 - 1")
    if games_in_flight < 1:
        raise BadInput(f"games_in_flight={games_in_flight} is not at least 1")
    if at_once not in (0, 1, 2):
        raise BadInput(f"at_once={at_once} is not 0, 1 or 2")


def _reported_wins(game_batch: GameBatch, games: int) -> tuple[ReportedWins, ReportedWins]:
    """When each player first reported the wins that the player had."""
    seen: tuple[list[int], list[int]] = ([], [])
    for game, ply in sorted(game_batch.reported_wins.items()):
        if game < games:
            seen[int(game_batch.scores[game] < 0)].append(ply)
    first, second = (ReportedWins(len(plies), float(np.mean(plies)) if plies else None) for plies in seen)
    return first, second


def _digest(game_batch: GameBatch, games: int) -> str:
    text = hashlib.sha256()
    for number in range(games):
        text.update(f"{game_batch.lines[number]}\n".encode())
    return text.hexdigest()


@contextlib.contextmanager
def _quick_turns() -> Iterator[None]:
    """Python's threads take turns after 0.1 ms instead of 5, so that a search that may begin does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class _Match:
    """The games of a match, their players, and the journal that every move goes through.

    ready : int64[K], the games in flight that wait for a move
    away : how many a worker has; waiting : how many are not begun
    """

    def __init__(
        self,
        game_batch: GameBatch,
        players: tuple[AnyPlayer, AnyPlayer],
        games: int,
        seed: int,
        journal: Journal,
        stop: threading.Event | None,
        at_once: int,
    ) -> None:
        self.game_batch, self.players, self.numbers = game_batch, players, np.arange(games)
        self.journal, self.stop_event = journal, StopEvent(stop)
        self.root = key_of(seed)
        self.moves, self.begin = 0, time.perf_counter()
        self.earlier = int(game_batch.plies[:games].sum())
        self._chosen, self._counting = np.zeros(2, np.int64), threading.Lock()
        self.results = np.zeros(3, np.int64)  # wins, draws and losses of players[0] in the games asked for
        self._count(self.numbers[~game_batch.running(self.numbers)])
        self.ready = self.waiting = self.numbers[:0]
        self.away = 0
        self._expectations = Expectations(games)
        self._changed = threading.Condition()  # guards the games in flight, the journal's order, and the counts
        self._worker_count = BATCHES_AT_ONCE if at_once else 1
        self._batches = Batches(players, self._worker_count)
        together = at_once if all(player.concurrent for player in players) else 1
        self._deciding = threading.Semaphore(max(1, together))

    def play(self, games_in_flight: int, on_progress: Callable[[Progress], None]) -> None:
        """Advance the unfinished games, the lowest numbers first, until none is left or the match is halted."""
        for player in self.players:
            player.forget(self.numbers)
        self.waiting = self.numbers[self.game_batch.running(self.numbers)]
        self._room, self._on_progress = games_in_flight, on_progress
        on_progress(self.progress())
        if self._worker_count == 1:
            self._work()
            return
        with _quick_turns(), ThreadPoolExecutor(self._worker_count, "match") as pool:
            try:
                workers = [pool.submit(self._work) for _ in range(self._worker_count)]
                for worker in as_completed(workers):
                    worker.result()
            except BaseException:
                self.stop_event.set()
                raise

    def _work(self) -> None:
        """Take batches and move in them until no game is left or the match is halted."""
        try:
            while (taken := self._take()) is not None and self._move(*taken):
                pass
        except BaseException:
            self.stop_event.set()
            raise
        finally:
            with self._changed:
                self._changed.notify_all()

    def _take(self) -> tuple[int, np.ndarray] | None:
        """The next batch: whose turn it is (0, 1 or CHANCE), and the games, int64[K]; None at the end."""
        with self._changed:
            while not self.stop_event.is_set():
                if not self._admit():
                    return None
                if not len(self.ready) + self.away:
                    return None
                turn, taken = self._batches.take(self.ready, self.game_batch.to_move(self.ready), self.away)
                if len(taken):
                    batch, self.ready = self.ready[taken], np.delete(self.ready, taken)
                    self.away += len(batch)
                    return turn, batch
                self._changed.wait()
        return None

    def _admit(self) -> bool:
        """Begin games as far as there is room for more in flight; False if halted meanwhile."""
        room = self._room - len(self.ready) - self.away
        newcomers, self.waiting = self.waiting[:room], self.waiting[room:]
        self.ready = np.concatenate((self.ready, newcomers))
        return self._recall(newcomers)

    def _move(self, turn: int, batch: np.ndarray) -> bool:
        """One move in each game of ``batch`` (int64[K]), where 0, 1 or CHANCE is to move; False if halted before."""
        chosen = self._choose(self.game_batch, turn, batch)
        if chosen is None:
            return False
        moves, reported, reasons = chosen
        with self._changed:
            self.journal.add_moves(batch, self.game_batch.plies[batch], moves, reported, reasons)
        self.journal.sync_moves()
        ended = self.game_batch.play(batch, moves, reported, reasons)
        over = np.array(ended, np.int64)
        for player in self.players if ended else ():
            player.forget(over)
        with self._changed:
            self.journal.add_games(self.game_batch.lines[number] for number in ended)
            self.moves += len(batch)
            self._count(over)
            if reported is not None:
                self._expectations.note(turn, batch, reported)
            self.away -= len(batch)
            self.ready = np.concatenate((self.ready, batch[self.game_batch.running(batch)]))
            self._on_progress(self.progress())
            self._changed.notify_all()
        return True

    def _count(self, ended: np.ndarray) -> None:
        """Count the results of games that are over (int64[K])."""
        scores = self.game_batch.scores[ended]
        self.results += ((scores > 0).sum(), (scores == 0).sum(), (scores < 0).sum())

    def _recall(self, games: np.ndarray) -> bool:
        """Let players that remember choose once more in those of ``games`` that are begun; False if halted before.

        So they know again what they knew when the run was cut off. Raises BadInput where one chooses otherwise.
        """
        begun = games[self.game_batch.plies[games] > 0]
        if not len(begun) or not any(player.remembers for player in self.players):
            return True
        past = GameBatch(self.game_batch.rules, len(self.game_batch.plies))
        while len(behind := begun[past.plies[begun] < self.game_batch.plies[begun]]):
            turns = past.to_move(behind)
            for turn in (0, 1, CHANCE):
                batch = behind[turns == turn]
                if not len(batch):
                    continue
                played = np.array([self.game_batch.moves[game][past.plies[game]] for game in batch.tolist()], np.int64)
                if turn != CHANCE and self.players[turn].remembers:
                    chosen = self._choose(past, turn, batch)
                    if chosen is None:
                        return False
                    moves = chosen[0]
                    if (moves != played).any():
                        name, game = self.players[turn].name, batch[np.argmax(moves != played)]
                        raise BadInput(f"{name} does not repeat its choices in game {game} of {self.journal.folder}")
                past.play(batch, played)
        return True

    def _choose(
        self, game_batch: GameBatch, turn: int, batch: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None, list[str] | None] | None:
        """The moves of ``batch``, int64[K], the reported win rates and the reasons for giving games up, or None.

        None where the match is halted: a search cut short may choose otherwise.
        """
        states, keys = game_batch.states[batch], keys_of(self.root, batch, game_batch.plies[batch])
        if turn == CHANCE:
            return game_batch.rules.random_moves(states, keys), None, None
        player, reported, reasons = self.players[turn], None, None
        with self._deciding:
            if self.stop_event.is_set():
                return None
            begin = time.perf_counter()
            try:
                if isinstance(player, ExternalPlayer):
                    before = [list(game_batch.moves.get(game, ())) for game in batch.tolist()]
                    moves, reasons = player.choose_after(before, states, keys, batch, self.stop_event)
                    reasons = reasons if any(reasons) else None
                elif isinstance(player, WinRateReporter):
                    moves, reported = player.choose_and_tell(states, keys, batch, self.stop_event)
                else:
                    moves = player.choose(states, keys, batch, self.stop_event)
                with self._counting:
                    self._chosen[turn] += len(batch)
                    self._batches.note(turn, len(batch), time.perf_counter() - begin)
            except KeyboardInterrupt:
                if self.stop_event.is_set():
                    return None
                raise
            if self.stop_event.is_set():
                return None
        if moves.shape != batch.shape:  # before anything reaches the journal
            raise ValueError(f"{player.name} chose {moves.shape} moves for {batch.shape} positions")
        if not player.trusted:
            at = game_batch.first_illegal(batch, moves)
            if at is not None:
                raise BadInput(
                    f"{player.name} made an illegal move in game {batch[at]}, ply {game_batch.plies[batch[at]]}"
                )
        return moves, reported, reasons

    @property
    def chosen(self) -> tuple[int, int]:
        """Moves that each player chose so far, repeated ones too."""
        first, second = self._chosen.tolist()
        return first, second

    def progress(self) -> Progress:
        """Where the games asked for stand."""
        wins, draws, losses = self.results.tolist()
        running, plies = self.game_batch.running(self.numbers), self.game_batch.plies[self.numbers]
        ply, begun = int(plies.max(where=running, initial=0)), int((running & (plies > 0)).sum())
        return Progress(
            len(self.numbers), wins + draws + losses, wins, draws, losses, self.moves, time.perf_counter() - self.begin,
            self.earlier, ply, self._expectations.means(running), begun, int(plies.sum()), int(plies[~running].sum()),
            self.chosen,
        )  # fmt: skip
