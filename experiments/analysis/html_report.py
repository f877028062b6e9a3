"""A report as one HTML page that needs nothing else: tables, plots inside, and where the runs come from."""

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.analysis.result_table import columns
from experiments.analysis.sweep_report import End
from experiments.runs.results import Result, groups

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 0.6em 0 1.6em; display: block; overflow-x: auto; }
th, td { padding: 0.25em 0.8em; border-bottom: 1px solid #ddd; white-space: nowrap; }
th { border-bottom: 2px solid #888; text-align: left; }
.right { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; }
pre { overflow-x: auto; font-size: 0.85em; }
h2 { margin-top: 1.6em; font-size: 1.15em; }
small { color: #666; }
"""


def page(title: str, results: list[Result], plot: Path | None, ends: Sequence[End] = ()) -> str:
    """The page as text; ``plot`` is a PNG file that goes into it, and ``ends`` are those of the experiments."""
    parts = [f"<h1>{html.escape(title)}</h1>", f"<p>{len(results)} runs.</p>"]
    if plot is not None:
        parts.append(_image(plot, "plot of the runs"))
    for heading, some in groups(results).items():
        parts += [f"<h2>{html.escape(heading)}</h2>", _table(*columns(some))]
    for end in ends:
        parts += [f"<h2>{html.escape(end.title)}</h2>", f"<pre>{html.escape(end.text)}</pre>"]
        parts += [_image(file, file.stem) for file in end.files if file.suffix == ".png"]
    parts += ["<h2>Runs</h2>", _runs(results)]
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>\n'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _image(file: Path, words: str) -> str:
    image = base64.b64encode(file.read_bytes()).decode()
    return f'<p><img alt="{html.escape(words)}" src="data:image/png;base64,{image}"></p>'


def _table(sides: Mapping[str, str], rows: list[list[str]]) -> str:
    def cells(tag: str, texts: list[str]) -> str:
        pairs = zip(texts, sides.values(), strict=True)
        return "".join(f'<{tag} class="{side}">{html.escape(text)}</{tag}>' for text, side in pairs)

    lines = [f"<tr>{cells('th', list(sides))}</tr>", *(f"<tr>{cells('td', row)}</tr>" for row in rows)]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


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
