"""Some runs of one command as a table: what of their summaries stands in which column."""

from typing import Any

from experiments.analysis.headings import astray
from experiments.config.amounts import is_amount
from experiments.runs.presentation import Measure, presentation_of
from experiments.runs.results import TABLE, Result
from experiments.terminal.console import counted, shortened, table
from experiments.terminal.tables import FittedTable

MATCH, HOLM = "match", "p (Holm)"
INTERVAL_SHOWN = "0.1"  # of the failure rates to which iterations are told
SECONDARY = (
    "seconds", "core seconds", "digest", "sees its win at ply", "nodes a move", "playouts/s", "iterations/s", "nodes/s",
    "samples/s", "losses", "draws", "wins",
)  # fmt: skip
"""Columns that a narrow terminal has no room for, the first of them first; ``table.csv`` has what stands there."""


def result_table(title: str, results: list[Result]) -> FittedTable:
    """The table of some runs of one command, for the terminal; its title ends with what the page says below."""
    return table("; ".join([title, *notes(results)]), *columns(results), SECONDARY, f"{TABLE}.csv")


def columns(results: list[Result]) -> tuple[dict[str, str], list[list[str]]]:
    """Headings (with the side they are set to) and rows of the table of some runs of one command."""
    cells = presentation_of(results[0].program).cells
    rows = [{"run": result.label, **cells(result)} for result in results]
    if any("document %" in row for row in rows):
        _compare_with_document(results, rows)
    headings = list(dict.fromkeys(heading for row in rows for heading in row))
    sides = {heading: "left" if heading == "run" else "right" for heading in headings}
    return sides, [[row.get(heading, "") for heading in headings] for row in rows]


def notes(results: list[Result]) -> list[str]:
    """What a table's columns do not say: over how many runs p values are corrected."""
    judged = [result for result in results if result.program == MATCH and _comparable(result)]
    return [f"{HOLM} is corrected for the {counted(len(judged), 'run')} here that have one"] if judged else []


def _per_cent(value: float) -> str:
    return f"{100 * value:.1f}"


def match_cells(result: Result) -> dict[str, str]:
    """A match: the cells of a run by heading."""
    summary = result.summary
    cells = {key: f"{summary[key]:,}" for key in ("games", "wins", "draws", "losses")}
    cells["win %"] = _per_cent(summary["win_rate"]) if summary["games"] else ""
    cells["Wilson 95 %"] = f"{_per_cent(summary['ci95_low'])} - {_per_cent(summary['ci95_high'])}"
    if "sprt" in summary:
        cells["sprt"] = f"{summary['sprt']['decision']} ({summary['sprt']['ratio']:.2f})"
    published = result.published
    if published is not None:
        from gpumcts.match.statistics import document_interval

        half = document_interval(published.win_rate, published.games)
        cells["document %"] = f"{_per_cent(published.win_rate)} ±{_per_cent(half)}"
    speeds = [summary[side]["playouts_per_second"] for side in ("player", "opponent")]
    cells["playouts/s"] = " / ".join(shortened(speed) if speed else "-" for speed in speeds)
    made = [summary[side].get("made_a_move") for side in ("player", "opponent")]
    if any(made):
        cells["nodes a move"] = " / ".join(f"{work:,.0f}" if work else "-" for work in made)
    plies = [summary[side].get("first_sees_win_ply") for side in ("player", "opponent")]
    if any(ply is not None for ply in plies):
        cells["sees its win at ply"] = " / ".join("-" if ply is None else f"{ply:.1f}" for ply in plies)
    return {**cells, "seconds": f"{summary['seconds']:.1f}"}


def match_measure(result: Result) -> Measure | None:
    """The win rate of a match, with Wilson's interval."""
    s = result.summary
    return Measure("win rate", s["win_rate"], s["ci95_low"], s["ci95_high"], percent=True) if s["games"] else None


