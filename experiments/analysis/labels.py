"""What runs of several sweeps are called side by side: by the choices in which they differ, beside their own keys."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from experiments.analysis.digits import fewer_digits
from experiments.runs.results import Result, flat, groups
from experiments.runs.run_directory import SWEEP

OF_OPPONENT = "opponent."
GAMES = "games"
MARKS_OF_A_SWEEP = (SWEEP, "multirun.yaml")
KEY = r"[\w.@/+~]+="
DIGITS = 6  # significant ones, of a number in a label


class OwnSweep(NamedTuple):
    """The sweep that a run is of.

    home : its folder, which other sweeps may share (``hydra.sweep.dir``); a run outside of any has its own
    keys : the keys that its runs are named by
    fixed : keys with one value on its command line that decide results, with the value
    """

    home: Path
    keys: frozenset[str]
    fixed: frozenset[tuple[str, str]]


def in_one_folder(results: Sequence[Result]) -> list[Result]:
    """The runs of a sweep's folder, named by the swept keys; told apart where several sweeps share the folder."""
    if len(set(sweeps_of(results))) > 1:
        return told_apart(sweeps_together(results))
    return list(map(_as_parsed, results))


def sweeps_together(results: Sequence[Result]) -> list[Result]:
    """The runs in their order, but for those of several sweeps in one folder: they stand sweep by sweep."""
    places: dict[Any, list[int]] = {}
    for place, result in enumerate(results):
        places.setdefault((result.title, result.config.get("k"), result.folder.parent), []).append(place)
    sweeps, found = sweeps_of(results), list(results)
    for some in places.values():
        first = {sweeps[place]: place for place in reversed(some)}
        for place, other in zip(some, sorted(some, key=lambda at: first[sweeps[at]]), strict=True):
            found[place] = results[other]
    return found


def told_apart(results: Sequence[Result]) -> list[Result]:
    """The runs in their order, with labels that say side by side what the labels of their own sweeps leave out.

    A run named by keys gets each choice in which the runs of its table differ (game, backup, budget, ...), and a
    choice's parameter where runs of that choice differ in it. What varies within the run's sweep is told by the keys
    that are swept there. Keys that all runs of the table share are left out, and titles stay. Labels that are the same
    even so get every key in which their runs differ, and runs that differ in no key the name of their folder's folder,
    as many folders above it as tell them apart.
    """
    known = list(map(_as_parsed, results))
    found: dict[int, Result] = {}
    for some in groups(known).values():
        labels = _by_choices(some)
        briefly = [brief or label for label, brief in zip(labels, _brief(some, labels), strict=True)]
        for result, label in zip(some, _distinct(some, briefly if len(some) > 1 else labels), strict=True):
            found[id(result)] = _called(result, label)
    return [found[id(result)] for result in known]


def told_briefly(results: Sequence[Result]) -> list[Result]:
    """The runs of a panel by the keys in which they differ; titles stay. One alone has its folder's name in words."""
    briefly = _brief(results, [str(result.provenance["label"] or "") for result in results])
    return [
        _called(result, brief) if brief or len(results) == 1 else result
        for result, brief in zip(results, briefly, strict=True)
    ]


def shown(results: Sequence[Result]) -> list[Result]:
    """The runs with labels for people: values as the run took them (``1000`` for ``1e3``), numbers of six digits.

    Numbers have more significant digits where six would be the same.
    """
    known = list(map(_as_parsed, results))
    return [_called(result, label) for result, label in zip(known, _rounded(known), strict=True)]


def keys_of(label: str) -> dict[str, str] | None:
    """The keys and values of a label; None where it is none of them alone."""
    pairs = re.findall(r"(\S+?)=(\S+)", label)
    return dict(pairs) if pairs and " ".join(f"{key}={value}" for key, value in pairs) == label else None


def sweeps_of(results: Sequence[Result]) -> list[OwnSweep]:
    """The sweep of each run."""
    found = []
    for result in results:
        home, label = result.folder.parent, result.label
        # Of a folder named by hydra.sweep.dir Optuna's sweeper leaves neither mark, but its runs have a command line.
        swept = any((home / mark).exists() for mark in MARKS_OF_A_SWEEP) or "-m" in result.provenance.get("command", [])
        keys = frozenset(map(place_of, _words(label)) if _is_of_keys(label) else ())
        found.append(OwnSweep(home if swept else result.folder, keys, _fixed(result)))
    return found


def _fixed(result: Result) -> frozenset[tuple[str, str]]:
    """The keys that a run's command line gives one value, as far as they decide its result: ``game``, ``go``."""
    words = [word for word in result.provenance.get("command", ()) if re.match(KEY, word) and not set(word) & set(",(")]
    values = _values(result)
    keys = {place_of(word) for word in words} - {GAMES}
    return frozenset((key, str(values[key])) for key in keys if key in values)


