"""What a run on soft traps says: tables, the plot over Delta, and lines of play."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.analysis.plots import CURVES, DOTS_PER_INCH, FAINT
from experiments.config.schema import Checked
from experiments.ranking.conditions import as_document
from experiments.ranking.report import Cells, few_games, with_interval
from experiments.soft_traps.summary import PRINTED, examples
from experiments.terminal.console import counted
from gpumcts.alpha_beta.leaves import FAR, WON, WON_LEAST

REPORT, PLOT = "report.md", "softtraps.png"
WIDTH_OF_SLOT = 0.64  # of a Delta's share of the axis, from its first reading to its last


def headings(config: Checked) -> dict[str, str]:
    """What each reading is called in tables."""
    keys = config.keys
    shallow, deep = f"v{keys.shallow}(m)", f"v{keys.deep}(m)"
    return {
        "disagree": f"|{deep} - {shallow}|",
        "worse": f"{shallow} - {deep}",
        "loses": f"v{keys.deep}(best) - {deep}",
        "chosen": f"Definition 1, m, k = {keys.deep - 1}",
        "any": f"Definition 1, some move, k = {keys.strategy}",
    }


def tables(config: Checked, lines: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> list[Any]:
    """For the terminal: tables, words, and the first line of play."""
    first = examples([dict(line) for line in lines], config.keys.delta, min(1, config.keys.shown))
    shown = [cells.drawn for cells in all_cells(config, summary)]
    return [*shown, *words_of(config, summary), *(_example(config, line) for line in first)]


def all_cells(config: Checked, summary: Mapping[str, Any]) -> list[Cells]:
    """Shares of games and of positions by Delta, and what becomes of the traps at one of them."""
    names = headings(config)
    made = []
    for key, what in (("share", "games with such a position"), ("positions", "positions")):
        rows = []
        for i, delta in enumerate(summary["deltas"]):
            row = {"Delta": f"{delta:,}"}
            row |= {names[n]: with_interval(shares[i][key], 100, 1) for n, shares in summary["shares"].items()}
            rows.append(row)
        made.append(Cells.of(f"soft traps, % of {what} (95 %), by Delta in units of the evaluation", rows))
    return [*made, _trap_cells(config, summary)]


def _trap_cells(config: Checked, summary: Mapping[str, Any]) -> Cells:
    """Figure 2: traps, those that the shallow search does not see, and those that playouts avoid."""
    keys = config.keys
    names = {
        "trap": f"m is a soft trap (Definition 1, k = {keys.deep - 1})",
        "unseen": f"... unseen by MM-{keys.shallow}",
        "escapable": "... unseen, and another move is better by Delta",
        "avoided": "... unseen, and avoided by the playouts",
    }
    rows = [
        {
            f"Delta = {keys.delta:,}": names[step],
            "positions": f"{row['positions']:,}",
            "games": f"{row['games']:,}",
            "% of all positions": with_interval(row["share"], 100, 1),
            "% of the unseen": "" if row["of_unseen"] is None else with_interval(row["of_unseen"], 100, 0),
        }
        for step, row in summary["traps"].items()
    ]
    return Cells.of("traps that m walks into, each line a part of those above it (95 %, by game)", rows)


def words_of(config: Checked, summary: Mapping[str, Any]) -> list[str]:
    """The conditions, what the shares come to, in Chess beside the document's, and what playouts did."""
    parts = ["\n".join(f"- {line}" for line in [*summary["conditions"], _choice_words(config)])]
    parts += [*summary["departures"], *filter(None, [few_games(summary["games"])])]
    return [*parts, *_share_words(config, summary), *_depth_words(config), *_trap_words(config, summary)]


def _choice_words(config: Checked) -> str:
    keys = config.keys
    return (
        f"m is the choice of MM-{keys.shallow}, ties at random (seed {keys.seed}); "
        "v is what a search says, h the evaluation."
    )


def _share_words(config: Checked, summary: Mapping[str, Any]) -> list[str]:
    """The share of games, if they are complete, and the document's beside that of games of grandmasters."""
    keys, data = config.keys, config.policy
    if summary["sampled"] or data.positions_file is not None or data.plies:
        return ["The games are not complete, so that shares of games are of these positions alone."]
    row = summary["shares"]["disagree"][summary["deltas"].index(keys.delta)]
    printed = (
        f"; the document has {100 * PRINTED[0]:.0f} % of {PRINTED[1]} games, and names no Delta. Ours is as large as "
        f"that for every Delta up to {summary['delta_as_printed']:,.0f}"
    )
    share = f"{headings(config)['disagree']} >= {keys.delta}: {with_interval(row['share'], 100, 1)} % of the games"
    return [f"{share} have such a position{printed if _as_printed(config) else ''}."]


def _depth_words(config: Checked) -> list[str]:
    """What plies of different players at the end of both searches do; nothing where one player's end both."""
    keys = config.keys
    if (keys.deep - keys.shallow) % 2 == 0:
        return []
    return [
        f"The last plies of MM-{keys.deep} and of MM-{keys.shallow} belong to different players. A search judges the "
        "player of its last ply too well, in Chess by a good part of a pawn in many positions. So fewer traps count as "
        "unseen. The cost of m does not have this error, since one search judges it."
    ]


