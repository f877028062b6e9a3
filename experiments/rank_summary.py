"""What the lines of results.jsonl come to: correlations with intervals, differences, curves over playouts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.rank_methods import PlayoutsKeys
from experiments.rank_statistics import (
    Agreement,
    Interval,
    Resampled,
    agreement,
    at_times,
    pooled_rho,
    pooled_tau,
    ranks,
)
from experiments.schema import Checked
from gpumcts.match.statistics import holm
from gpumcts.playouts.uniform import Uniform

Line = dict[str, Any]
TIMES_A_DECADE = 2
SMOOTHING = (0.0, 1.0, 3.0, 10.0)  # times the epsilons of a run


class Ranker(NamedTuple):
    """How values become ranks: the epsilon of each method, in its own units, and which is the yardstick."""

    epsilons: dict[str, float]
    yardstick: str

    def ranks(self, line: Line, name: str) -> np.ndarray:
        """The ranks of the moves of a board by a method, float64[M]."""
        return ranks(line["values"][name], self.epsilons[name])

    def agreement(self, line: Line, name: str, values: Sequence[float] | None = None) -> Agreement | None:
        """A method (or ``values`` in its units) against the yardstick; None where that ties all moves."""
        own = self.ranks(line, name) if values is None else ranks(values, self.epsilons[name])
        return agreement(own, self.ranks(line, self.yardstick))


def ranker(config: Checked) -> Ranker:
    """The one of a run."""
    keys = config.keys
    plays = {name: isinstance(method, PlayoutsKeys) for name, method in config.policy.methods.items()}
    epsilons = {name: keys.ties_win_rate if played else keys.ties_evaluation for name, played in plays.items()}
    return Ranker(epsilons, keys.yardstick)


def summarise(lines: Sequence[Line], config: Checked) -> dict[str, Any]:
    """The summary of a run from the lines of its boards; intervals are [mean, low, high], over games."""
    judge = ranker(config)
    ranked = [line for line in lines if judge.agreement(line, judge.yardstick) is not None]
    others = [name for name in config.keys.methods if name != judge.yardstick]
    resampled = Resampled([line["game"] for line in ranked])
    found = {name: [judge.agreement(line, name) for line in ranked] for name in others} if ranked else {}
    return {
        "boards": len(lines),
        "ranked": len(ranked),
        "games": resampled.games,
        "moves": sum(len(line["moves"]) for line in ranked),
        "yardstick": judge.yardstick,
        "baseline": baseline(config),
        "methods": {name: _of_method(name, some, ranked, resampled) for name, some in found.items()},
        "yardstick_seconds": _a_move(ranked, judge.yardstick),
        "differences": _differences(found, baseline(config), resampled),
        "smoothing": _smoothing(ranked, judge, others, resampled),
        "curves": {name: _curve(name, ranked, judge, resampled) for name in others if _has_curve(ranked, name)},
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
    if base is None or base not in found or len(found) < 2:
        return {}
    names = [name for name in found if name != base]
    rows: dict[str, Any] = {}
    for name in names:
        less = np.array([one.rho - other.rho for one, other in zip(found[name], found[base], strict=True)])
        interval, p = resampled.difference(less)
        rows[name] = {"rho": interval, "p": p}
    for name, p in zip(names, holm([rows[name]["p"] for name in names]), strict=True):
        rows[name]["p_holm"] = p
    return rows


def _smoothing(
    lines: Sequence[Line], judge: Ranker, names: Sequence[str], resampled: Resampled
) -> dict[str, dict[str, Interval]]:
    """Spearman's of the methods with other epsilons for ties than the run's, the yardstick's left as it is."""
    if not lines or not any(judge.epsilons.values()):
        return {}
    found: dict[str, dict[str, Interval]] = {}
    for factor in SMOOTHING:
        row = found.setdefault(f"{factor:g}", {})
        for name in names:
            some = [
                (ranks(x["values"][name], factor * judge.epsilons[name]), judge.ranks(x, judge.yardstick))
                for x in lines
            ]
            both = [agreement(*pair) for pair in some]
            row[name] = resampled.mean([one.rho for one in both if one is not None])
    return found


# ------------------------------------------------------------------------------------------------------------- curves


def _has_curve(lines: Sequence[Line], name: str) -> bool:
    return bool(lines) and all(name in line["curves"] for line in lines)


def _curve(name: str, lines: Sequence[Line], judge: Ranker, resampled: Resampled) -> dict[str, Any]:
    """A method of playouts by how many there are: core seconds a move, and both correlations with their intervals."""
    points = lines[0]["curves"][name]["points"]
    seconds = [[at / len(line["moves"]) for at in line["curves"][name]["seconds"]] for line in lines]
    rows: dict[str, list[Interval]] = {"rho": [], "tau": [], "best": []}
    for column in range(len(points)):
        found = [judge.agreement(line, name, line["curves"][name]["values"][column]) for line in lines]
        for key, row in rows.items():
            row.append(resampled.mean([getattr(one, key) for one in found]))
    return {"points": points, "seconds": np.mean(seconds, axis=0).tolist(), **rows}


def equal_times(curves: dict[str, Any], key: str = "rho") -> tuple[list[float], dict[str, list[float]]]:
    """Core seconds a move, so many a decade, that at least two curves reach, and what each curve is worth there."""
    ends = sorted((max(c["seconds"][0], 1e-9), c["seconds"][-1]) for c in curves.values())
    if len(ends) < 2:
        return [], {}
    low, high = ends[1][0], sorted(end for _, end in ends)[-2]
    first, last = (round(TIMES_A_DECADE * np.log10(end)) for end in (low, high))
    times = [float(10 ** (i / TIMES_A_DECADE)) for i in range(first, last + 1)]
    known = {
        name: (np.maximum.accumulate(np.maximum(c["seconds"], 1e-9)), np.array([point[0] for point in c[key]]))
        for name, c in curves.items()
    }
    read = at_times(known, times) if times else {}
    return times, read
