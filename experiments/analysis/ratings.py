"""Ratings of the players of a round robin: matches of a sweep over both sides, on one scale of Elo.

The model is that of Bradley and Terry 1952; a draw is half a win to each side. Intervals are those of the likelihood's
curvature.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.analysis.labels import keys_of
from experiments.runs.results import Result
from experiments.terminal.console import table
from experiments.terminal.tables import FittedTable

LEAST_PLAYERS = 3  # of two a match tells all
OPPONENT = "opponent."
UNTOLD = ("seed", "threads", "engine")  # swept keys that set no players apart
OF_NO_SIDE = ("game", "opponent", "seed")  # of a match's identity
NORMAL = 1.959963984540054  # of a standard normal variable, 95 % lies within
ELO = 400 / np.log(10)
STEPS, CLOSE = 100, 1e-12


class Pairing(NamedTuple):
    """The games of one match, by the sides' names: ``score`` is what the first one made of them."""

    first: str
    second: str
    score: float
    games: int


def ratings(results: Sequence[Result]) -> list[FittedTable | str]:
    """A table of ratings for each game and other condition of a round robin; nothing where there is none.

    A line in its place where a player, or a group of them, has won or lost all games against the others: then no
    difference is finite.
    """
    rounds = round_robins(results)
    return [_shown(under, pairings) for under, pairings in rounds.items()]


def round_robins(results: Sequence[Result]) -> dict[str, list[Pairing]]:
    """The matches of three players and more by what else was swept; empty where the sides are not told by one key."""
    rounds: dict[str, list[Pairing]] = {}
    known: dict[tuple[str, str], Any] = {}
    counted: set[tuple[str, ...]] = set()
    for result in results:
        keys = keys_of(result.label) or {}
        theirs = {_of_player(key): value for key, value in keys.items() if OPPONENT in key}
        ours = {key: value for key, value in keys.items() if key in theirs}
        if not {"wins", "draws", "games"} <= result.summary.keys() or not theirs or ours.keys() != theirs.keys():
            return {}
        rest = {key: value for key, value in keys.items() if OPPONENT not in key and key not in theirs}
        under = _words({key: value for key, value in rest.items() if key not in UNTOLD})
        names, sides = (_words(ours), _words(theirs)), _sides(result)
        if any(known.setdefault((under, name), side) != side for name, side in zip(names, sides, strict=True)):
            return {}  # one name, two players: something else sets the sides apart
        score, games = result.summary["wins"] + result.summary["draws"] / 2, result.summary["games"]
        same = (under, *names, str(result.summary.get("digest") or result.folder))  # on other threads, or in two sweeps
        if games and names[0] != names[1] and same not in counted:
            counted.add(same)
            rounds.setdefault(under, []).append(Pairing(*names, score, games))
    return {under: some for under, some in rounds.items() if len(_players(some)) >= LEAST_PLAYERS}


def fitted(pairings: Sequence[Pairing]) -> tuple[list[str], np.ndarray, np.ndarray] | None:
    """The players, their ratings (float64[n], Elo, of mean 0) and half the 95 % intervals of these (float64[n]).

    None where the likelihood has no maximum: some players won or lost all games against the others.
    """
    players = _players(pairings)
    first, second = np.array([[players.index(p.first), players.index(p.second)] for p in pairings]).T
    score, games = np.array([p.score for p in pairings]), np.array([float(p.games) for p in pairings])
    if not _connected(len(players), first, second, score, games):
        return None
    worth = np.zeros(len(players))
    for _ in range(STEPS):
        gradient, curvature = _derivatives(worth, first, second, score, games)
        step = np.linalg.pinv(curvature) @ gradient
        longest = np.abs(step).max()
        worth += step / max(1.0, longest)
        if longest < CLOSE:
            break
    variances = np.diag(np.linalg.pinv(_derivatives(worth, first, second, score, games)[1]))
    return players, ELO * (worth - worth.mean()), ELO * NORMAL * np.sqrt(variances)


def _derivatives(
    worth: np.ndarray, first: np.ndarray, second: np.ndarray, score: np.ndarray, games: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first derivatives of the log-likelihood, float64[n], and the second ones with their sign turned, [n, n]."""
    expected = 1 / (1 + np.exp(worth[second] - worth[first]))
    gradient, curvature = np.zeros(len(worth)), np.zeros((len(worth), len(worth)))
    weight = games * expected * (1 - expected)
    for one, other, sign in ((first, second, 1.0), (second, first, -1.0)):
        np.add.at(gradient, one, sign * (score - games * expected))
        np.add.at(curvature, (one, one), weight)
        np.add.at(curvature, (one, other), -weight)
    return gradient, curvature


def _connected(players: int, first: np.ndarray, second: np.ndarray, score: np.ndarray, games: np.ndarray) -> bool:
    """Whether each player is reached from each by steps to whom they have scored against (Ford 1957)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    scored, conceded = score > 0, score < games
    rows, columns = np.r_[first[scored], second[conceded]], np.r_[second[scored], first[conceded]]
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(players, players))
    return bool(connected_components(graph, directed=True, connection="strong")[0] == 1)


def _shown(under: str, pairings: Sequence[Pairing]) -> FittedTable | str:
    where = f", {under}" if under else ""
    found = fitted(pairings)
    if found is None:
        return f"No ratings{where}: a player, or a group of them, has won or lost all games against the others."
    players, elo, half = found
    rows = []
    for place in np.argsort(-elo, kind="stable"):
        own = [(p.score, p.games) if p.first == players[place] else (p.games - p.score, p.games) for p in pairings
               if players[place] in p[:2]]  # fmt: skip
        score, games = map(sum, zip(*own, strict=True))
        ends = elo[place] + half[place] * np.array([0, -1, 1])
        middle, low, high = (f"{round(float(end)):+d}" for end in ends)  # rounded first: -0.3 is +0, not -0
        rows.append([players[place], middle, f"[{low}, {high}]", f"{games:,}", f"{100 * score / games:.1f}"])
    columns = {"player": "left", "Elo": "right", "95 %": "right", "games": "right", "score %": "right"}
    return table(f"ratings{where}: Elo around the mean of the players", columns, rows)


def _players(pairings: Sequence[Pairing]) -> list[str]:
    return list(dict.fromkeys(name for pairing in pairings for name in pairing[:2]))


def _of_player(key: str) -> str:
    """``player@opponent.player`` and ``opponent.budget.iterations`` as the keys of the player that they stand for."""
    return key.partition("@")[0] if "@" in key else key.removeprefix(OPPONENT)


def _words(keys: Mapping[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in keys.items())


def _sides(result: Result) -> tuple[Any, Any]:
    """What decides how each side plays."""
    identity = result.provenance.get("identity") or {}
    ours = {key: value for key, value in identity.items() if key not in OF_NO_SIDE}
    return ours, dict(identity.get("opponent") or {})
