"""What to say of a key that Hydra's own configuration does not have."""

import difflib
from collections.abc import Mapping
from typing import Any

from hydra.conf import HydraConf
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

CHOSEN = ("launcher", "sweeper")
"""Groups of plugins, each with keys of its own."""


def unknown_key(key: str) -> str:
    """The message for a key below ``hydra``: the nearest name where it goes astray, or the names there are."""
    *parents, last = key.split(".")
    place, names = "", _names()
    for number, part in enumerate(parents, 1):
        if part not in names:
            return _message(key, place, part, names, "." + ".".join([*parents[number:], last]))
        place, below = ".".join(parents[:number]), names[part]
        if not isinstance(below, Mapping):
            return f"{key}: unknown key; {place} has no keys"
        names = below
    if last in names:  # a mapping that is set whole, with keys that are not there
        return f"{key}: its keys are added with a plus: +{key}.NAME=..."
    return _message(key, place, last, names)


def _message(key: str, place: str, word: str, names: Mapping[str, Any], rest: str = "") -> str:
    if not names:  # a place for keys of a user's own, as hydra.job.env_set
        return f"{key}: {place} has no keys yet; one is added with a plus: +{key}=..."
    if close := difflib.get_close_matches(word, names, n=1):
        return f"{key}: unknown key (did you mean {place}.{close[0]}{rest}?)"
    listed = "" if place.rpartition(".")[2] in CHOSEN else f"; {place} has {', '.join(names)}"
    return f"{key}: unknown key{listed}"


def _names() -> dict[str, Any]:
    """Keys by place, nested; a launcher or a sweeper has those of every one that is installed."""
    own: Any = OmegaConf.to_container(OmegaConf.structured(HydraConf()))
    store = ConfigStore.instance()
    for group in CHOSEN:
        files = store.list(f"hydra/{group}")
        nodes = [store.load(f"hydra/{group}/{file}").node for file in files if file.endswith(".yaml")]
        own[group] = {str(key): None for node in nodes for key in node if not str(key).startswith("_")}
    return {"hydra": own}
