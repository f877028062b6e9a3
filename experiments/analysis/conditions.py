"""Under which conditions some runs were made: what they have in common, what varies, and what is unfinished."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from experiments.analysis.labels import MARKS_OF_A_SWEEP
from experiments.runs.results import Result, asked_for
from experiments.runs.run_directory import PROVENANCE, SUMMARY
from experiments.runs.sequential import decided
from gpumcts.compiling.own_sources import SOURCES
from gpumcts.options import as_json
from gpumcts.tree.settings import Settings

NOT_TOLD = ("name", SOURCES)  # of an option beside its name
SIDE = ("player", "playout", "selection", "backup")
MAX_VALUES = 6  # that are named where a condition varies


def conditions(results: Sequence[Result]) -> dict[str, str]:
    """Names and texts: game, players or planner, budget, seed, games, engine, commit, versions and machine.

    Where a value varies, those that there are stand side by side.
    """
    told: dict[str, list[str]] = {}
    for result in results:
        for name, text in _of(result).items():
            told.setdefault(name, []).append(text)
    identity = _merged([dict(result.provenance.get("identity") or {}) for result in results])
    own = {"command": " / ".join(dict.fromkeys(result.program for result in results))}
    return {**own, **_players(identity), **{name: _side_by_side(texts) for name, texts in told.items()}}


def unfinished(results: Sequence[Result]) -> list[str]:
    """Matches that have fewer games than were asked for, a line each; not those that their sequential test ended."""
    lines = []
    for result in results:
        asked, played = result.config.get("games"), result.summary.get("games")
        few = isinstance(asked, int) and isinstance(played, int) and played < asked and not decided(result.summary)
        if few and "wins" in result.summary:
            lines.append(f"{result.label}: {played:,} of {asked:,} games")
    return lines


def without_result(results: Sequence[Result]) -> list[str]:
    """Runs of the same sweeps that have no result, a line each, in the order of the sweep: begun or missing.

    Several sweeps may have runs of the same words: then each line names its sweep.
    """
    folders = dict.fromkeys(result.folder.parent for result in results)
    sweeps = [folder for folder in folders if any((folder / mark).exists() for mark in MARKS_OF_A_SWEEP)]
    lines = []
    for sweep in sweeps:
        asked = asked_for(sweep)
        begun = {path.parent.name for path in sweep.glob(f"*/{PROVENANCE}")}
        ended = {path.parent.name for path in sweep.glob(f"*/{SUMMARY}")}
        of = f" ({sweep.name})" if len(sweeps) > 1 else ""
        for name in [*asked, *sorted(begun - asked.keys())]:
            if name not in ended:
                lines.append(f"{asked.get(name) or name}{of}: {'begun, no result' if name in begun else 'missing'}")
    return lines


def _of(result: Result) -> dict[str, str]:
    """What a run's record tells beside its identity."""
    record, games = result.provenance, result.config.get("games")
    versions = record["versions"]
    return {
        **({} if games is None else {"games": f"{games:,}"}),
        "seed": "-" if record["seed"] is None else str(record["seed"]),
        "engine": str(result.summary.get("engine") or record.get("engine") or "-"),
        "commit": ", earlier ".join(
            [(record["commit"] or "not known")[:12], *(c[:12] for c in result.earlier_commits)]
        ),
        "versions": f"gpumcts {versions['gpumcts']}, numba {versions.get('numba', '-')}",
        "machine": str(record["device"] or record["cpu"]),
    }


def _players(identity: Mapping[str, Any]) -> dict[str, str]:
    """The game, who plays or plans, how their trees grow where that is not the default, and their budgets."""
    found = {name: _option(identity[name]) for name in ("game", "planner") if name in identity}
    opponent = identity.get("opponent")
    sides = [("player", "budget", identity)]
    sides += [("opponent", "opponent's budget", opponent)] if isinstance(opponent, Mapping) else []
    for name, budget, side in sides:
        parts = [_option(side[group]) for group in SIDE if group in side]
        found |= {name: ", ".join(parts)} if parts else {}
        found |= {budget: _values(side["budget"])} if isinstance(side.get("budget"), Mapping) else {}
    searches = {f"{whose}search": _search(side["search"]) for whose, side in _searching(identity)}
    return found | ({name: text or "defaults" for name, text in searches.items()} if any(searches.values()) else {})


def _searching(identity: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The sides that have settings of a search, and how their lines begin."""
    sides = [("", identity), ("opponent's ", identity.get("opponent") or {})]
    return [(whose, side) for whose, side in sides if isinstance(side, Mapping) and "search" in side]


def _search(settings: Mapping[str, Any]) -> str:
    """The settings of a search that are not the defaults."""
    usual = as_json(Settings()._asdict())
    return _values({key: value for key, value in settings.items() if key not in usual or value != usual[key]})


def _option(value: Any) -> str:
    """An option in words: its name, and its values in parentheses."""
    if not isinstance(value, Mapping):
        return str(value)
    rest = _values(value)
    return f"{value.get('name', '')} ({rest})".strip() if rest else str(value.get("name", ""))


def _values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items() if value is not None and key not in NOT_TOLD)


def _merged(many: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Nested values as one: a value that varies is the text of all that there are."""
    found: dict[str, Any] = {}
    for key in dict.fromkeys(key for one in many for key in one):
        there = [one[key] for one in many if key in one]
        nested = [value for value in there if isinstance(value, Mapping)]
        found[key] = _merged(nested) if nested else there[0] if len(set(map(str, there))) == 1 else _side_by_side(there)
    return found


def _side_by_side(values: Iterable[Any]) -> str:
    found = list(dict.fromkeys(map(str, values)))
    if len(found) <= MAX_VALUES + 1:  # the last one is as short as "1 other"
        return " / ".join(found)
    return " / ".join([*found[:MAX_VALUES], f"{len(found) - MAX_VALUES} others"])