def _called(result: Result, label: str) -> Result:
    return replace(result, provenance={**result.provenance, "label": label})


# ---------------------------------------------------------------------------------------------------------- the choices


def _by_choices(results: Sequence[Result]) -> list[str]:
    values = [_values(result) for result in results]
    order = list(dict.fromkeys(key for own in values for key in own))
    told, varying = _told(values), _varying(values, sweeps_of(results))
    labels = []
    for result, own, keys, within in zip(results, values, told, varying, strict=True):
        label = str(result.provenance["label"] or "")
        if label and not _is_of_keys(label):
            labels.append(label)
            continue
        more = _more(label, [key for key in keys if key not in within and key != GAMES], own)
        labels.append(_ordered([*_words(label), *more], order) if more else result.label)
    return labels


def _told(values: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Of each run the keys in which it differs from a run that has them too, for parameters one of the same choice."""
    found: list[list[str]] = [[] for _ in values]
    for key in _own(dict.fromkeys(key for own in values for key in own), values):
        by_choice: dict[str, set[str]] = {}
        choices = [_choice(key, own) for own in values]
        for own, choice in zip(values, choices, strict=True):
            if key in own:
                by_choice.setdefault(choice, set()).add(str(own[key]))
        for keys, own, choice in zip(found, values, choices, strict=True):
            if key in own and len(by_choice[choice]) > 1:
                keys.append(key)
    return found


def _choice(key: str, own: Mapping[str, Any]) -> str:
    """What is chosen in the group whose parameter a key is; empty for the choice itself, and outside of groups."""
    parts = key.split(".")
    above = (".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1))
    return str(next((own[group] for group in above if group in own), ""))


def _varying(values: Sequence[Mapping[str, Any]], sweeps: Sequence[Any]) -> list[set[str]]:
    """Of each run the keys that have several values in its own sweep."""
    of_sweep: dict[Any, dict[str, set[str]]] = {}
    for own, sweep in zip(values, sweeps, strict=True):
        there = of_sweep.setdefault(sweep, {})
        for key, value in own.items():
            there.setdefault(key, set()).add(str(value))
    return [{key for key, found in of_sweep[sweep].items() if len(found) > 1} for sweep in sweeps]


def settings_of(result: Result) -> dict[str, Any]:
    """The value of each key of a run, by its place: as it decides the result, else as the configuration has it."""
    return {**flat(result.config), **_values(result)}


def _values(result: Result) -> dict[str, Any]:
    """What decides a run's result, by key as the command line has it."""
    own = {key.removesuffix(".name"): value for key, value in flat(result.provenance.get("identity") or {}).items()}
    return {**own, **{key: result.config[key] for key in (GAMES,) if key in result.config}}


def _own(keys: Iterable[str], values: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys without those of an opponent that are just as the player's in all runs that have them."""

    def follows(key: str) -> bool:
        there = [own for own in values if own.get(key) is not None]
        return key.startswith(OF_OPPONENT) and all(v[key] == v.get(key.removeprefix(OF_OPPONENT)) for v in there)

    return [key for key in keys if not follows(key)]


# ------------------------------------------------------------------------------------------------------ labels as words


def _more(label: str, keys: Iterable[str], own: Mapping[str, Any]) -> list[str]:
    """The keys that a label does not tell yet, with their values."""
    known = {place_of(word) for word in _words(label)}
    left = [key for key in keys if own.get(key) is not None and key not in known]
    return [f"{_as_typed(key)}={value_text(own[key])}" for key in left]


def _as_typed(key: str) -> str:
    """A key of an identity as a command line has it: ``backup@opponent.backup`` for an opponent's choice."""
    group = key.removeprefix(OF_OPPONENT)
    return f"{group}@{key}" if group != key and "." not in group else key


def place_of(word: str) -> str:
    """The key of a word of a label as an identity has it, such as opponent.backup of backup@opponent.backup=minimax."""
    key = word.partition("=")[0].lstrip("+")
    return key.partition("@")[2] or key


def value_text(value: Any) -> str:
    """A value as a command line has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        short = f"{value:.12g}"
        return short if float(short) == value else repr(value)
    return str(value)


def _ordered(words: Sequence[str], order: Sequence[str]) -> str:
    """The words by the place of their groups in identities, which begin with the game; then those of other keys."""
    groups_of = list(dict.fromkeys(key.partition(".")[0] for key in order))

    def place(word: str) -> tuple[int, int]:
        key = place_of(word)
        group = key.partition(".")[0]
        at = groups_of.index(group) if group in groups_of else len(groups_of)
        return at, order.index(key) if key in order else len(order)

    return " ".join(sorted(words, key=place))


def _as_parsed(result: Result) -> Result:
    """The run with the numbers of its label as it took them, however they were typed: ``4`` for ``4.0``."""
    label = str(result.provenance["label"] or "")
    if not label or not _is_of_keys(label):
        return result
    values = settings_of(result)

    def parsed(word: str) -> str:
        value, (_, blank, rest) = values.get(place_of(word)), word.partition(" ")  # the rest may name a folder
        known = isinstance(value, bool | int | float)
        return f"{word.partition('=')[0]}={value_text(value)}{blank}{rest}" if known else word

    return _called(result, " ".join(map(parsed, _words(label))))


def _brief(results: Sequence[Result], labels: Sequence[str]) -> list[str]:
    """The labels without keys that are the same in all of the runs, and without ``games``, which stands beside them.

    Empty where nothing is left. Games stay where labels would be the same without them.
    """
    values = list(map(settings_of, results))
    words = [{place_of(word): word for word in _words(label)} if _is_of_keys(label) else None for label in labels]
    keys = dict.fromkeys(key for own in words if own is not None for key in own)
    shared = {key for key in keys if _is_shared(key, words, values)}

    def without(left_out: set[str]) -> list[str]:
        return [
            label if own is None else " ".join(word for key, word in own.items() if key not in left_out)
            for label, own in zip(labels, words, strict=True)
        ]

    briefly, fewer = without(shared), without(shared | {GAMES})
    return fewer if len(set(fewer)) == len(set(briefly)) else briefly


def _is_shared(key: str, words: Sequence[Mapping[str, str] | None], values: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a key is the same in all runs named by keys: by their labels, by its value where one lacks it."""
    named = [(own, value) for own, value in zip(words, values, strict=True) if own is not None]
    texts = {own[key].partition("=")[2] for own, _ in named if key in own}
    if len(texts) > 1 or all(key in own for own, _ in named):
        return len(texts) == 1
    return all(key in value for _, value in named) and len({str(value[key]) for _, value in named}) == 1


def _is_of_keys(label: str) -> bool:
    return all(re.match(KEY, word) for word in _words(label))


def _words(label: str) -> list[str]:
    """The keys of a label with their values, in which there may be blanks."""
    return re.split(rf"\s+(?={KEY})", label) if label else []


def _rounded(results: Sequence[Result]) -> list[str]:
    """Labels whose numbers are short, each key's as long as they are different ones."""
    settings = [keys_of(result.label) for result in results]
    texts: dict[str, list[str]] = {}
    for own in settings:
        for key, value in (own or {}).items():
            texts.setdefault(key, []).append(value)
    short = {key: fewer_digits(some, DIGITS) for key, some in texts.items()}
    return [
        result.label if own is None else " ".join(f"{key}={short[key][value]}" for key, value in own.items())
        for result, own in zip(results, settings, strict=True)
    ]


# ------------------------------------------------------------------------------------------------ labels that are equal


def _distinct(results: Sequence[Result], labels: list[str]) -> list[str]:
    """The labels, with keys where some are the same, and with the names of folders where no key tells runs apart."""
    again = _recurring(labels)
    if not again:
        return labels
    values = [_values(result) for result in results]
    keys: dict[str, None] = {}
    for label in dict.fromkeys(label for label in labels if label in again):
        keys |= dict.fromkeys(_differing([own for own, other in zip(values, labels, strict=True) if other == label]))
    named = [
        " ".join([label, *_more(label, keys, own)]) if label in again or _is_of_keys(label) else label
        for label, own in zip(labels, values, strict=True)
    ]
    again = _recurring(named)
    homes = [result.folder.parent for result in results]
    places = _places([home for label, home in zip(named, homes, strict=True) if label in again])
    return [f"{label} ({places[home]})" if label in again else label for label, home in zip(named, homes, strict=True)]


def _places(folders: Sequence[Path]) -> dict[Path, Path]:
    """The names of folders, with those of the folders above where different ones have the same."""
    deepest = max((len(folder.parts) for folder in folders), default=1)
    tails = ({folder: Path(*folder.parts[-depth:]) for folder in folders} for depth in range(1, deepest + 1))
    return next(tail for tail in tails if len(set(tail.values())) == len(tail))


def _recurring(labels: Sequence[str]) -> set[str]:
    return {label for label, count in Counter(labels).items() if count > 1}


def _differing(values: Sequence[dict[str, Any]]) -> list[str]:
    """Keys whose values are not all the same."""
    keys = dict.fromkeys(key for own in values for key in own)
    return _own([key for key in keys if len({str(own.get(key)) for own in values}) > 1], values)
