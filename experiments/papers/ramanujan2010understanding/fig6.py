"""Ramanujan et al. 2010, section 6.2 and Figure 6: the formulas for epsilon-greedy UCT with rounds, as printed and
corrected, beside searches.

Scenario A: of the root's moves the left one wins, the right one leads to leaves that are +1 with probability p.
Scenario B: the same two plies deeper, behind a left move of Max and any move of Min; behind the root's right move
leaves are +1 with probability q. Rounds are repeated until a tie breaks, "unlucky" where it breaks for the right. The
model then counts iterations until the winning node (A), or each of the two there are (B), has had C(tau, value, iter)
further visits.

In the searches we count iterations from the break until the left move has had the visits that the model wants there: C
in scenario A, and 2 (2/(1-p) + C/(1-epsilon)) in scenario B.
"""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.analysis.plots import CURVES, FAINT
from experiments.papers.ramanujan2010understanding.plots import new_figure, save
from experiments.papers.ramanujan2010understanding.searches import (
    OWN,
    A,
    B,
    Mean,
    at,
    first_lead,
    first_reaching,
    mean_of,
    read_searches,
)  # fmt: skip
from experiments.runs.results import Result

NEEDED = 10.0
"""C(tau, value, iter) of Figure 6."""
TAU = 0.7
LEAST = (0.542, 95.3)
"""Epsilon and iterations where the formula of Figure 6 is least, at p = 0.5."""


def needed_visits(tau: float, value: float, visits: float) -> float:
    """Eq. 3: visits with +1 that bring a mean of ``value`` over ``visits`` to ``tau``; 0 where it is there already."""
    return max(0.0, visits * (tau - value) / (1 - tau))


def scenario_a(epsilon: float, p: float, needed: float) -> float:
    """Iterations to convergence in scenario A: a tie of 1/(1-p) rounds of two visits, then ``needed`` to the left."""
    return 2 / (1 - p) + needed / (1 - epsilon)


def needed_in_a(p: float, tau: float) -> float:
    """C(tau, value, iter) of scenario A: eq. 3 with iter = 1/(1-p), value = 1 - 2/iter: (1+tau-2p) / ((1-p)(1-tau))."""
    return needed_visits(tau, 1 - 2 * (1 - p), 1 / (1 - p))


def favorable(epsilon: float, p: float, needed: float = NEEDED) -> float:
    """D(favorable): iterations after a tie that broke for the left."""
    return 2 / (1 - epsilon) * scenario_a(epsilon, p, needed)


def unfavorable(epsilon: float, p: float, needed: float = NEEDED) -> float:
    """D(unfavorable): iterations after a tie that broke for the right; Figure 6."""
    return 2 / epsilon * scenario_a(epsilon, p, needed)


def printed_share(p: float) -> float:
    """p' as printed: the share of +1 behind the root's left move in scenario B."""
    return 3 * p / 4


def corrected_share(p: float) -> float:
    """p' as Figure 5(b) has it: half of those leaves are +1 by the plan, and of the others a share p."""
    return (1 + p) / 2


def tie(left: float, q: float) -> float:
    """Visits to the root before its tie breaks, where playouts on its left are +1 with probability ``left``."""
    return 2 / (left + q - 2 * left * q)


def unlucky(left: float, q: float) -> float:
    """The probability that a tie breaks for the right."""
    return (1 - left) * q / (left + q - 2 * left * q)


def scenario_b(epsilon: float, p: float, q: float, left: float, needed: float = NEEDED) -> float:
    """Iterations in scenario B, ties included; ``left`` is p'."""
    chance = unlucky(left, q)
    return tie(left, q) + (1 - chance) * favorable(epsilon, p, needed) + chance * unfavorable(epsilon, p, needed)


# ----------------------------------------------------------------------------------------------------------- searches


class Simulated(NamedTuple):
    """The searches of one epsilon. Times are in iterations; ``beyond`` of them exceed the horizon and count as it, and
    ``unlucky_beyond`` of those whose tie broke for the right.

    tie : visits to the root until its tie broke; ahead : share of ties that broke for the right
    lucky, unlucky : from the break to the visits the model wants, by how it broke; whole : both, ties included
    converged : share whose root was worth tau for good before the horizon; crossing : iterations to that
    """

    scenario: str
    epsilon: float
    p: float
    q: float
    searches: int
    horizon: float
    tie: Mean
    ahead: float
    lucky: Mean
    unlucky: Mean
    whole: Mean
    beyond: int
    converged: float
    crossing: Mean
    unlucky_beyond: int


