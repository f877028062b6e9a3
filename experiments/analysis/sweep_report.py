"""What a sweep ends with, and what a report says of it again: tables, plots, and the words of the source document."""

import importlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from experiments.analysis.dataframes import write_table
from experiments.analysis.headings import heading
from experiments.analysis.labels import in_one_folder, shown
from experiments.analysis.plots import plot
from experiments.analysis.ratings import ratings
from experiments.analysis.result_table import result_table
from experiments.config.scales import DOCUMENT, SMALL, scale_of
from experiments.config.validation import shown as shown_value
from experiments.runs.results import PLOT, TABLE, Result, groups, sound_below
from experiments.terminal.console import Shown, here, kept, show

LEVEL = 0.05
IN_A_LINE = 3  # win rates that differ from even
MAX_SHOWN = 60  # characters of a value that was reduced


class End(NamedTuple):
    """The end of the sweep of an experiment, as a report has it: tables and sentences, and the files written."""

    title: str
    said: list[Shown]
    files: list[Path]


def conclude(folder: Path) -> list[str]:
    """The end of a sweep: its table on stdout, and table and plot in its folder, with what other sweeps left there.

    Returns what is damaged of runs that are therefore left out, a line each: other sweeps may have left these long ago,
    and the runs that were played now are shown all the same.
    """
    results, damaged = sound_below(folder)
    if not results:
        return damaged
    results = in_one_folder(results)
    named = shown(results)
    for title, some in groups(named).items():
        show(result_table(heading(title, some), some), *ratings(some))
    write_table(results, folder)
    files = [f"{TABLE}.csv", f"{TABLE}.parquet", *(file.name for file in plot(named, folder / PLOT))]
    files += _own_end([result for result in results if result.finished], folder)
    show(f"{', '.join(files)} in {here(folder)}")
    return damaged


def ends(results: Iterable[Result], folder: Path) -> list[End]:
    """The ends of the experiments that some runs belong to, a sweep each; their files go below ``folder``.

    Each sweep has a folder there of its name; the second one of a name has ``-2`` behind it.
    """
    sweeps: dict[Path, list[Result]] = {}
    for result in results:
        if result.config.get("document"):
            sweeps.setdefault(result.folder.parent, []).append(result)
    found = []
    names = Counter[str]()
    for sweep, some in sweeps.items():
        names[sweep.name] += 1
        home = folder / (sweep.name if names[sweep.name] == 1 else f"{sweep.name}-{names[sweep.name]}")
        home.mkdir(exist_ok=True)
        with kept() as said:
            files = _own_end(some, home)
        if not any(home.iterdir()):  # an earlier report in the folder may have left files
            home.rmdir()
        if said:
            title = f"{some[0].config['document']}: {home.name}"
            found.append(End(title, said, [home / name for name in files]))
    return found


def _own_end(results: list[Result], folder: Path) -> list[str]:
    """What the experiment's own module adds (``CONCLUSIONS``): it shows tables, writes files, returns their names."""
    show(*against_even(shown(results)))
    show(*overridden(results))
    documents = {str(result.config["document"]) for result in results if result.config.get("document")}
    if len(documents) != 1:
        return []
    source, item = documents.pop().split("/")
    own = getattr(importlib.import_module(f"experiments.papers.{source}"), "CONCLUSIONS", {})
    files = own[item](results, folder) if item in own else []
    show(*reduced(results))
    return files


def against_even(results: list[Result]) -> list[str]:
    """Which of several matches differ from a win rate of 50 %, a line; from four on, a line each behind it.

    Holm's correction is for all of the sweep. The first line says so, and of which games the matches are where they are
    of several. Matches that a sequential test may end are left out: their number of games depends on how they went,
    which these p values do not allow for.
    """
    matches = [result for result in results if {"wins", "draws"} <= result.summary.keys() and result.summary["games"]]
    matches = [result for result in matches if "sprt" not in result.summary]
    if len(matches) < 2:
        return []
    from gpumcts.match.statistics import holm, uneven

    counts = [[result.summary[key] for key in ("wins", "draws", "games")] for result in matches]
    values = holm([uneven(*count) for count in counts])
    away = [(p, result) for p, result in zip(values, matches, strict=True) if p < LEVEL]
    over = _family(matches)
    if not away:
        return [f"None of {len(matches)} win rates differs from 50 % (Holm {over}; the least p is {min(values):.2g})."]
    named = [f"{_place(result)} ({100 * result.summary['win_rate']:.1f} %, p {_small(p)})" for p, result in away]
    differ = "differs" if len(away) == 1 else "differ"
    said = f"{len(away)} of {len(matches)} win rates {differ} from 50 % (p by Holm {over}):"
    return [f"{said} {'; '.join(named)}."] if len(named) <= IN_A_LINE else [said, *(f"  {one}" for one in named)]