def _compare_with_document(results: list[Result], rows: list[dict[str, str]]) -> None:
    """Add p values of no difference from the document, Holm-corrected, for runs of its budget and of games enough."""
    from gpumcts.match.statistics import compare_proportions, holm

    judged = [i for i, result in enumerate(results) if _comparable(result)]
    values = []
    for i in judged:
        ours, theirs = results[i].summary, results[i].published
        points = ours["wins"] + ours["draws"] / 2
        values.append(compare_proportions(points, ours["games"], theirs.win_rate * theirs.games, theirs.games).p_value)
    for i, p in zip(judged, holm(values) if values else [], strict=True):
        rows[i][HOLM] = f"{p:.3f}"


def _comparable(result: Result) -> bool:
    published = result.published
    if published is None or published.iterations is None:
        return False
    if any(is_amount(key) and key not in FRESH for key in result.changes):
        return False
    return result.config["budget"]["iterations"] == published.iterations and result.summary["games"] >= published.enough


FRESH = ("games", "seed")  # may differ from an experiment's where its figures are tested against a document's


def playouts_cells(result: Result) -> dict[str, str]:
    """Playouts: the cells of a run by heading; ``-`` where it was interrupted before any."""
    summary, playouts = result.summary, result.summary["playouts"]
    if "mean_reward" in summary:  # of a game for one player
        ends = {"mean reward": f"{summary['mean_reward']:.6f}" if playouts else "-"}
    else:
        counts = {key: summary[key] for key in ("first_wins", "draws", "second_wins")}
        ends = {
            f"{key.replace('_', ' ')} %": _per_cent(count / playouts) if playouts else "-"
            for key, count in counts.items()
        }
    return {
        "playouts": f"{playouts:,}",
        "playouts/s": shortened(summary["playouts_per_second"]),
        "mean plies": f"{summary['mean_plies']:.2f}" if playouts else "-",
        **ends,
        "digest": summary["digest"][:12],
        "seconds": f"{summary['seconds']:.2f}",
    }


def playouts_measure(result: Result) -> Measure | None:
    """The share of the points that the first player takes in playouts, with Wilson's interval; for one player the mean
    reward, in [0, 1]."""
    from gpumcts.match.statistics import wilson, win_rate

    s = result.summary
    if not s["playouts"]:
        return None
    if "mean_reward" in s:
        return Measure("mean reward", s["mean_reward"])
    counts = (s["first_wins"], s["draws"], s["playouts"])
    return Measure("points of the first player", win_rate(*counts), *wilson(*counts), percent=True)


def perft_cells(result: Result) -> dict[str, str]:
    """A count of paths: the cells of a run by heading."""
    summary = result.summary
    rate = shortened(summary["nodes_per_second"])
    return {"nodes": f"{summary['nodes']:,}", "nodes/s": rate, "seconds": f"{summary['seconds']:.2f}"}


def search_cells(result: Result) -> dict[str, str]:
    """A search: the cells of a run by heading."""
    summary = result.summary
    return {
        "plays": summary["best"],
        "value": f"{_value_of_best(result):.4f}",
        "iterations": f"{summary['iterations']:,}{', interrupted' if summary.get('interrupted') else ''}",
        "iterations/s": shortened(summary["iterations_per_second"]),
        "seconds": f"{summary['seconds']:.2f}",
    }


def search_measure(result: Result) -> Measure:
    """The value of the best move, in [0, 1] for the player to move."""
    return Measure("value of the best move", _value_of_best(result))


def _value_of_best(result: Result) -> float:
    """That of the move chosen: by ``search.final``, by a proof or among equals another one may be visited most."""
    value: float = {row["move"]: row["value"] for row in result.summary["moves"]}[result.summary["best"]]
    return value


