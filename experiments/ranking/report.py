"""What a ranking run says: tables for the terminal and Markdown, and report.md with its plots."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.config.schema import Checked
from experiments.ranking.methods import PlayoutsKeys, SearchKeys
from experiments.ranking.summary import equal_times
from experiments.ranking.tables import BOARDS, RANKS, write_boards, write_ranks
from experiments.terminal.console import counted, seconds_text, table
from gpumcts.compiling.class_names import title
from gpumcts.playouts.uniform import Uniform

REPORT = "report.md"
FILES = f"{REPORT}, its plots, {RANKS}, {BOARDS}"
MANY = 10  # distinct playouts of a move that count as many
DIFFERENCES = "Spearman's of one policy less that of another, board by board (95 %), p by Holm over the table"
FEW_GAMES = 10  # resampling fewer games understates how far they differ


class Cells:
    """A table: headings, each left or right, and rows."""

    def __init__(self, title: str, columns: Mapping[str, str], rows: list[list[str]]) -> None:
        self.title, self.columns, self.rows = title, dict(columns), rows

    @classmethod
    def of(cls, title: str, rows: Sequence[Mapping[str, str]]) -> "Cells":
        """From rows by heading; the first column is text."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = {name: "left" if i == 0 else "right" for i, name in enumerate(names)}
        return cls(title, columns, [[row.get(name, "") for name in names] for row in rows])

    @property
    def drawn(self) -> Any:
        """For the terminal."""
        return table(self.title, self.columns, self.rows)

    @property
    def markdown(self) -> str:
        """For a report."""
        sides = ["---" if side == "left" else "---:" for side in self.columns.values()]
        rows = [list(self.columns), sides, *self.rows]
        lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
        return "\n".join([f"**{self.title}**", "", *lines])


def with_interval(interval: Sequence[Any] | None, scale: float = 1.0, digits: int = 2) -> str:
    """A mean with its 95 % interval: ``0.41 (0.31 - 0.50)``."""
    if interval is None:
        return "-"
    mean, low, high = interval
    if low is None or high is None:
        return f"{scale * mean:.{digits}f}"
    return f"{scale * mean:.{digits}f} ({scale * low:.{digits}f} - {scale * high:.{digits}f})"


# ------------------------------------------------------------------------------------------------------------- tables


def tables(summary: Mapping[str, Any]) -> list[Any]:
    """The tables of a run for the terminal, and a line of what they are of."""
    return [*(cells.drawn for cells in all_cells(summary)), counts(summary)]


def all_cells(summary: Mapping[str, Any]) -> list[Cells]:
    """Agreement, differences, curves at equal playouts and at equal time; those that there are."""
    if not summary["methods"]:
        return []
    cells = _agreement_cells(summary)
    if summary["differences"]:
        cells.append(_difference_cells(summary))
    if summary["smoothing"]:
        rows = [
            {"times": factor, **{n: with_interval(one) for n, one in row.items()}}
            for factor, row in summary["smoothing"].items()
        ]
        cells.append(Cells.of("Spearman's if ties of the methods were so many times as wide", rows))
    if summary["curves"]:
        cells += _playouts_cells(summary["curves"])
    if summary["at_playouts"]:
        cells.append(_equal_playouts_cells(summary["at_playouts"]))
    return [*cells, *_time_cells(summary)]


def _time_cells(summary: Mapping[str, Any]) -> list[Cells]:
    """Curves at equal time, and their differences."""
    times, values = equal_times(summary["curves"])
    if not times:
        return []
    rows = [
        {"core time a move": seconds_text(time), **{n: _or_dash(v[i]) for n, v in values.items()}}
        for i, time in enumerate(times)
    ]
    cells = [Cells.of("Spearman's at equal time (between measured points by the logarithm of time)", rows)]
    return [*cells, _equal_times_cells(summary["at_times"])] if summary["at_times"] else cells


def _equal_playouts_cells(rows: Sequence[Mapping[str, Any]]) -> Cells:
    """Differences of policies by the number of playouts, a column a pair."""
    by_point: dict[int, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: row["playouts"]):
        cells = by_point.setdefault(row["playouts"], {"playouts a move": f"{row['playouts']:,}"})
        cells[_pair(row)] = _difference(row)
    return Cells.of(f"at equal playouts: {DIFFERENCES}", list(by_point.values()))


