"""A report as one HTML page that needs nothing else: conditions, figures, tables, and where the runs come from."""

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.analysis.by_game import drawn_together
from experiments.analysis.conditions import conditions, unfinished, without_result
from experiments.analysis.grid import grid_of
from experiments.analysis.headings import plot_title
from experiments.analysis.ratings import ratings
from experiments.analysis.result_table import columns, notes
from experiments.analysis.sweep_report import End
from experiments.analysis.swept_figure import Matrix, swept_figure
from experiments.analysis.swept_plot import curve_as_svg, ticks
from experiments.runs.results import Result, asked_for, groups
from experiments.terminal.console import Shown, counted
from experiments.terminal.tables import FittedTable

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1d1f21; --faint: #5f6368; --line: #d9dce0; --mark: #1f5fa8;
  --shade: #9aa0a6; --low: #b8302f; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181b; --ink: #e4e6e8; --faint: #a3a8ae; --line: #3a3f45; --mark: #7db2ee;
    --shade: #6b7178; --low: #e0706c; }
}
* { box-sizing: border-box; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 84em; padding: 1em; }
body { color: var(--ink); background: var(--ground); overflow-wrap: break-word; }
h1 { font-size: 1.5em; margin: 0.4em 0; }
h2 { margin-top: 1.8em; font-size: 1.15em; border-top: 1px solid var(--line); padding-top: 0.8em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15em 1.2em; margin: 0.8em 0; }
dt { color: var(--faint); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: 0.6em 0 1.4em; background-repeat: no-repeat;
  /* a shadow at either edge beyond which there is more: covers of the ground's colour move with the table */
  background-image: linear-gradient(90deg, var(--ground) 40%, transparent),
    linear-gradient(-90deg, var(--ground) 40%, transparent),
    linear-gradient(90deg, var(--shade), transparent), linear-gradient(-90deg, var(--shade), transparent);
  background-position: left, right, left, right; background-attachment: local, local, scroll, scroll;
  background-size: 3em 100%, 3em 100%, 1.2em 100%, 1.2em 100%; }
table { border-collapse: separate; border-spacing: 0; }
table { font-size: 0.95em; }
th, td { padding: 0.25em 0.6em; border-bottom: 1px solid var(--line); white-space: nowrap; text-align: left; }
thead th { border-bottom: 2px solid var(--faint); }
.runs td:first-child { white-space: normal; min-width: 13em; }
.right { text-align: right; font-variant-numeric: tabular-nums; }
.matrix td { text-align: center; background: color-mix(in srgb, var(--mark) var(--share), var(--ground)); }
.matrix td.below { background: color-mix(in srgb, var(--low) var(--share), var(--ground)); }
.legend span { padding: 0 0.5em; background: color-mix(in srgb, var(--mark) var(--share), var(--ground)); }
.legend span.below { background: color-mix(in srgb, var(--low) var(--share), var(--ground)); }
.matrix td.missing { background: none; color: var(--faint); }
.matrix small { display: block; }
figure { margin: 1em 0; max-width: 36em; }
figcaption { font-weight: 600; }
svg { width: 100%; height: auto; display: block; }
img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }
small { color: var(--faint); }
@media (max-width: 40em) {
  body { padding: 0.7em; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.5em; }
  .runs td:first-child, .runs th:first-child { position: sticky; left: 0; background: var(--ground); }
  .runs td:first-child { min-width: 11em; max-width: 14em; }
  .runs::before { content: "where an edge is shaded, scroll sideways"; }
  .runs::before { position: sticky; left: 0; color: var(--faint); font-size: 0.85em; }
}
"""


def page(title: str, results: list[Result], plots: Sequence[Path] = (), ends: Sequence[End] = ()) -> str:
    """The page as text; ``plots`` are PNG files that go into it, and ``ends`` are those of the experiments."""
    parts = [f"<h1>{html.escape(title)}</h1>", f"<p>{counted(len(results), 'run')}.</p>"]
    parts += _listed(without_result(results))
    for heading, some in groups(results).items():
        parts += [f"<h2>{html.escape(heading)}</h2>", _conditions(some), *_listed(_lacks(some)), *_figures(some)]
        parts += [_table(*columns(some)), *(f"<p>{html.escape(line)}</p>" for line in notes(some))]
        parts += [_said(thing) for thing in ratings(some)]
    for end in ends:
        parts += [f"<h2>{html.escape(end.title)}</h2>", *(_said(thing) for thing in end.said)]
        parts += [_image(file, file.stem) for file in end.files if file.suffix == ".png"]
    if plots:
        parts += ["<h2>Plot</h2>", *(_image(plot, "plot of the runs") for plot in plots)]
    parts += ["<h2>Runs</h2>", _runs(results)]
    body = "\n".join(parts)
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}\n'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _said(thing: Shown) -> str:
    """A table or sentences of an experiment's end."""
    if isinstance(thing, FittedTable):
        return f"<p><b>{html.escape(thing.title)}</b></p>{_table(thing.columns, thing.rows)}"
    lines = [line for line in str(thing).splitlines() if line.strip()]
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def _conditions(results: list[Result]) -> str:
    """What the runs have in common, and what varies."""
    pairs = conditions(results).items()
    return f"<dl>{''.join(f'<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>' for name, text in pairs)}</dl>"


