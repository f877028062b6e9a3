"""Ramanujan et al. 2010, Tables 2 and 3: both sides have a plan; B loses, but looks better than A, which wins."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments.papers.ramanujan2010understanding.searches import (
    A,
    B,
    Mean,
    first_lead,
    mean_of,
    read_searches,
    share_of_b,
    value_of_a,
)  # fmt: skip
from experiments.runs.results import Result

DEPTHS = ("shallow", "mid", "deep")
STARTS = {"F": A, "U": B}
TABLE_2 = {
    "shallow": ((36, 148), (77, 610), (560, 3800)),
    "mid": ((950, 1000), (1500, 1900), (7900, 13000)),
    "deep": ((16000, 16000), (17000, 17000), (30000, 33000)),
}
"""Iterations to convergence: by the depth of Max's plan, for shallow, mid and deep plans of Min, (F, U)."""
TABLE_3 = {
    "shallow": ((33, 21), (34, 30), (40, 36)),
    "mid": ((3, 4), (14, 16), (31, 31)),
    "deep": ((0.2, 0.3), (1.8, 2), (16, 16)),
}
"""Per cent of the visits that went to B."""
VALUES = {("shallow", "shallow"): 0.720, ("deep", "deep"): 0.850}
"""Value of A at convergence in [-1, 1], by the depths of Max's and Min's plan."""


class Cell(NamedTuple):
    """The searches of one pair of plans that began alike: F, A is explored first, or U, B is.

    time : iterations to convergence; share : of visits in B until then, per cent, a mean over searches; pooled : the
    same of all their visits together; value : of A then, in [-1, 1]
    never : searches that did not converge before the horizon; they are in none of the means
    """

    exploration: float
    maximum: str
    minimum: str
    start: str
    time: Mean
    share: Mean
    pooled: float
    value: Mean
    never: int

    @property
    def place(self) -> tuple[str, int, int]:
        """Where the document's tables have it."""
        return self.maximum, DEPTHS.index(self.minimum), list(STARTS).index(self.start)

    @property
    def published(self) -> tuple[float, float]:
        """The document's iterations and per cent."""
        row, column, start = self.place
        return TABLE_2[row][column][start], TABLE_3[row][column][start]


def cells_of(results: Sequence[Result]) -> list[Cell]:
    """Two cells a run, in the document's order."""
    found = [cell for result in results for cell in _cells_of_run(result)]
    order = {name: number for number, name in enumerate(DEPTHS)}
    return sorted(found, key=lambda c: (c.exploration, order[c.maximum], order[c.minimum], c.start))


def _cells_of_run(result: Result) -> Iterator[Cell]:
    maximum, minimum = result.config["shape"].split("_")
    searches, exploration = read_searches(result), float(result.config["selection"]["exploration"])
    _, ahead = first_lead(searches, after_a_round=False)
    times = searches.crossing
    share, value = 100 * share_of_b(searches, times), value_of_a(searches, times)
    for start, move in STARTS.items():
        mine = ahead == move
        known = mine & np.isfinite(times)
        pooled = float((share[known] * times[known]).sum() / max(times[known].sum(), 1))
        never = int(mine.sum() - known.sum())
        means = [mean_of(column[mine]) for column in (times, share, value)]
        yield Cell(exploration, maximum, minimum, start, means[0], means[1], pooled, means[2], never)


def times_rows(cells: Sequence[Cell]) -> list[list[str]]:
    """Rows of Table 2, ours beside the document's."""
    return [
        [*_names(c), str(c.time.count), _with_half(c.time, ",.0f"), _if_any(c, f"{c.time.median:,.0f}"),
         f"{c.published[0]:,}", _if_any(c, f"{c.time.mean / c.published[0]:.2f}"), str(c.never)]
        for c in cells
    ]  # fmt: skip


