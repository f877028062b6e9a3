"""All games of a match at once: where each stands, as a struct of arrays, and how finished ones are written down."""

import json
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from gpumcts.games.contract import SCORE_UNIT, has_history, move_text, unpack
from gpumcts.games.defaults import unpack_words
from gpumcts.games.states import unpacked_rows
from gpumcts.kernels.batch import Rules
from gpumcts.players.contract import NOT_REPORTED, PROVEN_WIN, RESIGNED, fault_of, reports_win

UNFINISHED = np.iinfo(np.int64).min
NEVER = np.iinfo(np.int32).max


class End(NamedTuple):
    """How a game ended that was not played to its end: ``loser`` is 0 or 1 of the match's players."""

    loser: int
    resigned: bool
    reason: str


class GivenUp(NamedTuple):
    """Games that a player lost before their end: those resigned, those forfeited, and why (games by fault)."""

    resigned: int
    forfeited: int
    reasons: dict[str, int]


class _Names(dict):
    """The texts of moves that are the same in every position, each found once."""

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._game, self._start = rules.game, rules.state(rules.starts(1)[0])

    def __missing__(self, move: int) -> str:
        text = self[move] = move_text(self._game, self._start, move)
        return text


class GameBatch:
    """G games of one match, by game number.

    In even games ``players[0]`` is the game's first player, in odd ones ``players[1]``.

    states : uint64[G, W], packed
    plies : int64[G], moves played, chance's included
    movers : int64[G], who moves: 0, 1 of the game, or 2 = chance; means nothing once the game is over
    scores : int64[G], for ``players[0]`` in [-SCORE_UNIT, SCORE_UNIT]; UNFINISHED before the end
    moves : of games that are begun and not finished, those played so far
    reported_wins : of finished games with a winner who reported the win, the ply (from 0) of the first report: of the
        first move that the search had proven to win, or from which on the search expected a win of all the winner's
        moves (``players.contract.reports_win``)
    ends : of finished games that were given up, by whom and why
    lines : what ``games.jsonl`` says of each finished game, without newline
    """

    def __init__(self, rules: Rules, games: int) -> None:
        self.rules = rules
        self.states = rules.starts(games)
        self.plies = np.zeros(games, np.int64)
        self.movers = np.full(games, rules.movers(self.states[:1])[0])
        self.scores = np.full(games, UNFINISHED)
        self.moves: dict[int, list[int]] = defaultdict(list)
        self.lines: dict[int, str] = {}
        self.reported_wins: dict[int, int] = {}
        self.ends: dict[int, End] = {}
        # Of either player, int32[2, G], a ply or NEVER: from which on all its reports say that it wins, and the first
        # at which it reported a proven win.
        self._sure_since = np.full((2, games), NEVER, np.int32)
        self._proven_at = np.full((2, games), NEVER, np.int32)
        self._texts: dict[int, list[str]] = defaultdict(list)  # of ``moves``, where they have no names
        self._looks_back = has_history(rules.game)
        # Of games begun, where the rules look back: states so far, with room for more.
        self._earlier: dict[int, np.ndarray] = {}
        self._move_text = move_text.find(type(rules.game))
        self._names = _Names(rules) if getattr(rules.game, "NAMED_MOVES", False) else None
        self._unpack = unpack.find(type(rules.game))
        self._unpacks_itself = self._unpack is not unpack_words

    def running(self, games: np.ndarray) -> np.ndarray:
        """Which of ``games`` (int64[K]) are not over, bool[K]."""
        return self.scores[games] == UNFINISHED

    def to_move(self, games: np.ndarray) -> np.ndarray:
        """Whose turn it is, int64[K]: 0 and 1 are the match's players, 2 is chance."""
        movers = self.movers[games]
        return np.where(movers < 2, movers ^ (games & 1), movers)

    def first_illegal(self, games: np.ndarray, moves: np.ndarray) -> int | None:
        """Index of the first move that is not legal in its game, or None."""
        for index, (game, move) in enumerate(zip(games.tolist(), moves.tolist(), strict=True)):
            if move not in self.rules.legal_moves(self.states[game]):
                return index
        return None

    def play(
        self,
        games: np.ndarray,
        moves: np.ndarray,
        reported: np.ndarray | None = None,
        reasons: list[str] | None = None,
    ) -> list[int]:
        """Play one legal move in each of ``games`` (int64[K], all different); the numbers of those that end with it.

        reported : int64[K], win rates that the player reported with the moves
        reasons : why games are given up, in place of a move; empty text for the others
        """
        if reasons is not None:
            on = np.array([not reason for reason in reasons], bool)
            gone = [self._give_up(games[i : i + 1], moves[i], reasons[i]) for i in np.flatnonzero(~on).tolist()]
            return gone + (
                self.play(games[on], moves[on], None if reported is None else reported[on]) if on.any() else []
            )
        before = self.states[games]
        if reported is not None:
            self._note_reported(games, reported)
        self._write_down(games, before, moves)
        after = self.rules.play(before, moves)
        if self._looks_back:
            self._look_back(games, before, after)
        counts, movers = self.rules.describe(after)
        self.states[games], self.movers[games] = after, movers
        self.plies[games] += 1
        over = counts == 0
        ended, scores = games[over], self.rules.scores(after[over])
        self.scores[ended] = np.where(ended & 1, -scores, scores)
        for game in ended.tolist():
            self._note_reported_win(game)
            self.lines[game] = self._line(game)
        return ended.tolist()

    def _give_up(self, game: np.ndarray, move: int, reason: str) -> int:
        """End a game (int64[1]) that its mover resigns or forfeits; its number."""
        number, loser = int(game[0]), int(self.to_move(game)[0])
        self.ends[number] = End(loser, bool(move == RESIGNED), reason)
        self.scores[number] = SCORE_UNIT if loser else -SCORE_UNIT
        self._note_reported_win(number)
        self.lines[number] = self._line(number)
        return number

    def given_up(self, games: int, loser: int) -> GivenUp:
        """What a player of the match, 0 or 1, gave up of games 0 to ``games - 1``."""
        ends = [end for game, end in sorted(self.ends.items()) if game < games and end.loser == loser]
        forfeits = Counter(fault_of(end.reason) for end in ends if not end.resigned)
        return GivenUp(sum(end.resigned for end in ends), forfeits.total(), dict(forfeits))

    def _look_back(self, games: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
        """Keep the states ``before`` a ply, and let rules make of those ``after`` it what the games so far ask for."""
        for index, (game, ply) in enumerate(zip(games.tolist(), self.plies[games].tolist(), strict=True)):
            earlier = self._earlier.get(game)
            if earlier is None or ply == len(earlier):
                grown = np.empty((max(32, 2 * ply), self.rules.width), np.uint64)
                if earlier is not None:
                    grown[:ply] = earlier
                self._earlier[game] = earlier = grown
            earlier[ply] = before[index]
            after[index] = self.rules.with_history(after[index], earlier[: ply + 1])

    def _note_reported(self, games: np.ndarray, reported: np.ndarray) -> None:
        known = reported != NOT_REPORTED
        games, reported = games[known], reported[known]
        plies, places = self.plies[games], (self.to_move(games), games)
        since, at = self._sure_since[places], self._proven_at[places]
        self._sure_since[places] = np.where(reports_win(reported), np.minimum(since, plies), NEVER)
        self._proven_at[places] = np.where(reported == PROVEN_WIN, np.minimum(at, plies), at)

    def _note_reported_win(self, game: int) -> None:
        """Enter a finished game into ``reported_wins``."""
        score = self.scores[game]
        place = 0 if score > 0 else 1, game
        ply = min(self._sure_since[place], self._proven_at[place])
        if score != 0 and ply != NEVER:
            self.reported_wins[game] = int(ply)

    def _write_down(self, games: np.ndarray, states: np.ndarray, moves: np.ndarray) -> None:
        """Add the moves to their games. Work per move in Python, hence the bodies without the verbs."""
        game = self.rules.game
        if self._names is not None:
            for number, move in zip(games.tolist(), moves.tolist(), strict=True):
                self.moves[number].append(move)
            return
        with np.errstate(over="ignore"):
            rows = (self._unpack(game, words, 0, 1) for words in states)
            rows = rows if self._unpacks_itself else unpacked_rows(game, states)
            for number, state, move in zip(games.tolist(), rows, moves.tolist(), strict=True):
                text = self._move_text(game, state, move)
                self._texts[number].append(text)
                self.moves[number].append(move)

    def _line(self, game: int) -> str:
        score = int(self.scores[game])
        moves, texts = self.moves.pop(game, []), self._texts.pop(game, [])  # none where it is given up at once
        texts = texts if self._names is None else [self._names[move] for move in moves]
        self._earlier.pop(game, None)
        record = {
            "game": game,
            "first": game & 1,
            "result": "win" if score > 0 else "loss" if score < 0 else "draw",
            "score": score / SCORE_UNIT,
            "plies": len(texts),
            "moves": " ".join(texts),
        }
        if game in self.ends:
            end = self.ends[game]
            record |= {"ended": "resigned" if end.resigned else "forfeited", "reason": end.reason}
        return json.dumps(record)