def _equal_times_cells(rows: Sequence[Mapping[str, Any]]) -> Cells:
    """Differences of policies by core time, a column a pair, with the playouts that each makes until then."""
    by_time: dict[float, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: row["seconds"]):
        cells = by_time.setdefault(row["seconds"], {"core time a move": seconds_text(row["seconds"])})
        one, other = row["playouts"]
        cells[_pair(row)] = f"{_difference(row)}; {one:,} and {other:,}"
    return Cells.of(f"at equal time: {DIFFERENCES}; about the playouts of each", list(by_time.values()))


def _pair(row: Mapping[str, Any]) -> str:
    return f"{row['method']} less {row['less']}"


def _difference(row: Mapping[str, Any]) -> str:
    return f"{with_interval(row['rho'])}, p {row['p_holm']:.3f}"


def _or_dash(value: float) -> str:
    return "-" if value != value else f"{value:.3f}"


def _agreement_cells(summary: Mapping[str, Any]) -> list[Cells]:
    """How well each method agrees, and what it took."""
    rows, costs = [], []
    for name, row in summary["methods"].items():
        cells = {
            "method": name,
            "playouts a move": f"{row['playouts']:,}" if "playouts" in row else "-",
            "Spearman (95 %)": with_interval(row["rho"]),
            "of all moves": with_interval(row["rho_all"]),
            "Kendall tau-b": with_interval(row["tau"]),
            "of all moves ": with_interval(row["tau_all"]),
            "best agrees %": with_interval(row["best"], 100, 0),
        }
        rows.append(cells)
        cost = {"method": name, "core time a move": seconds_text(row["seconds_a_move"])}
        known = "distinct" in row
        cost["different playouts a move, mean"] = f"{row['distinct']:.1f}" if known else "-"
        cost["different playouts a move, least"] = f"{row['distinct_least']:,}" if known else "-"
        costs.append(cost)
    reference = summary["yardstick"]
    unknown = dict.fromkeys(list(costs[0])[2:], "-") if costs else {}
    costs.append({"method": reference, "core time a move": seconds_text(summary["yardstick_seconds"]), **unknown})
    title = f"agreement with {reference}: means over boards, and over all moves"
    return [Cells.of(title, rows), Cells.of("what they took", costs)]


def _difference_cells(summary: Mapping[str, Any]) -> Cells:
    base = _named(summary, summary["baseline"])
    rows = [
        {
            "method": _named(summary, name),
            f"Spearman less that of {base} (95 %)": with_interval(row["rho"]),
            "p": f"{row['p']:.4f}",
            "p (Holm)": f"{row['p_holm']:.4f}",
        }
        for name, row in summary["differences"].items()
    ]
    return Cells.of(f"against {base}, board by board", rows)


def _named(summary: Mapping[str, Any], name: str) -> str:
    """A method with its number of playouts, where it has one."""
    row = summary["methods"][name]
    return f"{name} ({row['playouts']:,})" if "playouts" in row else name


def _playouts_cells(curves: Mapping[str, Any]) -> list[Cells]:
    """Correlations by playouts, and what they cost."""
    points = sorted({point for curve in curves.values() for point in curve["points"]})

    def rows(text: Any) -> list[dict[str, str]]:
        found = []
        for point in points:
            there = {n: c["points"].index(point) for n, c in curves.items() if point in c["points"]}
            found.append({"playouts a move": f"{point:,}", **{n: text(curves[n], i) for n, i in there.items()}})
        return found

    words = "by playouts a move, the smaller numbers being the first of the larger"
    return [
        Cells.of(f"Spearman's (95 %) {words}", rows(lambda curve, i: with_interval(curve["rho"][i]))),
        Cells.of("core time a move by playouts", rows(lambda curve, i: seconds_text(curve["seconds"][i]))),
    ]


def counts(summary: Mapping[str, Any]) -> str:
    """How many boards, moves and games a summary is of."""
    flat = summary["boards"] - summary["ranked"]
    words = (
        f"{counted(summary['ranked'], 'board')} with {summary['moves']:,} moves, of {counted(summary['games'], 'game')}"
    )
    left = summary.get("left_out", {})
    also = (
        f"; left out: {counted(left['over'], 'position')} at an end, {left['one_move']} with one move" if left else ""
    )
    few = few_games(summary["games"])
    return (
        f"{words}; {counted(flat, 'board')} on which {summary['yardstick']} ties all moves{also}. "
        f"Seed {summary['seed']}.{f' {few}' if few else ''}"
    )


def few_games(games: int) -> str:
    """What to beware of where intervals are resampled from few games; nothing where there are enough."""
    return "" if games >= FEW_GAMES else f"Intervals over {counted(games, 'game')} are too narrow."


