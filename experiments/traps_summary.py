"""What the positions of results.jsonl come to: how many games and positions have a soft trap, by Delta, and who avoids them.

Five readings of "soft trap", v being values for the player to move, h the evaluation and m the choice of the shallow search:

``disagree``   |v_deep(m) - v_shallow(m)| >= Delta, which is the document's count of games
``worse``      v_shallow(m) - v_deep(m) >= Delta: the same where m is worse than it looks
``loses``      v_deep(best move) - v_deep(m) >= Delta: what choosing m costs, both judged by the same search
``chosen``     Definition 1 for m: the opponent can gain Delta of h within deep - 1 plies after m
``any``        Definition 1: after some legal move the opponent can gain Delta of h within ``strategy`` plies
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from experiments.rank_statistics import Resampled
from experiments.schema import Checked
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
        "avoided": _avoided(lines, keys.delta) if keys.playouts else None,
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
    """The share of positions with its interval; where it is none or all of them, which resamples repeat, Wilson's over games."""
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


def _avoided(lines: Sequence[Line], delta: int) -> dict[str, Any]:
    """Of the moves that cost the shallow search at least ``delta``: which look as good to it, and which its playouts avoid."""
    traps = [line for line in lines if "rank_by_playouts" in line]
    return {
        "traps": len(traps),
        "unseen": sum(line["shallow"] - line["deep"] >= delta for line in traps),
        "avoided": sum(avoids(line, delta) for line in traps),
        "avoided_95": list(wilson(sum(avoids(line, delta) for line in traps), 0, len(traps))),
        "ranked_low": sum(line["rank_by_playouts"] > (line["moves"] + 1) / 2 for line in traps),
        "games": len({line["game"] for line in traps if avoids(line, delta)}),
        "distinct": _distinct(traps),
    }


def avoids(line: Line, delta: int) -> bool:
    """Whether the move that the playouts rank first is better than the trap by at least Delta, to the deep search."""
    return "playouts_deep" in line and line["playouts_deep"] - line["deep"] >= delta


def examples(lines: Sequence[Line], delta: int, count: int) -> list[Line]:
    """Traps that playouts avoid: first those that look as good to the shallow search, then those that playouts rank lowest."""
    found = [line for line in lines if avoids(line, delta)]
    return sorted(
        found,
        key=lambda line: (
            line["shallow"] - line["deep"] < delta,
            -line["rank_by_playouts"] / line["moves"],
            line["number"],
        ),
    )[:count]


def _distinct(traps: Sequence[Line]) -> float | None:
    known = [np.mean(line["distinct"]) for line in traps if line["distinct"] is not None]
    return float(np.mean(known)) if known else None
