"""What the lines of results.jsonl come to: correlations with intervals, differences, curves over playouts."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.config.schema import Checked
from experiments.ranking.methods import PlayoutsKeys
from experiments.ranking.statistics import (
    Agreement,
    Interval,
    Resampled,
    agreement,
    at_time,
    at_times,
    pooled_rho,
    pooled_tau,
    ranks,
)
from gpumcts.match.statistics import holm
from gpumcts.playouts.uniform import Uniform

Line = dict[str, Any]
TIMES_A_DECADE, ROUNDING = 2, 1e-9
SMOOTHING = (0.0, 1.0, 3.0, 10.0)  # times the epsilons of a run


class Ranker(NamedTuple):
    """How values become ranks: the epsilon of each method, in its own units, and which is the reference."""

    epsilons: dict[str, float]
    reference: str

    def ranks(self, line: Line, name: str) -> np.ndarray:
        """The ranks of the moves of a board by a method, float64[M]."""
        return ranks(line["values"][name], self.epsilons[name])

    def agreement(self, line: Line, name: str, values: Sequence[float] | None = None) -> Agreement | None:
        """A method (or ``values`` in its units) against the reference; None where that ties all moves."""
        own = self.ranks(line, name) if values is None else ranks(values, self.epsilons[name])
        return agreement(own, self.ranks(line, self.reference))


def ranker(config: Checked) -> Ranker:
    """The one of a run."""
    keys = config.keys
    plays = {name: isinstance(method, PlayoutsKeys) for name, method in config.policy.methods.items()}
    epsilons = {name: keys.ties_win_rate if played else keys.ties_evaluation for name, played in plays.items()}
    return Ranker(epsilons, keys.reference)


def summarise(lines: Sequence[Line], config: Checked) -> dict[str, Any]:
    """The summary of a run from the lines of its boards; intervals are [mean, low, high], over games."""
    judge = ranker(config)
    ranked = [line for line in lines if judge.agreement(line, judge.reference) is not None]
    others = [name for name in config.keys.methods if name != judge.reference]
    resampled = Resampled([line["game"] for line in ranked])
    found = {name: [judge.agreement(line, name) for line in ranked] for name in others} if ranked else {}
    curves = _curves(ranked, judge, others)
    shown = {name: _shown(curve, resampled) for name, curve in curves.items()}
    return {
        "boards": len(lines),
        "ranked": len(ranked),
        "games": resampled.games,
        "moves": sum(len(line["moves"]) for line in ranked),
        "yardstick": judge.reference,  # the name that recorded summaries and tables have
        "baseline": baseline(config),
        "methods": {name: _of_method(name, some, ranked, resampled) for name, some in found.items()},
        "yardstick_seconds": _a_move(ranked, judge.reference),
        "differences": _differences(found, baseline(config), resampled),
        "smoothing": _smoothing(ranked, judge, others, resampled),
        "curves": shown,
        "at_playouts": _at_playouts(curves, resampled),
        "at_times": _at_times(curves, equal_times(shown)[0], resampled),
        "seconds": sum(sum(line["seconds"].values()) for line in lines),
        "seed": config.keys.seed,
        "engine": "cpu",
    }


def baseline(config: Checked) -> str | None:
    """The method that the others are compared with."""
    methods = config.policy.methods
    uniform = [n for n, m in methods.items() if isinstance(m, PlayoutsKeys) and isinstance(m.playout, Uniform)]
    return config.keys.baseline or next(iter(uniform), None)


def _a_move(lines: Sequence[Line], name: str) -> float:
    """Core seconds a move, the mean over boards."""
    return float(np.mean([line["seconds"][name] / len(line["moves"]) for line in lines])) if lines else 0.0


def _of_method(name: str, found: Sequence[Any], lines: Sequence[Line], resampled: Resampled) -> dict[str, Any]:
    sums = np.stack([one.pooled for one in found])
    row: dict[str, Any] = {key: resampled.mean([getattr(one, key) for one in found]) for key in ("rho", "tau", "best")}
    row |= {"rho_all": resampled.pooled(sums, pooled_rho), "tau_all": resampled.pooled(sums, pooled_tau)}
    row["seconds_a_move"] = _a_move(lines, name)
    if all(name in line["curves"] for line in lines):
        row["playouts"] = lines[0]["curves"][name]["points"][-1]
    if all(name in line["distinct"] for line in lines):
        row["distinct"] = float(np.mean([np.mean(line["distinct"][name]) for line in lines]))
        row["distinct_least"] = int(min(min(line["distinct"][name]) for line in lines))
    return row


def _differences(found: dict[str, list[Any]], base: str | None, resampled: Resampled) -> dict[str, Any]:
    """Each method less the baseline on the same boards, of Spearman's, with p values corrected by Holm."""
    if base is None or base not in found:
        return {}
    names = [name for name in found if name != base]
    rhos = {name: np.array([one.rho for one in some]) for name, some in found.items()}
    rows = _corrected([_tested(rhos[name] - rhos[base], resampled) for name in names])
    return dict(zip(names, rows, strict=True))