def _trap_words(config: Checked, summary: Mapping[str, Any]) -> list[str]:
    """What counts as a trap, as unseen and as avoided; and the playouts."""
    keys = config.keys
    deep, shallow = f"v{keys.deep}", f"v{keys.shallow}"
    parts = [
        f"m is a soft trap where h after m less {deep}(m) is at least {keys.delta}: the opponent can gain as much "
        f"within {keys.deep - 1} plies, by Definition 1, which counts a piece that is taken back as well. "
        f"MM-{keys.shallow} does not see it where {shallow}(m) - {deep}(m) >= {keys.delta} besides. Intervals are over "
        "games, drawn whole."
    ]
    if keys.playouts:
        distinct = summary["distinct"]
        known = "" if distinct is None else f", {distinct:.1f} of them different"
        at_random, traps = summary["by_chance"], summary["traps"]["escapable"]["positions"]
        chance = "" if at_random is None else f" A legal move at random would avoid {at_random:.1f} of these {traps}."
        parts.append(
            f"Playouts are {keys.playouts} a move between MM-{keys.shallow} players (epsilon {keys.epsilon:g}{known}), "
            "at the unseen traps beside which another move is better; they avoid one where the move they rank first is "
            f"better by {keys.delta}, to MM-{keys.deep}.{chance}"
        )
    return parts


def _as_printed(config: Checked) -> bool:
    """Whether the document's share may stand beside ours."""
    return as_document(config.policy, config.identity["game"]["name"])


def brief(summary: Mapping[str, Any]) -> str:
    """A run in a few words."""
    row = summary["shares"]["disagree"]
    ends = ", ".join(
        f"{100 * one['share'][0]:.0f} % at {delta}" for delta, one in zip(summary["deltas"], row, strict=True)
    )
    return f"games with a soft trap by Delta: {ends}"


def write_report(config: Checked, lines: Sequence[Mapping[str, Any]], summary: Mapping[str, Any], folder: Path) -> None:
    """``report.md`` and ``softtraps.png``."""
    parts = ["# Soft traps", *words_of(config, summary), *(cells.markdown for cells in all_cells(config, summary))]
    parts.append(f"![shares of games by Delta]({PLOT})")
    plot(config, summary, folder / PLOT)
    found = examples([dict(line) for line in lines], config.keys.delta, config.keys.shown)
    if config.keys.playouts:
        parts.append(f"## Traps that MM-{config.keys.shallow} does not see, and playouts avoid")
        parts += [f"```text\n{_example(config, line)}\n```" for line in found] or ["None was found."]
    (folder / REPORT).write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _example(config: Checked, line: Mapping[str, Any]) -> str:
    """A trap: the board, both moves, and the lines that follow them."""
    from gpumcts.games import contract

    keys = config.keys
    with np.errstate(over="ignore"):
        board = contract.board_text(config.game, contract.parse_position(config.game, line["position"]))
    trapped, free = line["win_rates"]
    return "\n".join(
        [
            f"{line['title']}, ply {line['ply']}: {line['position']}",
            board.rstrip("\n"),
            f"MM-{keys.shallow} plays {line['move']}, "
            f"which it holds worth {_worth(line['shallow'])}; MM-{keys.deep}: {_worth(line['deep'])}",
            f"  {line['move']} {' '.join(line['line'])}",
            f"playouts rank {line['move']} {line['rank_by_playouts']:g} of {line['moves']} (win rate {trapped:.2f}) "
            f"and play {line['playouts_choose']} ({free:.2f}); MM-{keys.deep}: {_worth(line['playouts_deep'])}, "
            f"its own choice {line['best']}: {_worth(line['best_deep'])}",
            f"  {line['playouts_choose']} {' '.join(line['better_line'])}",
        ]
    )


def _worth(value: int) -> str:
    """A value in words: ``+35``, or who wins and when."""
    if abs(value) < WON_LEAST:
        return f"{value:+,}"
    plies = int(WON) - abs(value)
    when = f" in {counted(plies, 'ply', 'plies')}" if plies < FAR else ""  # the game itself knows, not how soon
    return f"a {'win' if value > 0 else 'loss'}{when}"


def plot(config: Checked, summary: Mapping[str, Any], path: Path) -> None:
    """Share of games with a soft trap over Delta, readings side by side at each; in Chess the document's share."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.4), layout="constrained")
    axes = figure.subplots()
    names, readings = headings(config), summary["shares"]
    slots = np.arange(len(summary["deltas"]))
    # Intervals of few games overlap, and "disagree" equals "worse" where m is no better than it looks.
    places = WIDTH_OF_SLOT * (np.arange(len(readings)) / max(1, len(readings) - 1) - 0.5)
    for color, place, (name, shares) in zip(CURVES, places, readings.items(), strict=False):
        mean, low, high = (100 * np.array(part) for part in zip(*(row["share"] for row in shares), strict=True))
        axes.vlines(slots + place, low, high, color=color, alpha=0.55, linewidth=1.5)
        axes.plot(slots + place, mean, color=color, alpha=0.3, linewidth=0.8)
        axes.plot(slots + place, mean, "o", color=color, markersize=4, label=names[name], clip_on=False, zorder=3)
    if _as_printed(config):
        label = f"document: {100 * PRINTED[0]:.0f} %, Delta not named"
        axes.axhline(100 * PRINTED[0], color="black", linestyle="--", linewidth=1, label=label)
    for slot in slots[1:]:
        axes.axvline(slot - 0.5, color=FAINT, alpha=0.25, linewidth=0.6)
    axes.set_xlim(-0.5, len(slots) - 0.5)
    axes.set_xticks(slots, [str(delta) for delta in summary["deltas"]], fontsize=8)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0, 102)
    axes.set_xlabel("Delta, units of the evaluation")
    axes.set_ylabel("games with such a position, % (Wilson 95 %)")
    figure.legend(fontsize=8, frameon=False, loc="outside upper center", ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=DOTS_PER_INCH)
