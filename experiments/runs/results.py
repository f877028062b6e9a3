"""Finished runs, read from their folders, for tables, plots and reports."""

import importlib
import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.config.amounts import Changes, is_amount
from experiments.config.json_files import read_json
from experiments.config.validation import shown
from experiments.runs.presentation import presentation_of
from experiments.runs.provenance import CHANGES
from experiments.runs.run_directory import ADVICE, CONFIG, PROVENANCE, SUMMARY, SWEEP, read_summary
from gpumcts.errors import BadInput

TABLE, PLOT = "table", "plot.png"
SHOWN = {"commit", "cpu", "device", "seed", "time", "versions"}
"""What a page says of a run's record, beside its name."""
KINDS = {"command": list, "commit": (str, type(None)), "identity": dict, "number": int, "time": str, "versions": dict}
"""Of what kinds these are in a run's record."""


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
        return presentation_of(self.program).partial or not self.summary.get("interrupted")

    @property
    def earlier_commits(self) -> list[str]:
        """Other commits that worked in the folder before, in order of their last run there."""
        commits = [run["commit"] for run in self.provenance.get("earlier", []) if run["commit"]]
        return [name for name in dict.fromkeys(commits) if name != self.provenance["commit"]]

    @property
    def changes(self) -> Changes:
        """What its command line changed of its experiment; empty for runs of commits that did not record it."""
        return self.provenance.get(CHANGES, {})

    @property
    def departures(self) -> Changes:
        """Of its changes those with which a document's figure is of something else: another game, another player."""
        if not self.changes:
            return {}
        source, item = self._of_document()
        left_open = getattr(source, "LEFT_OPEN", {}).get(item, ())
        return {key: pair for key, pair in self.changes.items() if not is_amount(key) and key not in left_open}

    @property
    def printed(self) -> Any:
        """What a source document prints for this run's cell (``win_rate`` in [0, 1], ``games``), or None."""
        source, item = self._of_document()
        published = getattr(source, "published", None)
        return published(item, self.config) if published and self.summary.get("games") else None

    @property
    def published(self) -> Any:
        """What a source document prints for this run; None too where the run departs from the experiment."""
        return None if self.departures else self.printed

    @property
    def title(self) -> str:
        """What it reproduces, or the command it was."""
        if not self.config.get("document"):
            return self.program
        source, item = self._of_document()
        words = [source.TITLES[item], str(self.config.get("panel") or self.config["game"]["name"])]
        here = " ".join(f"{key}={shown(ours)}" for key, (ours, _) in self.departures.items())
        return ", ".join([*words, *([f"here {here}"] if here else [])])

    def _of_document(self) -> tuple[Any, str]:
        """The module of the document that it reproduces, and the item there; None and nothing without one.

        Raises BadInput where the configuration names what there is not.
        """
        if not self.config.get("document"):
            return None, ""
        source, _, item = str(self.config["document"]).partition("/")
        name = f"experiments.papers.{source}"
        found = importlib.import_module(name) if source.isidentifier() and importlib.util.find_spec(name) else None
        if found is None or item not in getattr(found, "TITLES", [item]):
            raise BadInput(f"{self.folder / CONFIG}: document={self.config['document']}: there is no such document")
        return found, item


def read(folder: Path) -> Result:
    """The run in a folder; raises BadInput where it is none or is damaged."""
    import yaml

    try:
        config = yaml.safe_load((folder / CONFIG).read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"{folder / CONFIG} cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise BadInput(f"{folder / CONFIG} cannot be read: {' '.join(str(error).split())}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{folder / CONFIG} is damaged: it is no UTF-8 text") from None
    if not isinstance(config, dict):
        raise BadInput(f"{folder / CONFIG} is damaged: it holds no configuration")
    result = Result(folder, config, read_json(folder / PROVENANCE), read_summary(folder))
    if not {"program", "name", "label"} <= set(result.provenance):
        raise BadInput(f"{folder / PROVENANCE} is not the record of a run")
    return result


def check_shown(result: Result) -> None:
    """Raise BadInput, naming the file, where a run lacks what tables and plots show of it: a file is damaged."""
    if missing := _lacks(result.provenance):
        raise BadInput(f"{result.folder / PROVENANCE} is damaged: it has no {missing[0]}")
    shown_by = presentation_of(result.program)
    try:
        shown_by.cells(result)
        measure = shown_by.measure(result)
        for number in () if measure is None else (measure.value, measure.low or 0, measure.high or 0):
            float(number)  # null and text raise here
    except BadInput:  # of the configuration
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        path = result.folder / SUMMARY
        raise BadInput(f"{path} is damaged: it is no summary of experiments.{result.program}{ADVICE}") from error


def _lacks(record: Mapping[str, Any]) -> list[str]:
    """What a page shows of a run's record and is not there, or is of another kind."""
    missing = sorted(SHOWN - set(record))
    missing += [name for name, kinds in KINDS.items() if name in record and not isinstance(record[name], kinds)]
    if missing:
        return missing
    game = (record.get("identity") or {}).get("game", {})
    named = isinstance(game, dict) and isinstance(game.get("name", ""), str)
    return ([] if named else ["identity.game"]) + ([] if "gpumcts" in record["versions"] else ["versions.gpumcts"])


def below(folder: Path) -> list[Result]:
    """All finished runs in a folder and below it, in order."""
    return in_order(read(path.parent) for path in folder.rglob(SUMMARY))


def sound_below(folder: Path) -> tuple[list[Result], list[str]]:
    """The finished runs in a folder and below it that can be shown, in order; and of each other what is damaged."""
    found, damaged = [], []
    for path in sorted(folder.rglob(SUMMARY)):
        try:
            result = read(path.parent)
            check_shown(result)
        except BadInput as error:
            damaged.append(str(error))
        else:
            found.append(result)
    return in_order(found), damaged


def asked_for(folder: Path) -> dict[str, str]:
    """The runs that a sweep was asked for: what each sweeps, ``seed=1 game=go``, by the name of its folder.

    Empty where nothing tells. Raises BadInput for a damaged record.
    """
    known = read_json(folder / SWEEP, ADVICE).get("runs") if (folder / SWEEP).is_file() else None
    return {str(name): str(words) for name, words in known.items()} if isinstance(known, dict) else {}


def in_order(results: Iterable[Result]) -> list[Result]:
    """By program, then by an experiment's cell, then by sweep, each in the order of its runs, whichever ended first."""
    found = list(results)
    begun: dict[Path, str] = {}
    for result in found:
        home, time = result.folder.parent, result.provenance["time"]
        begun[home] = min(time, begun.get(home, time))

    def key(result: Result) -> tuple:
        record, home = result.provenance, result.folder.parent
        place = (begun[home], record.get("number", 0), record["time"], str(result.folder))
        return result.program, result.title, result.config.get("k", 0), *place

    return sorted(found, key=key)


def groups(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The runs by what they reproduce, or by command, in the order given."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.title, []).append(result)
    return found


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
