"""Finished runs, read from their folders: rows for tables, plots and reports."""

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.console import shortened
from experiments.folder import CONFIG, PROVENANCE, SUMMARY, read_json
from gpumcts.errors import BadInput

TABLE, PLOT = "table", "plot.png"


@dataclass(frozen=True)
class Result:
    """A run: its folder, what it was (config.yaml, provenance.json) and what it gave (summary.json)."""

    folder: Path
    config: dict[str, Any]
    provenance: dict[str, Any]
    summary: dict[str, Any]

    @property
    def program(self) -> str:
        """The command it was: match, playouts, ..."""
        return str(self.provenance["program"])

    @property
    def label(self) -> str:
        """What sets it apart in its sweep; outside of one, what it was."""
        return str(self.provenance["label"] or self.provenance["name"])

    @property
    def finished(self) -> bool:
        """Whether it has a result: a match has one after every game, a planner only at its end."""
        return self.program not in ("planning", "rank", "traps") or not self.summary.get("interrupted")

    @property
    def earlier_commits(self) -> list[str]:
        """Other commits that worked in the folder before, in order of their last run there."""
        commits = [run["commit"] for run in self.provenance.get("earlier", []) if run["commit"]]
        return [name for name in dict.fromkeys(commits) if name != self.provenance["commit"]]

    @property
    def printed(self) -> Any:
        """What a source document prints for this run (``win_rate`` in [0, 1], ``games``), or None."""
        if "document" not in self.config or not self.summary.get("games"):
            return None
        source, item = str(self.config["document"]).split("/")
        printed = getattr(importlib.import_module(f"experiments.{source}"), "printed", None)
        return printed(item, self.config) if printed else None

    @property
    def title(self) -> str:
        """What it reproduces, or the command it was."""
        if "document" not in self.config:
            return self.program
        source, item = str(self.config["document"]).split("/")
        title = importlib.import_module(f"experiments.{source}").TITLES[item]
        return f"{title}, {self.config.get('panel') or self.config['game']['name']}"


def read(folder: Path) -> Result:
    """The run in a folder; raises BadInput where it is none or is damaged."""
    import yaml

    try:
        config = yaml.safe_load((folder / CONFIG).read_text("utf-8")) or {}
    except (OSError, yaml.YAMLError) as error:
        raise BadInput(f"{folder / CONFIG} cannot be read: {' '.join(str(error).split())}") from None
    result = Result(folder, config, read_json(folder / PROVENANCE), read_json(folder / SUMMARY))
    if not {"program", "name", "label"} <= set(result.provenance):
        raise BadInput(f"{folder / PROVENANCE} is not the record of a run")
    return result


def below(folder: Path) -> list[Result]:
    """All finished runs in a folder and below it, by name."""
    return in_order(read(path.parent) for path in folder.rglob(SUMMARY))


def in_order(results: Iterable[Result]) -> list[Result]:
    """By program, then by cell of an experiment, then by time."""

    def key(result: Result) -> tuple:
        return result.program, result.title, result.config.get("k", 0), result.provenance["time"], str(result.folder)

    return sorted(results, key=key)