def shares_rows(cells: Sequence[Cell]) -> list[list[str]]:
    """Rows of Table 3, ours beside the document's, and the value of A at convergence."""
    rows = []
    for c in cells:
        value = VALUES.get((c.maximum, c.minimum))
        printed = "" if value is None else f"{value:.3f}"
        shares = [_with_half(c.share, ".1f"), _if_any(c, f"{c.pooled:.1f}"), f"{c.published[1]:g}"]
        rows.append([*_names(c), str(c.time.count), *shares, _with_half(c.value, ".3f"), printed])
    return rows


TIMES = ("Max's plan", "Min's plan", "start", "searches", "iterations, mean", "median", "document", "ratio", "never")
SHARES = (*TIMES[:4], "visits in B, %", "all together", "document", "value of A", "document ")


def _names(cell: Cell) -> list[str]:
    return [cell.maximum, cell.minimum, cell.start]


def _if_any(cell: Cell, text: str) -> str:
    return text if cell.time.count else "-"


def _with_half(mean: Mean, form: str) -> str:
    if not mean.count:
        return "-"
    return f"{mean.mean:{form}}" + (f" ± {mean.half:{form}}" if mean.count > 1 else "")


# ----------------------------------------------------------------------------------------------------------- trends


def trends(cells: Sequence[Cell]) -> list[str]:
    """What the document says of its tables, and whether it holds here, a line each."""
    found = {(c.maximum, c.minimum, c.start): c for c in cells if c.time.count}
    pairs = [(row, column) for row in DEPTHS for column in DEPTHS]
    both = [p for p in pairs if (*p, "F") in found and (*p, "U") in found]
    lines = []
    if both:
        gaps = {p: found[*p, "U"].time.mean / found[*p, "F"].time.mean for p in both}
        lines += [_slower([(found[*p, "F"], found[*p, "U"]) for p in both]), *_gaps(gaps)]
    lines += [_rising(found, "time", "F", "iterations of favourable starts grow with the depth of Min's plan")]
    lines += [_rising(found, "share", start, f"visits in B grow with it, start {start}") for start in STARTS]
    return [*lines, *_values(found), *_factor(cells)]


UNTOLD = "cannot be told"


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _slower(pairs: Sequence[tuple[Cell, Cell]]) -> str:
    """Whether U takes longer than F: holds where some pair of plans says so beyond chance (95 %) and none the contrary;
    without either it cannot be told."""
    beyond = [u.time.mean - f.time.mean > math.hypot(f.time.half, u.time.half) for f, u in pairs]
    against = [f.time.mean - u.time.mean > math.hypot(f.time.half, u.time.half) for f, u in pairs]
    longer = sum(u.time.mean > f.time.mean for f, u in pairs)
    told = _verdict(not any(against)) if any(against) or any(beyond) else UNTOLD
    return (
        f"unfavourable starts take longer: {told}, "
        f"in {longer} of {len(pairs)} pairs of plans; beyond chance in {sum(beyond)}, the contrary in {sum(against)}"
    )


def _gaps(gaps: dict[tuple[str, str], float]) -> list[str]:
    """Whether the gap is widest where Max's plan is shallow or Min's is deep: geometric means of U/F."""
    logs = {pair: math.log(gap) for pair, gap in gaps.items()}
    wide = [value for pair, value in logs.items() if pair[0] == "shallow" or pair[1] == "deep"]
    narrow = [value for pair, value in logs.items() if not (pair[0] == "shallow" or pair[1] == "deep")]
    if not wide or not narrow:
        return []
    means = [math.exp(float(np.mean(some))) for some in (wide, narrow)]
    return [
        f"the gap is widest where Max's plan is shallow or Min's is deep: {_verdict(means[0] > means[1])}, "
        f"U/F = {means[0]:.2f} there and {means[1]:.2f} elsewhere (geometric means)"
    ]


def _rising(found: dict[tuple[str, str, str], Cell], name: str, start: str, words: str) -> str:
    """Whether means rise with the depth of Min's plan, for each plan of Max that has two at least."""
    rows = {}
    for row in DEPTHS:
        line = [getattr(found[row, column, start], name).mean for column in DEPTHS if (row, column, start) in found]
        if len(line) > 1:
            rows[row] = all(low < high for low, high in zip(line, line[1:], strict=False))
    if not rows:
        return f"{words}: {UNTOLD}, no plan of Max has searches with two of Min's"
    failing = [row for row, rises in rows.items() if not rises]
    return f"{words}: {_verdict(not failing)}" + (f"; not where Max's plan is {', '.join(failing)}" if failing else "")


