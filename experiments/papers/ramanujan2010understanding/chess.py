"""Ramanujan et al. 2010 in Chess: Table 1 and section 4, success rates of 100 games each, a draw being half a win.

Where the evaluation plays no part ours are tested against the document's; elsewhere, since its evaluation is another,
their order is. A verdict needs the document's budget and games enough, and else says what is missing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.config.validation import shown
from experiments.papers.published import Published
from experiments.runs.results import Result
from experiments.runs.sequential import told_early

GAMES = 100
EQUAL_GAMES, MARGIN = 400, 0.10
LEVEL = 0.05

RATES: dict[str, dict[str, float]] = {
    "table1": {
        "uct_mm2r": 0.74,
        "uct_mm4r": 0.94,
        "uct_mm6r": 0.96,
        "random_mm2r": 0.06,
        "random_mm4r": 0.0,
        "random_mm6r": 0.0,
        "mm6r_mm2r": 0.66,
    },
    "sec4": {"uct_h_50": 0.55, "uct_h_100": 0.855, "uct_h_1000": 0.965, "uct_h_mm2": 0.5},
}
"""Success rate of the first against the second. Of UCT-H against MM-2 it says "about as powerful", without a figure."""

BUDGETS: dict[str, tuple[int | None, int]] = {
    "uct_mm2r": (1000, 2),
    "uct_mm4r": (10_000, 4),
    "uct_mm6r": (200_000, 6),
    "random_mm2r": (None, 2),
    "random_mm4r": (None, 4),
    "random_mm6r": (None, 6),
    "mm6r_mm2r": (6, 2),
    "uct_h_50": (50, 10_000),
    "uct_h_100": (100, 10_000),
    "uct_h_1000": (1000, 10_000),
    "uct_h_mm2": (50_000, 2),
}
"""Iterations or plies a move of the first and of the second in the document; None for a random player."""

STEPS: dict[str, tuple[tuple[str, str], ...]] = {
    "table1": (
        ("uct_mm2r", "uct_mm4r"),
        ("uct_mm4r", "uct_mm6r"),
        ("random_mm4r", "random_mm2r"),
        ("random_mm6r", "random_mm2r"),
        ("random_mm2r", "uct_mm2r"),
        ("random_mm4r", "uct_mm4r"),
        ("random_mm6r", "uct_mm6r"),
    ),
    "sec4": (("uct_h_50", "uct_h_100"), ("uct_h_100", "uct_h_1000")),
}
"""Cells that follow each other in the document's order, the lower success rate first."""


TIES = "opponent.player.ties"
LEFT_OPEN = {"table1": (TIES, "player.ties", "search.final"), "sec4": ("playout.limit", "search.final")}
"""Keys of which the document does not say what they were."""


def published(item: str, config: Mapping[str, Any]) -> Published | None:
    """What the document prints for the cell of ``item`` that a run's configuration describes, if anything.

    Where the evaluation plays no part, ours are tested against it from its own number of games on. A random player
    counts as one of a single iteration, as in the configuration; MM-6-R has none.
    """
    if item not in RATES:
        return None
    column = str(config["column"])
    if item == "sec4":
        return Published(RATES[item][column], GAMES, None)
    return Published(RATES[item][column], GAMES, config["columns"][column]["iterations"], GAMES)


# --------------------------------------------------------------------------------------------------- conclusions


def table1(results: list[Result], folder: Path) -> list[str]:
    """Which success rates differ from the document's, whether their order is its, and MM-6-R against MM-2-R."""
    from experiments.terminal.console import show

    show(*against_document(results), *order("table1", results), *ahead(results))
    return []


def sec4(results: list[Result], folder: Path) -> list[str]:
    """Whether the order of UCT-H's success rates is the document's, and whether it is about as strong as MM-2."""
    from experiments.terminal.console import show

    show(*order("sec4", results), *about_equal(results))
    return []


def against_document(results: Sequence[Result]) -> list[str]:
    """A line: the cells of UCT and Random in Table 1 that differ from the document's (two proportions, Holm)."""
    from gpumcts.match.statistics import compare_proportions, holm

    some = [result for result in results if _column(result) in RATES["table1"] and _column(result) != "mm6r_mm2r"]
    enough = [result for result in some if not _missing(result, GAMES)]
    said = []
    for result in enough:
        points, rate = _points(result), RATES["table1"][_column(result)]
        said.append(compare_proportions(points, result.summary["games"], rate * GAMES, GAMES).p_value)
    lines = [_waiting(result, GAMES) for result in some if result not in enough]
    if enough:
        words = [
            f"{_rate(result)}, document {100 * RATES['table1'][_column(result)]:g} %: "
            f"{'differs' if p < LEVEL else 'no difference shown'}, {_p(p)}"
            for result, p in zip(enough, holm(said), strict=True)
        ]
        lines.append(f"Against the document (two proportions, Holm over {len(enough)}): {'; '.join(words)}.")
    return lines


