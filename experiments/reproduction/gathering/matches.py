"""Cells of matches: a win rate beside the one that a paper prints."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.config.scales import DOCUMENT
from experiments.reproduction.catalogue import Item, Paper
from experiments.reproduction.cells import Cell, Digests
from experiments.reproduction.gathering.common import FIRST, cell_of, digest_of_lines, published_of_order, unstated
from experiments.reproduction.quantities import Measured, Points, Published
from experiments.runs.results import Result
from gpumcts.errors import BadInput
from gpumcts.match.journal import GAMES, whole_lines
from gpumcts.match.statistics import document_interval

EXPLORATION = 1.0  # C of Hashimoto et al. 2012, section 4.1, with rewards in [0, 1]


def match_digests(folder: Path, games: int) -> Digests:
    """Of all games of a match, as its summary has it, and of the first ten."""
    lines: dict[int, str] = {}
    for line in whole_lines(folder / GAMES):
        lines[json.loads(line)["game"]] = line.decode("ascii")
    missing = [game for game in range(games) if game not in lines]
    if missing:
        raise BadInput(f"{folder / GAMES}: game {missing[0]} is missing; finish the match first")
    ordered = [lines[game] for game in range(games)]
    return Digests(all=digest_of_lines(ordered), first_ten=digest_of_lines(ordered[:FIRST]))


def points_of(result: Result) -> tuple[Points, Digests]:
    """The points of a finished match, and its digests, checked against the digest of its summary."""
    summary = result.summary
    digests = match_digests(result.folder, summary["games"])
    if summary["digest"] != digests.all:
        raise BadInput(f"{result.folder}: its games are not those of its summary's digest")
    return Points(wins=summary["wins"], draws=summary["draws"], losses=summary["losses"]), digests


def published_of(item: Item, result: Result) -> Published | None:
    """What the paper prints for a run's cell, runs that explain it by a change of theirs among them."""
    printed = result.printed
    if printed is None:
        return None
    budget: dict[str, int | float] = {"games": printed.games}
    if printed.iterations is not None:
        budget["iterations"] = printed.iterations
    return Published(
        relation="equals",
        value=printed.win_rate,
        count=printed.games,
        half=document_interval(printed.win_rate, printed.games),
        budget=budget,
        source=item.place,
    )


def budget_of(result: Result) -> dict[str, int | float]:
    """Games, and iterations a move, of a run."""
    iterations = result.config["budget"]["iterations"]
    return {"games": result.summary["games"], **({} if iterations is None else {"iterations": iterations})}


def _changed(config: dict[str, Any]) -> dict[str, str]:
    """What an explanation of Table 1 changed: its part of a cell's name, and of its title."""
    search, exploration = config["search"], config["selection"]["exploration"]
    found = {"scale": f"C = {exploration:g}"} if exploration != EXPLORATION else {}
    if search["expansion"] == "threshold":
        found["threshold"] = f"expands at visit {search['threshold']}"
    if config["backup"]["name"] == "accelerated_root_first":
        found["root-first"] = "values from the root to the leaf"
    return found | ({"reuse": "keeps the tree between moves"} if search["reuse"] else {})