def simulated(result: Result) -> Simulated:
    """What a run's searches come to."""
    searches, game = read_searches(result), result.config["game"]
    scenario = "A" if len(game["critical"]) == 1 else "B"
    epsilon, q = float(result.config["selection"]["epsilon"]), float(game["first_share"])
    p = q if scenario == "A" else float(game["later_share"])
    column, ahead = first_lead(searches, after_a_round=True)
    begin = searches.points[column]
    to_left = searches.visits[:, :, A]
    wanted = NEEDED if scenario == "A" else 2 * scenario_a(epsilon, p, NEEDED)
    reached = first_reaching(searches, to_left, at(searches, to_left, begin) + wanted)
    beyond = np.isinf(reached) | (ahead < 0)
    after = np.where(beyond, searches.horizon, reached) - begin
    converged = np.isfinite(searches.crossing)
    return Simulated(
        scenario, epsilon, p, q, len(ahead), searches.horizon, mean_of((begin - OWN)[ahead >= 0]),
        float((ahead == B).mean()), mean_of(after[ahead == A]), mean_of(after[ahead == B]),
        mean_of(after + begin - OWN),
        int(beyond.sum()), float(converged.mean()), mean_of(searches.crossing[converged]),
        int((beyond & (ahead == B)).sum()),
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- end


def fig6(results: list[Result], folder: Path) -> list[str]:
    """Tables of both scenarios, ``fig6.csv`` and ``fig6.png``."""
    from experiments.terminal.console import show, table

    every = sorted(simulated(result) for result in results)
    for scenario, q in dict.fromkeys((row.scenario, row.q) for row in every):
        some = [row for row in every if (row.scenario, row.q) == (scenario, q)]
        rows = [_row_a(row) if scenario == "A" else _row_b(row) for row in some]
        shares = f"p = {some[0].p:g}" + (f", q = {q:g}" if scenario == "B" else "")
        title = (
            f"scenario {scenario}, {shares}, C(tau, value, iter) = {NEEDED:g}: model | {some[0].searches} searches each"
        )
        show(table(title, dict.fromkeys(rows[0], "right"), [list(row.values()) for row in rows]))
        show(*(_ties_b(some) if scenario == "B" else _ties_a(some)))
    show(
        f"The formula of Figure 6 is least at epsilon = {LEAST[0]}, with {LEAST[1]} iterations; in the searches the "
        "left move becomes the better one\nwhile it still lacks visits, which the formula leaves out. With epsilon "
        f"fixed the root's value nears 1 - epsilon and less: beyond a small\nepsilon it never converges to {TAU}. "
        "Means ± 95 %.",
        f"Horizon {every[0].horizon:,.0f} iterations; "
        f"{sum(row.beyond for row in every)} searches go beyond it and count as it.",
    )
    _write_csv(every, folder / "fig6.csv")
    plot_fig6(every, folder / "fig6.png")
    return ["fig6.csv", "fig6.png"]


def _row_a(row: Simulated) -> dict[str, str]:
    whole = needed_in_a(row.p, TAU)
    return {
        "epsilon": f"{row.epsilon:g}",
        "model": f"{scenario_a(row.epsilon, row.p, NEEDED):.1f}",
        "searches": text(row.whole),
        "model, tau = 0.7": f"{scenario_a(row.epsilon, row.p, whole):.1f}",
        "root at 0.7 for good": text(row.crossing),
        "converged %": f"{100 * row.converged:.0f}",
    }


def _row_b(row: Simulated) -> dict[str, str]:
    shares = printed_share(row.p), corrected_share(row.p)
    return {
        "epsilon": f"{row.epsilon:g}",
        "unlucky, model": f"{unfavorable(row.epsilon, row.p):.1f}",
        "searches": text(row.unlucky),
        "lucky, model": f"{favorable(row.epsilon, row.p):.1f}",
        "searches ": text(row.lucky),
        "all, printed": f"{scenario_b(row.epsilon, row.p, row.q, shares[0]):.1f}",
        "corrected": f"{scenario_b(row.epsilon, row.p, row.q, shares[1]):.1f}",
        "searches  ": text(row.whole),
        "root at 0.7 for good": text(row.crossing),
        "converged %": f"{100 * row.converged:.0f}",
    }


def text(mean: Mean) -> str:
    """A mean with its interval."""
    if mean.count < 2:
        return f"{mean.mean:.1f} (one)" if mean.count else "-"
    return f"{mean.mean:.1f} ± {mean.half:.1f}"


def _ties_a(rows: Sequence[Simulated]) -> list[str]:
    model = 2 / (1 - rows[0].p)
    return [f"ties: model {model:.2f} visits, searches {_pooled([row.tie for row in rows])}"]


def _ties_b(rows: Sequence[Simulated]) -> list[str]:
    shares, q = (printed_share(rows[0].p), corrected_share(rows[0].p)), rows[0].q
    visits, chances = ([f(share, q) for share in shares] for f in (tie, unlucky))
    ahead = sum(row.ahead * row.searches for row in rows) / sum(row.searches for row in rows)
    return [
        f"ties: printed p' {visits[0]:.2f} visits, corrected {visits[1]:.2f}, "
        f"searches {_pooled([row.tie for row in rows])}; "
        f"unlucky: printed {100 * chances[0]:.1f} %, corrected {100 * chances[1]:.1f} %, searches {100 * ahead:.1f} %"
    ]


def _pooled(means: Sequence[Mean]) -> str:
    """The mean over several independent means that have intervals."""
    means = [mean for mean in means if mean.count > 1]
    if not means:
        return "- (no mean has an interval)"
    half = float(np.sqrt(sum(m.half**2 for m in means))) / len(means)
    return f"{np.mean([m.mean for m in means]):.2f} ± {half:.2f}"


def _write_csv(rows: Sequence[Simulated], path: Path) -> None:
    plain = ("scenario", "epsilon", "p", "q", "searches", "horizon", "ahead", "beyond", "converged")
    means = ("tie", "lucky", "unlucky", "whole", "crossing")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        heads = [f"{name}_{part}" for name in means for part in ("mean", "half")]
        writer.writerow([*plain, *heads, "model_unlucky", "model_lucky", "model_printed", "model_corrected", "model_a"])
        for row in rows:
            values = [getattr(getattr(row, name), part) for name in means for part in ("mean", "half")]
            writer.writerow([*(getattr(row, name) for name in plain), *values, *_models(row)])


def _models(row: Simulated) -> list[float | str]:
    if row.scenario == "A":
        return ["", "", "", "", scenario_a(row.epsilon, row.p, NEEDED)]
    shares = printed_share(row.p), corrected_share(row.p)
    both = [scenario_b(row.epsilon, row.p, row.q, share) for share in shares]
    return [unfavorable(row.epsilon, row.p), favorable(row.epsilon, row.p), *both, ""]


# ---------------------------------------------------------------------------------------------------------------- plot


def plot_fig6(rows: Sequence[Any], path: Path) -> None:
    """The unlucky case over epsilon, model and searches, as in Figure 6; beside it all cases, and what converges."""
    figure = new_figure(12.5, 4.3)
    left, middle, right = figure.subplots(1, 3)
    _unlucky_case(left, [row for row in rows if row.scenario == "B"])
    _all_cases(middle, [row for row in rows if row.scenario == "B"])
    for color, (scenario, q) in zip(CURVES, dict.fromkeys((row.scenario, row.q) for row in rows), strict=False):
        some = [row for row in rows if (row.scenario, row.q) == (scenario, q)]
        words = f"scenario {scenario}" + (f", q = {q:g}" if scenario == "B" else "")
        at = [row.epsilon for row in some]
        right.plot(at, [100 * row.converged for row in some], "o-", color=color, markersize=4, label=words)
    right.set_ylabel("searches whose root stays at 0.7, %")
    for axes in (left, middle, right):
        axes.set_xlabel("epsilon")
        axes.set_xlim(0, 1)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=8, frameon=False)
    save(figure, path)


