"""Resuming a match: the games as the journal of an earlier run left them."""

import json
from pathlib import Path

import numpy as np

from gpumcts.kernels.batch import Rules
from gpumcts.match.game_batch import UNFINISHED, GameBatch
from gpumcts.match.journal import GAMES, MOVES, Commit, Journal, whole_lines
from gpumcts.match.sequential import SequentialTest, TestedGames
from gpumcts.players.contract import FORFEITED, RESIGNED


def restore(rules: Rules, games: int, journal: Journal) -> GameBatch:
    """A batch of at least ``games`` games, every move of the journal played.

    Every move is checked against the rules, and every line of ``games.jsonl`` against the moves; lines that a kill kept
    from that file are added. Raises BadInput, naming file and line, where something does not fit.
    """
    commits = list(journal.commits())
    game_batch = GameBatch(rules, max([games, *(int(commit.games.max()) + 1 for commit in commits)]))
    for commit in commits:
        why = _misfit(game_batch, commit)
        if why:
            raise journal.damaged(MOVES, commit.line, why)
        game_batch.play(commit.games, commit.moves, commit.reported, commit.reasons)
    _compare_games(game_batch, journal)
    return game_batch


def is_over(folder: Path, games: int, test: SequentialTest | None = None) -> bool:
    """Whether no move is left to choose, by the lines of ``games.jsonl`` in ``folder``.

    There is one for each of games 0 to ``games - 1``, or for each that ``test`` needs for its decision. The lines are
    not checked against the moves, which ``restore`` does.
    """
    finished = _finished(folder)
    if finished.issuperset(range(games)):
        return True
    if test is None or not finished:
        return False
    scores = dict(map(_score, whole_lines(folder / GAMES)))
    return TestedGames(test, games).look([scores.get(number, UNFINISHED) for number in range(games)])


def games_beyond(folder: Path, games: int) -> int:
    """How many finished games in ``folder`` have a number of ``games`` or more: they stay, and do not count."""
    return sum(number >= games for number in _finished(folder))


def _finished(folder: Path) -> set[int]:
    """The numbers of the games that ``games.jsonl`` in a folder has a line for; none where it is not there."""
    path = folder / GAMES
    if not path.exists():
        return set()
    return {_number(line) for line in whole_lines(path)}


def _misfit(game_batch: GameBatch, commit: Commit) -> str | None:
    """Why a commit cannot follow the games as they stand, or None."""
    if len(np.unique(commit.games)) < len(commit.games) or commit.games.min() < 0:
        return "a game number that is negative or occurs twice"
    wrong = (game_batch.plies[commit.games] != commit.plies) | ~game_batch.running(commit.games)
    if wrong.any():
        at = int(np.argmax(wrong))
        return f"ply {commit.plies[at]} of game {commit.games[at]} is not what comes next"
    given_up = np.array([bool(reason) for reason in commit.reasons or [""] * len(commit.games)])
    if not np.isin(commit.moves[given_up], (RESIGNED, FORFEITED)).all():
        return "a game that is given up and goes on"
    illegal = game_batch.first_illegal(commit.games[~given_up], commit.moves[~given_up])
    if illegal is None:
        return None
    return f"move {commit.moves[~given_up][illegal]} in game {commit.games[~given_up][illegal]} is not legal"


def _compare_games(game_batch: GameBatch, journal: Journal) -> None:
    """Hold ``games.jsonl`` against the journal, which is written first, and add what is missing."""
    written = set()
    for line, text in journal.games():
        number = _number(text)
        if number in written or game_batch.lines.get(number) != text:
            raise journal.damaged(GAMES, line, f"not a finished game of {MOVES}, or one for the second time")
        written.add(number)
    journal.add_games(text for number, text in sorted(game_batch.lines.items()) if number not in written)


def _score(text: bytes) -> tuple[int, int]:
    """The number of the game that a line is about, and the sign of its score; UNFINISHED where the line has none."""
    try:
        score = json.loads(text)["score"]
        return _number(text), (score > 0) - (score < 0)
    except (ValueError, KeyError, TypeError):
        return _number(text), UNFINISHED


def _number(text: str | bytes) -> int:
    """The number of the game that a line is about; -1 for no such line."""
    try:
        number = json.loads(text)["game"]
    except (ValueError, KeyError, TypeError):
        return -1
    return number if isinstance(number, int) else -1