def trees_cells(result: Result) -> dict[str, str]:
    """Searches of synthetic trees: the cells of a run by heading."""
    summary = result.summary
    shape = {"branching": "B", "depth": "D"}
    cells = {short: str(result.config["game"][key]) for key, short in shape.items() if key in result.config["game"]}
    cells |= _counted_trees(summary)
    if "failure_rate" in summary:
        for decade in (10, 100, 1000, 10_000, 100_000):
            if decade in summary["points"]:
                rate = summary["failure_rate"][summary["points"].index(decade)]
                cells[f"fails % at {shortened(decade)}"] = f"{100 * rate:.2f}"
        for rate in summary["iterations_to"]:
            cells |= _to_rate(rate, summary)
    if "crossing_median" in summary:
        cells |= {"never": str(summary["never"])}
        for key in ("median", "low", "high"):
            cells[f"converged, {key}"] = _reached(summary[f"crossing_{key}"], summary)
    if "wrong_share" in summary and "crossing_median" in summary:
        cells[astray(summary)] = _per_cent(summary["wrong_share"][-1])
    if "leaves_mean" in summary:
        half = "" if summary["leaves_half"] is None else f" ±{summary['leaves_half']:,.0f}"
        cells["leaves"] = f"{summary['leaves_mean']:,.0f}{half}"
    return {**cells, "seconds": f"{summary['seconds']:.1f}"}


def _counted_trees(summary: dict[str, Any]) -> dict[str, str]:
    """How many trees there are, how many of them can fail, and the searches that were made of those (or of all)."""
    counts = {"trees": "trees", "decisive": "can fail", "searches": "searches made"}
    return {heading: f"{summary[key]:,}" for key, heading in counts.items() if key in summary}


def _to_rate(rate: str, summary: dict[str, Any]) -> dict[str, str]:
    """Iterations to a failure rate, to 0.1 with their interval.

    Where the upper end of the last failure rate is no lower than the rate, so few trees cannot show that it is reached:
    the interval goes on, and there is a dash where none is shown.
    """
    needed, (low, high) = summary["iterations_to"][rate], summary["iterations_to_95"][rate]
    shows = summary["high"][-1] < float(rate)
    heading = f"to {float(rate):g}"
    if rate == INTERVAL_SHOWN:
        ends = [_reached(end, summary) for end in (low, high if shows else None)]
        return {heading: _reached(needed, summary), "95 %": " to ".join(ends)}
    return {heading: _reached(needed, summary) if shows or needed is None else "-"}


def _reached(iterations: float | None, summary: dict[str, Any]) -> str:
    """After how many iterations something is reached; more than there were where it is not."""
    return f"> {summary['points'][-1]:,}" if iterations is None else f"{iterations:,.0f}"


def planning_cells(result: Result) -> dict[str, str]:
    """A planner: the cells of a run by heading."""
    summary = result.summary
    if not result.finished:
        return {}
    needed = f"> {summary['most']:,}" if summary["samples"] is None else f"{summary['samples']:,}"
    return {
        "size": str(summary["size"]),
        f"samples to {summary['error']:g}": needed,
        "95 %": summary["interval"],
        "last error": f"{summary['mean_error'][-1]:.3f}",
        "samples/s": shortened(summary["samples_per_second"]),
        "seconds": f"{summary['seconds']:.1f}",
    }


def rank_cells(result: Result) -> dict[str, str]:
    """Ranks of moves: the cells of a run by heading."""
    summary = result.summary
    if not result.finished:
        return {}
    means = {name: f"{row['rho'][0]:.3f}" for name, row in summary["methods"].items()}
    cells = {"boards": f"{summary['ranked']:,}", "games": str(summary["games"]), "reference": summary["yardstick"]}
    return {**cells, **means, "core seconds": f"{summary['seconds']:.1f}"}


def traps_cells(result: Result) -> dict[str, str]:
    """Soft traps: the cells of a run by heading."""
    summary = result.summary
    if not result.finished:
        return {}
    cells = {"positions": f"{summary['positions']:,}", "games": str(summary["games"])}
    for delta, row in zip(summary["deltas"], summary["shares"]["disagree"], strict=True):
        cells[f"games at {delta} %"] = _per_cent(row["share"][0])
    return cells