def decays(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """A cell a game, k, and final move: Tables 1 and 2 of Hashimoto et al. 2012."""
    found = []
    for result in results:
        game, k = result.config["game"], result.config["k"]
        base, size = ("-base{base}", ", base {base}") if "base" in game else ("", "")
        final = result.config["search"]["final"]
        usual = "value" if game["name"] in ("othello", "havannah") else "visits"
        fresh = "-confirm" if result.config["round"] == "confirm" else ""
        changed = _changed(result.config)
        name = f"{game['name']}{base.format(**game)}-k{k}{'' if final == usual else f'-{final}'}"
        name = "-".join([name, *changed]) + fresh
        title = f"{game['name']}{size.format(**game)}, k = {k}"
        title += "" if final == usual else f", plays by {final}"
        title = ", ".join([title, *changed.values()])
        points, digests = points_of(result)
        measured = Measured(unit="rate", quantity=points)
        published = published_of(item, result)
        if fresh and published is not None:
            published = unstated(item, published.budget)
        found.append(cell_of(paper, item, name, title, [result], measured, published, budget_of(result), digests))
    return found


def rave(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """A cell a column and k: Table 2 of Hashimoto et al. 2012, not trusted because of its intervals, but shown."""
    found = []
    for result in results:
        column, k = result.config["column"], result.config["k"]
        own = [] if result.config["policy"] == "own" else [result.config["policy"]]
        fresh = ["confirm"] if result.config["round"] == "confirm" else []
        title = ", ".join([result.config["columns"][column]["title"], f"k = {k}", *own, *fresh])
        name = "-".join([column, f"k{k}", *own, *fresh])
        points, digests = points_of(result)
        published = published_of(item, result)
        if published is not None:
            published = published.model_copy(update={"budget": {"games": 1000, "iterations": 50_000}})
        measured = Measured(unit="rate", quantity=points)
        found.append(cell_of(paper, item, name, title, [result], measured, published, budget_of(result), digests))
    return found


def doublings(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """A cell a doubling of playouts: whether the side with twice as many is ahead (Sensei's Library)."""
    found = []
    for result in results:
        own = result.config["option"]
        option = result.config["options"][own]
        points, digests = points_of(result)
        budget = budget_of(result)
        games = result.config["scales"][DOCUMENT]["games"][own]
        published = unstated(item, {"games": games, "iterations": option["iterations"]})
        if option["kind"] == "doubling":
            published = published.model_copy(update={"relation": "above", "value": 0.5})
        measured = Measured(unit="rate", quantity=points)
        name, title = _slug(own), result.label
        found.append(cell_of(paper, item, name, title, [result], measured, published, budget, digests))
    return found


def ahead(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """A cell a column, whose win rate an order of that name compares with a bound."""
    found = []
    for result in results:
        for order in (one for one in item.orders if one.cell == result.config["column"]):
            points, digests = points_of(result)
            measured, published = Measured(unit="rate", quantity=points), published_of_order(item, order)
            some, budget = [result], budget_of(result)
            found.append(cell_of(paper, item, order.cell, result.label, some, measured, published, budget, digests))
    return found


def columns(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """A cell a column of the table: the matches of Kocsis, Szepesvári, Willemson 2006 and of Ramanujan et al. 2010."""
    found = []
    for result in results:
        name = "-".join([_slug(result.config["column"]), *_variant(result)])
        points, digests = points_of(result)
        measured = Measured(unit="rate", quantity=points)
        budget = budget_of(result)
        told = result.config.get("title") or result.label.split(",")[0]
        title = ", ".join([told, *_variant(result)])
        found.append(cell_of(paper, item, name, title, [result], measured, published_of(item, result), budget, digests))
    return found


def _slug(words: object) -> str:
    return str(words).lower().replace("_", "-").replace("/", "-")


def _variant(result: Result) -> list[str]:
    """What sets a run apart from the paper's column: budget of another kind, rule for ties, scale, playouts alike."""
    config, words = result.config, []
    if config["opponent"].get("player", {}).get("name") == "mc" and _playout(config) == _playout(config["opponent"]):
        words.append("alike")
    if config.get("by", "work") != "work":
        words.append(str(config["by"]))
    if config.get("memory", "table") != "table":
        words.append(str(config["memory"]))
    ties = config["opponent"].get("player", {}).get("ties", "random")
    if ties != "random":
        words.append(f"ties-{ties}")
    if config["opponent"].get("player", {}).get("quiescence"):
        words.append("quiescence")
    limit = config["playout"].get("limit")
    if limit not in (None, 0):
        words.append(f"limit-{limit:g}")
    return words


def _playout(player: dict[str, Any]) -> object:
    return player.get("playout", {}).get("name")
