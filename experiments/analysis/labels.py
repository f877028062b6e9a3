"""What runs of several sweeps are called side by side: each sweep names its runs by its own swept keys alone."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from experiments.runs.results import Result, flat, groups

OF_OPPONENT = "opponent."


def told_apart(results: Sequence[Result]) -> list[Result]:
    """The runs in their order, with labels that differ wherever runs of one table were called the same.

    Runs of one label get the keys in which they differ, and so do the other runs of their table that are named by keys;
    runs that differ in no key get the name of their folder's folder.
    """
    found = {id(result): result for result in results}
    for some in groups(results).values():
        for result, label in zip(some, _labels(some), strict=True):
            found[id(result)] = replace(result, provenance={**result.provenance, "label": label})
    return [found[id(result)] for result in results]


def _labels(results: Sequence[Result]) -> list[str]:
    labels = [result.label for result in results]
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
    homes = [result.folder.parent.name for result in results]
    return [f"{label} ({home})" if label in again else label for label, home in zip(named, homes, strict=True)]


def _recurring(labels: Sequence[str]) -> set[str]:
    return {label for label, count in Counter(labels).items() if count > 1}


def _values(result: Result) -> dict[str, Any]:
    """What decides a run's result, by key as the command line has it."""
    own = {key.removesuffix(".name"): value for key, value in flat(result.provenance.get("identity") or {}).items()}
    return {**own, **{key: result.config[key] for key in ("games",) if key in result.config}}


def _differing(values: Sequence[dict[str, Any]]) -> list[str]:
    """Keys whose values are not all the same; those of an opponent only where they are not just as the player's."""
    keys = [
        key for key in dict.fromkeys(key for own in values for key in own) if len({str(v.get(key)) for v in values}) > 1
    ]
    return [
        key
        for key in keys
        if not (key.startswith(OF_OPPONENT) and all(v.get(key) == v.get(key.removeprefix(OF_OPPONENT)) for v in values))
    ]


def _more(label: str, keys: Sequence[str] | dict[str, None], own: dict[str, Any]) -> list[str]:
    """The keys that a label does not tell yet, with their values."""
    known = {word.partition("=")[0] for word in label.split()}
    return [f"{key}={own[key]}" for key in keys if key in own and own[key] is not None and key not in known]


def _is_of_keys(label: str) -> bool:
    return all(re.fullmatch(r"\S+?=\S+", word) for word in label.split())