def groups(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The runs by what they reproduce, or by command, in the order given."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.title, []).append(result)
    return found


# ----------------------------------------------------------------------------------------------------- tables


def columns(results: list[Result]) -> tuple[dict[str, str], list[list[str]]]:
    """Headings (with the side they are set to) and rows of the table of some runs of one command."""
    program = results[0].program
    cells = {
        "match": _match_cells,
        "playouts": _playouts_cells,
        "perft": _perft_cells,
        "search": _search_cells,
        "trees": _trees_cells,
        "planning": _planning_cells,
        "rank": _rank_cells,
        "traps": _traps_cells,
    }
    rows = [{"run": result.label, **cells.get(program, _no_cells)(result)} for result in results]
    if any("document %" in row for row in rows):
        _compare_with_document(results, rows)
    headings = list(dict.fromkeys(heading for row in rows for heading in row))
    sides = {heading: "left" if heading == "run" else "right" for heading in headings}
    return sides, [[row.get(heading, "") for heading in headings] for row in rows]


def _per_cent(value: float) -> str:
    return f"{100 * value:.1f}"


def _match_cells(result: Result) -> dict[str, str]:
    summary = result.summary
    cells = {key: f"{summary[key]:,}" for key in ("games", "wins", "draws", "losses")}
    cells["win %"] = _per_cent(summary["win_rate"]) if summary["games"] else ""
    cells["Wilson 95 %"] = f"{_per_cent(summary['ci95_low'])} - {_per_cent(summary['ci95_high'])}"
    printed = result.printed
    if printed is not None:
        from gpumcts.match.statistics import document_interval

        half = document_interval(printed.win_rate, printed.games)
        cells["document %"] = f"{_per_cent(printed.win_rate)} ±{_per_cent(half)}"
    speeds = [summary[side]["playouts_per_second"] for side in ("player", "opponent")]
    cells["playouts/s"] = " / ".join(shortened(speed) if speed else "-" for speed in speeds)
    made = [summary[side].get("made_a_move") for side in ("player", "opponent")]
    if any(made):
        cells["nodes a move"] = " / ".join(f"{work:,.0f}" if work else "-" for work in made)
    sights = [summary[side].get("first_sees_win_ply") for side in ("player", "opponent")]
    if any(ply is not None for ply in sights):
        cells["sees its win at ply"] = " / ".join("-" if ply is None else f"{ply:.1f}" for ply in sights)
    return {**cells, "seconds": f"{summary['seconds']:.1f}"}


def _compare_with_document(results: list[Result], rows: list[dict[str, str]]) -> None:
    """Add p values of no difference from the document, Holm-corrected, for runs of its budget and of games enough."""
    from gpumcts.match.statistics import compare_proportions, holm

    judged = [i for i, result in enumerate(results) if _comparable(result)]
    values = []
    for i in judged:
        ours, theirs = results[i].summary, results[i].printed
        points = ours["wins"] + ours["draws"] / 2
        values.append(compare_proportions(points, ours["games"], theirs.win_rate * theirs.games, theirs.games).p_value)
    for i, p in zip(judged, holm(values) if values else [], strict=True):
        rows[i]["p (Holm)"] = f"{p:.3f}"


def _comparable(result: Result) -> bool:
    printed = result.printed
    if printed is None or printed.iterations is None:
        return False
    return result.config["budget"]["iterations"] == printed.iterations and result.summary["games"] >= printed.enough


def _playouts_cells(result: Result) -> dict[str, str]:
    summary = result.summary
    share = {key: _per_cent(summary[key] / summary["playouts"]) for key in ("first_wins", "draws", "second_wins")}
    return {
        "playouts": f"{summary['playouts']:,}",
        "playouts/s": shortened(summary["playouts_per_second"]),
        "mean plies": f"{summary['mean_plies']:.2f}",
        **{f"{key.replace('_', ' ')} %": text for key, text in share.items()},
        "digest": summary["digest"][:12],
        "seconds": f"{summary['seconds']:.2f}",
    }


def _perft_cells(result: Result) -> dict[str, str]:
    summary = result.summary
    rate = shortened(summary["nodes_per_second"])
    return {"nodes": f"{summary['nodes']:,}", "nodes/s": rate, "seconds": f"{summary['seconds']:.2f}"}


def _search_cells(result: Result) -> dict[str, str]:
    summary = result.summary
    best = summary["moves"][0]
    return {
        "plays": summary["best"],
        "value": f"{best['value']:.4f}",
        "iterations": f"{summary['iterations']:,}",
        "iterations/s": shortened(summary["iterations_per_second"]),
        "seconds": f"{summary['seconds']:.2f}",
    }


def _trees_cells(result: Result) -> dict[str, str]:
    summary = result.summary
    shape = {"branching": "B", "depth": "D"}
    cells = {short: str(result.config["game"][key]) for key, short in shape.items() if key in result.config["game"]}
    cells |= {"trees": f"{summary['trees']:,}", "searches": f"{summary['searches']:,}"}
    if "failure_rate" in summary:
        for decade in (10, 100, 1000, 10_000, 100_000):
            if decade in summary["points"]:
                rate = summary["failure_rate"][summary["points"].index(decade)]
                cells[f"fails at {shortened(decade)} %"] = f"{100 * rate:.2f}"
        for rate, needed in summary["iterations_to"].items():
            cells[f"to {float(rate):g}"] = "-" if needed is None else f"{needed:,.0f}"
            if rate == "0.1":
                low, high = ("-" if end is None else f"{end:,.0f}" for end in summary["iterations_to_95"][rate])
                cells["95 %"] = f"{low} to {high}"
    if "crossing_median" in summary:
        cells |= {"never": str(summary["never"])}
        for key in ("median", "low", "high"):
            needed = summary[f"crossing_{key}"]
            cells[f"converged, {key}"] = "-" if needed is None else f"{needed:,.0f}"
    if "wrong_share" in summary and "crossing_median" in summary:
        cells["visits to wrong moves %"] = _per_cent(summary["wrong_share"][-1])
    if "leaves_mean" in summary:
        cells["leaves"] = f"{summary['leaves_mean']:,.0f} ±{summary['leaves_half']:,.0f}"
    return {**cells, "seconds": f"{summary['seconds']:.1f}"}


def _planning_cells(result: Result) -> dict[str, str]:
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


def _rank_cells(result: Result) -> dict[str, str]:
    summary = result.summary
    if not result.finished:
        return {}
    means = {name: f"{row['rho'][0]:.3f}" for name, row in summary["methods"].items()}
    cells = {"boards": f"{summary['ranked']:,}", "games": str(summary["games"]), "yardstick": summary["yardstick"]}
    return {**cells, **means, "core seconds": f"{summary['seconds']:.1f}"}


def _traps_cells(result: Result) -> dict[str, str]:
    summary = result.summary
    if not result.finished:
        return {}
    cells = {"positions": f"{summary['positions']:,}", "games": str(summary["games"])}
    for delta, row in zip(summary["deltas"], summary["shares"]["disagree"], strict=True):
        cells[f"games at {delta} %"] = _per_cent(row["share"][0])
    return cells


def _no_cells(result: Result) -> dict[str, str]:
    return {}


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested keys joined by dots; lists become text."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            found.update(flat(value, f"{name}."))
        else:
            found[name] = str(value) if isinstance(value, list) else value
    return found
