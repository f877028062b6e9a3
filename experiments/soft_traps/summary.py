"""What the positions of results.jsonl come to: games and positions with a soft trap, by Delta; traps playouts avoid.

Five readings of "soft trap", v being values for the player to move, h the evaluation and m the choice of the shallow
search:

``disagree``   |v_deep(m) - v_shallow(m)| >= Delta, which is the document's count of games
``worse``      v_shallow(m) - v_deep(m) >= Delta: the same where m is worse than it looks
``loses``      v_deep(best move) - v_deep(m) >= Delta: what choosing m costs, both judged by the same search
``chosen``     Definition 1 for m: the opponent can gain Delta of h within deep - 1 plies after m
``any``        Definition 1: after some legal move the opponent can gain Delta of h within ``strategy`` plies

Figure 2 of the document is of soft traps that the shallow search misses and playouts between its players avoid.
``STEPS`` counts them one condition after the other, so that wins that m misses, which are no traps, do not count.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from experiments.config.schema import Checked
from experiments.ranking.statistics import Resampled
from gpumcts.match.statistics import wilson

Line = dict[str, Any]
PRINTED = (0.52, 50)
"""The document: the share of games, and games."""

READINGS: dict[str, Callable[[Line], int | None]] = {
    "disagree": lambda line: abs(line["shallow"] - line["deep"]),
    "worse": lambda line: line["shallow"] - line["deep"],
    "loses": lambda line: line["best_deep"] - line["deep"],
    "chosen": lambda line: line["evaluation"] - line["deep"],
    "any": lambda line: line.get("most_gained"),
}


def summarise(lines: Sequence[Line], config: Checked) -> dict[str, Any]:
    """The summary of a run; intervals are Wilson's for games, resampled by game for positions (95 %)."""
    keys = config.keys
    games = np.array([line["game"] for line in lines])
    deltas = sorted({*keys.deltas, keys.delta})
    readings = {name: gap for name, gap in READINGS.items() if all(gap(line) is not None for line in lines)}
    return {
        "positions": len(lines),
        "games": len(np.unique(games)),
        "deltas": deltas,
        "shares": {name: _shares(lines, games, gap, deltas) for name, gap in readings.items()},
        "delta_as_printed": _delta_at(lines, games, PRINTED[0]),
        "traps": _steps(lines, Resampled(games), keys),
        "by_chance": _by_chance(lines, keys.delta),
        "distinct": _distinct(lines),
        "seed": keys.seed,
        "engine": "cpu",
    }


def _shares(lines: Sequence[Line], games: np.ndarray, gap: Callable[[Line], Any], deltas: Sequence[int]) -> Any:
    gaps = np.array([float(gap(line)) for line in lines])
    resampled, rows = Resampled(games), []
    for delta in deltas:
        hit = gaps >= delta
        having = len(np.unique(games[hit]))
        low, high = wilson(having, 0, resampled.games)
        share = [having / resampled.games, low, high]
        rows.append({"games": having, "share": share, "positions": _of_positions(resampled, hit)})
    return rows


def _of_positions(resampled: Resampled, hit: np.ndarray) -> list[float | None]:
    """The share of positions with its interval; of shares 0 and 1, which resamples only repeat, Wilson's over games."""
    share = float(hit.mean())
    if 0 < share < 1:
        return list(resampled.mean(hit))
    low, high = wilson(round(share * resampled.games), 0, resampled.games)
    return [share, low, high]


def _delta_at(lines: Sequence[Line], games: np.ndarray, share: float) -> float:
    """The largest Delta for which at least this share of the games has a position where the searches disagree."""
    gaps = np.array([float(READINGS["disagree"](line) or 0) for line in lines])
    most = np.sort([gaps[games == game].max() for game in np.unique(games)])[::-1]
    return float(most[max(0, int(np.ceil(share * len(most))) - 1)])


# ---------------------------------------------------------------------------------------------------------- Figure 2


def is_trap(line: Line, delta: int) -> bool:
    """Whether the shallow search's choice is a soft trap of Definition 1: the opponent can gain Delta of h after it."""
    return line["evaluation"] - line["deep"] >= delta


def unseen(line: Line, delta: int) -> bool:
    """Whether it is a soft trap that the shallow search misses: it values the move by Delta more than the deep one."""
    return is_trap(line, delta) and line["shallow"] - line["deep"] >= delta


def escapable(line: Line, delta: int) -> bool:
    """Whether it is one of these beside which there is a move better by Delta, both judged by the deep search."""
    return unseen(line, delta) and line["best_deep"] - line["deep"] >= delta


def avoided(line: Line, delta: int) -> bool:
    """Whether the move that the playouts rank first is such a one."""
    return escapable(line, delta) and "playouts_deep" in line and line["playouts_deep"] - line["deep"] >= delta


STEPS: dict[str, Callable[[Line, int], bool]] = {
    "trap": is_trap,
    "unseen": unseen,
    "escapable": escapable,
    "avoided": avoided,
}
"""Each a part of those before it; ``avoided`` needs playouts."""


def steps_of(keys: Any) -> list[str]:
    """The steps that a run counts."""
    return [name for name in STEPS if keys.playouts or name != "avoided"]


def _steps(lines: Sequence[Line], resampled: Resampled, keys: Any) -> dict[str, Any]:
    """Of each step: positions, games, shares of all positions and of unseen traps, with intervals by game (95 %)."""
    hits = {name: np.array([STEPS[name](line, keys.delta) for line in lines]) for name in steps_of(keys)}
    games = np.array([line["game"] for line in lines])
    found = {}
    for name, hit in hits.items():
        of_unseen = share_among(resampled, hit, hits["unseen"], games) if name in ("escapable", "avoided") else None
        there = len(np.unique(games[hit]))
        share = _of_positions(resampled, hit)
        found[name] = {"positions": int(hit.sum()), "games": there, "share": share, "of_unseen": of_unseen}
    return found


def share_among(
    resampled: Resampled, hit: np.ndarray, below: np.ndarray, games: np.ndarray
) -> list[float | None] | None:
    """The share of ``hit`` among ``below`` (both bool[P]) with its 95 % interval, resampled by game (int64[P]).

    Where it is 0 or 1, or one game alone has any, resamples only repeat it; the interval is Wilson's then, over the
    games that have any. None where there are none.
    """
    if not below.any():
        return None
    share, count = float(hit.sum() / below.sum()), len(np.unique(games[below]))
    if 0 < share < 1 and count > 1:
        return list(resampled.ratio(hit, below))
    return [share, *wilson(share * count, 0, count)]


def _by_chance(lines: Sequence[Line], delta: int) -> float | None:
    """How many unseen traps a random legal move would avoid; None without playouts, which record the moves."""
    escapes = [line.get("escapes") for line in lines if escapable(line, delta)]
    if not escapes or None in escapes:
        return None
    moves = [line["moves"] for line in lines if escapable(line, delta)]
    return float(sum(count / of for count, of in zip(escapes, moves, strict=True)))


def examples(lines: Sequence[Line], delta: int, count: int) -> list[Line]:
    """Unseen traps that playouts avoid, those that they rank lowest first."""
    found = [line for line in lines if avoided(line, delta)]
    return sorted(found, key=lambda line: (-line["rank_by_playouts"] / line["moves"], line["number"]))[:count]


def _distinct(lines: Sequence[Line]) -> float | None:
    """Different playouts of a move, the mean over positions that have any; None where they were not told apart."""
    known = [np.mean(line["distinct"]) for line in lines if line.get("distinct") is not None]
    return float(np.mean(known)) if known else None