def _values(found: dict[tuple[str, str, str], Cell]) -> list[str]:
    ours = {p: [found[*p, s].value.mean for s in STARTS if (*p, s) in found] for p in VALUES}
    if not all(ours.values()):
        return []
    low, high = (float(np.mean(values)) for values in ours.values())
    return [
        f"A must be worth more at convergence where both plans are deep: {_verdict(high > low)}, "
        f"{low:.3f} with shallow plans and {high:.3f} with deep ones; document 0.720 and 0.850"
    ]


def _factor(cells: Sequence[Cell]) -> list[str]:
    off = [math.exp(abs(math.log(c.time.mean / c.published[0]))) for c in cells if c.time.count]
    if not off:
        return []
    return [f"off by a factor of {np.median(off):.2f} in the median cell, {max(off):.2f} at most ({len(off)} cells)"]


# ------------------------------------------------------------------------------------------------------------ ends


def table2(results: list[Result], folder: Path) -> list[str]:
    """Table 2 with the trends, ``tables2and3.csv`` and ``tables2and3.png``."""
    return _end(results, folder, TIMES, times_rows)


def table3(results: list[Result], folder: Path) -> list[str]:
    """Table 3 with the trends, and the same files."""
    return _end(results, folder, SHARES, shares_rows)


def _end(results, folder, headings, rows) -> list[str]:
    from experiments.papers.ramanujan2010understanding.plots import plot_tables
    from experiments.terminal.console import show, table

    every = cells_of(results)
    horizons = sorted({result.config["budget"]["iterations"] for result in results})
    for exploration in dict.fromkeys(cell.exploration for cell in every):
        cells = [cell for cell in every if cell.exploration == exploration]
        sides = {name: "left" if name in headings[:3] else "right" for name in headings}
        show(table(f"ours beside the document's, exploration {exploration:g} on [-1, 1]", sides, rows(cells)))
        show("\n".join(trends(cells)))
    show(
        f"Plans, the depths of their critical nodes: {_plans(results)}. "
        "The document gives neither them nor UCT's constant.",
        "F: A is ahead when the values of A and B first differ; U: B is. Means ± 95 %; t* is exact, visits and values "
        "at t* are linear between checkpoints, a hundred a decade.",
        f"Horizons: {', '.join(f'{horizon:,}' for horizon in horizons)} iterations.",
    )
    _write_csv(every, folder / "tables2and3.csv")
    plot_tables(every, folder / "tables2and3.png")
    return ["tables2and3.csv", "tables2and3.png"]


def _plans(results: list[Result]) -> str:
    found: dict[str, dict[str, str]] = {"Max": {}, "Min": {}}
    for result in results:
        for side, name, key in zip(found, result.config["shape"].split("_"), ("critical", "trap"), strict=True):
            found[side][name] = ", ".join(map(str, result.config["game"][key]))
    return "; ".join(
        f"{side} {' and '.join(f'{name} ({named[name]})' for name in DEPTHS if name in named)}"
        for side, named in found.items()
    )


def _write_csv(cells: Sequence[Cell], path: Path) -> None:
    import polars

    rows = []
    for c in cells:
        row = {"exploration": c.exploration, "max_plan": c.maximum, "min_plan": c.minimum, "start": c.start}
        row |= {"searches": c.time.count, "never": c.never, "share_pooled": c.pooled}
        for name in ("time", "share", "value"):
            row |= {f"{name}_{key}": getattr(getattr(c, name), key) for key in ("mean", "half", "median")}
        rows.append(row | {"document_time": float(c.published[0]), "document_share": float(c.published[1])})
    polars.DataFrame(rows, infer_schema_length=None).write_csv(path)