def _unlucky_case(axes: Any, rows: list[Any]) -> None:

    if not rows:
        return
    dense = np.linspace(0.01, 0.99, 500)
    axes.plot(dense, [unfavorable(e, rows[0].p) for e in dense], "k-", linewidth=1.2, label="formula (Figure 6)")
    axes.plot(*LEAST, "kx", label=f"its least: {LEAST[1]} at {LEAST[0]}")
    _with_errors(axes, rows, "unlucky")
    axes.set_ylim(0, 400)
    axes.set_title("unlucky case, after the tie", fontsize=10)
    axes.set_ylabel("iterations (95 %)")


def _all_cases(axes: Any, rows: list[Any]) -> None:

    if not rows:
        return
    dense = np.linspace(0.01, 0.99, 500)
    for q, style in zip(dict.fromkeys(row.q for row in rows), ("-", "--"), strict=False):
        for color, words, share in ((FAINT, "printed", printed_share), ("k", "corrected", corrected_share)):
            line = [scenario_b(e, rows[0].p, q, share(rows[0].p)) for e in dense]
            axes.plot(dense, line, style, color=color, linewidth=1.2, label=f"{words} p', q = {q:g}")
    _with_errors(axes, rows, "whole")
    axes.set_ylim(0, 400)
    axes.set_title("all cases, ties included", fontsize=10)
    axes.set_ylabel("iterations (95 %)")


def _with_errors(axes: Any, rows: list[Any], name: str) -> None:
    for color, q in zip(CURVES, dict.fromkeys(row.q for row in rows), strict=False):
        some = [row for row in rows if row.q == q and getattr(row, name).count]
        mean, half = ([getattr(getattr(row, name), part) for row in some] for part in ("mean", "half"))
        at = [row.epsilon for row in some]
        axes.errorbar(at, mean, yerr=half, fmt="o", color=color, markersize=4, capsize=3, label=f"searches, q = {q:g}")
