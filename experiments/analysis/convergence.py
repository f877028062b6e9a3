"""What the pieces of a run of experiments.trees come to: curves over iterations, with intervals over trees."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np

from experiments.analysis.headings import astray
from experiments.analysis.intervals import mean_half, median_interval, share_ends
from experiments.runs.tree_searches import Piece

CURVE = "curve.csv"
RATES = (0.1, 0.01, 0.001)
"""Failure rates whose first and lasting undercutting is reported (Kocsis et al. 2006, Figure 5)."""
RESAMPLES = 400


def summarise(pieces: list[Piece], points: list[int], keys: Any) -> dict[str, Any]:
    """The summary of a run: a list a quantity, one value for each checkpoint."""
    trees = np.concatenate([piece.trees for piece in pieces])
    decisive = np.concatenate([piece.decisive for piece in pieces])
    searched = np.concatenate([piece.searched for piece in pieces])
    summary: dict[str, Any] = {"points": points, "trees": len(trees), "searches": len(searched)}
    if keys.exact:
        summary["decisive"] = int(decisive.sum())
        rates = rates_by_tree(pieces)
        summary |= _rates(rates, decisive)
        summary |= _needed(rates, points, "")
        if decisive.any():
            summary |= _needed(rates[decisive], points, "_decisive")
    if keys.method == "search":
        wrong, visits = (np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("wrong", "visits"))
        summary["wrong_share"] = (
            (wrong / np.maximum(visits, 1)).mean(axis=0).tolist() if len(wrong) else [0.0] * len(points)
        )
    if keys.level is not None:
        summary |= _crossings(np.concatenate([piece.below for piece in pieces]), points[-1], keys.level)
    leaves = np.concatenate([piece.leaves for piece in pieces])
    return summary | (_leaves(leaves.reshape(len(trees), -1), decisive, points[-1]) if len(leaves) else {})


def summary_numbers(keys: Any) -> tuple[str, ...]:
    """The numbers among the values of ``summarise`` that are there whatever the trees are."""
    found = ["trees", "searches"]
    if keys.exact:
        found += ["decisive", *(f"iterations_to.{rate}" for rate in RATES)]
    if keys.level is not None:
        found += ["level", *(f"crossing_{name}" for name in ("median", "low", "high", "mean")), "never"]
    if keys.method != "search":
        found += ["leaves_mean", "leaves_half", "leaves_decisive", "unfinished"]
    return tuple(found)


def _leaves(leaves: np.ndarray, decisive: np.ndarray, most: int) -> dict[str, Any]:
    """Mean leaves of alpha-beta (int64[K, runs]) over all trees, and over those that can fail.

    ``leaves_half`` is what to add and subtract for 95 % over trees; None for a single tree.
    """
    by_tree = leaves.mean(axis=1)
    half = mean_half(by_tree)
    among = float(by_tree[decisive].mean()) if decisive.any() else None
    unfinished = int((leaves > most).sum())
    return {
        "leaves_mean": float(by_tree.mean()),
        "leaves_half": None if half is None else float(half),
        "leaves_decisive": among,
        "unfinished": unfinished,
    }


def _needed(rates: np.ndarray, points: list[int], of: str) -> dict[str, Any]:
    """Iterations to each of the rates, and their intervals; ``of`` says which trees in the names."""
    mean = rates.mean(axis=0).tolist()
    return {
        f"iterations_to{of}": {str(rate): _lasting(mean, points, rate) for rate in RATES},
        f"iterations_to{of}_95": {str(rate): _interval(rates, points, rate) for rate in RATES},
    }


def rates_by_tree(pieces: list[Piece]) -> np.ndarray:
    """float64[K, C]: the share of each tree's runs that fail at each checkpoint."""
    failed, searched, trees = (
        np.concatenate([getattr(p, name) for p in pieces]) for name in ("failed", "searched", "trees")
    )
    return _by_tree(failed, searched, trees)