def order(item: str, results: Sequence[Result]) -> list[str]:
    """A line: for every two cells that follow each other in the document, whether ours do (two proportions, Holm)."""
    from gpumcts.match.statistics import compare_proportions, holm

    cells: dict[str, list[Result]] = {}
    for result in results:
        if not _missing(result, GAMES):
            cells.setdefault(_column(result), []).append(result)
    steps = [(a, b) for a, b in STEPS[item] if len(cells.get(a, ())) == len(cells.get(b, ())) == 1]
    if not steps:
        return [
            "Order of the cells: not told yet. It takes two neighbours of the document's order, each of them played "
            f"once, with {GAMES} games at the document's budget."
        ]
    tests = []
    for low, high in steps:
        (first,), (second,) = cells[high], cells[low]
        counts = (_points(first), first.summary["games"], _points(second), second.summary["games"])
        tests.append(compare_proportions(*counts))
    words, held = [], 0
    for (low, high), test, p in zip(steps, tests, holm([test.p_value for test in tests]), strict=True):
        verdict = "not told apart" if p >= LEVEL else "as in the document" if test.difference > 0 else "reversed"
        held += verdict == "as in the document"
        words.append(f"{low} < {high} {verdict} ({_p(p)})")
    missing = len(STEPS[item]) - len(steps)
    more = f"; {missing} more of the document's cannot be told yet" if missing else ""
    return [f"Order, {held} of {len(steps)} steps as in the document (Holm): {'; '.join(words)}{more}."]


def ahead(results: Sequence[Result]) -> list[str]:
    """A line a run of MM-6-R against MM-2-R: whether it is ahead, as in the document."""
    lines = []
    for result in results:
        if _column(result) == "mm6r_mm2r":
            low, high = result.summary["ci95_low"], result.summary["ci95_high"]
            verdict = "ahead, as in the document" if low > 0.5 else "behind" if high < 0.5 else "not told apart"
            waiting = _missing(result, GAMES)
            lines.append(_waiting(result, GAMES) if waiting else f"{_rate(result)}, document 66 %: {verdict}.")
    return lines


def about_equal(results: Sequence[Result]) -> list[str]:
    """A line a run of UCT-H against MM-2: two one-sided tests of a success rate within ``MARGIN`` of 50 %."""
    from gpumcts.match.statistics import equivalence

    lines = []
    for result in results:
        if _column(result) != "uct_h_mm2":
            continue
        if _missing(result, EQUAL_GAMES):
            lines.append(_waiting(result, EQUAL_GAMES))
            continue
        summary = result.summary
        p = equivalence(summary["wins"], summary["draws"], summary["games"], MARGIN)
        beyond = summary["ci95_low"] > 0.5 + MARGIN or summary["ci95_high"] < 0.5 - MARGIN
        verdict = "about equal, as in the document" if p < LEVEL else "not about equal" if beyond else "open"
        margin = f"{100 * MARGIN:g} points"
        lines.append(f"{_rate(result)}: {verdict} (two one-sided tests, margin {margin}, {_p(p)}).")
    return lines


def _column(result: Result) -> str:
    return str(result.config["column"])


def _points(result: Result) -> float:
    return float(result.summary["wins"] + result.summary["draws"] / 2)


def _rate(result: Result) -> str:
    """A cell, its success rate with Wilson's interval, and its games."""
    rate, low, high = (100 * result.summary[key] for key in ("win_rate", "ci95_low", "ci95_high"))
    return f"{result.config['title']}, {rate:.1f} % [{low:.1f}, {high:.1f}] of {result.summary['games']} games"


def _missing(result: Result, games: int) -> str:
    """What a verdict on a cell lacks, in words; empty where it lacks nothing."""
    if result.departures:
        return (
            f"it is not the document's with {', '.join(f'{k}={shown(v)}' for k, (v, _) in result.departures.items())}"
        )
    own, theirs = BUDGETS[_column(result)]
    given = (_given(result.config["budget"]), _given(result.config["opponent"]["budget"]))
    if given != (own or given[0], theirs):
        return f"the budget {given[0]} against {given[1]} is not the document's {own or given[0]} against {theirs}"
    if why := told_early(result.summary):
        return why
    played = result.summary["games"]
    return "" if played >= games else f"more games are needed: a verdict takes {games}, and {played} were played"


def _waiting(result: Result, games: int) -> str:
    return f"{result.config['title']}: {_missing(result, games)}."


def _given(budget: Mapping[str, Any]) -> Any:
    """Iterations or plies a move, whichever is given; else ``matched``, or the name of another budget."""
    if not (budget["iterations"] or budget["depth"]) and budget.get("matched"):
        return "matched"
    return budget["iterations"] or budget["depth"] or budget.get("name")


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