def brief(summary: Mapping[str, Any]) -> str:
    """A run in a few words."""
    words = [f"{name} {row['rho'][0]:.3f}" for name, row in summary["methods"].items()]
    told, boards = ", ".join(words) or "no board", counted(summary["ranked"], "board")
    return f"Spearman's with {summary['yardstick']}: {told}; {boards}"


# ------------------------------------------------------------------------------------------------------------- report


def write_report(config: Checked, lines: Sequence[Mapping[str, Any]], summary: Mapping[str, Any], folder: Path) -> None:
    """``report.md`` with the plots it shows, ``ranks.csv`` and ``boards.csv``."""
    from experiments.ranking.plots import plot_all

    write_ranks(config, lines, folder / RANKS)
    write_boards(config, lines, folder / BOARDS)
    images = plot_all(config, lines, summary, folder) if summary["methods"] else {}
    parts = [f"# Move ranks against {summary['yardstick']}", *words_of(config, summary)]
    parts += [cells.markdown for cells in all_cells(summary)]
    parts += [f"![{title}]({name})\n\n{title}" for name, title in images.items()]
    first = ": random game 0 is game 1" if any(line["title"].startswith("random game ") for line in lines) else ""
    parts.append(
        f"`{RANKS}` has the value and the rank of every move by every method, `{BOARDS}` the correlations of every "
        f"position; in both, games are counted from 1{first}."
    )
    (folder / REPORT).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def words_of(config: Checked, summary: Mapping[str, Any]) -> list[str]:
    """Under which conditions, what was done, method by method, and what to beware of."""
    listed = [*summary["conditions"], *_methods_in_words(config)]
    parts = [counts(summary), "\n".join(f"- {line}" for line in listed), *summary["departures"]]
    parts += [_how_ranks_are_judged(config), *_other_reference(config), *words_of_distinct(config, summary)]
    return parts


def _methods_in_words(config: Checked) -> list[str]:
    return [f"`{name}`: {method_words(method)}" for name, method in config.policy.methods.items()]


def _how_ranks_are_judged(config: Checked) -> str:
    keys = config.keys
    return (
        f"Rank 1 is the best move and ties have the average rank; moves tie within {keys.ties_evaluation:g} units of "
        f"evaluation, or {keys.ties_win_rate:g} of win rate, of the best of their group. A method that ties all moves "
        "counts as a correlation of 0. Intervals (95 %) are over games, drawn whole; over all moves, ranks are scaled "
        "to [0, 1] within their board (Spearman), and pairs are of moves of one board (Kendall). p values are of a "
        "sign-flip test over games, corrected by Holm. Core time is that of all threads."
    )


def _other_reference(config: Checked) -> list[str]:
    """That the reference is not the one that the experiment's file says the document has; nothing where it is."""
    ours, theirs = config.policy.methods[config.keys.reference], config.policy.published
    if theirs is None or ours == theirs:
        return []
    return [f"**The reference is not the document's:** {method_words(ours)}; the document's is {method_words(theirs)}."]


def words_of_distinct(config: Checked, summary: Mapping[str, Any]) -> list[str]:
    """Which playouts are nearly deterministic, and why some were not told apart."""
    rows = summary["methods"]
    few = [name for name, row in rows.items() if row.get("distinct", MANY) < MANY <= row.get("playouts", 0)]
    parts = [f"**Nearly deterministic:** {', '.join(few)}: fewer than {MANY} different playouts a move."] if few else []
    unknown = [name for name, row in rows.items() if "playouts" in row and "distinct" not in row]
    uniform = [name for name in unknown if isinstance(config.policy.methods[name].playout, Uniform)]
    if uniform:
        parts.append(
            f"Playouts of {', '.join(uniform)} are not told apart: uniform ones all differ, as good as always."
        )
    if whole := [name for name in unknown if name not in uniform]:
        parts.append(
            f"Playouts of {', '.join(whole)} are not told apart: here the game plays them whole, not ply by ply "
            "(in Chess with game.repetition=everywhere)."
        )
    return parts


def method_words(keys: Any) -> str:
    """A method in a few words."""
    if isinstance(keys, PlayoutsKeys):
        policy = keys.playout
        fields = ", ".join(f"{key} {value:g}" for key, value in policy._asdict().items() if value)
        name = title(policy)
        return f"{keys.playouts:,} playouts ({name}{f', {fields}' if fields else ''}) from the state after the move"
    if isinstance(keys, SearchKeys):
        return f"MM-{keys.depth} of the position, the move being the first ply"
    return f"MM-{keys.depth} of the state after the move" if hasattr(keys, "depth") else "its evaluation after the move"