def _by_tree(failed: np.ndarray, searched: np.ndarray, trees: np.ndarray) -> np.ndarray:
    """float64[K, C]: the share of each tree's runs that fail; 0 for trees that were not searched."""
    rows = np.searchsorted(trees, searched)
    sums = np.zeros((len(trees), failed.shape[1]))
    np.add.at(sums, rows, failed)
    return sums / np.maximum(np.bincount(rows, minlength=len(trees)), 1)[:, None]


def _rates(rates: np.ndarray, decisive: np.ndarray) -> dict[str, Any]:
    """Mean failure rates over all trees, 95 % intervals over trees, and the mean over trees that can fail."""
    mean, (low, high) = rates.mean(axis=0), share_ends(rates)
    among = rates[decisive].mean(axis=0) if decisive.any() else np.zeros_like(mean)
    return {
        "failure_rate": mean.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "among_decisive": among.tolist(),
        "trees_failing": (rates > 0).sum(axis=0).tolist(),
    }


def _lasting(rates: list[float], points: list[int], rate: float) -> float | None:
    """Iterations from which on the failure rate is at most ``rate``; log-linear interpolation between checkpoints."""
    above = [i for i, value in enumerate(rates) if value > rate]
    if not above:
        return float(points[0])
    last = above[-1]
    if last + 1 == len(points):
        return None
    before, after = rates[last], rates[last + 1]
    share = (before - rate) / (before - after)
    return float(np.exp(np.log(points[last]) + share * (np.log(points[last + 1]) - np.log(points[last]))))


def _interval(rates: np.ndarray, points: list[int], rate: float) -> list[float | None]:
    """The 95 % interval of ``_lasting``: percentiles over resampled trees, None for beyond the last checkpoint.

    A single tree leaves all of it open.
    """
    if len(rates) == 1:
        return [float(points[0]), None]
    generator = np.random.default_rng(0)
    rows = generator.integers(0, len(rates), (RESAMPLES, len(rates)))
    found = [_lasting(rates[some].mean(axis=0).tolist(), points, rate) for some in rows]
    ordered = sorted(math.inf if value is None else value for value in found)
    return [_finite(ordered[round(share * (RESAMPLES - 1))]) for share in (0.025, 0.975)]


def _crossings(below: np.ndarray, horizon: int, level: float) -> dict[str, Any]:
    """When the roots' values came above the level for good: the median over searches, its interval, who never did.

    None is beyond the horizon. With fewer than six searches the interval is all there can be: from 1 on, without end.
    """
    crossing = np.where(below >= horizon, np.inf, below + 1.0)
    low, high = median_interval(crossing)
    n, finite = len(crossing), crossing[np.isfinite(crossing)]
    return {
        "level": level,
        "crossing_median": _finite(np.median(crossing)),
        "crossing_low": 1.0 if low is None else _finite(low),
        "crossing_high": None if high is None else _finite(high),
        "crossing_mean": float(finite.mean()) if len(finite) == n else None,
        "never": int(n - len(finite)),
    }


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


# ----------------------------------------------------------------------------------------------------------- shown


def curve_rows(summary: dict[str, Any], counted: str) -> list[dict[str, str]]:
    """The rows of the table of a run, a checkpoint each; ``counted`` says what checkpoints count."""
    rows = []
    for i, point in enumerate(summary["points"]):
        row = {counted: f"{point:,}"}
        if "failure_rate" in summary:
            rate, low, high, among = (100 * summary[k][i] for k in ("failure_rate", "low", "high", "among_decisive"))
            row |= {
                "failure rate %": f"{rate:.2f}",
                "95 %": f"{low:.2f} - {high:.2f}",
                "of trees that can fail %": f"{among:.2f}",
            }
            row["trees failing"] = str(summary["trees_failing"][i])
        if "wrong_share" in summary:
            row[astray(summary)] = f"{100 * summary['wrong_share'][i]:.2f}"
        rows.append(row)
    return rows


def write_curve(summary: dict[str, Any], folder: Path) -> None:
    """The curves as CSV, one row a checkpoint."""
    names = [name for name, value in summary.items() if isinstance(value, list) and name != "points"]
    with (folder / CURVE).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["iterations", *names])
        writer.writerows(zip(summary["points"], *(summary[name] for name in names), strict=True))
