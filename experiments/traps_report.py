"""What a run on soft traps says: tables, the plot over Delta, and lines of play."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.plots import CURVES, DOTS_PER_INCH
from experiments.rank_report import Cells, some, with_interval
from experiments.schema import Checked
from experiments.traps_summary import PRINTED, examples
from gpumcts.deepening.leaves import FAR, WON, WON_LEAST

REPORT, PLOT = "report.md", "softtraps.png"
DEEP = 8  # the document's


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
    """Shares of games and of positions by Delta."""
    names = headings(config)
    made = []
    for key, what in (("share", "games with such a position"), ("positions", "positions")):
        rows = []
        for i, delta in enumerate(summary["deltas"]):
            row = {"Delta": f"{delta:,}"}
            row |= {names[n]: with_interval(shares[i][key], 100, 1) for n, shares in summary["shares"].items()}
            rows.append(row)
        made.append(Cells.of(f"soft traps, % of {what} (95 %), by Delta in units of the evaluation", rows))
    return made


def words_of(config: Checked, summary: Mapping[str, Any]) -> list[str]:
    """What the shares come to, in Chess beside the document's, and what playouts did."""
    keys, names = config.keys, headings(config)
    row = summary["shares"]["disagree"][summary["deltas"].index(keys.delta)]
    data = config.policy
    whole = data.positions is None and data.positions_file is None and data.from_ply == 0
    sampled = "" if whole else " (games are not complete)"
    parts = [
        f"{some(summary['positions'], 'position')} of {some(summary['games'], 'game')}; m is the choice of MM-{keys.shallow}, "
        f"ties at random, seed {keys.seed}{sampled}.",
    ]
    if not sampled:
        share = with_interval(row["share"], 100, 1)
        printed = (
            f"; the document has {100 * PRINTED[0]:.0f} % of {PRINTED[1]} games, and names no Delta. Ours is as large as that "
            f"for every Delta up to {summary['delta_as_printed']:,.0f}"
        )
        parts.append(
            f"{names['disagree']} >= {keys.delta}: {share} % of the games have such a position"
            f"{printed if _as_printed(config) else ''}."
        )
    theirs = DEEP + bool(keys.playouts)  # Figure 2 is of what depth 9 shows
    if keys.deep != theirs and config.study.document is not None:
        parts.append(f"The deep search is reduced: MM-{keys.deep}; the document's is MM-{theirs}.")
    if (keys.deep - keys.shallow) % 2:
        parts.append(
            f"MM-{keys.deep} and MM-{keys.shallow} end with plies of different players: the last to move is judged kindly, by a "
            "good part of a pawn in many positions. What m costs, judged by one search, is free of that."
        )
    avoided = summary["avoided"]
    if avoided is not None and not avoided["traps"]:
        parts.append(f"MM-{keys.shallow} walks into no trap ({names['loses']} >= {keys.delta}).")
    elif avoided is not None:
        low, high = avoided["avoided_95"]
        known = "" if avoided["distinct"] is None else f", {avoided['distinct']:.1f} of them different"
        parts.append(
            f"MM-{keys.shallow} walks into {avoided['traps']} traps ({names['loses']} >= {keys.delta}), "
            f"{avoided['unseen']} of them worse than it thinks by as much. The move that {keys.playouts} playouts between "
            f"MM-{keys.shallow} players (epsilon "
            f"{keys.epsilon:g}{known}) rank first avoids {avoided['avoided']} of them ({100 * low:.0f} - {100 * high:.0f} %), in "
            f"{avoided['games']} games: it is better by at least {keys.delta}, to MM-{keys.deep}. Playouts rank "
            f"{avoided['ranked_low']} of the traps in the lower half."
        )
    return parts


def _as_printed(config: Checked) -> bool:
    """Whether the document's share is of this game: it has Chess alone."""
    return config.identity["game"]["name"] == "chess"


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
        parts.append("## Traps that playouts avoid")
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
            f"playouts rank {line['move']} {line['rank_by_playouts']:g} of {line['moves']} (win rate {trapped:.2f}) and play "
            f"{line['playouts_choose']} ({free:.2f}); MM-{keys.deep}: {_worth(line['playouts_deep'])}, "
            f"its own choice {line['best']}: {_worth(line['best_deep'])}",
            f"  {line['playouts_choose']} {' '.join(line['better_line'])}",
        ]
    )


def _worth(value: int) -> str:
    """A value in words: ``+35``, or who wins and when."""
    if abs(value) < WON_LEAST:
        return f"{value:+,}"
    plies = int(WON) - abs(value)
    when = f" in {some(plies, 'ply', 'plies')}" if plies < FAR else ""  # the game itself knows, not how soon
    return f"a {'win' if value > 0 else 'loss'}{when}"


def plot(config: Checked, summary: Mapping[str, Any], path: Path) -> None:
    """Share of games with a soft trap over Delta, each reading a curve with its band, and in Chess the document's share."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.4), layout="constrained")
    axes = figure.subplots()
    names = headings(config)
    for color, (name, shares) in zip(CURVES, summary["shares"].items(), strict=False):
        mean, low, high = (100 * np.array(part) for part in zip(*(row["share"] for row in shares), strict=True))
        axes.fill_between(summary["deltas"], low, high, color=color, alpha=0.12, linewidth=0)
        # The first lies on ``worse`` wherever m is no better than it looks.
        style = {"linestyle": ":", "zorder": 3} if name == "disagree" else {}
        axes.plot(summary["deltas"], mean, marker="o", color=color, markersize=4, label=names[name], **style)
    if _as_printed(config):
        label = f"document: {100 * PRINTED[0]:.0f} %, Delta not named"
        axes.axhline(100 * PRINTED[0], color="black", linestyle="--", linewidth=1, label=label)
    axes.set_xscale("log")
    axes.set_xticks(summary["deltas"], [str(delta) for delta in summary["deltas"]], fontsize=8)
    axes.minorticks_off()
    axes.set_ylim(0, 102)
    axes.set_xlabel("Delta, units of the evaluation")
    axes.set_ylabel("games with such a position, % (Wilson 95 %)")
    figure.legend(fontsize=8, frameon=False, loc="outside upper center", ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=DOTS_PER_INCH)
