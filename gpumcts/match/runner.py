"""Games between two players, many in flight together; on disk move by move, so that a run can be killed and go on.

Games in which the same player moves form a batch (``batches``): the player chooses, the moves go to the journal, and
only then are they played and the games ready for the next batch. Two workers (host threads) take batches in turns, so
that one batch is written down while the other is searched. Every choice is a function of the position and of the key
(seed, game, ply), so neither the number of games in flight, nor what is done at once, nor an interruption changes a
result.
"""

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from pathlib import Path
from typing import Any

import numpy as np

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.kernels.batch import Rules
from gpumcts.match.batches import Batch, Batches
from gpumcts.match.decisions import Decider
from gpumcts.match.game_batch import GameBatch
from gpumcts.match.journal import Journal
from gpumcts.match.progress import Progress, Scoreboard
from gpumcts.match.recall import recall
from gpumcts.match.result import MatchResult, digest_of, reported_wins_of
from gpumcts.match.resume import restore
from gpumcts.match.schedule import Schedule
from gpumcts.match.sequential import SequentialTest, TestedGames
from gpumcts.players.contract import AnyPlayer, ExternalPlayer
from gpumcts.stop_event import StopEvent

MAX_GAMES = 10_000_000  # about a kilobyte of memory each
WORKERS = 2  # one writes down what it has found while the other one searches


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
    test: SequentialTest | None = None,
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
    test : ends the match once it has decided; the games it looked at are those that count

    Raises
    ------
    BadInput : a number out of range, a game not for two, a folder in use, not writable, damaged or of another identity,
        an illegal move of a player who is not trusted
    """
    _check(game, games, seed, games_in_flight, at_once)
    begin = time.perf_counter()
    tested = None if test is None else TestedGames(test, games)
    with Journal(folder, {"game": repr(game), "seed": seed, **identity}) as journal:
        game_batch = restore(Rules(game), games, journal)
        match = _Match(
            game_batch=game_batch,
            players=players,
            games=games,
            seed=seed,
            journal=journal,
            games_in_flight=games_in_flight,
            at_once=at_once,
            stop=StopEvent(stop),
            on_progress=on_progress or (lambda progress: None),
            tested=tested,
        )
        match.play()
    return _result_of(game_batch, players, match.progress(), tested, begin)


def _result_of(
    game_batch: GameBatch,
    players: tuple[AnyPlayer, AnyPlayer],
    progress: Progress,
    tested: TestedGames | None,
    begin: float,
) -> MatchResult:
    """What the games that count came to, in a run since ``begin`` (``time.perf_counter``)."""
    games, results = progress.games, [progress.wins, progress.draws, progress.losses]
    if tested is not None and tested.decided:
        games, results = tested.counted, tested.results
    wins, draws, losses = results
    whole = sum(results) == games
    repeatable = not any(isinstance(player, ExternalPlayer) for player in players)
    digest = digest_of(game_batch, games) if whole and repeatable else None
    return MatchResult(
        games=sum(results),
        wins=wins,
        draws=draws,
        losses=losses,
        seconds=time.perf_counter() - begin,
        digest=digest,
        interrupted=not whole,
        reported_wins=reported_wins_of(game_batch, games),
        given_up=(game_batch.given_up(games, 0), game_batch.given_up(games, 1)),
        chosen=progress.chosen,
        sprt=progress.sprt,
    )


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


class _QuickTurns:
    """Python's threads take turns after 0.1 ms, not 5, while matches go on, so that a search that may begin does."""

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._matches, self._before = 0, 0.0  # under way in this process; the seconds before the first of them

    def __enter__(self) -> None:
        with self._counting:
            if self._matches == 0:
                self._before = sys.getswitchinterval()
                sys.setswitchinterval(1e-4)
            self._matches += 1

    def __exit__(self, *_: object) -> None:
        with self._counting:
            self._matches -= 1
            if self._matches == 0:
                sys.setswitchinterval(self._before)