def not_there_yet(results: list[Result]) -> list[str]:
    """A line for each run that has no result, for each combination of swept values without a run, and for each match
    that has not all its games.
    """
    some = [line for group in groups(results).values() for line in _lacks(group)]
    return list(dict.fromkeys([*without_result(results), *some]))


def _lacks(results: list[Result]) -> list[str]:
    """What runs of one kind lack: combinations of swept values, where no sweep tells its runs, and games."""
    parts, lines = drawn_together(results), unfinished(results)
    if any(asked_for(result.folder.parent) for result in results):
        return lines
    grids = [(_whose(some, parts), grid) for some in parts if (grid := grid_of(some)) is not None]
    return [f"{whose}{grid.words(cell)}: missing" for whose, grid in grids for cell in grid.missing] + lines


def _listed(lines: list[str]) -> list[str]:
    if not lines:
        return []
    return ["<p>Not there yet:</p>", f"<ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"]


def _figures(results: list[Result]) -> list[str]:
    """The figures of some runs; of several games each game's own, with its name."""
    parts = drawn_together(results)
    return [text for some in parts for text in _figure(some, _whose(some, parts))]


def _whose(some: list[Result], parts: Sequence[list[Result]]) -> str:
    """What begins a line on the runs of one of several games; nothing where there is one."""
    return f"{plot_title(some)}: " if len(parts) > 1 else ""


def _figure(results: list[Result], of: str) -> list[str]:
    """A curve where one number is swept, a matrix where two keys are, and nothing else; ``of`` what it is."""
    figure = swept_figure(results)
    if isinstance(figure, Matrix):
        return [_matrix(figure, of)]
    if figure is None:
        return []
    name = html.escape(f"{of}{figure.points[0].measure.name} over {figure.key}")
    return [f"<figure><figcaption>{name}</figcaption>{curve_as_svg(figure)}</figure>"]


def _matrix(matrix: Matrix, of: str) -> str:
    """The first key down, the second across; a cell the darker, the greater its number, or the further from 50 %."""
    grid, (low, high) = matrix.grid, matrix.limits
    down, across = grid.values
    name = next(iter(matrix.found.values())).name

    def cell(row: str, column: str) -> str:
        one = matrix.found.get((row, column))
        if one is None:
            return '<td class="missing">missing</td>'
        place = (one.value - low) / (high - low) if high > low else 0.5
        share = 45 * abs(2 * place - 1) if matrix.of_win_rates else 8 + 37 * place
        below = ' class="below"' if matrix.of_win_rates and place < 0.5 else ""
        number, _, interval = one.words().partition(" [")
        small = f"<small>[{interval}</small>" if interval else ""
        return f'<td{below} style="--share: {share:.0f}%">{html.escape(number)}{small}</td>'

    named_down, named_across = ticks(down), ticks(across)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in named_across)
    rows = (
        f"<tr><th>{html.escape(named_down[at])}</th>{''.join(cell(row, column) for column in across)}</tr>"
        for at, row in enumerate(down)
    )
    keys = [html.escape(key) for key in grid.keys]
    caption = f"<p><b>{html.escape(of + name)}</b>: {keys[0]} down, {keys[1]} across{_legend(matrix)}</p>"
    table = f"<table><thead><tr><th></th>{head}</tr></thead>\n" + "\n".join(rows) + "</table>"
    return f'{caption}<div class="wide matrix">{table}</div>'


def _legend(matrix: Matrix) -> str:
    """The colours of win rates, which are the same in all matrices."""
    if not matrix.of_win_rates:
        return ""
    cells = ((f"{rate} %", abs(rate - 50) * 0.9, "below" if rate < 50 else "") for rate in (0, 25, 50, 75, 100))
    words = (f'<span class="{side}" style="--share: {share:.0f}%">{text}</span>' for text, share, side in cells)
    return f'; <span class="legend">{"".join(words)}</span>'


def _image(file: Path, words: str) -> str:
    image = base64.b64encode(file.read_bytes()).decode()
    return f'<p><img alt="{html.escape(words)}" src="data:image/png;base64,{image}"></p>'


def _table(sides: Mapping[str, str], rows: Sequence[Sequence[str]]) -> str:
    def cells(tag: str, texts: Sequence[str]) -> str:
        pairs = zip(texts, sides.values(), strict=True)
        return "".join(f'<{tag} class="{side}">{html.escape(text)}</{tag}>' for text, side in pairs)

    head = f"<thead><tr>{cells('th', list(sides))}</tr></thead>"
    lines = [head, *(f"<tr>{cells('td', row)}</tr>" for row in rows)]
    return '<div class="wide runs"><table>\n' + "\n".join(lines) + "\n</table></div>"


def _runs(results: list[Result]) -> str:
    """Where each run lies, and what it ran on."""
    headings = ["run", "seed", "engine", "versions", "commit", "cpu or device", "time", "folder"]
    rows = []
    for result in results:
        known = result.provenance
        versions = f"gpumcts {known['versions']['gpumcts']}, numba {known['versions'].get('numba', '?')}"
        commit = (known["commit"] or "-")[:12] + "".join(f", earlier {name[:12]}" for name in result.earlier_commits)
        engine, device = str(result.summary.get("engine", "-")), str(known["device"] or known["cpu"])
        seed = "-" if known["seed"] is None else str(known["seed"])
        rows.append([result.label, seed, engine, versions, commit, device, known["time"], str(result.folder)])
    return _table(dict.fromkeys(headings, "left"), rows)