def _smoothing(
    lines: Sequence[Line], judge: Ranker, names: Sequence[str], resampled: Resampled
) -> dict[str, dict[str, Interval]]:
    """Spearman's of the methods with other epsilons for ties than the run's, the reference's left as it is."""
    if not lines or not any(judge.epsilons.values()):
        return {}
    found: dict[str, dict[str, Interval]] = {}
    for factor in SMOOTHING:
        row = found.setdefault(f"{factor:g}", {})
        for name in names:
            some = [
                (ranks(x["values"][name], factor * judge.epsilons[name]), judge.ranks(x, judge.reference))
                for x in lines
            ]
            both = [agreement(*pair) for pair in some]
            row[name] = resampled.mean([one.rho for one in both if one is not None])
    return found


# ------------------------------------------------------------------------------------------------------------- curves


class Curve(NamedTuple):
    """How a method of playouts agrees with the reference after so many of them.

    points : playouts a move, P of them; seconds : core seconds a move until then, the mean over boards, float64[P],
        increasing
    found : of each point, the agreement on each of B boards
    """

    points: list[int]
    seconds: np.ndarray
    found: list[list[Any]]

    def of_boards(self, key: str = "rho") -> np.ndarray:
        """A correlation by point and board, float64[P, B]."""
        return np.array([[getattr(one, key) for one in row] for row in self.found])


def _curves(lines: Sequence[Line], judge: Ranker, names: Sequence[str]) -> dict[str, Curve]:
    """The curves of the methods of playouts."""
    found = {}
    for name in names:
        if not lines or any(name not in line["curves"] for line in lines):
            continue
        points = lines[0]["curves"][name]["points"]
        each = np.array([np.array(line["curves"][name]["seconds"]) / len(line["moves"]) for line in lines])
        seconds = np.maximum.accumulate(np.maximum(each.mean(axis=0), 1e-9))
        agreements = [
            [judge.agreement(line, name, line["curves"][name]["values"][column]) for line in lines]
            for column in range(len(points))
        ]
        found[name] = Curve(points, seconds, agreements)
    return found


def _shown(curve: Curve, resampled: Resampled) -> dict[str, Any]:
    """A curve in the summary: both correlations and the share of best moves with their intervals."""
    rows = {key: [resampled.mean(row) for row in curve.of_boards(key)] for key in ("rho", "tau", "best")}
    return {"points": curve.points, "seconds": curve.seconds.tolist(), **rows}


def _at_playouts(curves: dict[str, Curve], resampled: Resampled) -> list[dict[str, Any]]:
    """Spearman's of each policy less that of each one before it, at every number of playouts that both have."""
    rhos = {name: curve.of_boards() for name, curve in curves.items()}
    rows = []
    for less, name in itertools.combinations(curves, 2):
        for point in (point for point in curves[name].points if point in curves[less].points):
            one, other = (rhos[n][curves[n].points.index(point)] for n in (name, less))
            rows.append({"method": name, "less": less, "playouts": point, **_tested(one - other, resampled)})
    return _corrected(rows)


def _at_times(curves: dict[str, Curve], times: Sequence[float], resampled: Resampled) -> list[dict[str, Any]]:
    """The same at every time that both policies reach; ``playouts`` are those that each makes until then."""
    rhos = {name: curve.of_boards() for name, curve in curves.items()}
    rows = []
    for less, name in itertools.combinations(curves, 2):
        for time in times:
            one, other = (at_time(curves[n].seconds, rhos[n], time) for n in (name, less))
            if one is not None and other is not None:
                made = [_playouts_until(curves[n], time) for n in (name, less)]
                row = {"method": name, "less": less, "seconds": time, "playouts": made}
                rows.append({**row, **_tested(one - other, resampled)})
    return _corrected(rows)


def _playouts_until(curve: Curve, time: float) -> int:
    """About how many playouts a move a policy makes in a time, between points by logarithms of both."""
    return round(float(np.exp(np.interp(np.log(time), np.log(curve.seconds), np.log(curve.points)))))


def _tested(differences: np.ndarray, resampled: Resampled) -> dict[str, Any]:
    interval, p = resampled.difference(differences)
    return {"rho": interval, "p": p}


def _corrected(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a table with p values by Holm, for as many tests as it has rows."""
    corrected = holm([row["p"] for row in rows]) if rows else []
    return [{**row, "p_holm": p} for row, p in zip(rows, corrected, strict=True)]


def equal_times(curves: dict[str, Any], key: str = "rho") -> tuple[list[float], dict[str, list[float]]]:
    """Core seconds a move, so many a decade, that at least two curves reach, and what each curve is worth there."""
    ends = sorted((c["seconds"][0], c["seconds"][-1]) for c in curves.values())
    if len(ends) < 2:
        return [], {}
    low, high = ends[1][0], sorted(end for _, end in ends)[-2]
    first = int(np.ceil(TIMES_A_DECADE * np.log10(low) - ROUNDING))
    last = int(np.floor(TIMES_A_DECADE * np.log10(high) + ROUNDING))
    times = [min(max(float(10 ** (i / TIMES_A_DECADE)), low), high) for i in range(first, last + 1)]
    known = {name: (np.array(c["seconds"]), np.array([point[0] for point in c[key]])) for name, c in curves.items()}
    read = at_times(known, times)
    kept = [i for i in range(len(times)) if sum(np.isfinite(values[i]) for values in read.values()) > 1]
    return [times[i] for i in kept], {name: [values[i] for i in kept] for name, values in read.items()} if kept else {}