_quick_turns = _QuickTurns()


class _Match:
    """The workers of a match: they take batches from the schedule, have them decided, and write down what is decided.

    ``_changed`` guards the schedule, the scoreboard, the order of lines in the journal, and the calls of
    ``on_progress``; on it a worker waits for games.
    """

    def __init__(
        self,
        game_batch: GameBatch,
        players: tuple[AnyPlayer, AnyPlayer],
        games: int,
        seed: int,
        journal: Journal,
        games_in_flight: int,
        at_once: int,
        stop: StopEvent,
        on_progress: Callable[[Progress], None],
        tested: TestedGames | None,
    ) -> None:
        self._game_batch, self._players, self._numbers = game_batch, players, np.arange(games)
        self._journal, self._stop, self._on_progress = journal, stop, on_progress
        self._workers = WORKERS if at_once else 1
        together = at_once if all(player.concurrent for player in players) else 1
        self._decider = Decider(players, seed, max(1, together), stop)
        unfinished = self._numbers[game_batch.running(self._numbers)]
        self._schedule = Schedule(game_batch, unfinished, games_in_flight, Batches(players, self._workers))
        self._scoreboard, self._tested = Scoreboard(game_batch, games), tested
        self._changed = threading.Condition()

    def play(self) -> None:
        """Advance the unfinished games, the lowest numbers first, until none is left or the match is halted."""
        for player in self._players:
            player.forget(self._numbers)
        self._end_once_decided()
        self._on_progress(self.progress())
        if self._workers == 1:
            self._work()
            return
        with _quick_turns, ThreadPoolExecutor(self._workers, "match") as pool:
            try:
                # A player's own work, such as a search, knows by the context which interrupt is meant for it.
                workers = [pool.submit(copy_context().run, self._work) for _ in range(self._workers)]
                for worker in as_completed(workers):
                    worker.result()
            except BaseException:
                self._stop.set()
                raise

    def progress(self) -> Progress:
        """Where the games asked for stand."""
        progress = self._scoreboard.progress(self._decider.chosen)
        return progress if self._tested is None else progress._replace(sprt=self._tested.state)

    def _end_once_decided(self) -> None:
        """Halt the match where its test has decided: searches in flight are for games that do not count."""
        if self._tested is not None and self._tested.look(self._game_batch.scores):
            self._stop.set()

    def _work(self) -> None:
        """Take batches and move in them until no game is left or the match is halted."""
        try:
            while (batch := self._take()) is not None and self._move(batch):
                pass
        except BaseException:
            self._stop.set()
            raise
        finally:
            with self._changed:
                self._changed.notify_all()

    def _take(self) -> Batch | None:
        """The next batch, waited for where there is none yet; None at the end."""
        with self._changed:
            while not self._stop.is_set():
                newcomers = self._schedule.admit()
                if not recall(self._game_batch, newcomers, self._decider, self._journal.folder):
                    return None
                if not self._schedule.in_flight:
                    return None
                batch = self._schedule.take(self._decider.seconds_a_position)
                if batch is not None:
                    return batch
                self._changed.wait()
        return None

    def _move(self, batch: Batch) -> bool:
        """One move in each game of ``batch``; False if the match was halted before."""
        decision = self._decider.decide(self._game_batch, batch)
        if decision is None:
            return False
        games = batch.games
        moves, reported, reasons = decision
        with self._changed:
            self._journal.add_moves(games, self._game_batch.plies[games], moves, reported, reasons)
        self._journal.sync_moves()
        ended = self._game_batch.play(games, moves, reported, reasons)
        over = np.array(ended, np.int64)
        for player in self._players if ended else ():
            player.forget(over)
        with self._changed:
            self._journal.add_games(self._game_batch.lines[number] for number in ended)
            self._scoreboard.note(batch, reported, over)
            self._end_once_decided()
            self._schedule.put_back(games)
            self._on_progress(self.progress())
            self._changed.notify_all()
        return True