def _family(matches: list[Result]) -> str:
    """Over what Holm's correction goes."""
    *others, last = dict.fromkeys(str(result.config.get("game", {}).get("name")) for result in matches)
    of_games = f" of {', '.join(others)} and {last}" if others else ""
    return f"over the sweep's {len(matches)} matches{of_games}"


def _place(result: Result) -> str:
    """A run by its panel and its label, since labels may recur in a sweep."""
    panel = result.config.get("panel")
    return f"{panel}, {result.label}" if panel else result.label


def _small(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def reduced(results: list[Result]) -> list[str]:
    """What runs with scale=small have less of than the document, a line; nothing for others.

    What the command line set is not among it: ``overridden`` has that.
    """
    some = [result for result in results if scale_of(result.config) == SMALL]
    small = [result.config for result in some]
    if not small or SMALL not in small[0].get("scales", {}):
        return []
    changed = {key.rpartition(".")[2] for result in some for key in result.changes}
    words = []
    for key in small[0]["scales"][SMALL]:
        if key not in small[0]["scales"][DOCUMENT] or key in changed:
            continue
        ours, theirs = (_values([config["scales"][scale].get(key) for config in small]) for scale in (SMALL, DOCUMENT))
        if ours != theirs:
            words.append(f"{key} {ours} (document: {theirs})")
    return [f"Reduced, scale=small: {'; '.join(words)}."] if words else []


def overridden(results: list[Result]) -> list[str]:
    """What the command line changed of the experiment, a line; nothing where that is nothing."""
    told: dict[str, tuple[list[Any], list[Any]]] = {}
    for result in results:
        recorded = {key: (ours, [theirs]) for key, (ours, theirs) in result.changes.items()}
        for key, (ours, theirs) in (recorded or _changed_budget(result.config)).items():
            played, own = told.setdefault(key, ([], []))
            played.append(ours)
            own += theirs
    words = [f"{key} {_values(played)} (of the experiment: {_values(own)})" for key, (played, own) in told.items()]
    return [f"Not as the experiment has it, by the command line: {'; '.join(words)}."] if words else []


def _changed_budget(config: Mapping[str, Any]) -> dict[str, tuple[Any, list[Any]]]:
    """Games and iterations that are none of an experiment's own, of a run whose record does not tell its changes."""
    scale = config.get("scales", {}).get(scale_of(config), {})
    found = {}
    for key, value in (("games", config.get("games")), ("iterations", _iterations(config))):
        own = _leaves(scale[key]) if key in scale and value is not None else [value]
        if value not in own:
            found[key] = (value, own)
    return found


def _iterations(config: Mapping[str, Any]) -> Any:
    return config.get("budget", {}).get("iterations")


def _leaves(value: Any) -> list[Any]:
    return [leaf for part in value.values() for leaf in _leaves(part)] if isinstance(value, Mapping) else [value]


def _values(values: list[Any]) -> str:
    """The values of a key in some runs: one, or from the least to the greatest; long lists by their number."""
    flat = [inner for value in values for inner in (value.values() if isinstance(value, Mapping) else [value])]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in flat):
        low, high = min(flat), max(flat)
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"
    text = ", ".join(dict.fromkeys(" ".join(shown_value(value).split()) for value in flat))
    return text if len(text) <= MAX_SHOWN else f"{len(_items(text))} values"


def _items(text: str) -> list[str]:
    """The items of a list as a sweep has it: commas within brackets part none."""
    depth, items = 0, [""]
    for letter in text:
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    return items
